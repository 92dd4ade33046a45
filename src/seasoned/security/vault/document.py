"""The vault's file: strict JSON, read and written without any key.

Names of secrets and profiles are readable in it, values are not. The seal covers everything except
the wrapped key, so that a changed passphrase changes nothing else.
"""

import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Any, Literal, cast

from seasoned.core.errors import VaultError
from seasoned.security.vault.crypto import KdfParams

FORMAT, VERSION = "seasoned vault", 1
MOST_BYTES = 16_000_000

Kind = Literal["secret", "profile"]
Place = tuple[str, str]  # kind, name
ADVICE = "restore it from a copy; nothing was changed"


@dataclass(frozen=True, slots=True)
class Document:
    """The file's content."""

    id: str
    kdf: KdfParams
    salt: bytes
    wrapped_key: bytes
    active: str  # profile in use; empty: none
    records: Mapping[Place, bytes]
    seal: bytes

    def names(self, kind: Kind) -> list[str]:
        return sorted(name for one, name in self.records if one == kind)

    def key_place(self) -> bytes:
        return _canonical([FORMAT, VERSION, self.id, "key"])

    def record_place(self, kind: str, name: str) -> bytes:
        """Bind a record to its vault, kind and name, so that two cannot be swapped."""
        return _canonical([FORMAT, VERSION, self.id, "record", kind, name])

    def seal_place(self) -> bytes:
        """Bind the seal to which records there are, and which profile is active."""
        records = [[*place, _text(data)] for place, data in sorted(self.records.items())]
        return _canonical([FORMAT, VERSION, self.id, "seal", self.active, records])


def read_document(path: Path) -> tuple[Document, bytes]:
    """Read a vault's file; raises `VaultError` that names the file and what to do."""
    try:
        if not S_ISREG(path.stat().st_mode):  # reading a pipe would wait for ever
            raise VaultError(f"the vault {path} is not a file; move away what is there")
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError as error:
        if path.is_symlink():
            raise VaultError(
                f"the vault {path} is a link to {path.readlink()}, which is not there; bring that "
                "file back, or remove the link"
            ) from error
        raise VaultError(f"there is no vault at {path}; `seasoned config init` makes one") from None
    except OSError as error:
        raise VaultError(
            f"cannot read the vault {path}: {error.strerror or error}; check who may read it"
        ) from error
    if len(content) > MOST_BYTES:
        raise VaultError(f"the vault {path} is larger than any vault; {ADVICE}")
    return parsed(content, path), content


def parsed(content: bytes, path: Path) -> Document:
    try:
        found: Any = json.loads(content.decode("utf-8"), object_pairs_hook=_unique)
        if not isinstance(found, dict) or cast("dict[str, Any]", found).get("format") != FORMAT:
            raise ValueError("it does not begin as a vault does")
        version: Any = cast("dict[str, Any]", found).get("version")
        if isinstance(version, int) and version > VERSION:
            raise VaultError(
                f"the vault {path} has version {version}, this Seasoned reads {VERSION}; "
                "update Seasoned"
            )
        return _document(cast("dict[str, Any]", found))
    except (ValueError, RecursionError) as error:
        raise VaultError(
            f"the vault {path} is damaged or cut short ({_gist(error)}); {ADVICE}"
        ) from None


def written(document: Document) -> bytes:
    kdf = document.kdf
    content = {
        "format": FORMAT,
        "version": VERSION,
        "id": document.id,
        "kdf": {
            "name": "argon2id",
            "salt": _text(document.salt),
            "iterations": kdf.iterations,
            "lanes": kdf.lanes,
            "memoryKib": kdf.memory_kib,
        },
        "key": _text(document.wrapped_key),
        "active": document.active,
        "records": [
            {"kind": kind, "name": name, "data": _text(data)}
            for (kind, name), data in sorted(document.records.items())
        ],
        "seal": _text(document.seal),
    }
    return json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"


def _document(found: dict[str, Any]) -> Document:
    _exactly(found, "format version id kdf key active records seal")
    if type(found["version"]) is not int or found["version"] != VERSION:
        raise ValueError("its version is no number")
    kdf, records = found["kdf"], found["records"]
    if not isinstance(kdf, dict) or not isinstance(records, list):
        raise ValueError("a part is missing")
    kdf = cast("dict[str, Any]", kdf)
    _exactly(kdf, "name salt iterations lanes memoryKib")
    numbers = [kdf[name] for name in ("iterations", "lanes", "memoryKib")]
    if kdf["name"] != "argon2id" or any(type(one) is not int for one in numbers):
        raise ValueError("its key derivation is unknown")
    params = KdfParams(*numbers)
    if params.fault():
        raise ValueError(f"its key derivation asks for {params.fault()}")
    held: dict[Place, bytes] = {}
    for record in cast("list[Any]", records):
        if not isinstance(record, dict):
            raise ValueError("a record is none")
        record = cast("dict[str, Any]", record)
        _exactly(record, "kind name data")
        place = (_string(record["kind"]), _string(record["name"]))
        if place in held:
            raise ValueError("a record is there twice")
        held[place] = _bytes(record["data"])
    return Document(
        _string(found["id"]),
        params,
        _bytes(kdf["salt"]),
        _bytes(found["key"]),
        _string(found["active"]),
        held,
        _bytes(found["seal"]),
    )


def _exactly(found: Mapping[str, Any], names: str) -> None:
    if set(found) != set(names.split()):
        raise ValueError("its parts are not those of a vault")


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError("a part is there twice")
        found[name] = value
    return found


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("a text is none")
    value.encode()  # a lone surrogate cannot be bound to anything
    return value


def _bytes(value: Any) -> bytes:
    try:
        return base64.b64decode(_string(value), validate=True)
    except binascii.Error as error:
        raise ValueError("a value is not base64") from error


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _canonical(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()


def _gist(error: Exception) -> str:
    """Say what is wrong without quoting the file."""
    known = type(error) is ValueError
    return str(error) if known else "it is not readable JSON"
