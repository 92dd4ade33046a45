"""Makes cases of the corrections that a reader found in a conversation, as if they were noticed."""

from collections.abc import Sequence
from dataclasses import replace

from seasoned.core.scope import Scope
from seasoned.corrections import Correction, Kind, find_correction
from seasoned.learning.conversation_items import Certainty, Item
from seasoned.learning.exchanges import Exchange
from seasoned.learning.turns import case_of
from seasoned.memory.session import Kept
from seasoned.rules.case import Case

SCORES: dict[Certainty, float] = {"high": 0.85, "medium": 0.6, "low": 0.0}


def cases_of(items: Sequence[Item], messages: Sequence[Kept], scope: Scope, now: int) -> list[Case]:
    """One for each message that corrects a reply, but for those that were noticed at once."""
    found: dict[str, Case] = {}
    for item in items:
        if SCORES[item.certainty]:
            for seq in sorted({quote.seq for quote in item.quotes if quote.role == "user"}):
                if case := _case(seq, SCORES[item.certainty], messages, scope, now):
                    found[case.id] = case
    return list(found.values())


def _case(seq: int, score: float, messages: Sequence[Kept], scope: Scope, now: int) -> Case | None:
    said = next(message for message in messages if message.seq == seq)
    request = _text(messages, said.turn - 1, "user")
    reply = _text(messages, said.turn - 1, "assistant")
    if not reply:
        return None  # there is nothing that it could correct
    noticed = find_correction(
        said.text, previous_request=request or None, previous_reply=reply, floor=0
    )
    if noticed is not None and noticed.safe:
        return None
    sure = (
        replace(noticed, score=max(score, noticed.score))
        if noticed is not None
        else Correction(Kind.WRONG, score, (0, len(said.text)))
    )
    return case_of(said.text, sure, scope, Exchange(request, reply), now)


def _text(messages: Sequence[Kept], turn: int, role: str) -> str:
    """What one said in a turn; of several messages with words, the last."""
    texts = [one.text for one in messages if (one.turn, one.role) == (turn, role)]
    return next((text for text in reversed(texts) if text.strip()), "")
