"""Checks that what a model quotes was really said."""

import unicodedata

TYPED = str.maketrans("‘’‚ʼ“”„«»–—", '\'\'\'\'"""""--')
FEWEST_LETTERS = 4  # three stand in any message


def stands_in(quote: str, text: str) -> bool:
    """Whether a quote stands in a text, but for what models change when they copy.

    >>> stands_in("use  “pytest”", 'No, use "pytest" here.'), stands_in("use nose", "use pytest")
    (True, False)
    >>> stands_in("e", "use pytest")
    False
    """
    folded = _folded(quote)
    letters = sum(sign.isalnum() for sign in folded)
    enough = FEWEST_LETTERS if folded.isascii() else FEWEST_LETTERS // 2
    return letters >= min(enough, len(text.strip())) > 0 and folded in _folded(text)


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).translate(TYPED)
    return " ".join(plain.casefold().split())
