"""Fold a message for comparison: one case, no accents, plain punctuation, quotations blanked out.

Every step keeps track of positions, so that a place in the result leads back into the message. Of a
very long message only both ends are read, because people write before or after what they paste.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

HEAD, TAIL = 1_500, 700
BLANK = "\xa4"  # replaces each character of quoted text and of code

_APOSTROPHES = "’‘ʼ´`＇′"
_PUNCTUATION = dict(zip("、，；：。．！？　（）【】", ",,;:..!? ()()", strict=True))
_FOLDED = "\xa0-\u024f\u1e00-\u1eff\u2010-\u2015\u2018\u2019\u2032\u02bc\u3000-\u3002\u3010\u3011"
_FOLDABLE = re.compile(rf"[{_FOLDED}\uff01-\uff5e`]")
_JOINED = re.compile("[\u0300-\u036f\u3099\u309a\u200b-\u200d\u2060\ufe0f\ufeff\xad]")
_STRETCHED = re.compile(r"([^\W\d_])\1{2,}")
_TRIPLE = re.compile(r"(.)\1\1")  # a cheaper first check
_CLUSTER = re.compile(f"(?s).{_JOINED.pattern}*")
_INVISIBLE = re.compile("[\u200b-\u200d\u2060\ufe0f\ufeff\xad]")
_MARKS = re.compile(r"[`\"“”„«»「『>~]")
_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]{1,300}`"
    r"|„[^“”\n]{0,300}[“”]|“[^”\n]{0,300}”|«[^»\n]{0,300}»|»[^«\n]{0,300}«"
    r'|(?<!\w)"[^"\n]{0,300}"(?!\w)|「[^」\n]{0,300}」|『[^』\n]{0,300}』'
    r"|^[ \t]*>[^\n]*$",
    re.DOTALL | re.MULTILINE,
)
# Program output: a traceback, a place in a file, a line that names its kind of error.
_PRINTED = re.compile(
    r"^[ \t]*(?:Traceback \(most recent|File \"[^\"\n]+\", line \d|at [\w.$<>]+ ?\([^)\n]*\)"
    r"|(?:[\w.$]*[a-z])?(?:Error|Exception|Warning|Errno)\b[^:\n]{0,40}:|npm ERR!"
    r"|(?:fatal|panic|error|warning|erreur|fehler|errore|erro|错误|錯誤|エラー)(?:\[\w+\])? ?[:：]"
    r"|[\w./\\-]+\.\w{1,5}:\d+(?::\d+)?:|[$#%] \w)[^\n]*$",
    re.MULTILINE | re.IGNORECASE,
)


@dataclass(frozen=True)
class FoldedMessage:
    """The part of a message that is read, folded; `place` leads back into the message."""

    message: str
    folded: str
    kept: tuple[int, ...] | None  # the original place of each character, if some were dropped
    cut: int  # start of the skipped middle
    gap: int  # its length

    def place(self, index: int) -> int:
        if self.kept is not None:
            end = self.kept[-1] + 1 if self.kept else 0
            index = self.kept[index] if index < len(self.kept) else end
        return index if index <= self.cut else index + self.gap

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span in the message of `folded[start:end]`."""
        first = self.place(start)
        return first, max(first, self.place(end - 1) + 1 if end > start else first)


def fold_message(message: str) -> FoldedMessage:
    """Fold a message; of a long one, both ends.

    >>> fold_message("Ça N’EST pas «ça» :").folded
    "ca n'est pas ¤¤¤¤ :"
    """
    text, cut, gap = message, len(message), 0
    if len(message) > HEAD + TAIL:
        gap = len(message) - HEAD - TAIL
        open_fence = "```" if message.count("```", HEAD, HEAD + gap) % 2 else "\n"
        text, cut = message[:HEAD] + open_fence + message[HEAD + gap :], HEAD
        gap -= len(open_fence)
    kept = None
    if not text.isascii() and _JOINED.search(text):
        text, kept = _compose(text)
    folded = _fold(_without_quotations(text))
    if _TRIPLE.search(folded) and _STRETCHED.search(folded):
        folded, kept = _unstretch(folded, kept)
    return FoldedMessage(message, folded, kept, cut, gap)


@lru_cache(maxsize=20_000)
def fold_word(word: str) -> str:
    """Fold a word in the same way.

    >>> fold_word("Größe"), fold_word("l’été")
    ('große', "l'ete")
    """
    return _fold(unicodedata.normalize("NFC", word))


def _compose(text: str) -> tuple[str, tuple[int, ...]]:
    """Compose each letter with its accents into one character; also return their places."""
    kept: list[str] = []
    places: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        visible = _INVISIBLE.sub("", cluster.group())
        if visible:
            kept.append(unicodedata.normalize("NFC", visible)[0])
            places.append(cluster.start())
    return "".join(kept), tuple(places)


def _unstretch(text: str, kept: tuple[int, ...] | None) -> tuple[str, tuple[int, ...]]:
    """Reduce a letter typed three times or more to one: nooo, neeein."""
    left: list[str] = []
    places: list[int] = []
    end = 0
    for stretched in _STRETCHED.finditer(text):
        left.append(text[end : stretched.start() + 1])
        places += range(end, stretched.start() + 1)
        end = stretched.end()
    left.append(text[end:])
    places += range(end, len(text))
    return "".join(left), tuple(places if kept is None else (kept[place] for place in places))


def _without_quotations(text: str) -> str:
    if _MARKS.search(text):
        text = _QUOTED.sub(_blank, text)
    if ":" in text or "：" in text or "\n" in text:
        text = _PRINTED.sub(_blank, text)
    return text


def _blank(found: re.Match[str]) -> str:
    return BLANK * len(found.group())


def _fold(text: str) -> str:
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters grow in lower case
        lowered = "".join(small if len(small := char.lower()) == 1 else char for char in text)
    return lowered if lowered.isascii() and "`" not in lowered else _FOLDABLE.sub(_plain, lowered)


def _plain(found: re.Match[str]) -> str:
    return _plain_form(found.group())


@lru_cache(maxsize=2_000)
def _plain_form(char: str) -> str:
    if char == BLANK:
        return char
    if char in _APOSTROPHES:
        return "'"
    if "\u2010" <= char <= "\u2015":
        return "-" if char in "\u2010\u2011" else "\u2014"
    if char in _PUNCTUATION:
        return _PUNCTUATION[char]
    base = unicodedata.normalize("NFKD", char)[0].lower()
    return base if len(base) == 1 else char
