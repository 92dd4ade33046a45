"""Finding transcripts in files and directories."""

from pathlib import Path

import pytest

from seasoned.core.errors import NotFound
from seasoned.core.messages import ToolResult
from seasoned.transcripts.files import transcript_files
from seasoned.transcripts.reader import format_of, read


def put(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_directory_is_walked_in_a_stable_order(tmp_path: Path):
    for name in ("b/2.jsonl", "b/1.json", "a/x.ndjson", "a/y.jsonl.gz", "a/notes.txt", "z.jsonl"):
        put(tmp_path / name)
    found = [str(path.relative_to(tmp_path)) for path in transcript_files([tmp_path])]
    assert found == ["z.jsonl", "a/x.ndjson", "a/y.jsonl.gz", "b/1.json", "b/2.jsonl"]


def test_a_file_that_is_named_is_taken_whatever_its_ending(tmp_path: Path):
    log = put(tmp_path / "agent.log")
    assert list(transcript_files([log])) == [log]


def test_a_hidden_directory_is_walked_only_when_named(tmp_path: Path):
    hidden = put(tmp_path / ".claude" / "projects" / "-home-dev" / "s.jsonl")
    assert list(transcript_files([tmp_path])) == []
    assert list(transcript_files([tmp_path / ".claude"])) == [hidden]


def test_a_file_named_twice_comes_once(tmp_path: Path):
    file = put(tmp_path / "a.jsonl")
    (tmp_path / "link.jsonl").symlink_to(file)
    assert list(transcript_files([file, tmp_path, file])) == [file]


def test_a_link_that_leads_back_does_no_harm(tmp_path: Path):
    file = put(tmp_path / "a" / "s.jsonl")
    (tmp_path / "a" / "again").symlink_to(tmp_path)
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    assert list(transcript_files([tmp_path])) == [file]


def test_a_missing_path_is_said_before_anything_is_read(tmp_path: Path):
    with pytest.raises(NotFound, match=r"no file or directory.*missing"):
        transcript_files([tmp_path, tmp_path / "missing"])


def test_formats_may_be_mixed_in_a_directory(tmp_path: Path):
    put(tmp_path / "1.jsonl", '{"tool": "ls", "params": {}}\n{"tool": "ls", "result": "x"}\n')
    put(
        tmp_path / "2.jsonl",
        '{"type":"session_meta","payload":{"id":"s"}}\n'
        '{"type":"response_item","payload":{"type":"function_call","name":"ls","call_id":"c"}}\n'
        '{"type":"response_item","payload":{"type":"function_call_output","call_id":"c"}}\n',
    )
    put(tmp_path / "3.json", '{"name": "not a transcript"}')
    files = list(transcript_files([tmp_path]))
    assert [format_of(file) for file in files] == ["plain tool calls", "Codex rollout", None]
    assert sum(isinstance(item, ToolResult) for file in files for item in read(file)) == 3


def test_files_beside_a_session_that_hold_none_are_skipped_in_a_walk(tmp_path: Path):
    for name in (
        *("kimi/state.json", "kimi/agents/main/wire.jsonl", "kimi/agents/main/context.jsonl"),
        *("droid/a.jsonl", "droid/a.settings.json", "cline/b.json", "cline/b.messages.json"),
        *("code/workspace.json", "code/chatSessions/c.json", "alone/state.json"),
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")
    found = [path.relative_to(tmp_path).as_posix() for path in transcript_files([tmp_path])]
    assert found == [
        *("alone/state.json", "cline/b.messages.json", "code/chatSessions/c.json"),
        *("droid/a.jsonl", "kimi/agents/main/wire.jsonl"),
    ]
    named = tmp_path / "kimi" / "state.json"
    assert list(transcript_files([named])) == [named]
