"""One agent's conversation with the host, as long as this process remembers it."""

import asyncio
import hashlib
import hmac
from collections import OrderedDict
from dataclasses import dataclass, field

from seasoned.protocol.outbox import Outbox
from seasoned.protocol.store import KeptSession

LONGEST_REMEMBERED = 64 * 1024  # a reply that is longer is made again


@dataclass(slots=True, eq=False)
class Session:
    id: str
    outbox: Outbox
    most_replies: int
    agent: str = ""
    proof: str = ""  # that it showed the token
    seen_at: int = 0
    resumed: bool = False  # it began in another process
    in_flight: int = 0
    closed: bool = False
    # By message id and digest: what is being done, so that a retry does not do it again.
    running: "dict[tuple[str, str], asyncio.Future[bytes | None]]" = field(
        default_factory=dict["tuple[str, str]", "asyncio.Future[bytes | None]"]
    )
    _replies: "OrderedDict[str, tuple[str, bytes]]" = field(
        default_factory=OrderedDict[str, "tuple[str, bytes]"]
    )

    def reply_to(self, message: str, digest: str) -> bytes | None:
        """What was answered to the same message before."""
        known = self._replies.get(message)
        return known[1] if known is not None and known[0] == digest else None

    def remember(self, message: str, digest: str, reply: bytes) -> None:
        if len(reply) > LONGEST_REMEMBERED:
            return
        self._replies[message] = (digest, reply)
        if len(self._replies) > self.most_replies:
            self._replies.popitem(last=False)

    @property
    def room(self) -> int:
        """How many more messages it may send before it reads replies."""
        return self.outbox.room - self.in_flight

    @property
    def is_idle(self) -> bool:
        return not (self.in_flight or self.outbox.is_read or self.outbox.waiting)

    def kept(self) -> KeptSession:
        return KeptSession(self.id, self.agent, self.proof, self.seen_at)


def fingerprint(token: str, session: str) -> str:
    """Shows that this session knew this token, and not which token that is."""
    return hmac.new(token.encode(), session.encode(), hashlib.sha256).hexdigest()


def same_token(given: str, wanted: str) -> bool:
    """Compared in the same time, however much of it is right.

    >>> same_token("a", "b"), same_token("ä", "ä")
    (False, True)
    """
    return hmac.compare_digest(given.encode(errors="replace"), wanted.encode(errors="replace"))
