"""Split messages into sentences, drop lines that repeat each other, and verify quotes."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from seasoned.core.words import dice, stems

FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+(?=\S)|(?<=[。！？])")
BULLET = re.compile(r"^\s*(?:[-*•–>#]+|\d{1,3}[.)])\s+")
ABBREVIATED = re.compile(
    r"\b(?:[A-Z]|Dr|Mr|Mrs|Ms|Prof|St|No|Nr|vs|e\.g|i\.e|z\.B|etc|approx|ca)\.$"
)
LONGEST_MESSAGE = 20_000  # characters that are read
SAME_LINE = 0.85  # share of common words from which two lines say the same
NUMBER = re.compile(r"\d[\d.,:]*")
# One more of these, and a line says the opposite.
NEGATION = re.compile(
    r"\b(?:no|not|never|none|without|nicht|kein\w*|nie|ne|pas|jamais|nunca|non|mai|não|\w+n['’]t)\b"
    r"|不|没|ない|ません",
    re.IGNORECASE,
)
PLAIN_SIGNS = str.maketrans("‘’‚ʼ“”„«»–—", '\'\'\'\'"""""--')
FEWEST_LETTERS = 4  # any message contains three


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text without code blocks, each on one line.

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


@dataclass(frozen=True, slots=True)
class LineGist:
    words: frozenset[str]
    numbers: tuple[str, ...]
    negations: int


def distinct(lines: Iterable[str]) -> list[str]:
    """Return the lines in order, dropping those that repeat an earlier one.

    >>> distinct(["We use Postgres", "we use Postgres!", "We do not use Postgres", ""])
    ['We use Postgres', 'We do not use Postgres']
    >>> distinct(["Server 1 has 2 disks", "Server 1 has 3 disks"])
    ['Server 1 has 2 disks', 'Server 1 has 3 disks']
    """
    kept: list[str] = []
    seen: list[LineGist] = []
    for line in lines:
        gist = _gist(line)
        if gist.words and not any(_same(gist, other) for other in seen):
            kept.append(line)
            seen.append(gist)
    return kept


def _gist(line: str) -> LineGist:
    numbers = tuple(NUMBER.findall(line))
    return LineGist(frozenset(stems(line)), numbers, len(NEGATION.findall(line)))


def _same(one: LineGist, other: LineGist) -> bool:
    if (one.numbers, one.negations) != (other.numbers, other.negations):
        return False
    return dice(one.words, other.words) >= SAME_LINE


def is_quote_from(quote: str, text: str) -> bool:
    """Tell whether a quote occurs in a text, apart from what models change when they copy.

    >>> is_quote_from("use  “pytest”", 'No, use "pytest" here.')
    True
    >>> is_quote_from("use nose", "use pytest"), is_quote_from("e", "use pytest")
    (False, False)
    """
    folded = _folded(quote)
    letters = sum(sign.isalnum() for sign in folded)
    enough = FEWEST_LETTERS if folded.isascii() else FEWEST_LETTERS // 2
    return letters >= min(enough, len(text.strip())) > 0 and folded in _folded(text)


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).translate(PLAIN_SIGNS)
    return " ".join(plain.casefold().split())
