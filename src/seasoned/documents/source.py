"""Loads a document from where it stands, a file or the web: as passages that may be stored."""

import hashlib
import logging
import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from seasoned.core.errors import BadInput, NotFound, SeasonedError
from seasoned.core.text import one_line, storable
from seasoned.documents import markdown
from seasoned.documents.chunks import passages
from seasoned.documents.document import Document, Section
from seasoned.documents.fetch import FetchConfig, address_of, fetch, is_address, too_large
from seasoned.documents.files import document_files
from seasoned.documents.reading import REVISION, read
from seasoned.security.redact import redact, without_keys

log = logging.getLogger("seasoned.documents")

BETWEEN = " › "
GIVEN = "given"  # the format of what was handed over, and cannot be read again
LONGEST_TITLE = 160

Passage = str | tuple[str, str]  # a text, or what stands above it and the text


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage, and where it stands: the title and the headings above it."""

    trigger: str
    text: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """A document that is not stored yet; `digest` stays the same while it does."""

    name: str
    title: str
    format: str
    digest: str
    pieces: Sequence[Piece]
    validator: str = ""


def names_of(source: str | PathLike[str]) -> Iterator[str]:
    """The documents that a source stands for: an address, a file, or all of a folder."""
    given = os.fspath(source)
    if is_address(given):
        yield address_of(given)
        return
    path = Path(given).expanduser()
    for file in document_files(path) if path.is_dir() else (path,):
        yield os.path.realpath(file)


def load(
    name: str, digest: str = "", validator: str = "", config: FetchConfig | None = None
) -> Loaded | None:
    """The document of this name; None when it is still the one with this digest or validator.

    `NotFound` means that it is gone.
    """
    limits = config or FetchConfig()
    told = ("", "")
    if is_address(name):
        page = fetch(name, validator, limits)
        if page is None:
            return None
        data, told, validator = page.data, (page.content_type, page.charset), page.validator
    else:
        data = _bytes(name, limits.largest)
    found = digest_of(data)
    if found == digest:
        return None
    with _reported(name):
        return _loaded(name, read(data, name, *told), found, validator)


def given(name: str, content: str | Sequence[Passage], title: str = "") -> Loaded:
    """A document that stands nowhere: a text as Markdown, or passages just as they are."""
    digest = digest_of(repr((title, content)).encode("utf-8", "surrogatepass"))
    heading = one_line(_safe(title or name), LONGEST_TITLE)
    if isinstance(content, str):
        document = markdown.read(without_keys(content))
        named = replace(document, title=title or document.title or name)
        return replace(_loaded(storable(name), named, digest), format=GIVEN)
    passages = ((heading, one) if isinstance(one, str) else one for one in content)
    pieces = [
        Piece(one_line(_safe(above), LONGEST_TITLE), _safe(text))
        for above, text in passages
        if text.strip()
    ]
    return Loaded(storable(name), heading, GIVEN, digest, pieces)


def digest_of(data: bytes) -> str:
    """What stays the same while the bytes do, and the way they are read."""
    return f"{REVISION}-{hashlib.blake2b(data, digest_size=16).hexdigest()}"


def _loaded(name: str, document: Document, digest: str, validator: str = "") -> Loaded:
    safe = _without_secrets(document)
    title = one_line(safe.title, LONGEST_TITLE)
    pieces = [Piece(_trigger(title, one.path), one.text) for one in passages(safe)]
    return Loaded(name, title, safe.format, digest, pieces, validator)


def _without_secrets(document: Document) -> Document:
    """Before it is cut: half a secret could not be told from other words."""
    sections = (
        Section(
            tuple(map(_safe, section.path)),
            tuple(replace(b, text=_safe(b.text), above=_safe(b.above)) for b in section.blocks),
        )
        for section in document.sections
    )
    return replace(document, title=_safe(document.title), sections=tuple(sections))


def _safe(text: str) -> str:
    return redact(storable(text))


def _trigger(title: str, path: Sequence[str]) -> str:
    """Where a passage stands, as a person would say it.

    >>> _trigger("Guide", ["Guide", "Set-up"]), _trigger("Guide - Docs", ["Guide"])
    ('Guide › Set-up', 'Guide - Docs')
    """
    below = path[1:] if path and title.startswith(path[0]) else path
    return BETWEEN.join((title, *below))


@contextmanager
def _reported(name: str) -> Generator[None]:
    """A document that our own reader fails at must not keep the others away."""
    try:
        yield
    except SeasonedError:
        raise
    except Exception as error:
        log.exception("the reader failed at %s", name)
        raise BadInput(f"our reader failed at it ({error!r}); please report this") from error


def _bytes(name: str, largest: int) -> bytes:
    if storable(name) != name:
        raise BadInput("its name cannot be stored; rename it")
    try:
        if os.path.isdir(name):
            os.listdir(name)
        if os.path.getsize(name) > largest:
            raise BadInput(too_large(largest))
        return Path(name).read_bytes()
    except FileNotFoundError as error:
        raise NotFound("there is no such file; check the path") from error
    except OSError as error:
        raise BadInput(f"it cannot be read ({error.strerror or error})") from error
