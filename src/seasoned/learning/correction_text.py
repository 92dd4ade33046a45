"""Make a message comparable: one case, no accents, plain punctuation, quotations blanked out.

Every step keeps the length, so that a place in the result is a place in the message. Of a very
long message only both ends are read: what people say themselves stands before or after what they
paste.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

HEAD, TAIL = 1_500, 700
BLANK = "\xa4"  # stands for each character of quoted text and of code

_APOSTROPHES = "’‘ʼ´`＇′"
_PUNCTUATION = dict(zip("、，；：。．！？　（）【】", ",,;:..!? ()()", strict=True))
_FOLDED = "\xa0-\u024f\u1e00-\u1eff\u2010-\u2015\u2018\u2019\u2032\u02bc\u3000-\u3002\u3010\u3011"
_FOLDABLE = re.compile(rf"[{_FOLDED}\uff01-\uff5e`]")
_JOINED = re.compile("[\u0300-\u036f\u3099\u309a\u200b-\u200d\u2060\ufe0f\ufeff\xad]")
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


@dataclass(frozen=True)
class Passage:
    """The part of a message that is read, folded; `place` leads back into the message."""

    message: str
    folded: str
    kept: tuple[int, ...] | None  # where each character stood, if some were left out
    cut: int  # where the part that was left out begins, and how long it is
    gap: int

    def place(self, index: int) -> int:
        if self.kept is not None:
            end = self.kept[-1] + 1 if self.kept else 0
            index = self.kept[index] if index < len(self.kept) else end
        return index if index <= self.cut else index + self.gap

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the message of what stands from `start` to `end`."""
        first = self.place(start)
        return first, max(first, self.place(end - 1) + 1 if end > start else first)

    @cached_property
    def words(self) -> frozenset[str]:
        """All runs of letters: what decides which phrases are worth looking for."""
        return frozenset(re.findall(r"[^\W\d_]+", self.folded))


def passage(message: str) -> Passage:
    """The readable ends of a message.

    >>> passage("Ça N’EST pas «ça» :").folded
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
        text, kept = _composed(text)
    return Passage(message, _folded(_without_quotations(text)), kept, cut, gap)


def folded(word: str) -> str:
    """A word as it stands in a folded passage."""
    return _folded(_composed(word)[0])


def _composed(text: str) -> tuple[str, tuple[int, ...]]:
    """One character for each letter with its accents; and where each of them stood."""
    kept: list[str] = []
    places: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        visible = _INVISIBLE.sub("", cluster.group())
        if visible:
            kept.append(unicodedata.normalize("NFC", visible)[0])
            places.append(cluster.start())
    return "".join(kept), tuple(places)


def _without_quotations(text: str) -> str:
    if not _MARKS.search(text):
        return text
    return _QUOTED.sub(lambda quoted: BLANK * len(quoted.group()), text)


def _folded(text: str) -> str:
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters grow when they become small
        lowered = "".join(small if len(small := char.lower()) == 1 else char for char in text)
    return lowered if lowered.isascii() and "`" not in lowered else _FOLDABLE.sub(_plain, lowered)


def _plain(found: re.Match[str]) -> str:
    char = found.group()
    known = _PLAIN.get(char)
    if known is None:
        known = _PLAIN[char] = _plain_form(char)
    return known


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


_PLAIN: dict[str, str] = {}
