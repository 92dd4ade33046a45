"""Chooses which messages a summary may stand for, and says what a model gets of a session.

Only whole turns go, the oldest first; only such as were observed; and never a tool call without
its result. Messages themselves are kept for ever: a summary stands before them, not over them.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from seasoned.memory.notable import noticed
from seasoned.memory.session import Kept, Session
from seasoned.memory.summary import with_more

KEPT_TURNS = 3  # the last ones stay as they are, however long they are
SUMMARY_SHARE = 4  # of what a history may have, for what could not be summarised in time


@dataclass(frozen=True, slots=True)
class CompactConfig:
    """From how many tokens a history is compacted, and how many are left then.

    In large steps, because each step costs the provider's cache of the prompt.
    """

    from_tokens: int = 12_000
    keep_tokens: int = 6_000
    keep_turns: int = KEPT_TURNS


@dataclass(frozen=True, slots=True)
class History:
    """What a model gets of a session: a summary, and the messages from a number on."""

    summary: str
    from_seq: int


def history_of(session: Session, messages: Sequence[Kept], most_tokens: int) -> History:
    """What a model gets of a session, within so many tokens (but for its last turn).

    Where the worker is behind, the oldest turns that do not fit are left out all the same, and
    the sentences of theirs that bind stand behind the summary. That moves on in steps of half
    of the room, so that the beginning of the prompt stays the same for many turns.
    """
    rest = [one for one in messages if one.seq > session.compacted_to]
    over = sum(one.tokens for one in rest) - most_tokens
    ends = seams(rest) if over > 0 else []
    if not ends:
        return History(session.summary, session.compacted_to + 1)
    step = max(1, most_tokens // 2)
    wanted = -(-over // step) * step
    end = next((end for end, before in ends if before >= wanted), ends[-1][0])
    left_out = [one for one in rest if one.seq <= end]
    room = most_tokens // SUMMARY_SHARE
    return History(with_more(session.summary, noticed(left_out), room), end + 1)


def compactable(messages: Sequence[Kept], observed_to: int, config: CompactConfig) -> int | None:
    """Up to which message a summary should stand for these; None where all stay for now."""
    every = sum(one.tokens for one in messages)
    if every < config.from_tokens:
        return None
    turns = sorted({one.turn for one in messages})
    kept = set(turns[-config.keep_turns :]) if config.keep_turns else set[int]()
    first_kept = next((one.seq for one in messages if one.turn in kept), messages[-1].seq + 1)
    ends = [(end, before) for end, before in seams(messages) if end <= observed_to]
    ends = [(end, before) for end, before in ends if end < first_kept]
    enough = (end for end, before in ends if every - before <= config.keep_tokens)
    return next(enough, ends[-1][0] if ends else None)


def seams(messages: Sequence[Kept]) -> list[tuple[int, int]]:
    """Where a history may be cut: behind which messages, and how many tokens stand before."""
    ends: list[tuple[int, int]] = []
    waiting: set[str] = set()
    tokens = 0
    for message, after in pairwise(messages):
        tokens += message.tokens
        calls, results = called(message.body)
        waiting = (waiting | calls) - results
        if message.turn != after.turn and not (waiting and waiting & _later(messages, after.seq)):
            ends.append((message.seq, tokens))
    return ends


def called(body: str) -> tuple[set[str], set[str]]:
    """The ids of the tool calls that a message makes, and of those that it has the result of.

    >>> called('{"parts": [{"part_kind": "tool-call", "tool_call_id": "a"}]}')
    ({'a'}, set())
    """
    ids: tuple[set[str], set[str]] = (set(), set())
    for part in _parts(body) if "tool_call_id" in body else ():
        name, kind = str(part.get("tool_call_id") or ""), str(part.get("part_kind", ""))
        if name:
            ids[not kind.endswith("tool-call")].add(name)
    return ids


def _parts(body: str) -> Iterator[dict[str, Any]]:
    """The parts of a message, or of several, as pydantic-ai writes them."""
    try:
        given: Any = json.loads(body)
    except ValueError:
        return
    for message in cast("list[Any]", given if isinstance(given, list) else [given]):
        inside: Any = cast("dict[str, Any]", message).get("parts") if _is_object(message) else ()
        yield from (part for part in inside or () if _is_object(part))


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _later(messages: Sequence[Kept], first: int) -> set[str]:
    """The calls that have their result from a message on: it must stay with them."""
    return {name for one in messages if one.seq >= first for name in called(one.body)[1]}
