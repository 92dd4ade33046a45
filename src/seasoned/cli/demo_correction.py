"""A user corrects an agent in the demo: what holds at once, and what a later session is told."""

from dataclasses import dataclass
from typing import Any

from seasoned.facade import Seasoned
from seasoned.learning.learner import Learned

REQUEST = "Send Ms Okafor the quote for the new server"
REPLY = "Done: I sent her the quote as a Word document."
SAID = "no, use PDF, not Word"
LATER = "Send the quote to the next customer"
OTHER = "What is the weather like in Lagos?"


@dataclass(frozen=True, slots=True)
class Corrected:
    at_once: str  # what the prompt of this very turn gets
    learned: Learned | None
    later: str  # what a later session gets for a request like it
    other: str  # and for one that has nothing to do with it


def correct(s: Seasoned) -> Corrected:
    """Plays the turns; what is told is what was learned, as everywhere in the demo."""
    talk = s.conversation("demo correction")
    talk.user(REQUEST)
    talk.assistant(REPLY)
    at_once = talk.user(SAID).stable
    learned = next((one for one in s.corrections.learn() if one.rule is not None), None)
    return Corrected(
        at_once=at_once,
        learned=learned,
        later=s.recall(LATER, session="demo later").text,
        other=s.recall(OTHER, session="demo later").text,
    )


def corrected_shape(corrected: Corrected) -> dict[str, Any]:
    rule = corrected.learned.rule if corrected.learned else None
    return {
        "request": REQUEST,
        "reply": REPLY,
        "said": SAID,
        "at_once": corrected.at_once,
        "rule": rule.id if rule else None,
        "later": corrected.later,
        "other": corrected.other,
    }
