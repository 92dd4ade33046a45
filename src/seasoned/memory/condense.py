"""Condense messages into observations, and observations into reflections.

With a model or without. Its notes are verified: each must quote the message it comes from, and is
cut to one redacted line. Explicit promises are kept even if the model misses them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from seasoned.core.text import one_line, storable, within_budget
from seasoned.core.words import words
from seasoned.llm.model import Model, ModelQuestion
from seasoned.memory.notable import FEWEST_WORDS, find_notable
from seasoned.memory.observation import KINDS, Observation, ObservationDraft, Reflection
from seasoned.memory.prompts import question, schema, shape
from seasoned.memory.sentences import distinct, is_quote_from
from seasoned.security.redact import cut
from seasoned.sessions.session import SessionMessage

WINDOW_TOKENS = 6000  # of messages condensed at once
LONGEST_OBSERVATION = 300  # characters of an observation
LONGEST_MESSAGE = {"user": 6000, "assistant": 6000, "tool": 1200}
MOST_OBSERVATIONS = 12
MOST_OPEN = 40  # earlier observations shown to the model

OBSERVATION_SCHEMA = schema(
    "observations",
    {
        "observations": {
            "type": "array",
            "maxItems": 3 * MOST_OBSERVATIONS,
            "items": shape(
                {
                    "kind": {"type": "string", "enum": list(KINDS)},
                    "text": {"type": "string", "maxLength": 4 * LONGEST_OBSERVATION},
                    "message": {"type": "number"},
                    "quote": {"type": "string", "maxLength": 4000},
                }
            ),
        },
        "settled": {"type": "array", "items": {"type": "number"}, "maxItems": MOST_OPEN},
    },
)
LONGEST_REFLECTION = 2400  # characters of a reflection
PLAIN_TOKENS = 500  # of a reflection made without a model
MOST_DATA = 16_000  # characters shown to the model

REFLECTION_SCHEMA = schema(
    "reflection", {"text": {"type": "string", "maxLength": 4 * LONGEST_REFLECTION}}
)


def window(
    messages: Sequence[SessionMessage], tokens: int = WINDOW_TOKENS
) -> Sequence[SessionMessage]:
    """Return the first whole turns that fit into `tokens`, at least one turn."""
    end = 0
    for place, message in enumerate(messages):
        tokens -= message.tokens
        if tokens < 0 and end and message.turn != messages[0].turn:
            return messages[:end]
        if place + 1 == len(messages) or messages[place + 1].turn != message.turn:
            end = place + 1
    return messages[:end]


def observe(
    messages: Sequence[SessionMessage], open_ones: Sequence[Observation], model: Model | None
) -> tuple[Sequence[ObservationDraft], Sequence[str]]:
    """Return the observations in messages, and the ids of earlier ones that they settle.

    Blocks if there is a model, and raises its errors.
    """
    if model is None:
        return find_notable(messages), ()
    shown = open_ones[-MOST_OPEN:]
    said = model.answer(_observe_question(messages, shown)).data
    return verify_notes(said, messages), settled_ids(said, shown)


def _observe_question(
    messages: Sequence[SessionMessage], open_ones: Sequence[Observation]
) -> ModelQuestion:
    notes = [f"{n}. [{one.kind}] {one.text}" for n, one in enumerate(open_ones, 1)]
    told = [f"[{one.seq}] {one.role}: {_shown(one)}" for one in messages if one.text.strip()]
    return question(
        "observe", {"notes": "\n".join(notes), "messages": "\n".join(told)}, OBSERVATION_SCHEMA
    )


def verify_notes(
    said: Mapping[str, Any], messages: Sequence[SessionMessage]
) -> Sequence[ObservationDraft]:
    """Return the notes that quote a message, and the explicit promises."""
    by_seq = {one.seq: one for one in messages if one.role != "tool"}
    kept: list[ObservationDraft] = []
    for note in said["observations"]:
        text = one_line(cut(storable(note["text"]), 4 * LONGEST_OBSERVATION), LONGEST_OBSERVATION)
        source = by_seq.get(int(note["message"]))
        if source is None or not is_quote_from(note["quote"], source.text):
            source = next(
                (m for m in by_seq.values() if is_quote_from(note["quote"], m.text)), None
            )
        if source is not None and len(words(text)) >= FEWEST_WORDS:
            kept.append(ObservationDraft(note["kind"], text, source.seq, source.seq))
    kept = kept[:MOST_OBSERVATIONS]
    known = {(one.kind, one.from_seq) for one in kept}
    missed = [
        one
        for one in find_notable(messages)
        if one.strong and (one.kind, one.from_seq) not in known
    ]
    return sorted([*kept, *missed], key=lambda one: one.from_seq)


def settled_ids(said: Mapping[str, Any], open_ones: Sequence[Observation]) -> Sequence[str]:
    places = {int(place) for place in said["settled"]}
    return [one.id for place, one in enumerate(open_ones, 1) if place in places]


def _shown(message: SessionMessage) -> str:
    return cut(storable(message.text), LONGEST_MESSAGE[message.role])


def reflect(taken: Sequence[Observation], model: Model | None) -> str:
    """Condense observations into one text. Blocks if there is a model."""
    if model is None:
        return join_distinct(
            one.text
            for one in sorted(taken, key=lambda one: KINDS.index(one.kind))
            if not one.settled_seq
        )
    return _condense([f"[{one.kind}] {one.text}" for one in taken], model)


def consolidate(taken: Sequence[Reflection], model: Model | None) -> str:
    """Merge reflections into one text; where two differ, the later one is right."""
    if model is None:
        later_first = [line for one in reversed(taken) for line in one.text.splitlines()]
        return join_distinct(later_first, 2 * PLAIN_TOKENS)
    return _condense([one.text for one in taken], model)


def join_distinct(lines: Iterable[str], tokens: int = PLAIN_TOKENS) -> str:
    """Join the lines that fit, without those that repeat an earlier one.

    >>> join_distinct(["User: We use Postgres.", "• User: we use postgres", "", "Assistant: Done."])
    'User: We use Postgres.\\nAssistant: Done.'
    """
    kept = distinct(line.strip("• ").strip() for line in lines)
    return "\n".join(within_budget(tokens, [(line, line) for line in kept]))


def _condense(notes: Sequence[str], model: Model) -> str:
    told = cut(storable("\n".join(notes)), MOST_DATA)
    said = model.answer(question("reflect", {"notes": told}, REFLECTION_SCHEMA)).data["text"]
    return cut(storable(said.strip()), LONGEST_REFLECTION) or join_distinct(notes)
