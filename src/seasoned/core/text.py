"""Makes any text storable: what no database takes is replaced, at the edge, once."""

import re

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """The text without NUL and lone surrogates, each replaced by U+FFFD.

    >>> storable("a\\x00b")
    'a\ufffdb'
    """
    return UNSTORABLE.sub("\ufffd", text)


def one_line(text: str, longest: int = 200) -> str:
    """A text folded onto one line and cut, for tables and logs.

    >>> one_line("first  \\n second", 9)
    'first se…'
    """
    folded = " ".join(text[: 4 * longest + 100].split())
    return folded if len(folded) <= longest else folded[: longest - 1] + "…"
