"""How words are typed in a hurry, or on a keyboard that lacks their letters."""

from collections.abc import Iterator

from seasoned.corrections.text import folded


def without_umlauts(word: str) -> str:
    """A word as it is typed where the keyboard has no umlauts.

    >>> without_umlauts("größer")
    'groesser'
    """
    for letter, spelled in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")):
        word = word.replace(letter, spelled)
    return folded(word)


def slips(word: str) -> Iterator[str]:
    """How a long word is mistyped most: two letters swapped, a double letter typed once.

    >>> list(slips("wrong")), list(slips("correct"))[1]
    (['worng', 'wrnog', 'wrogn'], 'corect')
    """
    if len(word) < 5 or not word.isalpha():
        return
    for place in range(1, len(word) - 1):
        if word[place] == word[place + 1]:
            yield word[:place] + word[place + 1 :]
        else:
            yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]
