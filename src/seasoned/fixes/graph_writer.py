"""Write what was learned to the graph: errors, tools, sessions, similar errors and fixes.

A worker does this shortly after something was learned; `GraphQueue` says what is missing. A fix
that is no longer given loses its edge here. Erased and merged lessons and errors leave the graph at
once, in their stores.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from seasoned.core.clock import Clock
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.unit import transact
from seasoned.fixes.graph_queue import Encounter, ErrorLink, GraphedError, GraphQueue
from seasoned.graph.graph_store import GraphStore
from seasoned.graph.triple import (
    Predicate,
    Triple,
    error_node,
    fix_node,
    session_node,
    tool_node,
)
from seasoned.lessons.lesson import USABLE, Lesson

SOURCE = "engine"
MOST_SESSIONS = 100  # per fix and time; sessions drawn before stay

Drawn = Iterable[tuple[Scope, Triple]]


class GraphWriter:
    def __init__(self, db: Database, graph: GraphStore, clock: Clock) -> None:
        self.db = db
        self.graph = graph
        self.clock = clock
        self.queue = GraphQueue(db)

    def work(self, most: int) -> int:
        """Draw up to `most` waiting pieces and return how many. Runs in the buffer's thread."""
        return self.db.run(self.write(most))

    async def write(self, most: int) -> int:
        if not await self.behind():
            return 0
        return await transact(self.db, lambda tx: self._write(tx, most))

    async def behind(self) -> bool:
        """Tell whether something waits, as after a crash or while the graph was off."""
        async with self.db.read() as tx:
            return not await self.queue.is_empty(tx)

    async def waiting(self, tx: Connection) -> int:
        return await self.queue.waiting(tx)

    async def put_back(self, tx: Connection, scope: Scope) -> int:
        """Queue everything of exactly this scope again; return how many pieces."""
        return await self.queue.put_back(tx, scope)

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
            *draw_errors(errors.values(), similar, known),
            *draw_encounters(taken.met, errors),
            *draw_fixes(shared, errors, sessions),
        ]
        await self._add(tx, drawn, labels_of(errors.values(), shared))
        return taken.pieces

    async def _sessions(self, tx: Connection, fix: Lesson) -> Sequence[tuple[str, int]]:
        return await self.queue.sessions_of(tx, fix.id, MOST_SESSIONS)

    async def _withdraw(self, tx: Connection, fix: Lesson) -> None:
        """Remove the edges of a fix that may have changed; they are drawn again."""
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


def draw_errors(
    errors: Iterable[GraphedError],
    similar: Iterable[ErrorLink],
    known: Mapping[str, GraphedError],
) -> Drawn:
    """Draw each error with its tool and the errors similar to it."""
    for error in errors:
        if error.tool:
            yield error.scope, _edge(_node(error), "causedBy", tool_node(error.tool), error)
    for link in similar:
        one, other = known.get(link.error_id), known.get(link.other_id)
        if one is not None and other is not None:
            yield one.scope, _edge(_node(one), "similarTo", _node(other), one, link.similarity)


def draw_encounters(met: Iterable[Encounter], errors: Mapping[str, GraphedError]) -> Drawn:
    """Draw the sessions in which each error occurred."""
    for one in met:
        error = errors.get(one.error_id)
        if error is not None and one.session:
            node = session_node(one.session)
            yield error.scope, Triple(_node(error), "inSession", node, 1.0, SOURCE, one.at)


def draw_fixes(
    fixes: Iterable[Lesson],
    errors: Mapping[str, GraphedError],
    sessions: Mapping[str, Sequence[tuple[str, int]]],
) -> Drawn:
    """Draw each fix with its error, its confidence, its sessions and its successor."""
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
