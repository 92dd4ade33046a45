"""Says what observations amount to, and makes one reflection of several."""

from collections.abc import Iterable, Sequence

from seasoned.core.text import storable
from seasoned.core.tokens import within
from seasoned.llm.model import Model
from seasoned.memory.distinct import distinct
from seasoned.memory.observation import KINDS, Observation, Reflection
from seasoned.memory.prompts import question, schema
from seasoned.security.redact import cut

LONGEST = 2400  # characters of a reflection
PLAIN_TOKENS = 500  # of one that is made without a model
DATA = 16_000  # characters that a model is shown

SCHEMA = schema("reflection", {"text": {"type": "string", "maxLength": 4 * LONGEST}})


def reflected(taken: Sequence[Observation], model: Model | None) -> str:
    """What these observations amount to. Blocks where there is a model."""
    if model is None:
        return plainly(
            one.text
            for one in sorted(taken, key=lambda one: KINDS.index(one.kind))
            if not one.settled_seq
        )
    return _condensed([f"[{one.kind}] {one.text}" for one in taken], model)


def consolidated(taken: Sequence[Reflection], model: Model | None) -> str:
    """What these reflections amount to together; of two that differ, the later is right."""
    if model is None:
        later_first = [line for one in reversed(taken) for line in one.text.splitlines()]
        return plainly(later_first, 2 * PLAIN_TOKENS)
    return _condensed([one.text for one in taken], model)


def plainly(lines: Iterable[str], tokens: int = PLAIN_TOKENS) -> str:
    """The lines that fit, each of which says something that none before it said.

    >>> plainly(["User: We use Postgres.", "• User: we use postgres", "", "Assistant: Done."])
    'User: We use Postgres.\\nAssistant: Done.'
    """
    kept = distinct(line.strip("• ").strip() for line in lines)
    return "\n".join(within(tokens, [(line, line) for line in kept]))


def _condensed(notes: Sequence[str], model: Model) -> str:
    told = cut(storable("\n".join(notes)), DATA)
    said = model.answer(question("reflect", {"notes": told}, SCHEMA)).data["text"]
    return cut(storable(said.strip()), LONGEST) or plainly(notes)
