"""Draws what was learned into the graph: errors, their tools, sessions and likenesses, their fixes.

A worker does it, a little after something was learned, from the state alone: `GraphQueue` says
what the graph does not show yet. A fix that is no longer given loses its edge here; what is erased
or becomes one with another leaves the graph at once, in the stores.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from seasoned.core.clock import Clock
from seasoned.core.scope import Scope
from seasoned.core.triple import Predicate, Triple
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.graph.nodes import error_node, fix_node, session_node, tool_node
from seasoned.graph.store import GraphStore
from seasoned.learning.graph_queue import GraphedError, GraphQueue, Met, Similar
from seasoned.learning.lesson import USABLE, Lesson

SOURCE = "engine"
MOST_SESSIONS = 100  # of a fix, at a time; those drawn before stay

Drawn = Iterable[tuple[Scope, Triple]]


class GraphWriter:
    def __init__(self, db: Database, graph: GraphStore, clock: Clock) -> None:
        self.db = db
        self.graph = graph
        self.clock = clock
        self.queue = GraphQueue(db)

    def work(self, most: int) -> int:
        """Draws up to so many pieces that wait; how many it did. Runs in the buffer's thread."""
        return self.db.run(self.write(most))

    async def write(self, most: int) -> int:
        if not await self.behind():
            return 0
        return await transact(self.db, lambda tx: self._write(tx, most))

    async def behind(self) -> bool:
        """Whether something waits, as after a crash or while the graph was off."""
        async with self.db.read() as tx:
            return not await self.queue.is_empty(tx)

    async def _write(self, tx: Connection, most: int) -> int:
        taken = await self.queue.take(tx, await self.queue.next(tx, most))
        shared = [fix for fix in taken.fixes if not (fix.scope.user or fix.scope.session)]
        errors = await self.queue.errors(tx, taken.error_ids)
        similar = await self.queue.similar(tx, list(errors))
        ends = {end for link in similar for end in (link.error_id, link.other_id)}
        known = errors | await self.queue.errors(tx, sorted(ends - errors.keys()))
        for fix in shared:
            await self._withdraw(tx, fix)
        sessions = {fix.id: await self._sessions(tx, fix) for fix in shared}
        drawn = [
            *errors_drawn(errors.values(), similar, known),
            *met_drawn(taken.met, errors),
            *fixes_drawn(shared, errors, sessions),
        ]
        await self._add(tx, drawn, labels_of(errors.values(), shared))
        return taken.pieces

    async def _sessions(self, tx: Connection, fix: Lesson) -> Sequence[tuple[str, int]]:
        return await self.queue.sessions_of(tx, fix.id, MOST_SESSIONS)

    async def _withdraw(self, tx: Connection, fix: Lesson) -> None:
        """What was drawn of this fix and may have changed; the rest of it is drawn again."""
        node = fix_node(fix.id)
        for predicate in ("resolvedBy", "supersedes"):
            await self.graph.remove(tx, fix.scope, predicate=predicate, object=node, source=SOURCE)
        if fix.status not in USABLE:
            await self.graph.remove(
                tx, fix.scope, subject=node, predicate="learnedFrom", source=SOURCE
            )
            await self.graph.unname(tx, fix.scope, node)

    async def _add(
        self, tx: Connection, drawn: Drawn, labels: Iterable[tuple[Scope, str, str]]
    ) -> None:
        triples: dict[Scope, list[Triple]] = defaultdict(list)
        names: dict[Scope, dict[str, str]] = defaultdict(dict)
        for scope, triple in drawn:
            triples[scope].append(triple)
        for scope, node, label in labels:
            names[scope][node] = label
        now = self.clock.now()
        for scope in sorted(triples, key=Scope.fields):
            await self.graph.add(tx, scope, triples[scope], now)
        for scope in sorted(names, key=Scope.fields):
            await self.graph.name(tx, scope, names[scope])


def errors_drawn(
    errors: Iterable[GraphedError],
    similar: Iterable[Similar],
    known: Mapping[str, GraphedError],
) -> Drawn:
    """Each error, its tool, and the errors that are like it."""
    for error in errors:
        if error.tool:
            yield error.scope, _edge(_node(error), "causedBy", tool_node(error.tool), error)
    for link in similar:
        one, other = known.get(link.error_id), known.get(link.other_id)
        if one is not None and other is not None:
            yield one.scope, _edge(_node(one), "similarTo", _node(other), one, link.similarity)


def met_drawn(met: Iterable[Met], errors: Mapping[str, GraphedError]) -> Drawn:
    """Which session met which error."""
    for one in met:
        error = errors.get(one.error_id)
        if error is not None and one.session:
            node = session_node(one.session)
            yield error.scope, Triple(_node(error), "inSession", node, 1.0, SOURCE, one.at)


def fixes_drawn(
    fixes: Iterable[Lesson],
    errors: Mapping[str, GraphedError],
    sessions: Mapping[str, Sequence[tuple[str, int]]],
) -> Drawn:
    """What resolves an error, how sure that is, who taught it, and what took its place."""
    for fix in fixes:
        error = errors.get(fix.fix.error_id) if fix.fix else None
        scope, node, at = fix.scope.shared(), fix_node(fix.id), fix.updated_at
        if fix.superseded_by and fix.status == "superseded":
            newer = fix_node(fix.superseded_by)
            yield scope, Triple(newer, "supersedes", node, 1.0, SOURCE, at)
        if error is None or fix.status not in USABLE:
            continue
        yield scope, Triple(_node(error), "resolvedBy", node, fix.confidence, SOURCE, at)
        for session, seen_at in reversed(sessions[fix.id]):
            yield scope, Triple(node, "learnedFrom", session_node(session), 1.0, SOURCE, seen_at)


def labels_of(
    errors: Iterable[GraphedError], fixes: Iterable[Lesson]
) -> Iterable[tuple[Scope, str, str]]:
    for error in errors:
        yield error.scope, _node(error), error.template
    for fix in fixes:
        if fix.status in USABLE or fix.status == "superseded":
            yield fix.scope.shared(), fix_node(fix.id), fix.content


def _node(error: GraphedError) -> str:
    return error_node(error.tool, error.id)


def _edge(
    subject: str, predicate: Predicate, object_: str, error: GraphedError, weight: float = 1.0
) -> Triple:
    return Triple(subject, predicate, object_, weight, SOURCE, error.first_seen_at)
