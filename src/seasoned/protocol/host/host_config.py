"""Limits of a host: every queue, cache and table is bounded."""

from dataclasses import dataclass

from seasoned.core.clock import DAY, MINUTE

MIB = 2**20


@dataclass(frozen=True, slots=True)
class HostConfig:
    token: str = ""  # empty: no authentication
    token_place: str = ""  # where an agent finds the token, for the one that shows none
    trusts_people: bool = True  # feedback of people counts as theirs; else as the environment's
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
    strangers: int = 256  # sessions in memory that have not shown the token
    stranger_seconds: float = 30  # for a stream to wait for the token
    stranger_bytes: int = 64 * 1024  # of one message
    strangers_in_flight: int = 64
    strangers_a_round: int = 4  # requests begun in one round of the event loop
    unread_bytes: int = 64 * MIB  # replies waiting for readers, of all sessions
    kept_sessions: int = 10_000  # in the database
    session_lifetime: int = 7 * DAY
    seen_every: int = MINUTE  # precision of a session's last use
    hook_seconds: float = 20
    connections: int = 1000  # of agents that have shown the token
    stranger_connections: int = 256
    header_bytes: int = 32 * 1024
    header_seconds: float = 10  # for the headers of a request to arrive
    idle_seconds: float = 75  # between two requests
    read_seconds: float = 30  # for a body to arrive
    stranger_read_seconds: float = 5
    pipelined: int = 16  # requests waiting on one connection
    names: tuple[str, ...] = ()  # under which the host is reached, besides addresses and localhost
    concurrent: bool = True  # many messages at once in an event loop; else inline, one by one
