"""Compact a session: decide which messages a summary replaces in the prompt, and write it.

Whole turns are dropped, oldest first, only after they were observed, and never a tool call without
its result. The summary quotes observations word for word, so it invents nothing; what binds comes
first and stays until something settles it. The messages themselves are kept for ever.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from seasoned.core.text import estimate_tokens, one_line
from seasoned.memory.notable import find_notable, kind_of
from seasoned.memory.observation import Kind, Observation, ObservationDraft, Reflection
from seasoned.memory.sentences import distinct, sentences
from seasoned.security.redact import redact
from seasoned.sessions.session import Session, SessionMessage

KEPT_TURNS = 3  # the last turns stay, however long they are
SUMMARY_SHARE = 4  # one part in so many is for turns not summarised in time
HEADING = "What was said before, in short (these messages are no longer shown):"
SINCE = "NewMessage since then:"
ASKED = "Asked for, lately:"
MOST_ASKED, LONGEST_ASKED = 10, 120


@dataclass(frozen=True, slots=True)
class SummaryConfig:
    reflections: int = 5
    observations: int = 20
    tokens: int = 4000


# Heading and share of the budget by kind.
BINDING: tuple[tuple[Kind, str, float], ...] = (
    ("promise", "Promised, or to be kept in mind:", 0.4),
    ("decision", "Decided:", 0.3),
    ("question", "Still open:", 0.15),
)

BINDING_KINDS = frozenset(kind for kind, _, _ in BINDING)


@dataclass(frozen=True, slots=True)
class CompactConfig:
    """The size from which a history is compacted, and its size afterwards.

    The steps are large because each one invalidates the provider's prompt cache.
    """

    from_tokens: int = 12_000
    keep_tokens: int = 6_000
    keep_turns: int = KEPT_TURNS


@dataclass(frozen=True, slots=True)
class SessionHistory:
    """The part of a session that the model gets: a summary, and the messages from `from_seq` on."""

    summary: str
    from_seq: int


def history_of(
    session: Session, messages: Sequence[SessionMessage], most_tokens: int
) -> SessionHistory:
    """Return what the model gets of a session, within `most_tokens` (except for the last turn).

    If the worker is behind, the oldest turns that do not fit are dropped anyway, and their binding
    sentences follow the summary. The cut moves in steps of half the budget, so that the beginning
    of the prompt stays the same for many turns.
    """
    rest = [one for one in messages if one.seq > session.compacted_to]
    over = sum(one.tokens for one in rest) - most_tokens
    ends = seams(rest) if over > 0 else []
    if not ends:
        return SessionHistory(session.summary, session.compacted_to + 1)
    step = max(1, most_tokens // 2)
    wanted = -(-over // step) * step
    end = next((end for end, before in ends if before >= wanted), ends[-1][0])
    left_out = [one for one in rest if one.seq <= end]
    room = most_tokens // SUMMARY_SHARE
    return SessionHistory(append_recent(session.summary, find_notable(left_out), room), end + 1)


def compact_to(
    messages: Sequence[SessionMessage], observed_to: int, config: CompactConfig
) -> int | None:
    """Return the last message that a summary should replace; None if all stay for now."""
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


def seams(messages: Sequence[SessionMessage]) -> list[tuple[int, int]]:
    """Return where a history may be cut: after which messages, with how many tokens before."""
    ends: list[tuple[int, int]] = []
    waiting: set[str] = set()
    tokens = 0
    for message, after in pairwise(messages):
        tokens += message.tokens
        calls, results = call_ids(message.body)
        waiting = (waiting | calls) - results
        if message.turn != after.turn and not (waiting and waiting & _later(messages, after.seq)):
            ends.append((message.seq, tokens))
    return ends


def call_ids(body: str) -> tuple[set[str], set[str]]:
    """Return the ids of the tool calls in a message, and of the calls whose results it holds.

    >>> call_ids('{"parts": [{"part_kind": "tool-call", "tool_call_id": "a"}]}')
    ({'a'}, set())
    """
    ids: tuple[set[str], set[str]] = (set(), set())
    for part in _parts(body) if "tool_call_id" in body else ():
        name, kind = str(part.get("tool_call_id") or ""), str(part.get("part_kind", ""))
        if name:
            ids[not kind.endswith("tool-call")].add(name)
    return ids


def _parts(body: str) -> Iterator[dict[str, Any]]:
    """Yield the parts of one or several messages, as pydantic-ai writes them."""
    try:
        given: Any = json.loads(body)
    except ValueError:
        return
    for message in cast("list[Any]", given if isinstance(given, list) else [given]):
        inside: Any = cast("dict[str, Any]", message).get("parts") if _is_object(message) else ()
        yield from (part for part in inside or () if _is_object(part))


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _later(messages: Sequence[SessionMessage], first: int) -> set[str]:
    """Return the calls whose results come from a message on; they must stay together."""
    return {name for one in messages if one.seq >= first for name in call_ids(one.body)[1]}


def summary_of(
    observations: Sequence[Observation],
    reflections: Sequence[Reflection],
    config: SummaryConfig,
    requests: Sequence[str] = (),
) -> str:
    """Write the summary; empty if there are no observations and no requests."""
    parts: list[str] = []
    left = config.tokens - estimate_tokens(HEADING)
    for kind, heading, share in BINDING:
        lines = [one.text for one in observations if one.kind == kind and not one.settled_seq]
        room = min(left, int(config.tokens * share)) - estimate_tokens(heading)
        left -= _put(parts, heading, latest(distinct(lines), room))
    told = [line for one in reflections[-config.reflections :] for line in one.text.splitlines()]
    if config.reflections:
        told = [line for line in told if not any(line in part for part in parts)]
        room = left // 2 - estimate_tokens("What it is about:")
        left -= _put(parts, "What it is about:", latest(distinct(told), room))
    rest = [
        one.text
        for one in observations
        if one.kind in ("preference", "fact") and not one.reflection and not one.settled_seq
    ]
    few = distinct(rest)[-config.observations :] if config.observations else []
    left -= _put(parts, "Also said:", latest(few, left - estimate_tokens("Also said:")))
    _put(parts, ASKED, latest(distinct(requests)[-MOST_ASKED:], left - estimate_tokens(ASKED)))
    return "\n\n".join([HEADING, *parts]) if parts else ""


def requests_in(earlier: str, messages: Sequence[SessionMessage]) -> list[str]:
    """Return what the user asked for, from the earlier summary and from these messages."""
    _, _, before = earlier.partition(f"{ASKED}\n")
    told = [line.removeprefix("• ") for line in before.partition("\n\n")[0].splitlines()]
    asked = (_request(one.text) for one in messages if one.role == "user")
    return [*told, *filter(None, asked)]


def _request(text: str) -> str:
    """Return the first sentence of a message that is not an observation of its own."""
    said = (one for one in sentences(redact(text)) if kind_of(one, "user")[0] is None)
    return one_line(next(said, ""), LONGEST_ASKED)


def append_recent(summary: str, found: Iterable[ObservationDraft], tokens: int) -> str:
    """Append to a summary what was said after it and is not shown either; what binds first."""
    more = [one for one in found if one.text not in summary]
    binding = [one.text for one in more if one.kind in BINDING_KINDS]
    lines = latest(distinct(binding), tokens)
    left = tokens - sum(estimate_tokens(f"• {line}\n") for line in lines)
    lines += latest(distinct([one.text for one in more if one.kind not in BINDING_KINDS]), left)
    parts = [summary or HEADING]
    _put(parts, SINCE, lines)
    return "\n\n".join(parts) if lines or summary else ""


def latest(lines: Sequence[str], tokens: int) -> list[str]:
    """Return as many of the last lines as fit.

    >>> latest(["first line", "second one", "third"], 8)
    ['second one', 'third']
    """
    kept: list[str] = []
    for line in reversed(lines):
        tokens -= estimate_tokens(f"• {line}\n")
        if tokens < 0:
            break
        kept.append(line)
    return kept[::-1]


def _put(parts: list[str], heading: str, lines: Sequence[str]) -> int:
    """Add a part unless it is empty; return its tokens."""
    if not lines:
        return 0
    parts.append("\n".join([heading, *(f"• {line}" for line in lines)]))
    return estimate_tokens(parts[-1]) + 1
