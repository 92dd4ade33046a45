"""API keys: how one is spelled, made and recognised.

    sk-seasoned-k3x9m2c7q4tz_….
                id           256 random bits, then a checksum of everything before it

The id is public: lists, logs and the audit show it. The checksum tells a mistyped key from one that
nobody made, without asking the database. The digest that is stored is a plain SHA-256: a slow or
salted hash protects secrets that people choose, and nobody can guess 256 random bits.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Literal, get_args

from seasoned.core.errors import BadInput
from seasoned.core.ids import ALPHABET, LENGTH, new_id
from seasoned.core.scope import Scope

Role = Literal["read", "learn", "operate", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)  # each may do what those before it may

PREFIX = "sk-seasoned-"
SECRET_LENGTH = 52  # characters of five bits
CHECK_LENGTH = 6
LONGEST = len(PREFIX) + LENGTH + 1 + SECRET_LENGTH + CHECK_LENGTH


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is stored: everything but the key itself."""

    id: str
    name: str
    role: Role
    scope: Scope
    digest: str
    created_at: int
    expires_at: int = 0  # 0: never
    revoked_at: int = 0
    used_at: int = 0  # coarse

    def fault(self, now: int) -> str:
        """Return why the key counts no more; empty if it counts."""
        if self.revoked_at:
            return "was revoked"
        return "has expired" if self.expires_at and now >= self.expires_at else ""

    def opens(self, text: str) -> bool:
        """Whether this text is the key; compared in constant time."""
        return hmac.compare_digest(self.digest, key_digest(text))


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made; `text` is shown once and stored nowhere."""

    key: ApiKey
    text: str

    def __repr__(self) -> str:
        return f"NewKey({self.key!r})"


def new_key_text() -> tuple[str, str]:
    """Make a key; return its id and the key.

    >>> name, text = new_key_text()
    >>> key_id(text) == name, len(text) == LONGEST
    (True, True)
    """
    name = new_id()
    secret = "".join(secrets.choice(ALPHABET) for _ in range(SECRET_LENGTH))
    head = f"{PREFIX}{name}_{secret}"
    return name, head + _checksum(head)


def is_key(text: str) -> bool:
    """Whether a text means to be one of our keys."""
    return text.startswith(PREFIX)


def key_id(text: str) -> str:
    """Return the id that a key names; raise `BadInput` if it was cut off or mistyped.

    >>> key_id("sk-seasoned-abc")
    Traceback (most recent call last):
    seasoned.core.errors.BadInput: the key is cut off or mistyped: it has 15 characters, not 83
    """
    if len(text) != LONGEST:
        raise BadInput(
            f"the key is cut off or mistyped: it has {len(text)} characters, not {LONGEST}"
        )
    head, given = text[:-CHECK_LENGTH], text[-CHECK_LENGTH:]
    if not text.isascii() or not hmac.compare_digest(given, _checksum(head)):
        raise BadInput("the key is mistyped: its last characters do not fit the others")
    return head[len(PREFIX) : len(PREFIX) + LENGTH]


def key_digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def _checksum(head: str) -> str:
    number = int.from_bytes(hashlib.sha256(head.encode(errors="replace")).digest()[:4], "big")
    return "".join(ALPHABET[(number >> (5 * place)) & 31] for place in range(CHECK_LENGTH))
