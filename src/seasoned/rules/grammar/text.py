"""Clean, cut, fold, split and word the text that rules are made of, and verify quotes from it."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

from seasoned.core.text import storable

HEAD, TAIL = 1_500, 700  # of a long message only both ends are read: the middle is a paste
MOST_SENTENCES = 40
MOST_QUOTES, LONGEST_QUOTE = 5, 300  # the latter in characters
KEPT_FORMATS = "\u200c\u200d"  # joiners: emoji and some scripts need them
_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"(?:[^\n.!?。！？;；]|[.!?;](?![\s\"'”’)]|\Z))+[.!?。！？;；]*[\"'”’)]?")
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ´`＇′", "'"))
_WORD_FIRST = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*(?=[\s,:;!?]|\.?\Z)")
_ALONE = re.compile(r"(?<!\w)[éèÉÈ](?!\w)")


def tidy(text: str, limit: int = 300) -> str:
    """Put a text on one line, without invisible characters, cut at the end of a word.

    >>> tidy("  use\\n podman\\x07 ")
    'use podman'
    >>> tidy("one two three", 9)
    'one two…'
    """
    text = unicodedata.normalize("NFC", text[: 4 * limit + 100])
    visible = "".join(char if _visible(char) else " " if char.isspace() else "" for char in text)
    line = " ".join(visible.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    word_end = cut.rfind(" ")
    return (cut[:word_end] if word_end > limit // 2 else cut).rstrip(" ,;:") + "…"


def visible_text(text: str, limit: int) -> str:
    """Keep the lines of a text, without invisible or unstorable characters.

    >>> visible_text("a\\n b\\x00", 10)
    'a\\n b'
    """
    return "".join(char for char in text[:limit] if char in " \t\n" or _visible(char)).strip()


@lru_cache(maxsize=4_096)
def _visible(char: str) -> bool:
    return char in KEPT_FORMATS or unicodedata.category(char) not in {
        "Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Zs",
    }  # fmt: skip


def fold(text: str) -> str:
    """Fold a text for comparison, keeping its length: lower case, no accents, plain apostrophes.

    A lone é or è becomes "é": in Portuguese and Italian it is another word than e.

    >>> fold("L’ÉTÉ est là, é não e")
    "l'ete est la, é nao e"
    """
    if text.isascii():
        return text.translate(_APOSTROPHES).lower()
    kept = {found.start() for found in _ALONE.finditer(text)}
    plain = (
        "é" if place in kept else _plain(char)
        for place, char in enumerate(text.translate(_APOSTROPHES))
    )
    return "".join(plain)


@lru_cache(maxsize=8_192)
def _plain(char: str) -> str:
    small = char.lower()
    if len(small) != 1:
        return char
    if "\u00c0" <= small <= "\u024f" or "\u1e00" <= small <= "\u1eff":
        return unicodedata.normalize("NFD", small)[0]
    if "\uff01" <= small <= "\uff5e":
        return chr(ord(small) - 0xFEE0).lower()
    return small


def split_sentences(message: str) -> list[str]:
    """Split a message into its sentences, unchanged, without fenced code.

    >>> split_sentences("No. Use v1.2, not v1.1!\\n```\\nx.\\n```\\n不对。用podman")
    ['No.', 'Use v1.2, not v1.1!', '不对。', '用podman']
    """
    if len(message) > HEAD + TAIL:
        message = message[:HEAD] + "\n" + message[-TAIL:]
    message = _FENCED.sub("\n", message)
    found = (sentence.group().strip() for sentence in _SENTENCE.finditer(message))
    return [sentence for sentence in found if sentence][:MOST_SENTENCES]


def sentence_case(text: str, stop: str | None = None) -> str:
    """Give a text a capital and a full stop; a script with another stop has no capitals.

    >>> sentence_case("use podman"), sentence_case("really?"), sentence_case("npm.io/x is down")
    ('Use podman.', 'Really?', 'npm.io/x is down.')
    """
    text = text.strip().rstrip(",;:!！-–—、，； ")
    if stop is None and _WORD_FIRST.match(text):
        text = text[:1].upper() + text[1:]
    return text if not text or text[-1] in ".?。？…" else text + (stop or ".")


def wording(table: Mapping[str, str], language: str, **pieces: str) -> str:
    """Fill in the line of a table for a language, English if it has none.

    >>> wording({"en": "Use {w}.", "de": "Verwende {w}."}, "de", w="podman")
    'Verwende podman.'
    """
    line = table.get(language, table["en"])
    for name, piece in pieces.items():
        line = line.replace(f"{{{name}}}", piece)
    return line


def quotes_in(quotes: Sequence[str], message: str) -> tuple[str, ...]:
    """Return the quotes that occur in a message, each once.

    >>> quotes_in(["use  pytest", "never use nose", "e"], "No, use pytest here.")
    ('use pytest',)
    """
    whole = _as_copied(message)
    kept: dict[str, None] = {}
    for quote in quotes:
        plain = _as_copied(quote)
        if plain and plain in whole and (_is_telling(quote) or plain == whole):
            kept[" ".join(storable(quote).split())[:LONGEST_QUOTE]] = None
    return tuple(kept)[:MOST_QUOTES]


def _is_telling(quote: str) -> bool:
    """Whether a quote proves anything: three letters do not, two Chinese signs are a word."""
    letters = [sign for sign in quote if sign.isalnum()]
    return len(letters) >= (4 if quote.isascii() else 2)


def _as_copied(text: str) -> str:
    """Normalize what models change when they copy: spaces and the form of quotes."""
    plain = unicodedata.normalize("NFKC", text).translate(_TYPED)
    return " ".join(plain.casefold().split())


_TYPED = str.maketrans("‘’‚ʼ“”„«»–—", '\'\'\'\'"""""--')
