"""Load documents from files, folders and the web, redacted and cut into passages."""

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
from seasoned.documents.chunks import passages
from seasoned.documents.fetch import FetchConfig, address_of, fetch, is_address, too_large
from seasoned.documents.readers import markdown
from seasoned.documents.readers.document import Document, Section
from seasoned.documents.readers.reader import REVISION, SUFFIXES, read
from seasoned.security.redact import redact, without_keys

log = logging.getLogger("seasoned.documents")

BETWEEN = " › "
GIVEN = "given"  # the format of text without a source, which cannot be read again
LONGEST_TITLE = 160
# Folders of installed packages.
PASSED_OVER = frozenset(("node_modules", "__pycache__", "site-packages", "venv"))
# Names that are documents without a suffix.
BARE = frozenset(
    "readme changes changelog news install todo hacking contributing faq history notes".split()
)

GivenPassage = str | tuple[str, str]  # a text, or its heading and the text


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage, and its trigger: the title and the headings above it."""

    trigger: str
    text: str


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    """A document that was read and is not stored yet; `digest` identifies its content."""

    name: str
    title: str
    format: str
    digest: str
    pieces: Sequence[Piece]
    validator: str = ""


def names_of(source: str | PathLike[str]) -> Iterator[str]:
    """Yield the names of the documents of a source: an address, a file, or a folder."""
    given = os.fspath(source)
    if is_address(given):
        yield address_of(given)
        return
    path = Path(given).expanduser()
    for file in document_files(path) if path.is_dir() else (path,):
        yield os.path.realpath(file)


def load(
    name: str, digest: str = "", validator: str = "", config: FetchConfig | None = None
) -> LoadedDocument | None:
    """Load a document; None if it still has this digest or validator.

    Raises `NotFound` if it is gone.
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


def load_text(name: str, content: str | Sequence[GivenPassage], title: str = "") -> LoadedDocument:
    """Load a document that is in no file: a text as Markdown, or passages as they are."""
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
    return LoadedDocument(storable(name), heading, GIVEN, digest, pieces)


def digest_of(data: bytes) -> str:
    """Digest a document's bytes, together with the revision of the readers."""
    return f"{REVISION}-{hashlib.blake2b(data, digest_size=16).hexdigest()}"


def _loaded(name: str, document: Document, digest: str, validator: str = "") -> LoadedDocument:
    safe = _without_secrets(document)
    title = one_line(safe.title, LONGEST_TITLE)
    pieces = [Piece(_trigger(title, one.path), one.text) for one in passages(safe)]
    return LoadedDocument(name, title, safe.format, digest, pieces, validator)


def _without_secrets(document: Document) -> Document:
    """Redact secrets before cutting; half a secret is not recognised."""
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
    """Join title and headings into a trigger.

    >>> _trigger("Guide", ["Guide", "Set-up"]), _trigger("Guide - Docs", ["Guide"])
    ('Guide › Set-up', 'Guide - Docs')
    """
    below = path[1:] if path and title.startswith(path[0]) else path
    return BETWEEN.join((title, *below))


@contextmanager
def _reported(name: str) -> Generator[None]:
    """Turn a bug in a reader into BadInput, so that other documents are still imported."""
    try:
        yield
    except SeasonedError:
        raise
    except Exception as error:
        log.exception("the reader failed on %s", name)
        raise BadInput(f"the reader failed on it ({error!r}); please report this") from error


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


def document_files(folder: Path) -> Iterator[Path]:
    """Yield each document of a folder once, in a stable order.

    Hidden files and folders are skipped, except the given folder itself. A folder that cannot be
    listed is yielded itself, so that loading it reports the reason.
    """
    entered: set[str] = set()
    given: set[str] = set()
    closed: list[Path] = []
    for here, folders, names in os.walk(
        folder, followlinks=True, onerror=lambda error: closed.append(Path(error.filename))
    ):
        if _again(here, entered):  # a symbolic link that leads back
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if _is_open(name))
        for name in sorted(names):
            file = Path(here, name)
            if is_document(name) and file.is_file() and not _again(file, given):
                yield file
    yield from sorted(closed)


def is_document(name: str) -> bool:
    """Whether a file of this name is a document.

    >>> [is_document(name) for name in ("guide.MD", "README", "main.py", ".notes.md")]
    [True, True, False, False]
    """
    stem, suffix = os.path.splitext(name.lower())
    return not name.startswith(".") and (suffix in SUFFIXES or (not suffix and stem in BARE))


def _is_open(folder: str) -> bool:
    return not folder.startswith(".") and folder not in PASSED_OVER


def _again(path: Path | str, seen: set[str]) -> bool:
    real = os.path.realpath(path)
    if real in seen:
        return True
    seen.add(real)
    return False
