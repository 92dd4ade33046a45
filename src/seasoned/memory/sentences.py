"""Cuts a message into its sentences, without the code and the tables that stand in it."""

import re
from collections.abc import Iterator

FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+(?=\S)|(?<=[。！？])")
BULLET = re.compile(r"^\s*(?:[-*•–>#]+|\d{1,3}[.)])\s+")
ABBREVIATED = re.compile(
    r"\b(?:[A-Z]|Dr|Mr|Mrs|Ms|Prof|St|No|Nr|vs|e\.g|i\.e|z\.B|etc|approx|ca)\.$"
)
LONGEST_MESSAGE = 20_000  # characters that are looked at


def sentences(text: str) -> Iterator[str]:
    """One after the other, each on one line.

    >>> list(sentences("Hello Dr. Kim! I'll call you.\\n- Bring the *papers*\\n```x = 1.```"))
    ['Hello Dr. Kim!', "I'll call you.", 'Bring the *papers*']
    """
    for line in FENCED.sub("\n", text[:LONGEST_MESSAGE]).splitlines():
        held = ""
        for piece in END.split(BULLET.sub("", line)):
            held = f"{held} {piece}".strip()
            if held and not ABBREVIATED.search(held):
                yield " ".join(held.split())
                held = ""
        if held:
            yield " ".join(held.split())
