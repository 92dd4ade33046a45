"""Hostile and mistaken input gets an answer that says what is wrong."""

import json
import socket
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.server.rest.conftest import Project
from tests.server.serving import Gateway


def raw(project: Project, content: bytes, kind: str = "application/json") -> httpx.Response:
    headers = {
        "Authorization": f"Bearer {project.gateway.token}",
        "Content-Type": kind,
        "X-Seasoned-Project": project.name,
    }
    return project.gateway.client.post("/v1/observe", content=content, headers=headers)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"{} {}", b"\xff\xfe", b"[" * 100_000, b'{"tool": ' + b"[" * 500 + b"]" * 500],
    ids=["empty", "open", "two", "binary", "deep", "nested"],
)
def test_what_is_no_json_is_refused(project: Project, content: bytes) -> None:
    answer = raw(project, content)
    assert answer.status_code == 400
    assert "the body is not" in answer.json()["error"]["message"]


@pytest.mark.parametrize("content", [b"[]", b"null", b'"text"', b"7"])
def test_json_of_another_shape_is_refused(project: Project, content: bytes) -> None:
    answer = raw(project, content)
    assert answer.status_code == 422
    assert answer.json()["error"]["faults"][0]["at"] == "body"


def test_a_form_is_refused_with_advice(project: Project) -> None:
    answer = raw(project, b"tool=shell", "application/x-www-form-urlencoded")
    assert answer.status_code == 415
    assert "Content-Type: application/json" in answer.json()["error"]["message"]


def test_odd_values_are_taken_as_they_can_be(project: Project) -> None:
    odd = b'{"tool": "t\\u0000", "params": {"n": NaN, "s": "\\ud800", "big": 1e999}, "error": "x"}'
    assert raw(project, odd).status_code == 200
    huge = b'{"tool": "t", "params": {"n": ' + b"9" * 6000 + b"}}"
    assert raw(project, huge).status_code in (200, 400)
    assert project.get("/errors")["items"][0]["tool"] == "t\ufffd"


def test_a_hint_gives_odd_parameters_back_as_text(project: Project) -> None:
    for session in ("one", "two"):
        bad = {"tool": "pay", "params": {"day": "30 May 2027", "x": "a"}, "session": session}
        project.post("/observe", bad | {"error": "day must be YYYY-MM-DD, e.g. 2027-01-31"})
        good = {"tool": "pay", "params": {"day": "2027-05-30", "x": "a"}, "session": session}
        project.post("/observe", good | {"result": "ok"})
    odd = (
        b'{"tool": "pay", "params": {"day": "1 June 2027", "x": "\\ud800"}, "session": "three", '
        b'"error": "day must be YYYY-MM-DD, e.g. 2027-01-31"}'
    )
    assert raw(project, odd).json()["hint"]["params"] == {"day": "2027-06-01", "x": "\ufffd"}


@pytest.mark.parametrize(
    ("path", "body", "place"),
    [
        ("/observe", {}, "body.tool"),
        ("/observe", {"tool": ""}, "body.tool"),
        ("/observe", {"tool": "t", "tols": 1}, "body.tols"),
        ("/observe", {"tool": "t", "duration_ms": -1}, "body.duration_ms"),
        ("/recall", {"query": "x", "limit": 10**9}, "body.limit"),
        ("/turn", {"user": 7}, "body.user"),
        ("/turn", {"user": "x", "reach": "world"}, "body.reach"),
        ("/rules", {"description": "x", "rule_type": "law"}, "body.rule_type"),
        ("/feedback", {"polarity": "meh"}, "body.polarity"),
        ("/reward", {"name": "a", "arm": "b", "value": 1e200}, "body.value"),
        ("/graph/triples", {"triples": []}, "body.triples"),
    ],
)
def test_a_fault_is_named_with_its_place(
    project: Project, path: str, body: Any, place: str
) -> None:
    answer = project.send("POST", path, body)
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert place in [one["at"] for one in error["faults"]]
    assert place in error["message"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/teach", {}),
        ("/teach", {"rule": "a", "fact": "b"}),
        ("/teach", {"fix": "Do it."}),
        ("/teach", {"rule": "x" * 5000}),
        ("/correct", {"message": "   "}),
        ("/rules", {"description": " "}),
        ("/turn", {"user": "x", "reach": "user"}),
        ("/skills", {"name": "a", "description": " ", "body": " "}),
        ("/knowledge", {"name": " ", "text": "x"}),
    ],
)
def test_what_cannot_be_used_is_refused(project: Project, path: str, body: Any) -> None:
    answer = project.send("POST", path, body)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "BadInput"


def test_a_wrong_method_and_an_unknown_path_are_errors_of_the_same_shape(project: Project) -> None:
    assert project.send("DELETE", "/observe").status_code == 405
    unknown = project.send("GET", "/nothing")
    assert unknown.status_code == 404
    assert set(unknown.json()["error"]) == {"type", "message"}


def test_learned_text_is_never_html(project: Project) -> None:
    nasty = "<script>alert(1)</script>"
    project.post("/teach", {"fact": nasty})
    answer = project.send("GET", "/lessons")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.json()["items"][0]["content"] == nasty


def test_a_body_that_grows_beyond_the_limit_is_refused(
    gateways: Callable[..., Gateway],
) -> None:
    """One without a length, which only shows its size while it is read."""
    gateway = gateways(SEASONED_SERVER__BODY_MEGABYTES="1")
    head = (
        f"POST /v1/observe HTTP/1.1\r\nHost: localhost\r\nX-Seasoned-Token: {gateway.token}\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", gateway.port), 30) as line:
        line.sendall(head.encode())
        for size in (*[0x10000] * 16, 1):  # a megabyte, and a byte more
            line.sendall(b"%x\r\n%b\r\n" % (size, b"x" * size))
        answer = line.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert json.loads(answer.split(b"\r\n\r\n", 1)[1])["error"]["type"] == "TooLarge"
