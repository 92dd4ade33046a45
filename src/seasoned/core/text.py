"""Make a text fit where it goes: a database column, one line of a table, a budget of tokens."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TypeVar

T = TypeVar("T")

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # NUL and lone surrogates
CHARACTERS_PER_TOKEN = 4
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


def storable(text: str) -> str:
    """Replace what no database accepts (NUL, lone surrogates) with U+FFFD.

    >>> storable("a\\x00b")
    'a\ufffdb'
    """
    return UNSTORABLE.sub("\ufffd", text)


@cache
def _hidden() -> re.Pattern[str]:
    """Match what a reader does not see, or what changes how the rest is shown."""
    joining = "\u0600-\u08ff\u0900-\u0dff\u0e00-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"
    emoji = "\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
    joined = f"(?<=[{joining}])[\u200c\u200d](?=[{joining}])|(?<=[{emoji}])\u200d(?=[{emoji}])"
    tags = ("gbeng", "gbsct", "gbwls")  # flags of England, Scotland and Wales
    flags = "|".join("".join(chr(0xE0000 + ord(one)) for one in tag) for tag in tags)
    return re.compile(
        f"(?P<kept>{joined}|\U0001f3f4(?:{flags})\U000e007f)"
        r"|\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)"  # of a terminal
        "|[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
        "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
        "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
    )


def without_hidden(text: str, mark: str = "") -> str:
    """Remove what a reader does not see: controls, escape sequences, zero-width and tag characters.

    Tabs, line breaks, and the joiners that scripts and emoji need stay. For prompts and terminals:
    what a person approves must be what the model and the terminal get.

    >>> without_hidden("red \\x1b[31mtext\\u200b\\u202e\\n")
    'red text\\n'
    >>> without_hidden("red \\x1b[31m text", "?")
    'red ? text'
    """
    if text.isascii() and not _CONTROLS.search(text):
        return text
    return _hidden().sub(lambda found: found["kept"] or mark, text)


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
