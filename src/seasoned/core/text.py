"""Make a text fit where it goes: a database column, one line of a table, a budget of tokens."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TypeVar

T = TypeVar("T")

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # NUL and lone surrogates
CHARACTERS_PER_TOKEN = 4


def storable(text: str) -> str:
    """Replace what no database accepts (NUL, lone surrogates) with U+FFFD.

    >>> storable("a\\x00b")
    'a\ufffdb'
    """
    return UNSTORABLE.sub("\ufffd", text)


def one_line(text: str, longest: int = 200) -> str:
    """Fold a text onto one line and cut it, for tables and logs.

    >>> one_line("first  \\n second", 9)
    'first se…'
    """
    folded = " ".join(text[: 4 * longest + 100].split())
    return folded if len(folded) <= longest else folded[: longest - 1] + "…"


def estimate_tokens(text: str) -> int:
    """Count one token per four characters, one per character in wide scripts.

    Near enough to keep a budget, without a tokenizer.

    >>> estimate_tokens("four letters, four"), estimate_tokens("日本語"), estimate_tokens("")
    (5, 3, 0)
    """
    if text.isascii():
        return -(-len(text) // CHARACTERS_PER_TOKEN)
    wide = len(_wide_characters().findall(text))
    return wide + -(-(len(text) - wide) // CHARACTERS_PER_TOKEN)


@cache
def _wide_characters() -> re.Pattern[str]:
    """Match CJK and beyond, about a token each; compiled on first use, since it takes 4 ms."""
    return re.compile("[\u2e80-\U0010ffff]")


def within_budget(budget: int, items: Iterable[tuple[str, T]]) -> Iterator[T]:
    """Yield the items whose texts fit a budget of tokens, in order; skip one that does not fit.

    >>> list(within_budget(2, [("12345678", "a"), ("1234", "b"), ("", "c")]))
    ['a', 'c']
    """
    for text, item in items:
        cost = estimate_tokens(text)
        if cost <= budget:
            budget -= cost
            yield item
