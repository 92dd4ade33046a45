"""Turn the databases in which assistants keep their sessions into records, a session at a time.

Where an assistant also exports or once wrote its sessions as JSON, the records have that shape, so
that one reader serves both.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seasoned.core.errors import DatabaseError
from seasoned.core.safe_json import decode
from seasoned.db.foreign import ForeignDatabase, open_foreign
from seasoned.transcripts.formats.shapes import items, json_of, mapping, text

_HASH = 32  # bytes
_NEWER = "session_message"  # of OpenCode
_CHILD = b"\x0a\x20"  # field 1 of a protobuf message, 32 bytes long


@dataclass(frozen=True, slots=True)
class Schema:
    """A database of an assistant, known by its tables."""

    tables: frozenset[str]
    sessions: Callable[[ForeignDatabase], Iterator[Mapping[str, Any]]]


def session_records(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the records of a database; none if it is no assistant's."""
    with open_foreign(path) as database:
        tables = database.tables()
        known = next((schema for schema in SCHEMAS if schema.tables <= tables), None)
        if known is not None:
            yield from known.sessions(database)


def _json(value: object) -> Any:
    """Decode a column that holds JSON as text or bytes; None if it does not."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    decoded = json_of(value)
    return None if isinstance(decoded, str) else decoded


def _opencode(database: ForeignDatabase) -> Iterator[Mapping[str, Any]]:
    told = False
    for row in database.rows("SELECT * FROM session ORDER BY time_created, id"):
        parts: dict[str, list[Any]] = {}
        for part in database.rows(
            "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY time_created, id",
            (row["id"],),
        ):
            of = parts.setdefault(str(part["message_id"]), [])
            of.append({**mapping(_json(part["data"])), "id": part["id"]})
        messages = [
            {
                "info": {**mapping(_json(message["data"])), "id": message["id"]},
                "parts": parts.get(str(message["id"]), []),
            }
            for message in database.rows(
                "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id",
                (row["id"],),
            )
        ]
        info = {"id": row["id"], "directory": row.get("directory"), "parentID": row["parent_id"]}
        told = told or bool(messages)
        yield {"info": info, "messages": messages}
    if not told and _NEWER in database.tables():
        raise DatabaseError(
            f"its messages are in a newer table ({_NEWER}) that we cannot read yet; "
            "learn from what `opencode export` prints instead"
        )


def _goose(database: ForeignDatabase) -> Iterator[Mapping[str, Any]]:
    for row in database.rows("SELECT * FROM sessions ORDER BY id"):
        names = ("id", "working_dir", "session_type")
        yield {name: row.get(name) or "" for name in names}
        for message in database.rows(
            "SELECT * FROM messages WHERE session_id = ? ORDER BY id", (row["id"],)
        ):
            yield {
                "role": message["role"],
                "created": message.get("created_timestamp"),
                "content": _json(message["content_json"]),
                "metadata": _json(message.get("metadata_json")),
            }


def _agents(database: ForeignDatabase) -> Iterator[Mapping[str, Any]]:
    """Yield the sessions of the OpenAI Agents SDK as conversations."""
    for row in database.rows("SELECT session_id FROM agent_sessions ORDER BY created_at"):
        found = database.rows(
            "SELECT message_data FROM agent_messages WHERE session_id = ? ORDER BY id",
            (row["session_id"],),
        )
        messages = [_json(message["message_data"]) for message in found]
        yield {"session_id": row["session_id"], "messages": messages}


def _cursor(database: ForeignDatabase) -> Iterator[Mapping[str, Any]]:
    """Yield the conversations of the editor, whichever table holds them.

    VS Code has the same tables, and no conversations in them: one without any is yielded then.
    """
    found = False
    if "cursorDiskKV" in database.tables():
        for row in database.rows(
            "SELECT key, value FROM cursorDiskKV "
            "WHERE key >= 'composerData:' AND key < 'composerData;' ORDER BY key"
        ):
            composer = mapping(_json(row["value"]))
            if composer:
                found = True
                yield {"composer": composer, "bubbles": _bubbles(database, composer)}
    for row in database.rows(
        "SELECT key, value FROM ItemTable WHERE key IN "
        "('composer.composerData', 'workbench.panel.aichat.view.aichat.chatdata') ORDER BY key"
    ):
        kept = mapping(_json(row["value"]))
        for composer in (mapping(one) for one in items(kept.get("allComposers"))):
            if composer.get("conversation"):
                found = True
                yield {"composer": composer, "bubbles": items(composer.get("conversation"))}
        for tab in (mapping(one) for one in items(kept.get("tabs"))):
            found = True
            yield {
                "composer": {"composerId": tab.get("tabId")},
                "bubbles": items(tab.get("bubbles")),
            }
    if not found:
        yield {"composer": {}, "bubbles": []}


def _bubbles(database: ForeignDatabase, composer: Mapping[str, Any]) -> Sequence[Any]:
    inline = items(composer.get("conversation"))
    if inline:
        return inline
    prefix = f"bubbleId:{text(composer.get('composerId'))}:"
    found = {
        str(row["key"]).removeprefix(prefix): _json(row["value"])
        for row in database.rows(
            "SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ?",
            (prefix, prefix[:-1] + ";"),
        )
    }
    heads = [mapping(head) for head in items(composer.get("fullConversationHeadersOnly"))]
    named = [text(head.get("bubbleId")) for head in heads]
    return [found[one] for one in named if one in found] if heads else list(found.values())


def _cursor_cli(database: ForeignDatabase) -> Iterator[Mapping[str, Any]]:
    """Yield the one conversation of a `store.db`: JSON messages in the order of the root record."""
    head: Mapping[str, Any] = {}
    for row in database.rows("SELECT value FROM meta"):
        try:
            head = mapping(decode(bytes.fromhex(str(row["value"])).decode("utf-8", "replace")))
        except ValueError:
            head = mapping(_json(row["value"]))
    blobs = {str(row["id"]): row["data"] for row in database.rows("SELECT id, data FROM blobs")}
    messages = {name: value for name, data in blobs.items() if (value := mapping(_json(data)))}
    root = blobs.get(text(head.get("latestRootBlobId")))
    order = [name for name in _children(root) if name in messages]
    yield {
        "agent": head,
        "messages": [messages[name] for name in order or messages],
        "binary": sum(name not in messages for name in blobs) - (root is not None),
    }


def _children(data: object) -> Iterator[str]:
    """Yield the ids of the records that a binary record refers to."""
    raw = data if isinstance(data, bytes) else b""
    place = raw.find(_CHILD)
    while place >= 0:
        end = place + len(_CHILD) + _HASH
        yield raw[place + len(_CHILD) : end].hex()
        place = raw.find(_CHILD, end)


SCHEMAS = (
    Schema(frozenset({"session", "message", "part"}), _opencode),
    Schema(frozenset({"sessions", "messages"}), _goose),
    Schema(frozenset({"agent_sessions", "agent_messages"}), _agents),
    Schema(frozenset({"meta", "blobs"}), _cursor_cli),
    Schema(frozenset({"ItemTable"}), _cursor),
)
