"""Listens to turns: a correction takes effect at once and is queued to be learned.

The story of a correction: `corrections/detection.py` finds it in a message; `Turns` makes a `Case`
of it, queues that in `Pending` and saves a provisional rule, which holds in this session only;
later `Learner` takes the case from the queue and has an analyst draft a lasting rule, which `Rules`
saves, or counts as evidence for a known one. With a model, the messages that no grammar is sure of
wait in a queue of their own until it has judged them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from seasoned.core.events import Corrected, Remarked
from seasoned.core.ids import digest
from seasoned.core.scope import Scope
from seasoned.core.text import one_line, storable
from seasoned.corrections import (
    Correction,
    CorrectionKind,
    SecondOpinion,
    denied,
    edited,
    find_correction,
    interrupted,
)
from seasoned.db.database import Connection
from seasoned.db.unit import Change, Unit, transact
from seasoned.lessons.lesson import Lesson, Polarity
from seasoned.rules.case import Case, RuleDraft, reach_of
from seasoned.rules.examples import Examples
from seasoned.rules.exchanges import Exchange, ExchangeStore, storable_message
from seasoned.rules.grammar.approval import approval, is_assent
from seasoned.rules.grammar.drafting import draft_rule
from seasoned.rules.grammar.own_words import own_words
from seasoned.rules.grammar.reading import wish_of
from seasoned.rules.pending import Pending
from seasoned.rules.rules import RuleOrigin, Rules
from seasoned.security.redact import redact
from seasoned.security.stored import stored_name

WISHED = 0.85  # how certain it is that a message with a standing wish means it
PROVISIONAL_REASON = "the user just said so; it holds in this session until it is learned"


@dataclass(frozen=True, slots=True)
class Denial:
    """A tool call that a user denied, and the reason if given."""

    tool: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Signals:
    """Actions of a user on a reply, without a message about it."""

    edited: str | None = None  # the reply as the user left it
    interrupted: bool = False
    denied: Denial | None = None


@dataclass(frozen=True, slots=True)
class Reaction:
    """How a user reacted to a reply: true if it is a correction.

    `case` is the correction's id in the queue; `rule` is provisional, for this session only;
    `against` are the rules that it contradicts, `replaced` those that it replaced. `lasts`: what
    was said is to hold from now on, not in this session only; a model may judge otherwise later.
    """

    correction: Correction | None = None
    case: str | None = None
    rule: Lesson | None = None
    approval: Polarity | None = None
    example: Lesson | None = field(default=None, repr=False)
    against: Sequence[Lesson] = ()
    replaced: Sequence[Lesson] = ()
    lasts: bool = False

    def __bool__(self) -> bool:
        return self.correction is not None


@dataclass(frozen=True, slots=True)
class TurnsConfig:
    enabled: bool = True


class Turns:
    """Finds corrections and praise in messages, and corrections in what users do to replies."""

    def __init__(
        self,
        unit: Unit,
        exchanges: ExchangeStore,
        pending: Pending,
        rules: Rules,
        examples: Examples,
        config: TurnsConfig,
        second_opinion: SecondOpinion | None = None,
        remarks: Pending | None = None,
    ) -> None:
        self.unit = unit
        self.exchanges = exchanges
        self.pending = pending
        self.rules = rules
        self.examples = examples
        self.config = config
        self.second_opinion = second_opinion
        self.remarks = remarks  # what a model is to judge; None without a model

    async def on_message(self, message: str, scope: Scope, reach: str = "") -> Reaction:
        """Check whether a user's message corrects or praises the last reply of its session.

        What the message quotes or pastes is not the user's word. `reach` says for whom a rule
        from it is.
        """
        message = own_words(redact(storable(message)))
        if not self.config.enabled or not message:
            return Reaction()
        last = await self.last_exchange(scope)
        found, wish = self._corrects(message, last), wish_of(message)
        if found is not None and self._is_worth_learning(found):
            sure = replace(found, score=max(found.score, WISHED)) if wish else found
            return await self.correct(message, sure, scope, last, reach)
        if wish is not None:
            wished = Correction(CorrectionKind.WISH, WISHED, (0, len(message)))
            noted = await self.correct(message, wished, scope, last, reach)
            return replace(noted, correction=found)
        verdict = approval(message) if last.reply and found is None else None
        if verdict is None:
            await self._ask_about(message, scope, last, reach)
            return Reaction(found)
        example = await self.examples.add_judged(last, verdict, message, scope)
        return Reaction(approval=verdict, example=example)

    async def _ask_about(self, message: str, scope: Scope, last: Exchange, reach: str) -> None:
        """Queue a message that the grammar is not sure of, if there is a model to judge it."""
        if self.remarks is None or is_assent(message):
            return
        remark = Correction(CorrectionKind.REMARK, 0.0, (0, len(message)))
        case = replace(case_of(message, remark, scope, last, self.unit.now()), reach=reach)
        await self.remarks.push(case, case.at)
        self.unit.bus.publish(Remarked(case.at, case.id, scope.session))

    def _corrects(self, message: str, last: Exchange) -> Correction | None:
        """Return the correction in a message; without a reply, only what is safe is one."""
        found = find_correction(
            message,
            previous_request=last.request or None,
            previous_reply=last.reply or None,
            second_opinion=self.second_opinion,
        )
        return found if found is None or last.reply or found.safe else None

    async def on_reply(
        self, exchange: Exchange, scope: Scope, signals: Signals | None = None, reach: str = ""
    ) -> Reaction:
        """Store a finished exchange; what the user did to the reply may be a correction."""
        exchange = replace(exchange, at=exchange.at or self.unit.now())

        async def store(tx: Connection) -> None:
            await self.exchanges.put(tx, scope, exchange)

        await transact(self.unit.db, store)
        found, message = _correction_by_deed(exchange, signals or Signals())
        if found is None or not self.config.enabled:
            return Reaction()
        return await self.correct(message, found, scope, exchange, reach)

    async def correct(
        self, message: str, found: Correction, scope: Scope, last: Exchange, reach: str = ""
    ) -> Reaction:
        """Queue a correction of the last exchange, and save it as a provisional rule."""
        if reach:
            reach_of(reach, scope)  # raises at once if the caller's scope does not allow it
        case = replace(case_of(message, found, scope, last, self.unit.now()), reach=reach)
        await self.rules.prepare()
        rule, evicted = await self.unit.change(
            lambda change: self.correct_within(change, case), at=case.at
        )
        await self.pending.forward(evicted, case.at)
        if rule is None:
            return Reaction(found, case.id)
        against, replaced = await self._earlier(rule, case.at)
        lasts = not rule.scope.session or self._lasts(case)
        return Reaction(found, case.id, rule, against=against, replaced=replaced, lasts=lasts)

    def _lasts(self, case: Case) -> bool:
        """Whether the grammar reads in a correction that it holds beyond its session."""
        draft = draft_rule(case)
        return (
            isinstance(draft, RuleDraft)
            and "session" not in (draft.duration, case.reach)
            and self.rules.will_hold(draft, RuleOrigin())
        )

    async def _earlier(self, rule: Lesson, since: int) -> tuple[Sequence[Lesson], Sequence[Lesson]]:
        """Return the earlier rules that a new one contradicts, and those that it replaced."""
        async with self.unit.read() as tx:
            ids = await self.rules.conflicts.rivals(tx, rule.id)
            found = [await self.rules.lessons.find(tx, name) for name in ids]
            gone = await self.rules.lessons.rules.superseded_by(tx, rule.id)
        against = [one for one in found if one is not None]
        known = {one.id for one in against}
        return against, [one for one in gone if one.updated_at >= since and one.id not in known]

    async def correct_within(self, change: Change, case: Case) -> tuple[Lesson | None, int]:
        """Queue a correction and let it hold in its session, if it has one.

        Return the provisional rule and how many cases the cap evicted; pass that to
        `pending.forward` after the commit.
        """
        evicted = await self.pending.push_within(change, case, case.at)
        change.record("correction.noticed", case.id, {"kind": case.kind, "score": case.score})
        rule = await self._save_provisional(change, case) if case.scope.session else None
        said = (case.id, case.scope.session, case.kind, case.score)
        change.tell(Corrected(case.at, *said, case.scope))
        return rule, evicted

    async def _save_provisional(self, change: Change, case: Case) -> Lesson:
        draft = draft_rule(case)
        if not isinstance(draft, RuleDraft):
            draft = _objection(case)
        origin = RuleOrigin(
            session=case.scope.session, reason=PROVISIONAL_REASON, provisional_of=case.id
        )
        # Without a trigger: it holds in every turn of the session.
        draft = replace(draft, trigger="")
        return (await self.rules.save(change, draft, case.scope, origin)).rule

    def _is_worth_learning(self, found: Correction) -> bool:
        """Whether it may say how to do better; mere dissatisfaction needs a model to find out."""
        return found.safe or found.kind is not CorrectionKind.DISSATISFIED

    async def last_exchange(self, scope: Scope) -> Exchange:
        """Return the exchange that the next message of a session may correct."""
        async with self.unit.read() as tx:
            return await self.exchanges.last(tx, scope)


def case_of(message: str, found: Correction, scope: Scope, last: Exchange, now: int) -> Case:
    """Build the case of a correction; the same correction again has the same id."""
    message, request, reply = map(storable_message, (message, last.request, last.reply))
    return Case(
        id=digest(*scope.fields(), message, request, reply)[:16],
        at=now,
        scope=scope,
        message=message,
        kind=found.kind.value,
        score=found.score,
        language=found.language,
        wanted=found.wanted,
        unwanted=found.unwanted,
        request=request,
        reply=reply,
        tool_calls=[_call(call) for call in last.tool_calls],
        rules=list(last.rules),
    )


def _call(call: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: call[name] for name in ("tool", "params", "error") if call.get(name)}


def _correction_by_deed(exchange: Exchange, signals: Signals) -> tuple[Correction | None, str]:
    """Return the correction that a user made without a message, and the words to quote."""
    if signals.edited is not None:
        reply, left = redact(storable(exchange.reply)), redact(storable(signals.edited))
        if found := edited(reply, left):
            return found, left
    if signals.denied is not None:
        reason = redact(storable(signals.denied.reason))
        return denied(stored_name(signals.denied.tool), reason), reason
    return (interrupted(), "") if signals.interrupted else (None, "")


def _objection(case: Case) -> RuleDraft:
    """Draft a rule for a correction that does not say what would be right."""
    if case.message.strip():
        said = one_line(case.message, 200).rstrip(".")
        told = f"The user objected to the last reply: “{said}”. "
    else:
        told = "The user stopped the last reply. "
    rest = "Do not give it again; ask what is wanted if that is not clear."
    return RuleDraft("missing_context", told + rest, confidence=case.score)
