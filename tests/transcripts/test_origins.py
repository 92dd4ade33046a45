"""Where a session took place and with whom, as each format tells it; which project that is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seasoned.core.errors import BadInput
from seasoned.transcripts.item import SessionOrigin
from seasoned.transcripts.projects import (
    chosen_project,
    normal_folder,
    project_at,
    projects_of,
    short_names,
)
from seasoned.transcripts.reader import read

Write = Callable[..., Path]
USE = {"type": "tool_use", "id": "toolu_01", "name": "Bash", "input": {"command": "ls"}}


def origins(path: Path) -> list[SessionOrigin]:
    return [item for item in read(path) if isinstance(item, SessionOrigin)]


def spoken(uuid: str, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": [USE]}
    return {"type": "assistant", "uuid": uuid, "sessionId": "s1", "message": message, **more}


def test_claude_code_tells_where_a_session_began_and_a_cd_changes_nothing(jsonl: Write) -> None:
    path = jsonl(
        [
            spoken("u1", cwd="/gone/shop", gitBranch="main"),
            spoken("u2", cwd="/gone/shop/api", gitBranch="main"),
            spoken("u3", cwd="/gone/shop", agentId="a1"),
        ]
    )
    assert origins(path) == [
        SessionOrigin("s1", "/gone/shop", in_repository=True, personal=True),
        SessionOrigin("s1/a1", "/gone/shop", personal=True),
    ]


def test_the_stream_of_claude_code_tells_its_folder_in_the_first_record(jsonl: Write) -> None:
    begin = {"type": "system", "subtype": "init", "session_id": "s1", "cwd": "/gone/shop"}
    message = {"role": "assistant", "content": [USE]}
    said = {"type": "assistant", "session_id": "s1", "message": message}
    child = {**said, "parent_tool_use_id": "toolu_9"}
    assert [one.folder for one in origins(jsonl([begin, said, child]))] == ["/gone/shop"] * 2


@pytest.mark.parametrize(
    "head",
    [
        [{"type": "session_meta", "payload": {"id": "c1", "cwd": "/gone/shop", "git": {}}}],
        [
            {"type": "session_meta", "payload": {"id": "c1"}},
            {"type": "turn_context", "payload": {"cwd": "/gone/shop"}},
        ],
        [
            {"type": "session_meta", "payload": {"id": "c1"}},
            {
                "type": "response_item",
                "payload": {
                    "type": "message",
                    "role": "user",
                    "content": [
                        {
                            "type": "input_text",
                            "text": "<environment_context>\n<cwd>/gone/shop</cwd>\n"
                            "</environment_context>",
                        }
                    ],
                },
            },
        ],
    ],
    ids=["session_meta", "turn_context", "environment block"],
)
def test_codex_tells_its_folder(jsonl: Write, head: list[dict[str, Any]]) -> None:
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    path = jsonl([*head, {"type": "response_item", "payload": said}])
    assert origins(path) == [SessionOrigin("c1", "/gone/shop", personal=True)]


def test_a_conversation_may_name_its_user_and_project(jsonl: Write) -> None:
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    path = jsonl(
        [
            {"session_id": "1", "messages": messages, "user": "ana", "project": "shop"},
            {"session_id": "2", "request": {"messages": messages, "metadata": {"user_id": "bob"}}},
            {"session_id": "3", "messages": messages},
        ]
    )
    assert origins(path) == [
        SessionOrigin("1", project="shop", user="ana"),
        SessionOrigin("2", user="bob"),
    ]


def test_a_span_may_name_its_user(jsonl: Write) -> None:
    span = {
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": "eee19b7ec3c1b171",
        "startTimeUnixNano": "1740823200000000000",
        "attributes": {"gen_ai.tool.name": "ls", "session.id": "s1", "user.id": "ana"},
    }
    assert origins(jsonl([span, span])) == [SessionOrigin("s1", user="ana")]


def test_a_plain_session_may_change_its_user(jsonl: Write) -> None:
    call: dict[str, Any] = {"tool": "ping", "result": "ok", "session": "s"}
    path = jsonl([{**call, "user": "ana"}, call, {**call, "user": "bob"}])
    assert [one.user for one in origins(path)] == ["ana", "bob"]


def test_a_home_folder_takes_in_nothing_below_it() -> None:
    found = projects_of({"/home/nobody-here": True, "/home/nobody-here/shop": True})
    assert found["/home/nobody-here/shop"] == "/home/nobody-here/shop"


def test_a_repository_inside_a_known_folder_is_another_project(tmp_path: Path) -> None:
    repository = tmp_path / "work" / "shop"
    (repository / ".git").mkdir(parents=True)
    plain = tmp_path / "work" / "notes"
    plain.mkdir()
    known = [normal_folder(str(tmp_path / "work"))]
    assert project_at(str(repository), known) == ""
    assert project_at(str(plain), known) == known[0]


@pytest.mark.parametrize(
    ("folder", "normal"),
    [
        ("/a/b/../c//", "/a/c"),
        ("//server/share", "/server/share"),
        ("D:\\Work\\Shop\\", "d:/Work/Shop"),
        ("[trimmed]", ""),
        (".", ""),
        ("", ""),
    ],
)
def test_folders_have_one_spelling(folder: str, normal: str) -> None:
    assert normal_folder(folder) == normal


def test_names_are_short_and_still_unique() -> None:
    known = ["/a/web", "/b/web", "web", "c:/x/shop"]
    assert short_names(known) == {
        "/a/web": "a/web",
        "/b/web": "b/web",
        "web": "web",
        "c:/x/shop": "shop",
    }
    assert [chosen_project(name, known) for name in ("web", "a/web", "shop", "new", "/q/")] == [
        *("web", "/a/web", "c:/x/shop", "new", "/q"),
    ]
    with pytest.raises(BadInput, match="several projects"):
        chosen_project("web", known[:2])
