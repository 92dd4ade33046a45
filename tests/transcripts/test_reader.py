"""Reading any file yields items and problems, and never raises."""

import gzip
import json
import os
import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.transcripts.examples import EXAMPLES

from seasoned.core.messages import Message, ToolResult
from seasoned.transcripts.item import LeftOut, SessionOrigin, TranscriptProblem
from seasoned.transcripts.reader import UNKNOWN, format_of, read

Write = Callable[..., Path]
CALL = b'{"tool": "ls", "params": {"path": "a"}, "result": "x"}'


def problems(path: Path) -> list[TranscriptProblem]:
    return [item for item in read(path) if isinstance(item, TranscriptProblem)]


def calls(path: Path) -> list[ToolResult]:
    return [item for item in read(path) if isinstance(item, ToolResult)]


def test_a_half_written_last_line_is_reported_and_the_rest_read(raw: Write):
    path = raw(CALL + b"\n" + CALL + b"\n" + CALL[:20])
    (problem,) = problems(path)
    assert problem.line == 3
    assert "half-written" in problem.reason
    assert len(calls(path)) == 2


def test_a_broken_line_in_the_middle_is_reported_with_its_number(raw: Write):
    path = raw(CALL + b"\n\n{'tool'\n" + CALL)
    (problem,) = problems(path)
    assert (problem.path, problem.line) == (path, 3)
    assert "JSON" in problem.reason


def test_bytes_that_are_not_utf8_are_replaced_and_reported(raw: Write):
    path = raw(CALL + b"\n" + CALL.replace(b"x", b"caf\xe9"))
    (problem,) = problems(path)
    assert (problem.line, "UTF-8" in problem.reason) == (2, True)
    assert calls(path)[1].result == "caf\ufffd"


def test_a_line_of_50_mb_is_skipped_without_being_held(raw: Write):
    path = raw(CALL + b"\n" + b'{"tool": "' + b"x" * 50_000_000 + b'"}\n' + CALL)
    tracemalloc.start()
    items = list(read(path, line_limit=1024 * 1024))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [type(item) for item in items] == [ToolResult, TranscriptProblem, ToolResult]
    assert peak < 20_000_000
    assert [problem.line for problem in problems(path)] == [2]


def test_a_minified_document_may_be_longer_than_a_line(raw: Write):
    path = raw(b'[{"tool": "ls", "result": "' + b"x" * 3000 + b'"}, ' + CALL + b"]", "t.json")
    assert len([item for item in read(path, line_limit=1000) if isinstance(item, ToolResult)]) == 2
    (problem,) = read(path, line_limit=1000, file_limit=2000)
    assert "MiB" in str(problem)


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + CALL + b"\n" + CALL,
        CALL + b"\r\n" + CALL + b"\r\n",
        b"\n\n  " + CALL + b"  \n\n" + CALL + b"\n\n",
        b"\xef\xbb\xbf[" + CALL + b"," + CALL + b"]",
        gzip.compress(CALL + b"\n" + CALL),
    ],
    ids=["byte-order mark", "CRLF", "blank lines", "byte-order mark and array", "gzip"],
)
def test_how_the_file_was_saved_does_not_matter(raw: Write, data: bytes):
    path = raw(data)
    assert len(calls(path)) == 2
    assert problems(path) == []


def test_an_empty_file_says_so(raw: Write):
    (problem,) = read(raw(b"\n \n"))
    assert "empty" in str(problem)


@pytest.mark.parametrize(
    "data",
    [
        os.urandom(5000),
        b"\x00" * 5000,
        b"PK\x03\x04" + bytes(range(256)) * 9,
        b"Dear diary,\ntoday nothing failed.\n",
        b'{"name": "left-pad", "version": "1.0.0"}',
        b"[1, 2, 3]",
        b"{}",
        b"[]",
        b"null",
        b"<html></html>",
    ],
)
def test_what_is_no_transcript_is_one_problem(raw: Write, data: bytes):
    path = raw(data)
    (problem,) = read(path)
    assert isinstance(problem, TranscriptProblem)
    assert problem.line == 0
    assert problem.reason.startswith(UNKNOWN)
    assert format_of(path) is None


def test_utf16_gets_advice(raw: Write):
    (problem,) = problems(raw(CALL.decode().encode("utf-16")))
    assert "UTF-8" in problem.reason


def test_a_damaged_archive_yields_what_it_holds_and_a_problem(raw: Write):
    packed = gzip.compress(b"\n".join([CALL] * 20000), mtime=0)
    items = list(read(raw(packed[:-50])))
    assert isinstance(items[-1], TranscriptProblem)


def test_a_file_that_cannot_be_opened_is_a_problem(tmp_path: Path):
    assert "cannot be read" in str(next(read(tmp_path / "gone.jsonl")))
    assert "cannot be read" in str(next(read(tmp_path)))
    assert format_of(tmp_path) is None


def test_nested_without_end_is_a_problem(raw: Write):
    deep = b'{"tool": "ls", "params": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    path = raw(CALL + b"\n" + deep + b"\n" + CALL.replace(b'"x"', b"[" * 300 + b"]" * 300))
    assert [problem.line for problem in problems(path)] == [2, 3]


def test_what_no_database_can_keep_is_replaced(raw: Write):
    path = raw(
        b'{"tool": "ls", "params": "{\\"a\\": \\"\\\\ud800\\"}", "result": ["\\u0000", NaN, 1e999]}'
    )
    (call,) = calls(path)
    assert call.params == {"a": "\ufffd"}
    assert call.result == ["\ufffd", "NaN", "1e999"]


def test_a_copy_elsewhere_gives_the_same_items(raw: Write, tmp_path: Path):
    lines = [
        CALL,
        CALL,
        b'{"role": "user", "text": "no"}',
        b'{"tool": "ls", "params": {}, "id": 7}',
    ]
    path = raw(b"\n".join(lines))
    copy = tmp_path / "elsewhere" / "copy.log"
    copy.parent.mkdir()
    shutil.copy(path, copy)
    assert list(read(path)) == list(read(path)) == list(read(copy))
    ids = [item.id for item in read(path) if isinstance(item, ToolResult | Message)]
    assert len(set(ids)) == 4


def test_a_file_that_grew_keeps_the_items_it_had(raw: Write):
    lines = [b'{"tool": "ls", "params": {"n": %d}}' % n for n in range(9)]
    before = list(read(raw(b"\n".join(lines[:6]))))
    assert list(read(raw(b"\n".join(lines), "longer.jsonl")))[:6] == before


def test_a_long_file_is_read_in_constant_memory(raw: Write):
    path = raw((CALL + b"\n") * 20_000)
    tracemalloc.start()
    count = sum(1 for _ in read(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 20_000
    assert peak < 2_000_000


@pytest.mark.parametrize(
    "awkward",
    [" " * 300_000 + "<system-reminder>", "A" * 300_000, "A." * 150_000, "<error>" * 50_000,
     "Exit code: 1\n" * 20_000, "The user rejected" * 20_000, "\n" * 300_000],
)  # fmt: skip
def test_an_awkward_output_is_read_in_linear_time(jsonl: Write, awkward: str):
    call: dict[str, Any] = {"type": "tool_use", "id": awkward, "name": "ls", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": awkward, "content": awkward + "x"}
    path = jsonl(
        [
            {"role": "assistant", "content": [call, {"type": "text", "text": awkward}]},
            {"role": "user", "content": [answer]},
        ]
    )
    assert len(calls(path)) == 1


def _check(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "f")
        path.write_bytes(data)
        items = list(read(path))
        known = ToolResult | Message | SessionOrigin | TranscriptProblem | LeftOut
        assert all(isinstance(item, known) for item in items)
        assert list(read(path)) == items
        for item in items:
            if isinstance(item, ToolResult | Message):
                assert item.id
                assert item.session
            if isinstance(item, ToolResult):
                assert item.tool
                json.dumps([item.params, item.result], ensure_ascii=False, allow_nan=False).encode()


@given(st.binary(max_size=400))
@settings(max_examples=150, deadline=None)
def test_arbitrary_bytes_never_raise(data: bytes):
    _check(data)


WORDS = st.sampled_from(
    "type role content message messages payload tool params result error session id call_id "
    "tool_use_id tool_call_id tool_calls function_call function name arguments input output "
    "status code attributes traceId spanId startTimeUnixNano resourceSpans scopeSpans spans "
    "sessionId uuid parentUuid isSidechain is_error toolUseResult timestamp key value "
    "user assistant tool system tool_use tool_result text response_item session_meta "
    "function_call_output local_shell_call action command item.completed item record_type "
    "gen_ai.tool.name gen_ai.operation.name execute_tool request response choices at "
    "projectHash toolCalls $set $rewindTo gemini info parts state callID data toolCallId toolName "
    "session.start user.message assistant.message tool.execution_complete toolRequests requests "
    "creationDate kind k v i resultDetails toolInvocationSerialized tool_call call_id subtype "
    "completed shellToolCall composer bubbles toolFormerData agent binary ts ask say environment "
    "<environment_details> <task> T- run toolUseID working_dir toolRequest toolResponse "
    "history toolCallStates user_input run_command session_start toolId parameters cwd toolCall "
    "toolResult isError protocol_version metadata context.append_loop_event event payload markdown "
    "action observation cause extras trajectory trajectory_format eval samples epoch mapping "
    "current_node author recipient chat_messages sender run_type post patch object trace.span "
    "span_data 0 1 2".split()
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=6),
    max_leaves=25,
)


@given(st.lists(JSON, max_size=6), st.booleans())
@settings(max_examples=300, deadline=None)
def test_json_of_any_shape_never_raises(values: list[Any], whole: bool):
    text = json.dumps(values) if whole else "\n".join(json.dumps(value) for value in values)
    _check(text.encode())


JUNK: list[Any] = [None, 0, -3, 2.5, True, "", "x", [], {}, [1], [[]], [None], '{"a":1}', {"a": []}]


def mangled(value: Any, rng: Random) -> Any:
    """Return the value with parts missing, or of another type."""
    if rng.random() < 0.1:
        return rng.choice(JUNK)
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {key: mangled(one, rng) for key, one in members.items() if rng.random() > 0.05}
    if isinstance(value, list):
        return [mangled(one, rng) for one in cast("list[Any]", value)]
    return value


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("records", EXAMPLES.values(), ids=EXAMPLES)
def test_a_session_with_parts_of_other_types_never_raises(
    raw: Write, records: list[dict[str, Any]], seed: int
):
    rng = Random(seed)
    found = [mangled(record, rng) for record in records]
    path = raw("\n".join(json.dumps(one) for one in [*records[:1], *found]).encode())
    assert all(item is not None for item in read(path))
