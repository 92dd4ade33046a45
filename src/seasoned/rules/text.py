"""The words of a message made fit for a rule: one line, visible characters only, never too long."""

import re
import unicodedata
from functools import lru_cache

HEAD, TAIL = 1_500, 700  # of a long message only both ends are read: between them stands a paste
MOST_SENTENCES = 40
KEPT_FORMATS = "\u200c\u200d"  # joiners: emoji and some scripts need them
_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"(?:[^\n.!?。！？;；]|[.!?;](?![\s\"'”’)]|\Z))+[.!?。！？;；]*[\"'”’)]?")
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ´`＇′", "'"))
_WORD_FIRST = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*(?=[\s,:;!?]|\.?\Z)")
_ALONE = re.compile(r"(?<!\w)[éèÉÈ](?!\w)")


def tidy(text: str, limit: int = 300) -> str:
    """A text on one line, without what cannot be seen, cut where a word ends.

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


def legible(text: str, limit: int) -> str:
    """A text as it stands, lines and all, without what cannot be seen or stored.

    >>> legible("a\\n b\\x00", 10)
    'a\\n b'
    """
    return "".join(char for char in text[:limit] if char in " \t\n" or _visible(char)).strip()


@lru_cache(maxsize=4_096)
def _visible(char: str) -> bool:
    return char in KEPT_FORMATS or unicodedata.category(char) not in {
        "Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Zs",
    }  # fmt: skip


def folded(text: str) -> str:
    """A text for comparison, as long as it was: small letters, no accents, plain apostrophes.

    An é or è that stands alone stays, as "é": in Portuguese and Italian it is another word than e.

    >>> folded("L’ÉTÉ est là, é não e")
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


def sentences(message: str) -> list[str]:
    """The sentences of a message as they stand there, without what is fenced off as code.

    >>> sentences("No. Use v1.2, not v1.1!\\n```\\nx.\\n```\\n不对。用podman")
    ['No.', 'Use v1.2, not v1.1!', '不对。', '用podman']
    """
    if len(message) > HEAD + TAIL:
        message = message[:HEAD] + "\n" + message[-TAIL:]
    message = _FENCED.sub("\n", message)
    found = (sentence.group().strip() for sentence in _SENTENCE.finditer(message))
    return [sentence for sentence in found if sentence][:MOST_SENTENCES]


def sentence_case(text: str, stop: str | None = None) -> str:
    """A text that begins with a capital and ends with a full stop; another stop has no capitals.

    >>> sentence_case("use podman"), sentence_case("really?"), sentence_case("npm.io/x is down")
    ('Use podman.', 'Really?', 'npm.io/x is down.')
    """
    text = text.strip().rstrip(",;:!！-–—、，； ")
    if stop is None and _WORD_FIRST.match(text):
        text = text[:1].upper() + text[1:]
    return text if not text or text[-1] in ".?。？…" else text + (stop or ".")
