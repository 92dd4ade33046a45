"""Limits of a host: every queue, cache and table is bounded."""

from dataclasses import dataclass

from seasoned.core.clock import DAY, MINUTE

MIB = 2**20


@dataclass(frozen=True, slots=True)
class HostConfig:
    token: str = ""  # empty: no authentication
    max_parallel: int = 4  # announced in the handshake
    body_bytes: int = 16 * MIB  # of one message
    in_flight: int = 256  # messages being processed, of all sessions
    in_flight_bytes: int = 64 * MIB
    session_in_flight: int = 32
    messages_a_body: int = 64
    outbox_messages: int = 256  # replies waiting for a reader
    outbox_bytes: int = 8 * MIB
    remembered_replies: int = 128  # per session, in memory
    kept_replies: int = 50_000  # in the database, of all sessions
    sessions: int = 1000  # in memory
    kept_sessions: int = 10_000  # in the database
    session_lifetime: int = 7 * DAY
    seen_every: int = MINUTE  # precision of a session's last use
    hook_seconds: float = 20
    concurrent: bool = True  # many messages at once in an event loop; else inline, one by one
