"""Listens to turns: a correction holds at once, as a provisional rule, and waits to be learned."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from seasoned.core.bus import Bus
from seasoned.core.clock import Clock
from seasoned.core.events import Corrected
from seasoned.core.ids import digest
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.corrections import (
    Correction,
    Kind,
    SecondOpinion,
    denied,
    edited,
    find_correction,
    interrupted,
)
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.learning.examples import Examples
from seasoned.learning.exchanges import Exchange, ExchangeStore, kept
from seasoned.learning.journal import Journal
from seasoned.learning.lesson import Lesson, Polarity
from seasoned.learning.pending import Pending
from seasoned.learning.rulebook import reach_of
from seasoned.learning.rules import Rules, Saying
from seasoned.rules.approval import approval
from seasoned.rules.case import Case
from seasoned.rules.drafting import drafted
from seasoned.rules.rule import RuleDraft
from seasoned.security.audit import AuditStore

PROVISIONAL = "the user just said so; it holds in this session until it is learned"


@dataclass(frozen=True, slots=True)
class Denial:
    """A tool that a user did not let run, and why, if he said so."""

    tool: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Signals:
    """What a user did to a reply without writing a message about it."""

    edited: str | None = None  # the reply as the user left it
    interrupted: bool = False
    denied: Denial | None = None


@dataclass(frozen=True, slots=True)
class Noticed:
    """What a message was to the reply before it.

    `rule` holds from now on in this session; `case` is the correction's id in the queue.
    """

    correction: Correction | None = None
    case: str | None = None
    rule: Lesson | None = None
    approval: Polarity | None = None
    example: Lesson | None = field(default=None, repr=False)

    def __bool__(self) -> bool:
        return self.correction is not None


@dataclass(frozen=True, slots=True)
class TurnsConfig:
    enabled: bool = True
    judged: bool = False  # whether a model looks at each correction before it becomes a rule


class Turns:
    def __init__(
        self,
        db: Database,
        exchanges: ExchangeStore,
        pending: Pending,
        rules: Rules,
        examples: Examples,
        audit: AuditStore,
        bus: Bus,
        clock: Clock,
        config: TurnsConfig,
        second_opinion: SecondOpinion | None = None,
    ) -> None:
        self.db = db
        self.exchanges = exchanges
        self.pending = pending
        self.rules = rules
        self.examples = examples
        self.audit = audit
        self.bus = bus
        self.clock = clock
        self.config = config
        self.second_opinion = second_opinion

    async def heard(self, message: str, scope: Scope, reach: str = "") -> Noticed:
        """A user's message: does it correct the last reply of its session, or praise it?

        `reach` says whom a rule that follows is for.
        """
        if not self.config.enabled:
            return Noticed()
        last = await self.last(scope)
        found = find_correction(
            message,
            previous_request=last.request or None,
            previous_reply=last.reply or None,
            second_opinion=self.second_opinion,
        )
        if found is not None and self._is_worth_learning(found):
            return await self.correct(message, found, scope, last, reach)
        if found is not None:
            return Noticed(found)
        judged = approval(message) if last.reply else None
        if judged is None:
            return Noticed()
        example = await self.examples.judged(last, judged, message, scope)
        return Noticed(approval=judged, example=example)

    async def said(
        self, exchange: Exchange, scope: Scope, signals: Signals | None = None, reach: str = ""
    ) -> Noticed:
        """A reply went out; what the user did to it may be a correction too."""
        now = self.clock.now()
        exchange = replace(exchange, at=exchange.at or now)

        async def keep(tx: Connection) -> None:
            await self.exchanges.keep(tx, scope, exchange)

        await transact(self.db, keep)
        found, message = _wordless(exchange, signals or Signals())
        if found is None or not self.config.enabled:
            return Noticed()
        return await self.correct(message, found, scope, exchange, reach)

    async def correct(
        self, message: str, found: Correction, scope: Scope, last: Exchange, reach: str = ""
    ) -> Noticed:
        """Queues a correction, and lets it hold at once."""
        if reach:
            reach_of(reach, scope)  # says at once that it cannot be
        case = replace(case_of(message, found, scope, last, self.clock.now()), reach=reach)
        # First queued, then applied: should the process end between, it is learned all the same.
        await self.pending.push(case, case.at)

        async def applied(tx: Connection) -> tuple[Journal, Lesson]:
            journal = Journal(case.at)
            journal.write("correction.noticed", case.id, {"kind": case.kind, "score": case.score})
            rule = await self._provisional(tx, case, journal)
            await self.audit.add(tx, case.at, journal.entries)
            return journal, rule

        await self.rules.ready()
        journal, rule = await transact(self.db, applied)
        journal.publish(self.bus)
        self.bus.publish(Corrected(case.at, case.id, scope.session, case.kind, case.score))
        return Noticed(found, case.id, rule)

    async def _provisional(self, tx: Connection, case: Case, journal: Journal) -> Lesson:
        draft = drafted(case)
        if not isinstance(draft, RuleDraft):
            draft = _objection(case)
        # What was just said holds in every turn of the session, whatever the turn is about.
        said = Saying(session=case.scope.session, reason=PROVISIONAL, provisional_of=case.id)
        saved = await self.rules.save(tx, replace(draft, trigger=""), case.scope, said, journal)
        return saved.rule

    def _is_worth_learning(self, found: Correction) -> bool:
        """Whether it may say how to do better: mere displeasure needs someone to find out."""
        return found.safe or found.kind is not Kind.DISSATISFIED or self.config.judged

    async def last(self, scope: Scope) -> Exchange:
        """What the next message of a session may correct."""
        async with self.db.read() as tx:
            return await self.exchanges.last(tx, scope)


def case_of(message: str, found: Correction, scope: Scope, last: Exchange, now: int) -> Case:
    """All that is needed to learn from a correction; the same one twice has the same id."""
    message, request, reply = kept(message), kept(last.request), kept(last.reply)
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


def _wordless(exchange: Exchange, signals: Signals) -> tuple[Correction | None, str]:
    """What a user did without a word, and what can be quoted of it."""
    if signals.edited is not None and (found := edited(exchange.reply, signals.edited)):
        return found, signals.edited
    if signals.denied is not None:
        return denied(signals.denied.tool, signals.denied.reason), signals.denied.reason
    return (interrupted(), "") if signals.interrupted else (None, "")


def _objection(case: Case) -> RuleDraft:
    """That something was wrong, when the user did not say what would be right."""
    if case.message.strip():
        told = f"The user objected to the last reply: “{one_line(case.message, 200)}”. "
    else:
        told = "The user stopped the last reply. "
    rest = "Do not give it again; ask what is wanted if that is not clear."
    return RuleDraft("missing_context", told + rest, confidence=case.score)
