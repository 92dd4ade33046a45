"""The story that every way in must tell.

Session one: the agent books a table with a day that the tool refuses; it repairs the call; the user
corrects the answer. Session two, in other words: the note stands at the tool or the hint beside its
error, so that the first or second call is right, and the correction still holds.
"""

import re
from typing import Any

TOOL = "book_table"
DESCRIPTION = "Book a table in the restaurant."
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {"day": {"type": "string"}, "guests": {"type": "integer"}},
    "required": ["day", "guests"],
}

REQUEST = "Book a table for two on 30 May 2027."
WRONG = {"day": "30 May 2027", "guests": 2}
RIGHT = {"day": "2027-05-30", "guests": 2}
REPLY = "Done, the table is booked."
CORRECTION = "No. Always answer in German."

LATER_REQUEST = "We are three on the first of June 2027, get us a seat."
LATER_WRONG = {"day": "1 June 2027", "guests": 3}
LATER_RIGHT = {"day": "2027-06-01", "guests": 3}

ERROR = "day must be YYYY-MM-DD, e.g. 2027-01-31"
NOTE = "Pass `day` as a date"  # in the tool's description, in session two
HINT = "2027-06-01"  # beside the error of session two: the failed call, repaired
RULE = "Always answer in German."  # in the prompt of session two


def book_table(day: str, guests: int) -> str:
    """Book a table in the restaurant."""
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", day):
        raise ValueError(ERROR)
    return f"booked for {guests} on {day}"
