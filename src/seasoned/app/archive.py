"""The file that a backup is: a manifest, then what it names, each with its digest."""

import gzip
import hashlib
import io
import json
import os
import re
import tarfile
import zlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from seasoned.core.errors import BadInput

FORMAT = 1
MANIFEST = "manifest.json"
NAME = re.compile(r"(database|home)/[A-Za-z0-9][A-Za-z0-9_.\-]*")
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
            with tarfile.open(fileobj=packed, mode="r|") as tar:
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
            raise damaged(source, f"{member.name} is not in its manifest")
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


def _parsed(source: Path, content: bytes) -> Manifest:
    try:
        told: Any = json.loads(content)
        fields = cast("dict[str, Any]", told)
        if fields.get("format", 0) > FORMAT:
            raise BadInput(f"{source} was written by a newer Seasoned; upgrade, then restore it")
        manifest = Manifest(**fields)
    except (ValueError, TypeError, AttributeError) as error:
        raise damaged(source, f"its manifest cannot be read: {error}") from error
    names = [*manifest.files, *(f"database/{table}.copy" for table in manifest.columns)]
    if strange := [name for name in names if not NAME.fullmatch(name)]:
        raise damaged(source, f"it holds {strange[0]!r}")
    return manifest


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def damaged(source: Path, why: str) -> BadInput:
    return BadInput(
        f"{source} is no whole backup: {why}; nothing was changed; take another backup, "
        "or copy this one again from where it was kept"
    )
