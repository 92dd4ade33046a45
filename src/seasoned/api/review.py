"""`s.review`: what waits for an operator, with its evidence, and the decision on it."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from seasoned.api.face import AsyncFace, SyncFace, sync
from seasoned.core.errors import BadInput, Changed, NotFound
from seasoned.db.connection import Connection
from seasoned.db.keyset import Place
from seasoned.db.unit import Change
from seasoned.fixes.episodes import Episode
from seasoned.lessons.adoption import adopt, reject, waiting_lessons
from seasoned.lessons.decisions import decided, restore, with_examples
from seasoned.lessons.lesson import Lesson
from seasoned.rules.case_store import AnalysedCase
from seasoned.rules.conflicts import Conflict
from seasoned.rules.rules import RULES

TOO_FEW = "needs more witnesses"
NOT_SURE = "perhaps no rule was meant"
MOST_SHOWN = 3  # exchanges or attempts of each item
Call = tuple[str, Mapping[str, Any]]  # a tool and its parameters
WaitingKind = Literal["rule", "fix", "conflict"]


@dataclass(frozen=True, slots=True)
class CorrectedExchange:
    """An exchange and the user's words about it, from which a rule was learned."""

    session: str
    at: int
    request: str
    reply: str
    said: str


@dataclass(frozen=True, slots=True)
class RepairedCall:
    """A call that failed, its error, and what worked then.

    `worked` is None if the failed call itself worked later; `steps` were taken in between.
    """

    session: str
    at: int
    failed: Call
    error: str
    worked: Call | None
    steps: Sequence[Call] = ()


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """A candidate rule or fix, or two rules in conflict; `reason` says why it waits."""

    id: str
    kind: WaitingKind
    lesson: Lesson  # of a conflict: the later rule
    reason: str
    witnesses: int
    exchanges: Sequence[CorrectedExchange] = ()
    repairs: Sequence[RepairedCall] = ()
    quotes: Sequence[str] = ()  # where neither is recorded
    earlier: Lesson | None = field(default=None)  # of a conflict
    conflict: Conflict | None = None

    @property
    def place(self) -> Place:
        """Where it stands in the list, which has the conflicts first: `after` of the next page."""
        if self.conflict is not None:
            return ("conflict", *self.conflict.place)
        return ("lesson", self.witnesses, self.lesson.belief.worked, self.id)

    @property
    def version(self) -> str:
        """Return a digest of what people change by hand."""
        return self.conflict.version if self.conflict is not None else self.lesson.version


class AsyncReviewFace(AsyncFace):
    """Lessons that wait for an operator in this scope; without a project or user, in all."""

    async def list(self, *, limit: int = 100, after: Place | None = None) -> Sequence[WaitingItem]:
        """List what waits: open conflicts, then candidates, the most witnessed first."""
        return (await self._read(lambda tx: self._waiting(tx, limit, after)))[:limit]

    async def get(self, name: str) -> WaitingItem:
        """Return a lesson or conflict with its evidence, by its id or a prefix of it."""
        return await self._read(lambda tx: self._item(tx, name))

    async def accept(self, name: str, *, keep: str = "later", version: str | None = None) -> Lesson:
        """Adopt a lesson as if the operator had taught it.

        Of a conflict, `keep` says which rule holds: earlier, later or both. With the `version` of
        the item as it was read, raise `Changed` if somebody decided or changed it since.
        """
        item = await self.get(name)
        if item.conflict is not None:
            return await self._resolve(item, keep, version)
        return await self._change(name, None, version)

    async def edit(self, name: str, words: str, *, version: str | None = None) -> Lesson:
        """Adopt a lesson in other words."""
        item = await self.get(name)
        if item.conflict is not None:
            raise BadInput(f"{item.id} is a conflict; edit one of its rules: `seasoned rules edit`")
        return await self._change(name, words, version)

    async def reject(self, name: str, *, version: str | None = None) -> Lesson:
        """Retire a lesson; it does not come back by itself. Of a conflict: keep the earlier."""
        item = await self.get(name)
        if item.conflict is not None:
            return await self._resolve(item, "earlier", version)

        async def retire(change: Change) -> Lesson:
            lesson = await self._own_lesson(change, name, version)
            before = await with_examples(self._app.lessons, change, [lesson])
            rejected = await reject(self._app.lessons, change, lesson)
            await self._remember(change, lesson.id, before)
            return rejected

        return await self._run(self._app.unit.change(retire))

    async def undo(self, name: str) -> WaitingItem:
        """Take back the last decision on a lesson or conflict, by its whole id; it waits again.

        Raise `Changed` if one of its lessons was changed since.
        """

        async def taken_back(change: Change) -> None:
            decision = await self._app.decisions.take(change, name)
            for state in decision.lessons:
                await self._app.lessons.to_change(change, state.id, self._caller)
                await restore(self._app.lessons, change, state, decision.at)
            if all(state.id != name for state in decision.lessons):
                await self._app.conflicts.reopen(change, name, decision.winner)

        await self._run(self._app.unit.change(taken_back))
        return await self.get(name)

    async def _remember(
        self, change: Change, name: str, before: Sequence[Lesson], winner: str | None = None
    ) -> None:
        """Keep what a decision changed, so that it can be taken back."""
        states = await decided(self._app.lessons, change, before)
        await self._app.decisions.put(change, name, states, winner)

    async def _change(self, name: str, words: str | None, version: str | None) -> Lesson:
        async def accepted(change: Change) -> Lesson:
            lesson = await self._own_lesson(change, name, version)
            before = await with_examples(self._app.lessons, change, [lesson])
            adopted = await adopt(self._app.lessons, change, lesson, words)
            if words is not None and adopted.kind in RULES:
                await self._app.rules.compare(change, adopted)
            await self._remember(change, lesson.id, before)
            return adopted

        await self._run(self._app.rules.prepare())
        return await self._run(self._app.unit.change(accepted))

    async def _resolve(self, item: WaitingItem, keep: str, version: str | None) -> Lesson:
        if version is not None and item.version != version:
            raise Changed(f"conflict {item.id} was changed meanwhile; read it again")
        rules = [one for one in (item.earlier, item.lesson) if one is not None]

        async def settle(change: Change) -> None:
            before = await with_examples(self._app.lessons, change, rules)
            winner = item.conflict.winner if item.conflict else None
            await self._app.rulebook.settle(change, item.id, keep, self._caller)
            await self._remember(change, item.id, before, winner)

        await self._run(self._app.rules.prepare())
        await self._run(self._app.unit.change(settle))
        kept = item.earlier if keep == "earlier" and item.earlier else item.lesson
        return await self._read(lambda tx: self._lesson(tx, kept.id))

    async def _lesson(self, tx: Connection, name: str) -> Lesson:
        return await self._app.lessons.get(tx, name, self._caller)

    async def _own_lesson(self, change: Change, name: str, version: str | None) -> Lesson:
        lesson = await self._app.lessons.to_change(change, name, self._caller)
        await self._app.lessons.expect(change, lesson, version)
        return lesson

    async def _waiting(
        self, tx: Connection, limit: int, after: Place | None
    ) -> Sequence[WaitingItem]:
        kind, place = (after[0], after[1:]) if after else ("conflict", None)
        found: list[WaitingItem] = []
        if kind == "conflict":
            for one in await self._app.conflicts.waiting(tx, self._scope, limit, place):
                with suppress(NotFound):  # the earlier rule is another user's
                    found.append(await self._conflict(tx, one))
            place = None
        lessons = await waiting_lessons(tx, self._scope, limit, place)
        for lesson, witnesses in lessons[: max(0, limit - len(found))]:
            found.append(replace(await self._candidate(tx, lesson), witnesses=witnesses))
        return found

    async def _item(self, tx: Connection, name: str) -> WaitingItem:
        try:
            return await self._candidate(tx, await self._lesson(tx, name))
        except NotFound:
            pass
        try:
            return await self._conflict(tx, await self._app.conflicts.get(tx, name))
        except NotFound:
            raise NotFound(f"nothing called {name!r}; `seasoned review` shows what waits") from None

    async def _conflict(self, tx: Connection, conflict: Conflict) -> WaitingItem:
        later = await self._app.lessons.find(tx, conflict.later)
        earlier = await self._app.lessons.find(tx, conflict.earlier)
        seen = [one for one in (later, earlier) if one and self._caller.may("see", one.scope)]
        if later is None or earlier is None or len(seen) < 2:
            raise NotFound(f"conflict {conflict.id} has lost one of its rules")
        cases = await self._cases(tx, later)
        return WaitingItem(
            conflict.id,
            "conflict",
            later,
            conflict.reason,
            len(cases),
            exchanges=_exchanges(cases),
            earlier=earlier,
            conflict=conflict,
        )

    async def _cases(self, tx: Connection, lesson: Lesson) -> Sequence[AnalysedCase]:
        """Return the corrections behind a rule that the caller may read."""
        found = await self._app.cases.of_lesson(tx, lesson.id)
        return [one for one in found if self._caller.may("read", one.scope)]

    async def _candidate(self, tx: Connection, lesson: Lesson) -> WaitingItem:
        evidence = await self._app.lessons.evidence(tx, lesson.id)  # counted; shown is its own
        shown = await self._app.lessons.evidence_for(tx, lesson, self._caller)
        speaking = [one for one in evidence if one.worked > 0 and one.quote]
        quoted = (one.quote for one in shown if one.worked > 0 and one.quote)
        quotes = list(dict.fromkeys(quoted))[:MOST_SHOWN]
        sessions = len({one.session for one in speaking})
        if lesson.fix is not None:
            episodes = await self._app.episodes.about(tx, lesson.id, self._caller.realm, MOST_SHOWN)
            reason = lesson.fix.waits or TOO_FEW
            repairs = [_repaired(one) for one in episodes]
            return WaitingItem(
                lesson.id, "fix", lesson, reason, sessions, repairs=repairs, quotes=quotes
            )
        cases = await self._cases(tx, lesson)
        return WaitingItem(
            *(lesson.id, "rule", lesson, NOT_SURE, sessions),
            exchanges=_exchanges(cases),
            quotes=quotes,
        )


class ReviewFace(SyncFace[AsyncReviewFace]):
    """The synchronous twin."""

    list = sync(AsyncReviewFace.list)
    get = sync(AsyncReviewFace.get)
    accept = sync(AsyncReviewFace.accept)
    edit = sync(AsyncReviewFace.edit)
    reject = sync(AsyncReviewFace.reject)
    undo = sync(AsyncReviewFace.undo)


def _exchanges(cases: Sequence[AnalysedCase]) -> Sequence[CorrectedExchange]:
    told = [one.case for one in cases if one.case is not None][:MOST_SHOWN]
    return [
        CorrectedExchange(case.scope.session, case.at, case.request, case.reply, case.message)
        for case in told
    ]


def _repaired(episode: Episode) -> RepairedCall:
    """Read an episode: the call that worked, and the steps before it."""
    steps: list[Call] = [(step.tool, step.params) for step in episode.steps]
    worked = None if episode.worked in (None, episode.params) else (episode.tool, episode.worked)
    place = steps.index(worked) if worked in steps else len(steps)
    return RepairedCall(
        session=episode.session,
        at=episode.opened_at,
        failed=(episode.tool, episode.params),
        error=episode.message,
        worked=worked,
        steps=steps[:place],
    )
