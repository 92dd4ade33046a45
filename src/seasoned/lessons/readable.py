"""Whether the words of a lesson can be read by somebody who knows nothing of how it was learned."""

import re
from collections.abc import Callable

LONGEST_LINE = 240  # characters
_MASKS = (
    "path|value|n|id|uuid|url|email|ip|date|time|hex|hash|version|package|port|word|words|name|user"
    "|file|number|text|args?|flag|command|key|token"
)
_PLACEHOLDER = re.compile(
    rf"<(?:{_MASKS}|\*|[a-z]+(?: [a-z]+)+)>"  # a mask, or a description such as <the same word>
    r"|\bword -?\d+\b"  # a place in a call that nobody sees
)
_SECRET = re.compile(r"<secret>|\[redacted\]|\*{4,}", re.IGNORECASE)
_HOME = re.compile(r"/(?:home|Users)/[\w.-]|[A-Za-z]:[\\/]+Users[\\/]+\w|(?<![\w.])/root/")


def flaw_of(text: str) -> str | None:
    """Return why a line does not read well; None if it does.

    >>> flaw_of("Use `yarn`, not `npm`.") is None
    True
    >>> flaw_of("Use `<the same word>aml` instead."), flaw_of("and then try again.")
    ('it has a placeholder', 'it does not begin like a sentence')
    """
    return next((flaw for flaw, has in FLAWS.items() if has(text)), None)


def reads_well(text: str) -> bool:
    """Whether a line can stand in a file that people and agents read.

    >>> reads_well("Run the tests before you push."), reads_well("Open /home/ana/notes first.")
    (True, False)
    """
    return flaw_of(text) is None


def _begins_well(text: str) -> bool:
    """Whether it begins with a capital, with code, or in a script without capitals."""
    first = text[:1]
    return first == "`" or (first.isalpha() and not first.islower())


FLAWS: dict[str, Callable[[str], bool]] = {
    "it held a secret": lambda text: _SECRET.search(text) is not None,
    "it has a placeholder": lambda text: _PLACEHOLDER.search(text) is not None,
    "it names somebody's folder": lambda text: _HOME.search(text) is not None,
    "it does not begin like a sentence": lambda text: not _begins_well(text),
    "its backticks are not balanced": lambda text: text.count("`") % 2 == 1,
    "it is too long": lambda text: len(text) > LONGEST_LINE or text.endswith("…"),
    "it hides what it is about": lambda text: "`…`" in text,
    "it is a single word": lambda text: text.isascii() and len(text.split()) < 2,
}
