"""The file that a backup is: a manifest, then what it names, each with its digest."""

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import tarfile
import zlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from seasoned.core.errors import BadInput

FORMAT = 1
DATABASE = "database/seasoned.db"  # of SQLite; of Postgres it is a file a table
MANIFEST = "manifest.json"
NAME = re.compile(r"(database|home)/[A-Za-z0-9][A-Za-z0-9_.\-]*")
IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]*")  # of tables and columns, which go into SQL
MOST_EXTENDED = 2**16  # a header may extend another, for sizes above 8 GB
GZIP = b"\x1f\x8b"
BLOCK = 2**20
MOST_MANIFEST = 16 * 2**20
QUICK = 1  # of gzip: a backup runs beside a server that has better to do


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an archive holds. `files` are the digests, by name."""

    seasoned: str
    dialect: str
    schema: int
    made_at: str
    counts: dict[str, int]
    files: dict[str, str]
    columns: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    sequences: dict[str, int] = field(default_factory=dict[str, int])
    format: int = FORMAT


class Member(tarfile.TarInfo):
    """A header of our archives: a plain file, or a short extension of the next header."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "Member":
        found = super().frombuf(buf, encoding, errors)
        plain = found.type in (tarfile.REGTYPE, tarfile.AREGTYPE)
        if not plain and (found.type != tarfile.XHDTYPE or found.size > MOST_EXTENDED):
            raise tarfile.ReadError(f"{found.name[:100]!r} is not a plain file")
        return found


def write_archive(manifest: Manifest, folder: Path, target: Path) -> int:
    """Pack a folder, which is beside the target, into an archive, whole or not at all.

    Return its size.
    """
    fresh = folder / "archive"  # so that a kill leaves nothing but the folder
    try:
        try:
            descriptor = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                with (
                    gzip.GzipFile("", "wb", QUICK, file) as packed,
                    tarfile.open(fileobj=packed, mode="w|") as tar,
                ):
                    said = json.dumps(asdict(manifest), indent=1).encode()
                    head = tarfile.TarInfo(MANIFEST)
                    head.size, head.mode = len(said), 0o600
                    tar.addfile(head, io.BytesIO(said))
                    for name in manifest.files:
                        with (folder / name).open("rb") as content:
                            info = tarfile.TarInfo(name)
                            info.size, info.mode = os.fstat(content.fileno()).st_size, 0o600
                            tar.addfile(info, content)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(target)
        finally:
            fresh.unlink(missing_ok=True)
        return target.stat().st_size
    except OSError as error:
        raise BadInput(f"cannot write the backup {target}: {error.strerror or error}") from error


def read_archive(source: Path, folder: Path) -> Manifest:
    """Unpack an archive into a folder; every digest is compared before anything is returned."""
    try:
        with gzip.open(source, "rb") as packed:
            with tarfile.open(fileobj=packed, mode="r|", tarinfo=Member) as tar:
                manifest = _unpacked(source, tar, folder)
            while packed.read(BLOCK):  # to the end, where gzip compares its own sum
                pass
    except FileNotFoundError as error:
        raise BadInput(f"no backup {source}; give the file that `seasoned backup` wrote") from error
    except (OSError, EOFError, tarfile.TarError, zlib.error) as error:
        raise damaged(source, str(error)) from error
    return manifest


def _unpacked(source: Path, tar: tarfile.TarFile, folder: Path) -> Manifest:
    first = tar.next()
    content = tar.extractfile(first) if first and first.name == MANIFEST else None
    if first is None or content is None or first.size > MOST_MANIFEST:
        raise damaged(source, "it does not begin with a manifest")
    manifest = _parsed(source, content.read())
    left = dict(manifest.files)
    while member := tar.next():
        content = tar.extractfile(member)
        if member.name not in left or content is None:
            raise damaged(source, f"{member.name[:100]!r} is not in its manifest")
        _check_room(source, member.size, folder)
        path = folder / member.name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        digest = hashlib.sha256()
        with path.open("xb") as file:
            path.chmod(0o600)
            while block := content.read(BLOCK):
                digest.update(block)
                file.write(block)
        if digest.hexdigest() != left.pop(member.name):
            raise damaged(source, f"{member.name} is not as it was written")
    if left:
        raise damaged(source, f"{', '.join(left)} is missing")
    return manifest


def _check_room(source: Path, size: int, folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if size > free:
        raise BadInput(
            f"{source} needs {size / 1e9:,.1f} GB to unpack, and {folder.parent} has "
            f"{free / 1e9:,.1f} GB left; nothing was changed; make room, "
            "or check who wrote that file"
        )


def _parsed(source: Path, content: bytes) -> Manifest:
    try:
        told: Any = json.loads(content)
        fields = cast("dict[str, Any]", told)
        if fields.get("format", 0) > FORMAT:
            raise BadInput(f"{source} was written by a newer Seasoned; upgrade, then restore it")
        manifest = Manifest(**fields)
        _check(manifest)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise damaged(source, f"its manifest cannot be read: {error}") from error
    return manifest


def _check(manifest: Manifest) -> None:
    """Refuse what no backup of ours has: somebody may have written the file to do harm."""
    one = manifest
    texts: list[Any] = [one.seasoned, one.dialect, one.made_at, *one.files.values()]
    numbers: list[Any] = [one.schema, one.format, *one.counts.values(), *one.sequences.values()]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("a text is none")
    if not all(type(number) is int and 0 <= number < 2**63 for number in numbers):
        raise ValueError("a number is none")
    for pattern, names in (
        (NAME, one.files),
        (IDENTIFIER, one.sequences),
        *((IDENTIFIER, (table, *columns)) for table, columns in one.columns.items()),
    ):
        for name in names:
            if not pattern.fullmatch(name):
                raise ValueError(f"it holds {name[:100]!r}")
    needed = {f"database/{table}.copy" for table in one.columns} or {DATABASE}
    if missing := needed - set(one.files):
        raise ValueError(f"{min(missing)} is missing")


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_packed(path: Path) -> bool:
    """Whether a file begins as archives do."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(2) == GZIP


def damaged(source: Path, why: str) -> BadInput:
    return BadInput(
        f"{source} is no whole backup: {why}; nothing was changed; take another backup, "
        "or copy this one again from where it was kept"
    )
