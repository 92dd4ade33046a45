"""Turn a passage into one character a word, so that phrases are searched over words.

A word of the language's lexicon has a character of its own; any other word is OTHER. Pauses and
the ends of sentences stay. Where each of them stood in the passage is looked up when it is asked.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from seasoned.corrections.text import BLANK

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
_PAUSES = re.compile(f"{FIRST}[,.!?]+|[,.!]+{LAST}|[,.!?]{{2,}}")


@dataclass(frozen=True)
class Lexicon:
    """The words of a language, and the characters that stand for them (or for what they mean)."""

    words: Mapping[str, str]
    endings: Mapping[str, str]
    elides: bool
    spaced: bool
    pattern: re.Pattern[str] = _SPACED

    @cached_property
    def ending_sizes(self) -> tuple[int, ...]:
        return tuple(sorted({len(ending) for ending in self.endings}, reverse=True))

    def codes(self, text: str) -> str:
        """The words and pauses of a folded text."""
        known = self.words
        found = [
            known[token] if token in known else self._code(token)
            for token in self.pattern.findall(text)
        ]
        return _PAUSES.sub(_strongest, f"{FIRST}{''.join(found)}{LAST}")

    def _code(self, token: str) -> str:
        """The characters for a token that is not in the lexicon as it stands."""
        if token.isalpha():
            return self._by_ending(token)
        return _pause(token) or "".join(code for _, code in self._coded(token))

    def _coded(self, token: str) -> list[tuple[str, str]]:
        """The parts of a token, each with its characters."""
        known = self.words.get(token)
        if known is None:
            known = self.words.get(token.strip(_TRIMMED))
        if known is not None:
            return [(token, known)]
        parts = self._parts(token)
        if parts:
            return [piece for part in parts for piece in self._coded(part)]
        return [(token, self._unknown(token))]

    def _unknown(self, token: str) -> str:
        if token[0] == BLANK:
            return QUOTED
        return NUMBER if token[0].isdigit() else self._by_ending(token)

    def _by_ending(self, token: str) -> str:
        for size in self.ending_sizes:
            code = self.endings.get(token[-size:])
            if code is not None and len(token) > size + 1:
                return code
        return OTHER

    def _parts(self, token: str) -> list[str]:
        """The words that were written as one: c'est, that's, dis-moi, wrong.that's."""
        left, mark, right = token.partition("'")
        if left and right and mark:
            return [f"{left}'", right] if self.elides else [left, f"'{right}"]
        for sign in "-./":
            parts = token.split(sign)
            known = sum(part in self.words for part in parts)
            if len(parts) > 1 and all(parts) and known > (sign != "-"):
                signs = [sign] * (len(parts) - 1) + [""]
                return [part + sign for part, sign in zip(parts, signs, strict=True)]
        return []

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where in the text each character of `codes` stands."""
        codes: list[str] = [FIRST]
        spans = [(0, 0)]
        seen: dict[str, list[tuple[str, str]]] = {}
        for found in self.pattern.finditer(text):
            token, start = found.group(), found.start()
            if token not in seen:
                pause = "" if token in self.words else _pause(token)
                seen[token] = [(token, pause)] if pause else self._coded(token)
            for part, code in seen[token]:
                codes += code
                spans += [(start, start + len(part))] * len(code)
                start += len(part)
        codes.append(LAST)
        spans.append((len(text), len(text)))
        return _without_pauses("".join(codes), spans)


def _without_pauses(codes: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    end = 0
    for pauses in _PAUSES.finditer(codes):
        kept += spans[end : pauses.start() + 1]
        end = pauses.end()
        if codes[end - 1] == LAST and pauses.group()[0] != LAST:
            kept[-1] = spans[end - 1]
    return kept + spans[end:]


def _strongest(pauses: re.Match[str]) -> str:
    """One mark for several: the beginning, the end, a question, an exclamation, an end, a pause."""
    marks = pauses.group()
    return next(mark for mark in f"{FIRST}{LAST}?!.," if mark in marks)


def _pause(token: str) -> str:
    first = token[0]
    if first in ".!?\n…":
        if "?" in token:
            return "?"
        if "!" in token:
            return "!"
        return "." if "\n" in token or token == "." else ","
    return "," if first in ",;:()\u2014" or token in ("-", "--", "->", "=>") else ""


def unspaced(words: Mapping[str, str]) -> re.Pattern[str]:
    """Finds the longest known word at each place of a text that has no spaces."""
    by_first: dict[str, list[str]] = {}
    for word in sorted(words, key=len, reverse=True):
        by_first.setdefault(word[0], []).append(re.escape(word[1:]))
    known = "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in by_first.items())
    firsts = "".join(map(re.escape, by_first))
    known = rf"(?=[{firsts}])(?:{known})"  # most characters begin no word: one look is enough
    return re.compile(rf"{known}|{BLANK}+|{_LATIN}|[.!?\n…]+|[,;:()\u2014]|\w")


def sentence(codes: str, start: int, end: int) -> tuple[int, int]:
    """The sentence around these words, without its ends."""
    first = max(codes.rfind(mark, 0, start) for mark in HARD) + 1
    places = [place for mark in HARD if (place := codes.find(mark, end)) >= 0]
    return first, min(places, default=len(codes))


def clause_start(codes: str, start: int) -> int:
    """Where the clause begins in which this word stands."""
    return max(codes.rfind(mark, 0, start) for mark in f"{HARD},") + 1
