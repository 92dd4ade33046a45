"""Tell whether a taught trigger stands in an error.

A trigger is what an operator writes: a word, a code, a phrase, a whole message. It fires if its
words stand in one line of the error, in order, as whole words. Parts of a path or an address are
no words, and a number counts only where it can be a code: not "403" in ":4030" or "line 403".
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from seasoned.core.words import STOP_WORDS, UNSPACED
from seasoned.errors.masks import mask_word
from seasoned.errors.telling import telling_line

LONGEST_ERROR = 8_000  # characters read
MOST_GAP = 6  # words that a mask in a trigger may stand for, or that may come between its words
FEWEST_SPREAD = 3  # words of a trigger that may have other words between them

GAP = "\x00"
_MASK = re.compile(r"<[a-z*]+>|\.{3}|…|\*+|\{[a-z_]*\}|%[sd]", re.IGNORECASE)
_OUTER = "\"'`‘’“”«»()[]{}<>,;:!?.…、。：，；！？"
_INNER = re.compile(r"[\"`‘“”«»()\[\]{}<>,;!?=|]+|'(?!\w)|(?<!\w)'")
_COLON = re.compile(r":(?!\d)|(?<=code):|(?<=status):|(?<=error):", re.IGNORECASE)
_PLACE = re.compile(r"[/\\@]|://|\.\w|:\d|-")
_CASED = re.compile(r"[^\W\d_]*[a-z]+[A-Z]\w*|[A-Z][A-Z0-9_-]*[A-Z0-9]")  # ImagePull, GH006, EOF
_PIECE = re.compile(r"\w+")
# A number beside one of these is a count or a place, not a code.
_COUNTED_BEFORE = frozenset("line lines row port column col pid attempt took after page".split())
_COUNTED_AFTER = frozenset(
    "bytes byte ms s sec seconds minutes hours days rows lines items times files tests requests "
    "tokens characters kb mb gb percent passed".split()
)
# Words that stand in every other error: they say nothing, not even together.
_EVERYWHERE = frozenset(
    "error errors err fail fails failed failing failure exception fatal warning problem issue exit "
    "exited status code command process".split()
)
# Words that say nothing alone.
_COMMON = frozenset(
    "unknown unexpected invalid traceback output result message found missing denied refused "
    "unable file line call request input value argument expected wrong bad try again please".split()
)
_NEGATIONS = frozenset("not no never without cannot nicht kein keine pas non ne sin não".split())
_LEAST_NUMBER = 3  # digits of a number that is a trigger by itself


@dataclass(frozen=True, slots=True)
class TriggerWord:
    """A word of an error, as it is spelled and folded for comparison."""

    spelled: str
    folded: str


@dataclass(frozen=True, slots=True)
class Trigger:
    """The words of a trigger; a `GAP` stands for a mask. `whole` is one without spaces."""

    words: tuple[str, ...]
    whole: str = ""

    @property
    def size(self) -> int:
        """How much the trigger says: the more, the better it fits the error it stands in."""
        return len(self.whole) + sum(len(word) for word in self.words if word != GAP)


def trigger_of(text: str) -> Trigger | None:
    """Read a trigger; None if it is too common to say which error is meant.

    >>> trigger_of("protected branch").words
    ('protected', 'branch')
    >>> trigger_of("error") is None, trigger_of("Exit code 1") is None, trigger_of("403").words
    (True, True, ('403',))
    """
    line = telling_line(text.strip()).strip()
    if UNSPACED.search(line):
        folded = _folded(line.strip(_OUTER))
        return Trigger((), folded) if len(folded) > 1 else None
    words = tuple(
        word.spelled if _CASED.fullmatch(word.spelled) else word.folded
        for word in _words(_MASK.sub(f" {GAP} ", line))
    )
    words = _trimmed(words)
    telling = [word for word in words if _says_something(word)]
    if not telling or (len(words) == 1 and words[0] in _COMMON):
        return None
    return Trigger(words)


def _trimmed(words: tuple[str, ...]) -> tuple[str, ...]:
    """Drop the gaps at both ends."""
    kept = [i for i, word in enumerate(words) if word != GAP]
    return words[kept[0] : kept[-1] + 1] if kept else ()


def _says_something(word: str) -> bool:
    if word == GAP or word.lower() in _EVERYWHERE or word in STOP_WORDS:
        return False
    return len(word) >= _LEAST_NUMBER if word.isdigit() else len(word) > 1


class ErrorWords:
    """The words of an error, line by line, for looking up triggers."""

    def __init__(self, error: str) -> None:
        self.lines = [words for line in error.splitlines() if (words := list(_words(line)))]
        self.unspaced = _folded(error) if UNSPACED.search(error) else ""

    def has(self, trigger: Trigger) -> bool:
        """Tell whether a trigger stands in one of the lines.

        >>> ErrorWords("remote: GH006: Protected branch update failed").has(Trigger(("GH006",)))
        True
        """
        if trigger.whole:
            return trigger.whole in self.unspaced
        return any(_stands_in(trigger.words, line) for line in self.lines)


Entry = tuple[Trigger, str]


@dataclass
class TriggerIndex:
    """Triggers by the word that fewest others have, so that an error meets few of them."""

    _by_word: dict[str, list[Entry]] = field(default_factory=dict[str, list[Entry]])

    def add(self, trigger: Trigger, key: str) -> None:
        telling = [word for word in trigger.words if _says_something(word)]
        pieces = [piece for word in telling or (trigger.whole,) for piece in _pieces(word)]
        rarest = min(pieces, key=lambda piece: (len(self._by_word.get(piece, ())), -len(piece)))
        self._by_word.setdefault(rarest, []).append((trigger, key))

    def find(self, error: str) -> list[Entry]:
        """Return the triggers that stand in an error, those that say most first."""
        if len(error) > LONGEST_ERROR:
            error = error[: LONGEST_ERROR // 2] + "\n" + error[-LONGEST_ERROR // 2 :]
        known = [piece for piece in _pieces(error) if piece in self._by_word]
        if not known:
            return []
        lines = [line for line in error.splitlines() if not _pieces(line).isdisjoint(known)]
        words = ErrorWords("\n".join(lines))
        some = [one for piece in known for one in self._by_word[piece]]
        return sorted((one for one in some if words.has(one[0])), key=lambda one: -one[0].size)


def _pieces(text: str) -> set[str]:
    """Return everything in a text that an index may know, without asking where it stands."""
    pieces = set(_PIECE.findall(_folded(text)))
    for run in UNSPACED.findall(text) if not text.isascii() else ():
        pieces.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
    return pieces


def _words(line: str) -> Iterator[TriggerWord]:
    """Split a line into words; a path, an address or a version is one word."""
    for token in line.replace("’", "'").split():
        bare = token.strip(_OUTER)
        if bare.isalnum():
            yield TriggerWord(bare, bare.casefold())
        elif token == GAP:
            yield TriggerWord(GAP, GAP)
        elif bare:
            yield from (TriggerWord(part, _folded(part)) for part in _parts(bare))


def _parts(token: str) -> Iterator[str]:
    for piece in _INNER.split(token):
        bare = piece.strip(_OUTER)
        if _PLACE.search(bare) and mask_word(bare) != bare:
            yield bare  # a place, a version, an address
        else:
            yield from (part for one in _COLON.split(bare) if (part := one.strip(_OUTER)))


def _folded(text: str) -> str:
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _stands_in(words: tuple[str, ...], line: list[TriggerWord]) -> bool:
    spread = 2 if sum(map(_says_something, words)) >= FEWEST_SPREAD else 0
    number = len(words) == 1 and words[0].isdigit()
    return any(
        _is(words[0], word)
        and _follow(words[1:], line, start + 1, spread)
        and (not number or _is_code(line, start))
        for start, word in enumerate(line)
    )


def _follow(words: tuple[str, ...], line: list[TriggerWord], place: int, spread: int) -> bool:
    """Tell whether words follow in a line, with no more between them than allowed."""
    gap = False
    for wanted in words:
        if wanted == GAP:
            gap = True
            continue
        reach = line[place : place + 1 + (MOST_GAP if gap else spread)]
        steps = next((i for i, word in enumerate(reach) if _is(wanted, word)), None)
        if steps is None:
            return False
        if not gap and any(word.folded in _NEGATIONS for word in reach[:steps]):
            return False
        place, gap = place + steps + 1, False
    return True


def _is(wanted: str, word: TriggerWord) -> bool:
    return wanted in (word.folded, word.spelled)


def _is_code(line: list[TriggerWord], place: int) -> bool:
    """Tell whether a number may be a code: it is neither counted nor measured."""
    before = line[place - 1].folded if place else ""
    after = line[place + 1].folded if place + 1 < len(line) else ""
    return before not in _COUNTED_BEFORE and after not in _COUNTED_AFTER
