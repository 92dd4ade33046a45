"""Tasks of Cline and Roo Code: what the model saw, what the window showed, and newer sessions.

Older versions write a call as XML in the model's text, and its result as text in the next message.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.core.safe_json import decode
from seasoned.transcripts.formats.moments import micros
from seasoned.transcripts.formats.parts import (
    Part,
    ToolAnswer,
    ToolUse,
    TurnStart,
    Utterance,
    block_parts,
    has_tool_blocks,
)
from seasoned.transcripts.formats.session_log import SessionLog
from seasoned.transcripts.formats.shapes import (
    arguments,
    first,
    flat,
    items,
    json_of,
    mapping,
    text,
)
from seasoned.transcripts.item import Item, Record, TranscriptSource

name = "Cline or Roo task"

_TOOLS = (
    "execute_command read_file write_to_file apply_diff replace_in_file insert_content edit_file "
    "search_and_replace search_files list_files list_code_definition_names codebase_search "
    "browser_action use_mcp_tool access_mcp_resource ask_followup_question attempt_completion "
    "switch_mode new_task update_todo_list fetch_instructions plan_mode_respond new_rule condense "
    "report_bug load_mcp_documentation web_fetch web_search run_slash_command generate_image"
)
_CALL = re.compile(rf"<({_TOOLS.replace(' ', '|')})>(.*?)(?:</\1>|\Z)", re.DOTALL)
_PARAM = re.compile(r"<([a-z]\w*)>")
_RESULT = "] Result:"  # after the name of the tool and what it was called with
_SUBTASK = "[new_task completed] Result:"
_RESUMED = "\n\nNew instructions for task continuation:"
_DETAILS = re.compile(r"<environment_details>.*?(?:</environment_details>|\Z)", re.DOTALL)
_FOLDER = re.compile(r"# Current (?:Workspace|Working) Directory \((.{1,500}?)\) Files")
_ERROR = re.compile(r"(?:The tool execution failed|Error).{0,200}?<error>", re.DOTALL)
_DENIED = re.compile(r"The user (?:denied|rejected) this operation")
_EXIT = re.compile(r"Exit code: (-?\d+)")
_SPOKEN = re.compile(r"<(task|user_message|feedback|answer)>")
_ASKING = ("ask_followup_question", "attempt_completion", "plan_mode_respond")
_ASKED = ("tool", "command", "use_mcp_server", "followup")


def recognises(values: Sequence[Any]) -> bool:
    """Whether any record is a message or a row of a task."""
    return any(_is_row(one) or _is_marked(one) or _is_session(one) for one in map(mapping, values))


def _is_row(value: Mapping[str, Any]) -> bool:
    return "ts" in value and value.get("type") in ("ask", "say") and text(value["type"]) in value


def _is_marked(value: Mapping[str, Any]) -> bool:
    """Whether a message carries the notes that Cline adds to what the user says."""
    said = [text(mapping(block).get("text")) for block in items(value.get("content"))]
    return value.get("role") == "user" and any(
        "<environment_details>" in one or ("ts" in value and one.startswith("<task>"))
        for one in said
    )


def _is_session(value: Mapping[str, Any]) -> bool:
    named = "sessionId" in value and ("agent" in value or "system_prompt" in value)
    return named and isinstance(value.get("messages"), list)


class ClineReader:
    """Reads one file, which is one task."""

    def __init__(self, source: TranscriptSource) -> None:
        self._source = source
        self._log = SessionLog(source)
        self._tools: dict[str, str] = {}  # by the id of the call

    def read(self, record: Record) -> Iterator[Item]:
        value = mapping(record.value)
        if _is_session(value):
            yield from self._session(value)
        elif _is_row(value):
            yield from self._row(value, record.line)
        elif "role" in value and "content" in value:
            yield from self._message(value, record.line)
        else:
            yield self._source.problem(record.line, f"not a record of a {name}")

    def _session(self, value: Mapping[str, Any]) -> Iterator[Item]:
        log = SessionLog(self._source, text(value.get("sessionId")), folder=self._beside())
        by_user = value.get("agent") in (None, "lead")
        for position, message in enumerate(map(mapping, items(value.get("messages")))):
            key = text(message.get("id")) or position
            parts = (_checked(part) for part in block_parts(message))
            yield from log.take(parts, key, micros(message.get("ts")), by_user=by_user)

    def _beside(self) -> str:
        """Return the folder that the file beside the messages names."""
        path = self._source.path
        try:
            head = path.with_name(path.name.replace(".messages.json", ".json"))
            return text(mapping(decode(head.read_text("utf-8"))).get("cwd"))
        except (OSError, ValueError):
            return ""

    def _message(self, value: Mapping[str, Any], line: int) -> Iterator[Item]:
        role, at = value.get("role"), micros(value.get("ts"))
        said = text(flat(value.get("content")))
        found = _FOLDER.search(said)
        self._log.locate(found[1] if found else "")
        summary = value.get("isSummary") is True
        if has_tool_blocks(value):
            parts = [one for part in block_parts(value) for one in _native(part, self._tools)]
        else:
            parts = list(_written(said) if role == "assistant" else _heard(said))
        yield from self._log.take(parts, line, at, by_user=not summary)

    def _row(self, value: Mapping[str, Any], line: int) -> Iterator[Item]:
        """Read a row of the window; a request to the model tells the result of the call before."""
        if value.get("partial") is True:
            return
        at, said = micros(value.get("ts")), text(value.get("text"))
        yield from self._log.take(self._row_parts(value, said), line, at)

    def _row_parts(self, value: Mapping[str, Any], said: str) -> Iterator[Part]:
        asked, kind = value.get("ask"), value.get("say")
        if asked in _ASKED or kind in ("tool", "command"):
            yield TurnStart()
            yield from _asked(text(asked or kind), said)
        elif kind == "user_feedback":
            yield Utterance("user", said)
        elif kind in ("text", "completion_result"):
            yield Utterance("assistant", said)
        elif kind == "api_req_started":
            request = text(mapping(json_of(said)).get("request"))
            found = _FOLDER.search(request)
            self._log.locate(found[1] if found else "")
            yield from (part for part in _heard(request) if isinstance(part, ToolAnswer))


def _asked(kind: str, said: str) -> Iterator[Part]:
    told = mapping(json_of(said))
    if kind == "command":
        yield ToolUse("execute_command", {"command": said})
    elif kind == "followup":
        yield ToolUse("ask_followup_question", dict(told) or {"question": said})
    elif text(told.get("toolName")):
        tool = f"{text(told.get('serverName'))}__{told['toolName']}"
        yield ToolUse(tool, arguments(told.get("arguments")))
    elif text(told.get("tool")):
        yield ToolUse(told["tool"], {key: one for key, one in told.items() if key != "tool"})


def _written(said: str) -> Iterator[Part]:
    """Yield the model's words and the calls in them."""
    yield TurnStart()
    yield Utterance("assistant", _CALL.sub("", said).strip())
    for call in _CALL.finditer(said):
        tool = call[1]
        params: dict[str, Any] = dict(_tagged(call[2], _PARAM))
        if tool == "use_mcp_tool" and params.get("tool_name"):
            tool = f"{params.get('server_name', '')}__{params['tool_name']}"
            params = arguments(params.get("arguments"))
        yield ToolUse(tool, params)


def _heard(said: str) -> Iterator[Part]:
    """Yield the result and the user's words in a message; the rest is Cline's own."""
    said = _DETAILS.sub("", said).strip()
    if said.startswith(_SUBTASK):  # another agent reports; the call has its own result
        return
    if said.startswith("[") and _RESULT in said:
        head, _, rest = said.partition(_RESULT)
        output, _, said = rest.partition(_RESUMED)
        yield _answer(output.strip())
        tool = head[1:].partition(" ")[0]
        yield from _replied(tool, output.strip())
    for _, spoken in _tagged(said, _SPOKEN):
        yield Utterance("user", spoken)


def _replied(tool: str, output: str) -> Iterator[Part]:
    """Yield the user's words in a result: only of a tool that asks, or where the user said no.

    Any other output may hold the same tags, and they are nobody's word.
    """
    if tool in _ASKING or _DENIED.match(output):
        for _, spoken in _tagged(output, _SPOKEN):
            yield Utterance("user", spoken)


def _tagged(said: str, opening: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield what stands in tags, with their names; a tag that is not closed is skipped."""
    open_ended: set[str] = set()  # names whose end was sought in vain; so it takes linear time
    place = 0
    while found := opening.search(said, place):
        name_, place = found[1], found.end()
        end = -1 if name_ in open_ended else said.find(f"</{name_}>", place)
        if end < 0:
            open_ended.add(name_)
        else:
            yield name_, said[place:end].strip()
            place = end


def _native(part: Part, tools: dict[str, str]) -> Iterator[Part]:
    """Yield a part; `tools` tells the tool of each call."""
    if isinstance(part, Utterance) and part.role == "user":
        for _, spoken in _tagged(_DETAILS.sub("", part.text), _SPOKEN):
            yield Utterance("user", spoken)
    elif isinstance(part, ToolAnswer):
        yield from _replied(tools.get(part.id or "", ""), text(part.output))
        yield _checked(_answer(text(part.output), part)) if isinstance(part.output, str) else part
    else:
        if isinstance(part, ToolUse):
            tools[part.id or ""] = part.tool
        yield part


def _answer(output: str, told: ToolAnswer | None = None) -> ToolAnswer:
    error, code = _ERROR.match(output), _EXIT.search(output[:400])
    denied = _DENIED.match(output) is not None
    failed = bool(error or denied or (code and int(code[1])))
    known = told.failed if told else None
    return ToolAnswer(
        output[error.end() :].partition("</error>")[0].strip() if error else output,
        True if failed else known,
        told.id if told else None,
        refused=denied,
    )


def _checked(part: Part) -> Part:
    """Mark an answer as failed if a result in it is: newer versions list one for each step."""
    if not isinstance(part, ToolAnswer) or part.failed is not None:
        return part
    found = json_of(part.output)
    steps = [mapping(one) for one in items(found) or [found]]
    broken = [one for one in steps if one.get("success") is False]
    if not broken:
        return part
    said = "\n".join(str(first(one, "error", "result") or "") for one in broken)
    return ToolAnswer(said, failed=True, id=part.id)
