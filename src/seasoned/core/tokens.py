"""How many tokens a text costs, near enough to keep a budget, without a tokenizer."""

import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

CHARACTERS_PER_TOKEN = 4
WIDE = re.compile("[\u2e80-\U0010ffff]")  # CJK and beyond: a character is about one token


def estimate(text: str) -> int:
    """About one token per four characters, one per character in wide scripts.

    >>> estimate("four letters, four"), estimate("日本語"), estimate("")
    (5, 3, 0)
    """
    if text.isascii():
        return -(-len(text) // CHARACTERS_PER_TOKEN)
    wide = len(WIDE.findall(text))
    return wide + -(-(len(text) - wide) // CHARACTERS_PER_TOKEN)


def within(budget: int, items: Iterable[tuple[str, T]]) -> Iterator[T]:
    """The items, in order, whose texts fit the budget; one that does not fit is passed over.

    >>> list(within(2, [("12345678", "a"), ("1234", "b"), ("", "c")]))
    ['a', 'c']
    """
    for text, item in items:
        cost = estimate(text)
        if cost <= budget:
            budget -= cost
            yield item
