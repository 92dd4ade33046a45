"""Claude Code session files and stream-json output, including sub-agents.

The tool calls of a sub-agent count like any others; its prompts are not the user's word.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.parts import Pairing, Part, ToolAnswer, Utterance, block_parts
from seasoned.transcripts.formats.shapes import first, mapping, text
from seasoned.transcripts.item import Item, Record, SessionOrigin, TranscriptSource

name = "Claude Code session"

_SPOKEN = ("user", "assistant")
_SIDE_TYPES = ("summary", "file-history-snapshot", "queue-operation")
_NOT_SAID = ("isMeta", "isCompactSummary", "isApiErrorMessage", "isVisibleInTranscriptOnly")
_OPEN_SESSIONS = 1000
# Messages that the program writes in the user's name.
_BY_THE_PROGRAM = re.compile(
    r"\s*(?:<(?:command-name|command-message|command-args|local-command-\w+|bash-\w+|task-notification|"
    r"teammate-message)\b"
    r"|\[Request interrupted by user|Caveat: The messages below|No response requested\.$)"
)


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is one of Claude Code's."""
    return any(_is_ours(mapping(value)) for value in values)


def _is_ours(record: Mapping[str, Any]) -> bool:
    kind = record.get("type")
    if kind in _SPOKEN:
        named = any(key in record for key in ("sessionId", "session_id", "uuid", "parentUuid"))
        return named and isinstance(record.get("message"), dict)
    if kind == "system":
        return "sessionId" in record or ("session_id" in record and "subtype" in record)
    return kind in _SIDE_TYPES and ("role" not in record and "content" not in record)


class ClaudeCodeReader:
    """Reads one file; each sub-agent in it is a session of its own."""

    def __init__(self, source: TranscriptSource, capacity: int = 10_000) -> None:
        self._source = source
        self._capacity = capacity
        self._pairings: OrderedDict[str, Pairing] = OrderedDict()
        self._chains: OrderedDict[str, str] = OrderedDict()
        self._origins: dict[str, SessionOrigin] = {}  # where each session began

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        kind = value.get("type")
        if not isinstance(kind, str):
            yield self._source.problem(record.line, f"not a record of a {name}: it has no type")
            return
        if kind == "system" and value.get("cwd"):  # stream-json tells the folder only there
            yield from self._began(value, self._session(value))
        if kind not in _SPOKEN:
            return
        session, is_side = self._session(value), _is_side(value)
        yield from self._began(value, session)
        pairing = self._pairing(session)
        at = micros(value.get("timestamp"))
        origin = text(value.get("uuid")) or record.line
        for number, part in enumerate(_parts(value)):
            if is_side and isinstance(part, Utterance) and part.role == "user":
                continue  # an agent wrote it, not the user
            found = pairing.take(part, (origin, number), at)
            if found is not None:
                yield found

    def _began(self, value: Mapping[str, Any], session: str) -> Iterator[Item]:
        """Yield the origin of a session that is new; a later `cd` does not change its project."""
        if session in self._origins:
            return
        parent = self._origins.get(session.partition("/")[0])
        folder = text(value.get("cwd")) or (parent.folder if parent else "")
        origin = SessionOrigin(session, folder, bool(text(value.get("gitBranch"))), personal=True)
        self._origins[session] = origin
        yield origin

    def _session(self, value: Mapping[str, Any]) -> str:
        session = text(first(value, "sessionId", "session_id")) or self._source.opening
        agent = text(first(value, "agentId", "parent_tool_use_id"))
        if agent:
            return f"{session}/{agent}"
        return f"{session}/{self._chain(value)}" if value.get("isSidechain") is True else session

    def _chain(self, value: Mapping[str, Any]) -> str:
        """Return the id of the first record in this record's side chain."""
        own, parent = text(value.get("uuid")), text(value.get("parentUuid"))
        root = self._chains.get(parent, own or parent)
        self._chains[own] = root
        if len(self._chains) > self._capacity:
            self._chains.popitem(last=False)
        return root

    def _pairing(self, session: str) -> Pairing:
        pairing = self._pairings.get(session)
        if pairing is None:
            pairing = self._pairings[session] = Pairing(session, self._source.tally)
        self._pairings.move_to_end(session)
        if len(self._pairings) > _OPEN_SESSIONS:
            self._pairings.popitem(last=False)
        return pairing


def _is_side(value: Mapping[str, Any]) -> bool:
    """Whether a record belongs to a sub-agent, whose prompt is the word of another agent."""
    named = text(first(value, "agentId", "parent_tool_use_id"))
    return bool(named) or value.get("isSidechain") is True


def _parts(value: Mapping[str, Any]) -> Iterator[Part]:
    meta = any(value.get(flag) is True for flag in _NOT_SAID)
    duration = mapping(value.get("toolUseResult")).get("durationMs")
    for part in block_parts(mapping(value.get("message"))):
        if isinstance(part, Utterance) and (meta or _BY_THE_PROGRAM.match(part.text)):
            continue
        if isinstance(part, ToolAnswer):
            # Claude Code flags every failure, so a result without the flag is a success.
            yield replace(part, failed=part.failed is True, duration_ms=_number(duration))
        else:
            yield part


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def is_by_the_program(said: str) -> bool:
    """Tell whether the program wrote this text in the user's name."""
    return _BY_THE_PROGRAM.match(said) is not None
