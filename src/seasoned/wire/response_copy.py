"""The copy of a response that is read when the response has passed."""

import zlib

READABLE = frozenset({"identity", "gzip", "deflate"})
MOST_BYTES = 16 * 2**20  # of a body, and of what it decodes to


class ResponseCopy:
    """Collects the chunks of a body, unless it is not wanted or becomes too large."""

    def __init__(self, *, wanted: bool) -> None:
        self._chunks: list[bytes] | None = [] if wanted else None
        self._size = 0

    def add(self, chunk: bytes) -> None:
        self._size += len(chunk)
        if self._chunks is not None:
            self._chunks.append(chunk)
            self._chunks = self._chunks if self._size <= MOST_BYTES else None

    def body(self, encoding: str) -> bytes | None:
        """Return the decoded body; None if there is none or it cannot be decoded."""
        return None if self._chunks is None else decoded(b"".join(self._chunks), encoding)


def readable_encodings(accepted: bytes) -> bytes:
    """Return the encodings that a client accepts and that a copy can be decoded from.

    >>> readable_encodings(b"gzip, deflate, br, zstd"), readable_encodings(b"br")
    (b'gzip, deflate', b'identity')
    """
    named = [one.strip() for one in accepted.decode("latin-1").split(",")]
    kept = [one for one in named if one.partition(";")[0].strip().lower() in READABLE]
    return ", ".join(kept).encode("latin-1") or b"identity"


def decoded(body: bytes, encoding: str) -> bytes | None:
    """Decode a body; None if its encoding is unknown, or it is damaged or too large."""
    kind = encoding.strip().lower()
    if kind in ("", "identity"):
        return body
    if kind not in READABLE:
        return None
    try:
        decoder = zlib.decompressobj(zlib.MAX_WBITS | 32)
        found = decoder.decompress(body, MOST_BYTES)
    except zlib.error:
        return None
    return None if decoder.unconsumed_tail else found
