"""The open vault: get, set and remove secrets and profiles, change the passphrase, rotate the key.

The master key is random; the passphrase only wraps it. Every change writes the whole file at once
and never overwrites a change that another process made meanwhile.
"""

import json
import os
import re
import secrets
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from seasoned.core.errors import BadInput, Changed, NotFound, VaultError, WrongPassphrase
from seasoned.core.home import VAULT_FILE
from seasoned.core.replaced_file import replace_file
from seasoned.security.vault.crypto import (
    KEY_BYTES,
    SALT_BYTES,
    Forged,
    KdfParams,
    derived_key,
    sealed,
    unsealed,
)
from seasoned.security.vault.document import (
    ADVICE,
    Document,
    Kind,
    Place,
    parsed,
    read_document,
    written,
)

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
STANDARD = KdfParams()


def vault_path(home: Path) -> Path:
    return home / VAULT_FILE


class Vault:
    """A vault's file, opened with its passphrase. It shows no value when it is printed."""

    def __init__(self, path: Path, document: Document, master_key: bytes, content: bytes) -> None:
        self.path = path
        self._document: Document = document
        self._key: bytes = master_key
        self._content: bytes = content  # as read or written last

    def __repr__(self) -> str:
        return f"Vault({str(self.path)!r})"

    @classmethod
    def create(cls, path: Path, passphrase: str, params: KdfParams = STANDARD) -> "Vault":
        """Make an empty vault; one that is there already stays."""
        if os.path.lexists(path):
            raise BadInput(f"there is a vault at {path} already; it is unchanged")
        document = Document(secrets.token_hex(16), params, b"", b"", "", {}, b"")
        vault = cls(path, document, os.urandom(KEY_BYTES), b"")
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        vault._store(vault._wrapped(document, passphrase, params))
        return vault

    @classmethod
    def open(cls, path: Path, passphrase: str) -> "Vault":
        """Open a vault and check all of it."""
        return cls._opened(path, *read_document(path), passphrase)

    @classmethod
    def read(cls, content: bytes, path: Path, passphrase: str) -> "Vault":
        """Open a vault whose bytes are at hand."""
        return cls._opened(path, parsed(content, path), content, passphrase)

    @classmethod
    def _opened(cls, path: Path, document: Document, content: bytes, passphrase: str) -> "Vault":
        outer = derived_key(passphrase, document.salt, document.kdf) if document.salt else b""
        try:
            if len(document.salt) != SALT_BYTES:
                raise Forged
            key = unsealed(outer, document.wrapped_key, document.key_place())
        except Forged:
            raise WrongPassphrase(
                f"the passphrase does not open the vault {path}: it is wrong, or the file's key is "
                "damaged; try again, or restore the file from a copy"
            ) from None
        vault = cls(path, document, key, content)
        vault._check()
        return vault

    def _check(self) -> None:
        document = self._document
        try:
            unsealed(self._key, document.seal, document.seal_place())
            for kind, name in document.records:
                self._value(kind, name)
        except (Forged, ValueError):
            raise VaultError(
                f"the vault {self.path} was damaged or changed by something else; {ADVICE}"
            ) from None

    @property
    def id(self) -> str:
        return self._document.id

    @property
    def active(self) -> str:
        """The profile in use; empty: none."""
        return self._document.active

    def names(self, kind: Kind) -> list[str]:
        return self._document.names(kind)

    def secret(self, name: str) -> str:
        self._required("secret", name)
        return self._value("secret", name)

    def profile(self, name: str) -> dict[str, Any]:
        """Return a profile's settings by key, as `llm.model`."""
        self._required("profile", name)
        return json.loads(self._value("profile", name))

    def set_secret(self, name: str, value: str) -> None:
        if not value:
            raise BadInput(f"the secret {name} is empty; give it a value, or remove it")
        self.put(secrets={name: value})

    def set_profile(self, name: str, settings: Mapping[str, Any]) -> None:
        self.put(profiles={name: settings})

    def put(
        self,
        secrets: Mapping[str, str] | None = None,
        profiles: Mapping[str, Mapping[str, Any]] | None = None,
        active: str | None = None,
    ) -> None:
        """Store secrets and profiles in one write, and make a profile the active one."""
        values = {("secret", name): value for name, value in (secrets or {}).items()}
        for name, settings in (profiles or {}).items():
            values["profile", name] = json.dumps(settings, sort_keys=True)
        for kind, name in values:
            _check_name(kind, name)

        def change(document: Document) -> Document:
            records = dict(document.records)
            for (kind, name), value in values.items():
                place = document.record_place(kind, name)
                records[kind, name] = sealed(self._key, value.encode(), place)
            chosen = document.active if active is None else active
            if chosen and ("profile", chosen) not in records:
                raise self._missing("profile", chosen)
            return replace(document, records=records, active=chosen)

        self._change(change, values)

    def use(self, profile: str) -> None:
        """Make a profile the active one; an empty name: none."""
        self.put(active=profile)

    def remove(self, kind: Kind, name: str) -> None:
        self._required(kind, name)
        if kind == "profile" and name == self.active:
            raise BadInput(f"the profile {name} is in use; `seasoned config use` another one first")

        def change(document: Document) -> Document:
            kept = {
                place: data for place, data in document.records.items() if place != (kind, name)
            }
            return replace(document, records=kept)

        self._change(change, [(kind, name)])

    def rename_secret(self, name: str, to: str) -> None:
        """Give a secret another name, in one write."""
        value = self.secret(name)
        _check_name("secret", to)
        if ("secret", to) in self._document.records:
            raise BadInput(f"there is a secret {to} already; remove it first")

        def change(document: Document) -> Document:
            records = dict(document.records)
            del records["secret", name]
            place = document.record_place("secret", to)
            records["secret", to] = sealed(self._key, value.encode(), place)
            return replace(document, records=records)

        self._change(change, [("secret", name), ("secret", to)])

    def change_passphrase(self, passphrase: str, params: KdfParams = STANDARD) -> None:
        """Wrap the master key with another passphrase; records stay as they are."""
        self._store(self._wrapped(self._document, passphrase, params))

    def rotate(self, passphrase: str) -> None:
        """Encrypt everything with a new master key."""
        document, key = self._document, os.urandom(KEY_BYTES)
        records = {
            (kind, name): sealed(
                key, self._value(kind, name).encode(), document.record_place(kind, name)
            )
            for kind, name in document.records
        }
        outer = derived_key(passphrase, document.salt, document.kdf)
        try:
            unsealed(outer, document.wrapped_key, document.key_place())
        except Forged:
            raise WrongPassphrase(f"the passphrase does not open the vault {self.path}") from None
        fresh = Vault(self.path, document, key, self._content)
        fresh._store(fresh._wrapped(replace(document, records=records), passphrase, document.kdf))
        self._document, self._key, self._content = fresh._document, key, fresh._content

    def _value(self, kind: str, name: str) -> str:
        place = self._document.record_place(kind, name)
        return unsealed(self._key, self._document.records[kind, name], place).decode()

    def _required(self, kind: Kind, name: str) -> None:
        if (kind, name) not in self._document.records:
            raise self._missing(kind, name)

    def _missing(self, kind: Kind, name: str) -> NotFound:
        listing = "seasoned secrets list" if kind == "secret" else "seasoned config profiles"
        return NotFound(f"no {kind} {name!r} in the vault; `{listing}` shows those there are")

    def _wrapped(self, document: Document, passphrase: str, params: KdfParams) -> Document:
        if not passphrase:
            raise BadInput("the passphrase is empty; give one of several words")
        salt = os.urandom(SALT_BYTES)
        outer = derived_key(passphrase, salt, params)
        wrapped = sealed(outer, self._key, document.key_place())
        document = replace(document, kdf=params, salt=salt, wrapped_key=wrapped)
        unchanged = document.records is self._document.records and document.seal
        return document if unchanged else self._sealed(document)

    def _sealed(self, document: Document) -> Document:
        return replace(document, seal=sealed(self._key, b"", document.seal_place()))

    def _change(self, change: Callable[[Document], Document], places: Iterable[Place]) -> None:
        """Store a change of some records, on top of what others changed meanwhile elsewhere."""
        with _alone(self._file.parent):
            if self._is_behind() and not self._caught_up(places):
                raise self._changed()
            self._write(self._sealed(change(self._document)))

    def _store(self, document: Document) -> None:
        with _alone(self._file.parent):
            if self._is_behind():
                raise self._changed()
            self._write(document)

    @property
    def _file(self) -> Path:
        return self.path.resolve()  # a link to it stays a link

    def _is_behind(self) -> bool:
        there = self._file.read_bytes() if self._file.exists() else b""
        return there != self._content

    def _caught_up(self, places: Iterable[Place]) -> bool:
        """Take over what another process wrote; not if it concerns the same, or the key."""
        mine = self._document
        try:
            document, content = read_document(self.path)
            Vault(self.path, document, self._key, content)._check()
        except VaultError:
            return False
        same = all(document.records.get(one) == mine.records.get(one) for one in places)
        if not same or document.id != mine.id or document.active != mine.active:
            return False
        self._document, self._content = document, content
        return True

    def _changed(self) -> Changed:
        return Changed(f"another process changed the vault {self.path} meanwhile; run this again")

    def _write(self, document: Document) -> None:
        path, content = self._file, written(document)
        for left in path.parent.glob(f".{path.name}.*"):  # by a writer that was killed
            left.unlink(missing_ok=True)
        replace_file(path, content, mode=0o600)
        path.chmod(0o600)
        self._document, self._content = document, content


def _check_name(kind: str, name: str) -> None:
    if not NAME.fullmatch(name):
        raise BadInput(
            f"{name!r} cannot name a {kind}; use up to 100 letters, digits, '.', '-' and '_'"
        )


@contextmanager
def _alone(folder: Path) -> Generator[None]:
    """Keep other processes from writing the same vault, where the system has such locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)
