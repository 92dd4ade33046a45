"""Read conversations, whole or message by message; the format supplies the parts of a message."""

from collections.abc import Iterator, Mapping
from typing import Any

from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.parts import Pairing, Parts, ToolUse
from seasoned.transcripts.formats.shapes import first, items, mapping, named, text
from seasoned.transcripts.identity import is_unique, json_digest
from seasoned.transcripts.item import Item, Record, SessionOrigin, TranscriptSource

_LISTS = ("messages", "input", "traj", "trajectory", "conversation")
_SESSIONS = ("session_id", "session", "conversation_id", "thread_id", "sessionId", "conversationId")
_TIMES = ("timestamp", "created_at", "at", "time", "ts", "created")


class ChatReader:
    """Reads the conversations of one file."""

    def __init__(self, source: TranscriptSource, parts: Parts) -> None:
        self._source = source
        self._parts = parts
        self._stream = Pairing(source.opening, source.tally)
        self._begun = False
        self._origins: dict[str, SessionOrigin] = {}

    def read(self, record: Record) -> Iterator[Item]:
        """Read a record: a whole conversation, or the next message of one."""
        messages = messages_of(record.value)
        if messages is not None:
            pairing = Pairing(self._session_of(record, messages), self._source.tally)
            at = _time(mapping(record.value))
            yield from self._origin(mapping(record.value), pairing.session)
            for position, message in enumerate(messages):
                yield from self._message(pairing, message, position, at)
        elif is_message(record.value):
            message = mapping(record.value)
            pairing = self._pairing(message, record.line)
            yield from self._origin(message, pairing.session)
            yield from self._message(pairing, message, record.line, None)
        else:
            yield self._source.problem(record.line, "neither a chat message nor a list of them")

    def _origin(self, record: Mapping[str, Any], session: str) -> Iterator[Item]:
        known = self._origins.get(session, SessionOrigin(session))
        holders = [record, *(mapping(record.get(name)) for name in ("request", "body", "metadata"))]
        holders += [mapping(holder.get("metadata")) for holder in holders]
        told = SessionOrigin(
            session,
            folder=_told(holders, "cwd") or known.folder,
            project=_told(holders, "project", "project_id") or known.project,
            user=_told(holders, "user_id", "user") or known.user,
        )
        if told != known:
            self._origins[session] = told
            yield told

    def _message(
        self, pairing: Pairing, message: Mapping[str, Any], position: int, at: int | None
    ) -> Iterator[Item]:
        moment = _time(message)
        for number, part in enumerate(self._parts(message)):
            found = pairing.take(part, (position, number), at if moment is None else moment)
            if found is not None:
                yield found

    def _pairing(self, message: Mapping[str, Any], line: int) -> Pairing:
        """Return the session of a single message: the one it names, or the current one.

        A system prompt after other messages starts the next conversation of the file.
        """
        named = _named(message)
        system = message.get("role") in ("system", "developer")
        if named and named != self._stream.session:
            self._stream = Pairing(named, self._source.tally)
        elif not named and system and self._begun:
            self._stream = Pairing(
                json_digest("session", self._source.opening, line), self._source.tally
            )
        self._begun = not system
        return self._stream

    def _session_of(self, record: Record, messages: list[Mapping[str, Any]]) -> str:
        """Name a whole conversation by its id, its first unique call, or its content.

        A log that repeats the history in each request has the same first call in all of them.
        """
        named = _named(mapping(record.value))
        if named:
            return named
        for message in messages:
            for part in self._parts(message):
                if isinstance(part, ToolUse) and is_unique(part.id):
                    return json_digest("session", part.id)
        return json_digest("session", messages, record.line)


def messages_of(value: object) -> list[Mapping[str, Any]] | None:
    """Return the messages of a conversation, a request, or a request with its response.

    >>> messages_of({"request": {"messages": [{"role": "user", "content": "hi"}]},
    ...              "response": {"role": "assistant", "content": "hello"}})
    [{'role': 'user', 'content': 'hi'}, {'role': 'assistant', 'content': 'hello'}]
    >>> messages_of({"role": "user", "content": "hi"}) is None
    True
    """
    record = mapping(value)
    holders = (record, *(mapping(record.get(name)) for name in ("request", "body", "kwargs")))
    lists = (items(holder.get(name)) for holder in holders for name in _LISTS)
    listed = items(value) or next(filter(None, lists), items(None))
    answered = [*_response(record), *_response(mapping(record.get("response")))]
    if is_message(value) or not (listed or answered):
        return None
    messages = [mapping(message) for message in [*listed, *answered]]
    return messages if any(is_message(message) for message in messages) else None


def is_message(value: object) -> bool:
    """Whether this is one message or one item of a conversation.

    >>> is_message({"role": "user", "content": "hi"}), is_message({"type": "summary"})
    (True, False)
    """
    message = mapping(value)
    if text(message.get("type")).endswith(("_call", "_call_output")):
        return True
    has_body = any(name in message for name in ("content", "tool_calls", "function_call"))
    return isinstance(message.get("role"), str) and has_body


def _response(record: Mapping[str, Any]) -> list[Any]:
    choice = mapping(next(iter(items(record.get("choices"))), None))
    if choice:
        return [choice.get("message")]
    if record.get("output") and "input" not in record:
        return items(record.get("output"))
    return [record] if record.get("role") == "assistant" and "content" in record else []


def _told(holders: list[Mapping[str, Any]], *names: str) -> str:
    return next((told for holder in holders if (told := named(holder, *names))), "")


def _named(record: Mapping[str, Any]) -> str:
    name = first(record, *_SESSIONS)
    named = name if isinstance(name, str | int) else first(mapping(name), "id")
    return str(named) if named is not None and not isinstance(named, bool) else ""


def _time(record: Mapping[str, Any]) -> int | None:
    return micros(first(record, *_TIMES))
