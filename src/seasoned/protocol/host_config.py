"""What a host allows: every queue, cache and table of it has an end."""

from dataclasses import dataclass

from seasoned.core.clock import DAY, MINUTE

MIB = 2**20


@dataclass(frozen=True, slots=True)
class HostConfig:
    token: str = ""  # empty: everybody who reaches the host is served
    max_parallel: int = 4  # what agents are told
    body_bytes: int = 16 * MIB  # of one message
    in_flight: int = 256  # messages being done, of all sessions
    in_flight_bytes: int = 64 * MIB
    session_in_flight: int = 32
    messages_a_body: int = 64
    outbox_messages: int = 256  # replies that wait for a reader
    outbox_bytes: int = 8 * MIB
    remembered_replies: int = 128  # of each session, in memory
    kept_replies: int = 50_000  # in the database, of all sessions
    sessions: int = 1000  # in memory
    kept_sessions: int = 10_000
    session_lifetime: int = 7 * DAY
    seen_every: int = MINUTE  # how exactly it is known when a session was last used
    hook_seconds: float = 20
    concurrent: bool = True  # messages of many at once, in one event loop
