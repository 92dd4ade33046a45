"""The gateway as a process on loopback: who gets in, what errors look like, how it stops."""

import json
import socket
from collections.abc import Callable

from tests.server.serving import Gateway

Gateways = Callable[..., Gateway]


def test_it_answers_whether_it_is_alive_without_a_token(gateways: Gateways) -> None:
    gateway = gateways()
    assert gateway.get("/health/live", token=None).json() == {"status": "ok"}
    assert gateway.get("/health/ready", token=None).status_code == 200


def test_everything_else_needs_the_token(gateways: Gateways) -> None:
    gateway = gateways()
    refused = gateway.get("/v1/lessons", token="wrong")
    assert refused.status_code == 401
    assert refused.json()["error"]["type"] == "NotAuthenticated"
    assert str(gateway.home / "token") in refused.json()["error"]["message"]
    assert gateway.get("/nothing/here").status_code == 404


def test_another_hosts_name_and_web_pages_are_refused(gateways: Gateways) -> None:
    gateway = gateways()
    for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
        answer = gateway.get("/health/live", headers=headers)
        assert answer.status_code == 403
        assert answer.json()["error"]["type"] == "NotAllowed"


def test_every_answer_has_an_id_and_keeps_that_of_the_caller(gateways: Gateways) -> None:
    gateway = gateways()
    assert len(gateway.get("/health/live").headers["x-request-id"]) == 16
    kept = gateway.get("/nothing", headers={"X-Request-Id": "job-7"})
    assert kept.headers["x-request-id"] == "job-7"
    odd = gateway.get("/nothing", headers={"X-Request-Id": "a b\tc"})
    assert len(odd.headers["x-request-id"]) == 16


def test_a_body_beyond_the_limit_is_refused_before_it_is_read(gateways: Gateways) -> None:
    gateway = gateways(SEASONED_SERVER__BODY_MEGABYTES="1")
    with socket.create_connection(("127.0.0.1", gateway.port), 10) as line:
        head = f"POST /v1/observe HTTP/1.1\r\nHost: localhost\r\nX-Seasoned-Token: {gateway.token}"
        line.sendall(f"{head}\r\nContent-Length: 2000000\r\n\r\n".encode())
        answer = line.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert json.loads(answer.split(b"\r\n\r\n", 1)[1])["error"]["type"] == "TooLarge"


def test_the_learn_protocol_is_on_the_same_port(gateways: Gateways) -> None:
    gateway = gateways()
    session = gateway.post("/session", token=None).json()["session_id"]
    message = {"type": "ping", "id": "p1", "version": "1.0"}
    sent = gateway.post("/send", message, token=None, headers={"X-Session-Id": session})
    assert sent.json() == {"ok": True}


def test_it_ends_cleanly_on_sigterm(gateways: Gateways) -> None:
    assert gateways().end() == (0, "")
