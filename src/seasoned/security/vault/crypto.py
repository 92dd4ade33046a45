"""The vault's cryptography: Argon2id makes a key of a passphrase, AES-256-GCM seals records."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from seasoned.core.extras import missing_extra

MOST_KIB = 262_144  # 256 MiB
MOST_WORK_KIB = 4 * MOST_KIB  # all iterations together; a second or two
KEY_BYTES, SALT_BYTES, NONCE_BYTES, TAG_BYTES = 32, 16, 12, 16


@dataclass(frozen=True, slots=True)
class KdfParams:
    """What a guess costs; the default is RFC 9106's second choice, about 0.3 s and 64 MiB."""

    iterations: int = 3
    lanes: int = 4
    memory_kib: int = 65_536

    def fault(self) -> str:
        """Say what is absurd about them; a changed header must not ask for all memory or hours."""
        if not 1 <= self.iterations <= 32:
            return f"{self.iterations} iterations"
        if not 1 <= self.lanes <= 16:
            return f"{self.lanes} lanes"
        if not 8 * self.lanes <= self.memory_kib <= MOST_KIB:
            return f"{self.memory_kib} KiB of memory"
        if self.iterations * self.memory_kib > MOST_WORK_KIB:
            return f"{self.iterations} iterations over {self.memory_kib} KiB"
        return ""


class Forged(Exception):
    """A ciphertext was not made with this key, or for this place."""


# One command loads the settings several times; a guess must be dear, a second look need not be.
@lru_cache(maxsize=4)
def derived_key(passphrase: str, salt: bytes, params: KdfParams) -> bytes:
    """Derive the key that wraps the master key."""
    make: Any = _library()[0]
    kdf = make(
        salt=salt,
        length=KEY_BYTES,
        iterations=params.iterations,
        lanes=params.lanes,
        memory_cost=params.memory_kib,
    )
    return kdf.derive(passphrase.encode())


def sealed(key: bytes, content: bytes, bound_to: bytes) -> bytes:
    """Encrypt content; only whoever knows the key and what it is bound to can open it."""
    nonce = os.urandom(NONCE_BYTES)
    return nonce + _library()[1](key).encrypt(nonce, content, bound_to)


def unsealed(key: bytes, data: bytes, bound_to: bytes) -> bytes:
    """Decrypt; raises `Forged` if a single bit of key, data or `bound_to` differs."""
    make, invalid = _library()[1:]
    if len(data) < NONCE_BYTES + TAG_BYTES:
        raise Forged
    try:
        return make(key).decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], bound_to)
    except invalid:
        raise Forged from None


def _library() -> tuple[Callable[..., Any], Callable[..., Any], type[Exception]]:
    try:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
    except ImportError as error:
        raise missing_extra("vault", "the vault needs the package cryptography") from error
    return Argon2id, AESGCM, InvalidTag
