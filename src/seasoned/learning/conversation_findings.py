"""Keeps what conversations teach: one lesson for each thing, however often it is said.

What only an assistant or a tool said stays a candidate, takes no other lesson's place, and does
not become more believed by being repeated.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.db.database import Connection
from seasoned.graph.store import GraphStore
from seasoned.learning.conversation_items import Item, raised, triple_of
from seasoned.learning.conversation_known import Known, rivals_of, settled, twin_of
from seasoned.learning.journal import Journal
from seasoned.learning.lesson import USABLE, Draft, Evidence, Lesson, Status
from seasoned.learning.lessons import LessonStore, drawn_from
from seasoned.learning.rules import Rules, Saying
from seasoned.rules.rule import RuleDraft

Outcome = Literal["learned", "strengthened", "known", "contradicted"]
LONGEST_QUOTE = 300


@dataclass(frozen=True, slots=True)
class Finding:
    """An item, the lesson that says the same already, and those that say otherwise."""

    item: Item
    twin: Lesson | None = None
    rivals: Sequence[Lesson] = field(default=())


@dataclass(frozen=True, slots=True)
class Result:
    item: Item
    outcome: Outcome
    lesson: Lesson | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose lessons they become, from which session, found by whom."""

    scope: Scope
    session: str
    by: str


class Findings:
    """`graph` is None where there is none."""

    def __init__(
        self,
        lessons: LessonStore,
        rules: Rules,
        known: Known,
        graph: GraphStore | None = None,
        threshold: float = 0.7,
    ) -> None:
        self.lessons = lessons
        self.rules = rules
        self.known = known
        self.graph = graph
        self.threshold = threshold

    async def matched(
        self, items: Sequence[Item], scope: Scope, shown: Sequence[Lesson] = ()
    ) -> list[Finding]:
        """Before the transaction: compares the items with what is known, and with each other.

        `shown` are the lessons that a reader was told of, which its items may name.
        """
        found: list[Finding] = []
        for item in settled(items):
            named = shown[item.known] if item.known is not None else None
            near = await self.known.near(item.content, scope)
            twin = named or twin_of(item.content, near)
            rivals = [one for one in rivals_of(item.content, near) if one != twin]
            found.append(Finding(item, twin, rivals))
        return found

    async def keep(
        self, tx: Connection, findings: Sequence[Finding], origin: Origin, journal: Journal
    ) -> list[Result]:
        """Stores them; the caller audits and publishes the journal."""
        return [await self._kept(tx, one, origin, journal) for one in findings]

    async def _kept(
        self, tx: Connection, finding: Finding, origin: Origin, journal: Journal
    ) -> Result:
        item = finding.item
        twin = await self.lessons.find(tx, finding.twin.id) if finding.twin else None
        if twin is not None and twin.status in USABLE:
            return await self._again(tx, item, twin, origin, journal)
        for rival in finding.rivals:
            if not await self._overrules(tx, item, rival):
                return Result(item, "contradicted")
        stored = self._preferred if item.kind == "preference" else self._stated
        kept = await stored(tx, item, origin, journal)
        if kept.lesson is not None and kept.outcome != "known" and kept.lesson.status == "active":
            for rival in finding.rivals:
                await self._supersede(tx, rival, kept.lesson, journal)
            await self._drawn(tx, item, kept.lesson, journal.at)
        return kept

    async def _overrules(self, tx: Connection, item: Item, rival: Lesson) -> bool:
        """Whether it may stand against what is known: said for sure, and not before that was."""
        if item.prior.confidence < self.threshold:
            return False
        if rival.source == "operator" and item.source != "user":
            return False
        if rival.explicit and not item.sure:
            return False
        heard = await self.lessons.evidence(tx, rival.id)
        return item.said_at >= max((one.at for one in heard), default=0)

    async def _again(
        self, tx: Connection, item: Item, lesson: Lesson, origin: Origin, journal: Journal
    ) -> Result:
        """It is known: believed more, if a user says so who has not said so in this session."""
        before = await self.lessons.evidence(tx, lesson.id)
        if not item.by_user or any(one.session == origin.session for one in before):
            return Result(item, "known", lesson)
        more = raised(lesson.belief, item.prior)
        said = self._evidence(item, origin, journal.at, more, 0)
        status = lesson.status_with(lesson.belief.plus(more), self.threshold)
        changed = await self.lessons.believe(tx, lesson, said, status, journal.at)
        journal.changed(lesson, changed, said.reason)
        return Result(item, "strengthened", changed)

    async def _preferred(
        self, tx: Connection, item: Item, origin: Origin, journal: Journal
    ) -> Result:
        """A preference is compared with the rules there are: it may contradict one of them."""
        quotes = tuple(one_line(quote.text, LONGEST_QUOTE) for quote in item.quotes)
        draft = RuleDraft("preference", item.content, item.when, quotes=quotes)
        said = Saying(
            source=item.source,
            kind="preference",
            session=origin.session,
            reason=_reason(item, origin),
            verbatim=True,
            typed=False,
            prior=item.prior,
        )
        saved = await self.rules.save(tx, draft, origin.scope, said, journal)
        rule = saved.rule
        if rule.status in ("active", "candidate"):  # as it was when it was saved
            held = await self.lessons.find(tx, rule.id)
            if held is not None and held.status == "superseded":  # by what the user takes back
                rule = await self.lessons.supersede(tx, held, None, journal.at)
        return Result(item, "learned" if saved.is_new else "strengthened", rule)

    async def _stated(self, tx: Connection, item: Item, origin: Origin, journal: Journal) -> Result:
        prior = item.prior
        status: Status = "active" if prior.confidence >= self.threshold else "candidate"
        draft = Draft(
            kind=item.kind,
            status=status,
            scope=origin.scope,
            trigger=item.when,
            content=item.content,
            belief=prior,
            source=item.source,
            identity=item.content,
            evidence=(self._evidence(item, origin, journal.at, prior.worked, prior.failed),),
        )
        lesson, is_new = await self.lessons.add(tx, draft, journal.at)
        if is_new:
            journal.learned(lesson)
        elif lesson.status in USABLE:
            return await self._again(tx, item, lesson, origin, journal)
        elif item.source != "user" or lesson.status not in ("superseded", "retired"):
            return Result(item, "known", lesson)  # what somebody took away does not come back
        else:
            lesson = await self._taken_back(tx, item, lesson, origin, journal)
        return Result(item, "learned" if is_new else "strengthened", lesson)

    async def _taken_back(
        self, tx: Connection, item: Item, lesson: Lesson, origin: Origin, journal: Journal
    ) -> Lesson:
        """A user says again what had lost its place: it holds once more."""
        back = await self.lessons.supersede(tx, lesson, None, journal.at)
        said = self._evidence(item, origin, journal.at, 1, 0)
        changed = await self.lessons.believe(tx, back, said, back.status, journal.at)
        journal.changed(lesson, changed, said.reason)
        return changed

    async def _supersede(self, tx: Connection, rival: Lesson, by: Lesson, journal: Journal) -> None:
        """The later statement wins over an earlier one of the same scope, which is kept."""
        held = await self.lessons.find(tx, rival.id)
        if held is None or held.scope != by.scope or held.status not in USABLE or held.id == by.id:
            return
        if held.kind != by.kind:
            return
        changed = await self.lessons.supersede(tx, held, by.id, journal.at)
        journal.changed(held, changed, f"superseded by {by.id}")
        if self.graph is not None:
            await self.graph.remove(tx, held.scope, source=drawn_from(held.id))

    async def _drawn(self, tx: Connection, item: Item, lesson: Lesson, now: int) -> None:
        """What it says of two things, in the graph; nobody's private affairs stand there."""
        if self.graph is None or item.said is None or lesson.scope.user or not item.by_user:
            return
        triple, names = triple_of(item.said, drawn_from(lesson.id), lesson.confidence)
        await self.graph.add(tx, lesson.scope, [triple], now)
        await self.graph.name(tx, lesson.scope, names)

    def _evidence(
        self, item: Item, origin: Origin, at: int, worked: float, failed: float
    ) -> Evidence:
        quote = one_line(item.quoted, LONGEST_QUOTE)
        said_at = item.said_at or at
        return Evidence(said_at, _reason(item, origin), worked, failed, origin.session, quote)


def _reason(item: Item, origin: Origin) -> str:
    if item.source == "user":
        return "the user said so"
    said = "the user's words" if item.by_user else "what was said and shown"
    return f"{origin.by} found it in {said} ({item.certainty} confidence)"
