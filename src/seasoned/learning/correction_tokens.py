"""Turn a passage into one character a word, so that phrases are searched over words.

A word of the language's lexicon has a character of its own; any other word is OTHER. Pauses and
the ends of sentences stay. Where each of them stood in the passage is kept beside.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from seasoned.learning.correction_text import BLANK

OTHER, NUMBER, QUOTED = "x", "0", "q"
FIRST, LAST = "\x02", "\x03"
FIRST_WORD, LAST_WORD = "\ue000", "\uf8ff"  # the characters that stand for words of a lexicon
FIRST_ENDING = "\ud7b0"  # and those for words known by their ending only
ANY_WORD = f"[{OTHER}{NUMBER}{QUOTED}{FIRST_ENDING}-\ud7ff{FIRST_WORD}-{LAST_WORD}]"
HARD = f"{FIRST}{LAST}.!?"

_SIGNS = r"\w'@#$%&+*/\\=<>^~|-"
_WORD = rf"[{_SIGNS}]+(?:[.:][\w/][{_SIGNS}]*)*"
_SPACED = re.compile(rf"{BLANK}+|{_WORD}|[.!?\n…]+|[,;:()\u2014]")
_LATIN = r"[a-z0-9_@#$%&+*/\\=<>^~|'-]+(?:[.:][a-z0-9/][a-z0-9_/-]*)*"
_TRIMMED = "'*_-~/\\|<>=^"


@dataclass(frozen=True)
class Lexicon:
    """The words of a language, and the characters that stand for them (or for what they mean)."""

    words: Mapping[str, str]
    endings: Mapping[str, str]
    elides: bool
    spaced: bool
    pattern: re.Pattern[str] = _SPACED


def unspaced(words: Mapping[str, str]) -> re.Pattern[str]:
    """Finds the longest known word at each place of a text that has no spaces."""
    by_first: dict[str, list[str]] = {}
    for word in sorted(words, key=len, reverse=True):
        by_first.setdefault(word[0], []).append(re.escape(word[1:]))
    known = "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in by_first.items())
    return re.compile(rf"{known}|{BLANK}+|{_LATIN}|[.!?\n…]+|[,;:()\u2014]|\w")


@dataclass
class Tokens:
    """A passage as characters, and the place of each."""

    codes: str = ""
    starts: list[int] = field(default_factory=list[int])
    ends: list[int] = field(default_factory=list[int])

    def sentence(self, start: int, end: int) -> tuple[int, int]:
        """The sentence around these tokens, without its ends."""
        first = max(self.codes.rfind(mark, 0, start) for mark in HARD) + 1
        places = [place for mark in HARD if (place := self.codes.find(mark, end)) >= 0]
        return first, min(places, default=len(self.codes))

    def clause_start(self, start: int) -> int:
        """Where the clause begins in which this token stands."""
        return max(self.codes.rfind(mark, 0, start) for mark in HARD + ",") + 1


def tokens(text: str, lexicon: Lexicon) -> Tokens:
    """The words and pauses of a folded text."""
    codes: list[str] = [FIRST]
    starts, ends = [0], [0]
    for found in lexicon.pattern.finditer(text):
        start, end = found.span()
        token = found.group()
        pause = _pause(token) if lexicon.words.get(token) is None else ""
        if pause:
            if pause != "," and codes[-1] == ",":
                codes[-1] = pause
                continue
            if codes[-1] not in HARD and codes[-1] != ",":
                codes.append(pause)
                starts.append(start)
                ends.append(end)
            elif pause == "?" and codes[-1] in ".!":
                codes[-1] = "?"
            continue
        for code, size in _coded(token, lexicon):
            last = start + size if size else end
            codes.append(code)
            starts.append(start)
            ends.append(last)
            start = last
    if codes[-1] in ".!,":
        codes[-1] = LAST
    else:
        codes.append(LAST)
        starts.append(len(text))
        ends.append(len(text))
    return Tokens("".join(codes), starts, ends)


def _pause(token: str) -> str:
    if token in ",;:()\u2014-" or token in ("--", "->", "=>"):
        return ","
    if token[0] in ".!?\n…":
        if "?" in token:
            return "?"
        if "!" in token:
            return "!"
        return "." if "\n" in token or token == "." else ","
    return ""


def _coded(token: str, lexicon: Lexicon) -> Iterator[tuple[str, int]]:
    """The characters for a token; each with its length in the text, 0 for all that is left."""
    known = lexicon.words.get(token)
    if known is None and (trimmed := token.strip(_TRIMMED)) != token:
        known = lexicon.words.get(trimmed)
    if known is not None:
        for code in known:
            yield code, 0
        return
    parts = _parts(token, lexicon)
    if parts:
        for part in parts[:-1]:
            for code, _ in _coded(part, lexicon):
                yield code, len(part)
        yield from _coded(parts[-1], lexicon)
        return
    yield _unknown(token, lexicon), 0


def _unknown(token: str, lexicon: Lexicon) -> str:
    if token[0] == BLANK:
        return QUOTED
    if token[0].isdigit():
        return NUMBER
    for ending, code in lexicon.endings.items():
        if token.endswith(ending) and len(token) > len(ending) + 1:
            return code
    return OTHER


def _parts(token: str, lexicon: Lexicon) -> list[str]:
    """The words that were written as one: c'est, that's, dis-moi, wrong.that's."""
    if "'" in token.strip("'"):
        left, right = token.strip("'").split("'", 1)
        if left and right:
            return [f"{left}'", right] if lexicon.elides else [left, f"'{right}"]
    for sign in "-./":
        parts = token.split(sign)
        if len(parts) > 1 and all(parts) and sum(part in lexicon.words for part in parts) > (
            sign != "-"
        ):
            return parts
    return []
