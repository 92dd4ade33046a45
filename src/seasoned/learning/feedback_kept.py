"""Feedback as it may be stored: no secret in it, no text longer than is of use, names bounded."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from seasoned.core.ids import digest
from seasoned.core.text import UNSTORABLE, storable
from seasoned.learning.feedback import Feedback, RatedTurn
from seasoned.learning.training_pairs import corrected, span_within
from seasoned.security.redact import cut, may_hide_a_secret, redact, redacted_json

T = TypeVar("T")

LONGEST = 32_000  # characters of a request, a reply, a correction
LONGEST_COMMENT = 4000
LONGEST_NAME = 200
LONGEST_ENVIRONMENT = 8000
LATEST = 2**62  # microseconds: what no clock says
NO_TURN = RatedTurn("", "")
CUT = "too long: cut"  # such a text is stored, and is no example to train with


def kept(given: Feedback, now: int) -> Feedback:
    """The same, as it may be stored; what had to be changed is said in its flags."""
    if _is_fine(given):
        return given if given.at else replace(given, at=now)
    flags = list(given.flags)
    at = given.at or now
    if not 0 <= at <= LATEST:
        flags.append("at is no time: the time of arrival was taken")
        at = now
    turn = given.turn and _turn(given.turn)
    correction, span = given.correction, given.correction_span
    if span is not None and not (given.turn and span_within(given.turn.response, span)):
        flags.append("correction_span is not within the response: left out")
        span = None
    elif span is not None and given.turn and turn and turn.response != given.turn.response:
        # Places in the response as it was are none in the response as it is stored.
        correction, span = corrected(given.turn.response, correction, span), None
    texts = (correction, given.turn.prompt, given.turn.response) if given.turn else (correction,)
    if any(len(text) > LONGEST for text in texts):
        flags.append(CUT)
    changes: dict[str, Any] = {
        "id": name_of(given.id),
        "comment": text_of(given.comment, LONGEST_COMMENT),
        "correction": text_of(correction),
        "correction_span": span,
        "annotator_id": name_of(given.annotator_id),
        "correlation_id": name_of(given.correlation_id),
        "session_id": name_of(given.session_id),
        "turn": turn,
        "at": at,
        "flags": tuple(flags),
    }
    return _changed(given, changes)


def _is_fine(given: Feedback) -> bool:
    """Whether there is nothing to be changed, as mostly: one look at all texts is a quick one."""
    turn = given.turn or NO_TURN
    ids = f"{given.id}\n{given.annotator_id}\n{given.correlation_id}\n{given.session_id}"
    names = f"{ids}\n{turn.model}\n{turn.version or ''}"
    texts = f"{names}\n{given.comment}\n{given.correction}\n{turn.prompt}\n{turn.response}"
    return (
        len(names) <= LONGEST_NAME
        and names.isascii()
        and 0 <= given.at <= LATEST
        and given.correction_span is None
        and len(texts) <= LONGEST_COMMENT
        and not UNSTORABLE.search(texts)
        and not may_hide_a_secret(texts)
    )


def _turn(turn: RatedTurn) -> RatedTurn:
    changes = {
        "prompt": text_of(turn.prompt),
        "response": text_of(turn.response),
        "model": name_of(turn.model),
        "version": None if turn.version is None else name_of(turn.version),
    }
    return _changed(turn, changes)


def _changed(given: T, changes: Mapping[str, Any]) -> T:
    """The same one where nothing is to be changed, as most of the time: thousands come at once."""
    different = {name: new for name, new in changes.items() if getattr(given, name) != new}
    return cast("T", replace(cast("Any", given), **different)) if different else given


def text_of(text: str, longest: int = LONGEST) -> str:
    return cut(storable(text), longest) if text else text


def name_of(name: str) -> str:
    """A name that stays itself where it can, and another's never.

    >>> name_of("req-1"), len(name_of("x" * 1000)), name_of("a" * 300) == name_of("a" * 301)
    ('req-1', 185, False)
    """
    clean = redact(storable(name[:LONGEST_NAME]))
    return clean if clean == name else f"{clean[: LONGEST_NAME - 40]}~{digest(name)}"


def environment_json(environment: Mapping[str, Any] | None) -> str | None:
    """The environment as JSON; of one that is too large, what it says of skill and tool."""
    if environment is None:
        return None
    text = redacted_json(environment, longest=2000)
    if len(text) <= LONGEST_ENVIRONMENT:
        return text
    few = {name: environment[name] for name in ("skill", "tool") if name in environment}
    return redacted_json(few, longest=LONGEST_NAME)
