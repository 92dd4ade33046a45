"""Condenses messages into observations: by asking a model, or plainly, by their words.

What a model says is not believed: a note must quote the message it comes from, and is one redacted
line. What was promised in so many words is kept, even when the model passes it over.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from seasoned.core.similarity import words
from seasoned.core.text import one_line, storable
from seasoned.llm.model import Model, Question
from seasoned.memory.notable import FEWEST_WORDS, noticed
from seasoned.memory.observation import KINDS, Noticed, Observation
from seasoned.memory.prompts import question, schema, shape
from seasoned.memory.quote import stands_in
from seasoned.memory.session import Kept
from seasoned.security.redact import cut

WINDOW_TOKENS = 6000  # of messages that are condensed at once
LONGEST = 300  # characters of an observation
LONGEST_MESSAGE = {"user": 6000, "assistant": 6000, "tool": 1200}
MOST = 12
MOST_OPEN = 40  # earlier observations that a model is shown

SCHEMA = schema(
    "observations",
    {
        "observations": {
            "type": "array",
            "maxItems": 3 * MOST,
            "items": shape(
                {
                    "kind": {"type": "string", "enum": list(KINDS)},
                    "text": {"type": "string", "maxLength": 4 * LONGEST},
                    "message": {"type": "number"},
                    "quote": {"type": "string", "maxLength": 4000},
                }
            ),
        },
        "settled": {"type": "array", "items": {"type": "number"}, "maxItems": MOST_OPEN},
    },
)


def window(messages: Sequence[Kept], tokens: int = WINDOW_TOKENS) -> Sequence[Kept]:
    """The first whole turns of these messages that have so many tokens; one turn at least."""
    end = 0
    for place, message in enumerate(messages):
        tokens -= message.tokens
        if tokens < 0 and end and message.turn != messages[0].turn:
            return messages[:end]
        if place + 1 == len(messages) or messages[place + 1].turn != message.turn:
            end = place + 1
    return messages[:end]


def observed(
    messages: Sequence[Kept], open_ones: Sequence[Observation], model: Model | None
) -> tuple[Sequence[Noticed], Sequence[str]]:
    """What messages amount to, and the ids of earlier observations that they settle.

    Blocks where there is a model, and raises what that raises.
    """
    if model is None:
        return noticed(messages), ()
    shown = open_ones[-MOST_OPEN:]
    said = model.answer(asked(messages, shown)).data
    return believed(said, messages), settled(said, shown)


def asked(messages: Sequence[Kept], open_ones: Sequence[Observation]) -> Question:
    notes = [f"{n}. [{one.kind}] {one.text}" for n, one in enumerate(open_ones, 1)]
    told = [f"[{one.seq}] {one.role}: {_shown(one)}" for one in messages if one.text.strip()]
    return question("observe", {"notes": "\n".join(notes), "messages": "\n".join(told)}, SCHEMA)


def believed(said: Mapping[str, Any], messages: Sequence[Kept]) -> Sequence[Noticed]:
    """The notes that the messages bear out, and what was promised outright."""
    by_seq = {one.seq: one for one in messages if one.role != "tool"}
    kept: list[Noticed] = []
    for note in said["observations"]:
        text = one_line(cut(storable(note["text"]), 4 * LONGEST), LONGEST)
        source = by_seq.get(int(note["message"]))
        if source is None or not stands_in(note["quote"], source.text):
            source = next((m for m in by_seq.values() if stands_in(note["quote"], m.text)), None)
        if source is not None and len(words(text)) >= FEWEST_WORDS:
            kept.append(Noticed(note["kind"], text, source.seq, source.seq))
    kept = kept[:MOST]
    known = {(one.kind, one.from_seq) for one in kept}
    missed = [
        one for one in noticed(messages) if one.strong and (one.kind, one.from_seq) not in known
    ]
    return sorted([*kept, *missed], key=lambda one: one.from_seq)


def settled(said: Mapping[str, Any], open_ones: Sequence[Observation]) -> Sequence[str]:
    places = {int(place) for place in said["settled"]}
    return [one.id for place, one in enumerate(open_ones, 1) if place in places]


def _shown(message: Kept) -> str:
    return cut(storable(message.text), LONGEST_MESSAGE[message.role])
