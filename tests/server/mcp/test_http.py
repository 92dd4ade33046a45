"""MCP at the gateway: who gets in, whose lessons a request sees, sessions without state."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.server.mcp.clients import MODES, Assistant, over_http
from tests.server.mcp.test_pipe import HELLO, call
from tests.server.serving import Gateway

from seasoned import Seasoned

Gateways = Callable[..., Gateway]
ACCEPT = {"Accept": "application/json, text/event-stream"}


def post(gateway: Gateway, message: Any, **headers: str) -> httpx.Response:
    return gateway.post("/mcp", message, headers=ACCEPT | headers)


async def teach(assistant: Assistant) -> str:
    taught = await assistant.ask("teach", kind="rule", text="Always use tabs.")
    return taught["lesson"]["id"]


async def rules(assistant: Assistant) -> str:
    return await assistant.read("seasoned://rules")


def test_it_answers_callers_with_the_token_only(gateways: Gateways) -> None:
    gateway = gateways()
    refused = gateway.post("/mcp", HELLO, token="wrong", headers=ACCEPT)
    assert refused.status_code == 401
    assert post(gateway, HELLO).status_code == 200


@pytest.mark.parametrize("mode", MODES)
def test_each_request_acts_for_its_own_caller(gateways: Gateways, mode: str) -> None:
    gateway = gateways()
    name = over_http(gateway, teach, mode=mode, tenant="acme", project="shop", user="ana")
    assert "tabs" in over_http(gateway, rules, mode=mode, tenant="acme", project="shop", user="ana")
    for other in (
        {"tenant": "acme", "project": "shop", "user": "bob"},
        {"tenant": "acme", "project": "blog", "user": "ana"},
        {"tenant": "other", "project": "shop", "user": "ana"},
    ):
        assert over_http(gateway, rules, mode=mode, **other) == ""

    async def pry(assistant: Assistant) -> str:
        return await assistant.refusal("why", lesson=name)

    assert name in over_http(gateway, pry, mode=mode, tenant="other")


def test_a_client_keeps_its_session_when_the_server_restarts(gateways: Gateways) -> None:
    gateway = gateways()
    session = post(gateway, HELLO).headers["mcp-session-id"]
    assert session.startswith("mcp-raw-")
    assert session != post(gateway, HELLO).headers["mcp-session-id"]
    gateway.end()
    again = gateways()
    named = {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
    answer = post(again, call(2, "correct", message="No, never use tabs here.", reply="x"), **named)
    assert answer.json()["result"]["isError"] is False
    assert "mcp-session-id" not in answer.headers
    same = post(again, call(3, "recall", task="hello"), **named)
    assert "tabs" in same.json()["result"]["structuredContent"]["text"]


def test_a_client_may_end_its_session(gateways: Gateways) -> None:
    gateway = gateways()
    session = post(gateway, HELLO).headers["mcp-session-id"]
    assert gateway.call("DELETE", "/mcp", headers={"Mcp-Session-Id": session}).status_code == 200
    assert gateway.call("DELETE", "/mcp").status_code == 400


def test_there_is_no_stream_to_read(gateways: Gateways) -> None:
    gateway = gateways()
    answer = gateway.get("/mcp", headers={"Accept": "text/event-stream"})
    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST, DELETE"


def test_an_odd_body_is_the_senders_fault(gateways: Gateways) -> None:
    gateway = gateways()
    shown = {"Authorization": f"Bearer {gateway.token}", "Content-Type": "application/json"}
    for body in ("", "nonsense", "[]", "{}", "[" * 50_000):
        for version in ("2025-11-25", "2026-07-28", "1999-01-01"):
            headers = ACCEPT | shown | {"MCP-Protocol-Version": version}
            answer = gateway.client.post("/mcp", content=body.encode(), headers=headers)
            assert 400 <= answer.status_code < 500, (body[:50], version, answer.text)
    assert post(gateway, HELLO).status_code == 200


def test_a_named_session_is_the_one_it_learns_in(gateways: Gateways) -> None:
    gateway = gateways()

    async def correct(assistant: Assistant) -> None:
        await assistant.ask("correct", message="No. Always answer in German.", reply="Hi")

    over_http(gateway, correct, session="chat-7", user="ana")
    gateway.end()
    with Seasoned(gateway.home / "seasoned.db", user="ana") as s:
        s.corrections.learn()
        (rule,) = s.rules.list()
        assert {one.session for one in s.rules.story(rule.id).evidence} >= {"chat-7"}
