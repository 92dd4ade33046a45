"""Stores what conversations and answers to inquiries teach: one lesson for each statement.

A statement of only an assistant or a tool stays a candidate, supersedes no lesson, and gains no
belief by repetition.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from seasoned.conversations.items import ConversationItem, triple_of, weight_to_reach
from seasoned.conversations.known import KnownLessons, rivals_of, twin_of, without_contradictions
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.db.database import Connection
from seasoned.db.unit import Change
from seasoned.graph.graph_store import GraphStore
from seasoned.lessons.lesson import (
    ACTIVE_FROM,
    PRIORS,
    USABLE,
    Draft,
    Evidence,
    Lesson,
    Source,
    Status,
)
from seasoned.lessons.lesson_store import LessonStore, drawn_from
from seasoned.memory.inquiries import Inquiry, InquiryAnswer
from seasoned.rules.case import RuleDraft
from seasoned.rules.rules import RuleOrigin, Rules

Outcome = Literal["learned", "strengthened", "known", "contradicted"]
LONGEST_QUOTE = 300
ANSWER_PRIORS: Mapping[Source, str] = {
    "operator": "operator",
    "user": "user",
    "model": "model_high",
}
ANSWER_REASONS: Mapping[Source, str] = {
    "operator": "told by the operator, as an answer",
    "user": "told by the user, as an answer",
    "model": "the user answered it, as a model read it",
}


@dataclass(frozen=True, slots=True)
class MatchedItem:
    """An item, the known lesson that says the same, and those that contradict it."""

    item: ConversationItem
    twin: Lesson | None = None
    rivals: Sequence[Lesson] = field(default=())


@dataclass(frozen=True, slots=True)
class ItemResult:
    item: ConversationItem
    outcome: Outcome
    lesson: Lesson | None = None


@dataclass(frozen=True, slots=True)
class ItemOrigin:
    """Scope of the lessons, session of the conversation, and name of the reader."""

    scope: Scope
    session: str
    by: str


class Findings:
    """Matches items with known lessons and stores them; `graph` is None if it is disabled."""

    def __init__(
        self,
        lessons: LessonStore,
        rules: Rules,
        known: KnownLessons,
        graph: GraphStore | None = None,
        threshold: float = ACTIVE_FROM,
    ) -> None:
        self.lessons = lessons
        self.rules = rules
        self.known = known
        self.graph = graph
        self.threshold = threshold

    async def match(
        self, items: Sequence[ConversationItem], scope: Scope, shown: Sequence[Lesson] = ()
    ) -> list[MatchedItem]:
        """Compare the items with each other and with known lessons, before the transaction.

        `shown` are the lessons that the reader was shown; its items may refer to them.
        """
        found: list[MatchedItem] = []
        for item in without_contradictions(items):
            named = shown[item.known] if item.known is not None else None
            near = await self.known.near(item.content, scope)
            twin = named or twin_of(item.content, near)
            rivals = [one for one in rivals_of(item.content, near) if one != twin]
            found.append(MatchedItem(item, twin, rivals))
        return found

    async def store(
        self, change: Change, findings: Sequence[MatchedItem], origin: ItemOrigin
    ) -> list[ItemResult]:
        """Store the items; return what became of each."""
        return [await self._store_item(change, one, origin) for one in findings]

    async def _store_item(
        self, change: Change, matched: MatchedItem, origin: ItemOrigin
    ) -> ItemResult:
        item = matched.item
        twin = await self.lessons.find(change, matched.twin.id) if matched.twin else None
        if twin is not None and twin.status in USABLE:
            return await self._strengthen(change, item, twin, origin)
        for rival in matched.rivals:
            if not await self._overrules(change, item, rival):
                return ItemResult(item, "contradicted")
        stored = self._store_preference if item.kind == "preference" else self._store_statement
        kept = await stored(change, item, origin)
        if kept.lesson is not None and kept.outcome != "known" and kept.lesson.status == "active":
            for rival in matched.rivals:
                await self._supersede(change, rival, kept.lesson)
            await self._draw_triple(change, item, kept.lesson, change.at)
        return kept

    async def _overrules(self, tx: Connection, item: ConversationItem, rival: Lesson) -> bool:
        """Whether an item may contradict a known lesson: it is certain, and not older."""
        if item.prior.confidence < self.threshold:
            return False
        if rival.source == "operator" and item.source != "user":
            return False
        if rival.explicit and not item.sure:
            return False
        heard = await self.lessons.evidence(tx, rival.id)
        return item.said_at >= max((one.at for one in heard), default=0)

    async def _strengthen(
        self, change: Change, item: ConversationItem, lesson: Lesson, origin: ItemOrigin
    ) -> ItemResult:
        """Strengthen a known lesson if a user repeats it in another session."""
        before = await self.lessons.evidence(change, lesson.id)
        if not item.by_user or any(one.session == origin.session for one in before):
            return ItemResult(item, "known", lesson)
        more = weight_to_reach(lesson.belief, item.prior)
        said = self._evidence(item, origin, change.at, more, 0)
        status = lesson.status_with(lesson.belief.plus(more), self.threshold)
        changed = await self.lessons.believe(change, lesson, said, status)
        return ItemResult(item, "strengthened", changed)

    async def _store_preference(
        self, change: Change, item: ConversationItem, origin: ItemOrigin
    ) -> ItemResult:
        """Store a preference as a rule, which may contradict a known one."""
        quotes = tuple(one_line(quote.text, LONGEST_QUOTE) for quote in item.quotes)
        draft = RuleDraft("preference", item.content, item.when, quotes=quotes)
        said = RuleOrigin(
            source=item.source,
            kind="preference",
            session=origin.session,
            reason=_reason(item, origin),
            verbatim=True,
            typed=False,
            prior=item.prior,
        )
        saved = await self.rules.save(change, draft, origin.scope, said)
        rule = saved.rule
        if rule.status in ("active", "candidate"):  # its status when it was saved
            held = await self.lessons.find(change, rule.id)
            # An earlier rule, which the user revokes with this item, may have superseded it.
            if held is not None and held.status == "superseded":
                rule = await self.lessons.supersede(change, held, None, None)
        return ItemResult(item, "learned" if saved.is_new else "strengthened", rule)

    async def _store_statement(
        self, change: Change, item: ConversationItem, origin: ItemOrigin
    ) -> ItemResult:
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
            evidence=(self._evidence(item, origin, change.at, prior.worked, prior.failed),),
        )
        lesson, is_new = await self.lessons.add(change, draft)
        if is_new:
            return ItemResult(item, "learned", lesson)
        if lesson.status in USABLE:
            return await self._strengthen(change, item, lesson, origin)
        if item.source != "user" or lesson.status not in ("superseded", "retired"):
            return ItemResult(item, "known", lesson)  # a removed lesson does not come back
        lesson = await self._restore(change, item, lesson, origin)
        return ItemResult(item, "strengthened", lesson)

    async def _restore(
        self, change: Change, item: ConversationItem, lesson: Lesson, origin: ItemOrigin
    ) -> Lesson:
        """Restore a superseded or retired lesson that a user states again."""
        said = self._evidence(item, origin, change.at, 1, 0)
        back = await self.lessons.believe(change, lesson, said, "active")
        return await self.lessons.supersede(change, back, None, None)

    async def _supersede(self, change: Change, rival: Lesson, by: Lesson) -> None:
        """Supersede an earlier lesson of the same kind and scope, and remove its triple."""
        held = await self.lessons.find(change, rival.id)
        if held is None or held.scope != by.scope or held.status not in USABLE or held.id == by.id:
            return
        if held.kind != by.kind:
            return
        await self.lessons.supersede(change, held, by.id, f"superseded by {by.id}")
        if self.graph is not None:
            await self.graph.remove(change, held.scope, source=drawn_from(held.id))

    async def _draw_triple(
        self, tx: Connection, item: ConversationItem, lesson: Lesson, now: int
    ) -> None:
        """Add the relation of an item to the graph, unless it is private to a user."""
        if self.graph is None or item.relation is None or lesson.scope.user or not item.by_user:
            return
        triple, names = triple_of(item.relation, drawn_from(lesson.id), lesson.confidence)
        await self.graph.add(tx, lesson.scope, [triple], now)
        await self.graph.name(tx, lesson.scope, names)

    def _evidence(
        self, item: ConversationItem, origin: ItemOrigin, at: int, worked: float, failed: float
    ) -> Evidence:
        quote = one_line(item.quoted, LONGEST_QUOTE)
        said_at = item.said_at or at
        return Evidence(said_at, _reason(item, origin), worked, failed, origin.session, quote)


def _reason(item: ConversationItem, origin: ItemOrigin) -> str:
    if item.source == "user":
        return "the user said so"
    said = "the user's words" if item.by_user else "what was said and shown"
    return f"{origin.by} found it in {said} ({item.certainty} confidence)"


class InquiryAnswers:
    """Stores the answers to the librarian's inquiries as facts."""

    def __init__(self, lessons: LessonStore, threshold: float) -> None:
        self.lessons = lessons
        self.threshold = threshold

    async def __call__(self, change: Change, inquiry: Inquiry, answer: InquiryAnswer) -> str:
        """Store an answer as a fact in the scope of the inquiry; a repetition is evidence."""
        prior, reason = PRIORS[ANSWER_PRIORS[answer.by]], ANSWER_REASONS[answer.by]
        sure = answer.by != "model" or prior.confidence >= self.threshold
        said = Evidence(change.at, reason, prior.worked, prior.failed, quote=answer.quote)
        lesson, is_new = await self.lessons.add(
            change,
            Draft(
                kind="fact",
                status="active" if sure else "candidate",
                scope=inquiry.scope,
                trigger=inquiry.question,
                content=answer.fact,
                belief=prior,
                source=answer.by,
                evidence=(said,),
            ),
        )
        if not is_new:
            again = Evidence(change.at, "told again", 1, 0, quote=answer.quote)
            status = lesson.status_with(lesson.belief.plus(worked=1), self.threshold)
            await self.lessons.believe(change, lesson, again, status)
        return lesson.id
