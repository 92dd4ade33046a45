"""Decode text of an unknown encoding."""

import codecs
import re

from seasoned.core.text import storable
from seasoned.security.redact import without_keys

# Longest first: the mark of UTF-32 begins with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
SAMPLE = 4096
# Control characters that text never has: all but tab, line feeds, form feed, backspace, escape.
CONTROL = re.compile(rb"[\x00-\x07\x0e-\x1a\x1c-\x1f]")
MOST_CONTROL = 0.02
LINE_END = re.compile("\r\n?|[\f\v\x85\u2028\u2029]")
UNSEEN = re.compile("[\xad\u200b\u2060\ufeff]")  # soft hyphens, zero-width spaces and joiners


def decoded(data: bytes, charset: str = "") -> str:
    """Decode text; a byte-order mark overrules the `charset` that the sender declares.

    >>> decoded("Grüße".encode("latin-1")), decoded("東京".encode("utf-16")), decoded(b"a\\r\\nb")
    ('Grüße', '東京', 'a\\nb')
    """
    text = UNSEEN.sub("", storable(_characters(data, charset)))
    return without_keys(LINE_END.sub("\n", text))


def is_text(data: bytes) -> bool:
    """Whether these bytes are text in some encoding.

    >>> is_text(b"plain"), is_text("Grüße".encode("utf-16-le")), is_text(b"\\x7fELF\\x02\\x00")
    (True, True, False)
    """
    if _mark_of(data) or _wide_encoding(data):
        return True
    sample = data[:SAMPLE]
    return b"\x00" not in sample and len(CONTROL.findall(sample)) <= MOST_CONTROL * len(sample)


def _characters(data: bytes, charset: str) -> str:
    if marked := _mark_of(data):
        mark, encoding = marked
        return data[len(mark) :].decode(encoding, "replace")
    for encoding in (charset, "utf-8", _wide_encoding(data), "cp1252"):
        try:
            if encoding:
                return data.decode(encoding)
        except (LookupError, ValueError):  # no such encoding, or not in it
            continue
    return data.decode("latin-1")


def _mark_of(data: bytes) -> tuple[bytes, str] | None:
    return next((mark for mark in MARKS if data.startswith(mark[0])), None)


def _wide_encoding(data: bytes) -> str:
    """Detect UTF-16 without a mark: pairs with a zero byte, and printable characters."""
    sample = data[:SAMPLE]
    if len(data) % 2 or not sample:
        return ""
    for encoding, upper in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[0::2])):
        text = sample.decode(encoding, "ignore")
        seen = sum(character.isprintable() or character.isspace() for character in text)
        if upper.count(0) >= 0.1 * len(upper) and seen >= 0.98 * len(upper):
            return encoding
    return ""
