"""The prompt's beginning stays as it was from request to request, so that prompt caches work."""

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from tests.server.proxies.conftest import variables
from tests.server.proxies.provider import Provider
from tests.server.serving import Gateway

from seasoned import Seasoned

MARK = {"cache_control": {"type": "ephemeral"}}
MESSAGES = "/anthropic/v1/messages"


def _text(said: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": said}]}


def _marked(message: dict[str, Any]) -> dict[str, Any]:
    """Move the mark of the cache to this message, as coding assistants do in each request."""
    *rest, last = message["content"]
    return {**message, "content": [*rest, {**last, **MARK}]}


def _unmarked(message: Any) -> str:
    return json.dumps(message).replace(', "cache_control": {"type": "ephemeral"}', "")


def test_the_beginning_stays_the_same_from_turn_to_turn_and_after_a_restart(
    gateways: Callable[..., Gateway], provider: Provider
) -> None:
    gateway = gateways(**variables(provider))
    with Seasoned(gateway.home / "seasoned.db") as s:
        s.teach(rule="Always answer in German.")
        s.teach("docker: command not found", fix="Use podman.", tool="shell")
        s.teach("containers", fact="The containers run on host seven.")
    use = {"type": "tool_use", "id": "toolu_01A09q90qw90lq917835lq9", "name": "shell"}
    failed = {"type": "tool_result", "tool_use_id": use["id"], "is_error": True}
    history: list[Any] = [
        _text("List the containers."),
        {"role": "assistant", "content": [{**use, "input": {"command": "docker ps"}}]},
        {"role": "user", "content": [{**failed, "content": "docker: command not found"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "There are none."}]},
        _text("No, never use docker."),
        {"role": "assistant", "content": [{"type": "text", "text": "All right."}]},
        _text("Which host do the containers run on?"),
    ]
    seen: list[Any] = []
    for turn in (1, 3, 5, 7):
        if turn == 5:
            with Seasoned(gateway.home / "seasoned.db") as s:
                s.teach(rule="Be brief.")
                s.teach("podman: permission denied", fix="Use sudo.", tool="shell")
            gateway.end()
            gateway = gateways(**variables(provider))
        body: Any = {
            "model": "m",
            "max_tokens": 99,
            "system": [{"type": "text", "text": "You are an operator.", **MARK}],
            "tools": [
                {"name": "shell", "description": "Run it.", "input_schema": dict[str, Any]()}
            ],
            "messages": [*history[: turn - 1], _marked(history[turn - 1])],
        }
        assert gateway.post(MESSAGES, body, token=None).status_code == 200
        seen.append(provider.seen[-1].json)
        marked = [one for one in seen[-1]["messages"][-1]["content"] if "cache_control" in one]
        assert len(marked) == 1
    for one, following in pairwise(seen):
        assert following["system"] == one["system"]
        assert following["tools"] == one["tools"]
        again = following["messages"][: len(one["messages"])]
        assert [*map(_unmarked, again)] == [*map(_unmarked, one["messages"])]
    assert "Always answer in German." in seen[0]["system"][1]["text"]
    assert "Use podman." in str(seen[1]["messages"][2])
    assert "Be brief." in str(seen[2]["messages"][4])
