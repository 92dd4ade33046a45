"""What the adapters' tests teach beforehand, and where they expect it."""

from collections.abc import Iterable
from typing import Any

from seasoned import Seasoned

TOOL = "book_table"
ERROR = "day must be YYYY-MM-DD"
FIX = "Pass the day as YYYY-MM-DD."
HINT = f"Known fix (told by the operator): {FIX}"
RULE = "Always answer in German."
RULES = f"[LEARNED BEHAVIORAL RULES]\n• [rule] {RULE}"
SITUATION = "booking a table in the restaurant"
BLOCK = "[LEARNED BEHAVIORAL RULES]\n• [rule] Ask about allergies."  # beside such a request
REQUEST = "Book a table in the restaurant, please."
DESCRIPTION = "Book a table."
NOTE = f"When it says `{ERROR}`: {FIX}"
NOTED = f"{DESCRIPTION}\n\nNotes from experience:\n- {NOTE}"


def teach(s: Seasoned, tool: str = TOOL) -> None:
    s.teach(ERROR, fix=FIX, tool=tool)
    s.teach(rule=RULE)
    s.teach(SITUATION, rule="Ask about allergies.")


def calls_of(s: Seasoned, tool: str = TOOL) -> tuple[int, int]:
    """Return how many calls of a tool were reported, and how many of them failed."""
    found = [one for one in s.tools() if one.name == tool]
    return (found[0].calls, found[0].failures) if found else (0, 0)


def book(day: str) -> str:
    if len(day) != 10:
        raise ValueError(ERROR)
    return f"booked on {day}"


def conversation(s: Seasoned) -> list[str]:
    """Return what was said in the only session: the user's messages and the replies."""
    (session,) = s.sessions.list()
    return spoken(s.sessions.messages(session.name))


def spoken(said: Iterable[Any]) -> list[str]:
    """Return the words of messages, without their calls."""
    words = [one.text for one in said if one.role in ("user", "assistant")]
    return [text for text in words if not text.startswith("[calls ")]
