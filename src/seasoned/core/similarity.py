"""What words a text has, in any script, and how alike two texts are."""

import re
import unicodedata
from collections.abc import Collection

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# Scripts written without spaces: a run is cut into overlapping pairs, which search can match.
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+")

STOP_WORDS = frozenset(
    """a an and are as at be been but by can could did do does for from had has have he her his how
    i if in into is it its me my no not of on or our she should so that the their them then there
    these they this to was we were what when where which who why will with would you your""".split()
)


def words(text: str) -> list[str]:
    """The words of a text, folded for comparison.

    >>> words("Can't open Größe_max.txt!")
    ["can't", 'open', 'grösse', 'max', 'txt']
    >>> words("東京タワー 2")
    ['東京', '京タ', 'タワ', 'ワー', '2']
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    found: list[str] = []
    for word in WORD.findall(folded):
        found.extend(_pieces(word) if UNSPACED.search(word) else (word,))
    return found


def _pieces(word: str) -> list[str]:
    pieces: list[str] = []
    end = 0
    for run in UNSPACED.finditer(word):
        if run.start() > end:
            pieces.append(word[end : run.start()])
        text = run.group()
        pieces.extend(text[i : i + 2] for i in range(max(1, len(text) - 1)))
        end = run.end()
    if end < len(word):
        pieces.append(word[end:])
    return pieces


def telling_words(text: str) -> list[str]:
    """The words that carry meaning, each once, in their order; all of them if none does.

    >>> telling_words("the file is in the wrong folder")
    ['file', 'wrong', 'folder']
    """
    every = list(dict.fromkeys(words(text)))
    return [word for word in every if word not in STOP_WORDS] or every


def dice(a: Collection[str], b: Collection[str]) -> float:
    """Twice the words in common over all words: 1 when equal, 0 when nothing is shared.

    >>> dice({"a", "b"}, {"b", "c"})
    0.5
    """
    together = len(a) + len(b)
    return 2 * len(set(a) & set(b)) / together if together else 0.0
