"""Who may use the proxies, and that nobody gets what another tenant taught."""

from collections.abc import Callable
from typing import Any

from tests.server.proxies.conftest import variables
from tests.server.proxies.provider import Provider
from tests.server.serving import Gateway

from seasoned import Seasoned

Gateways = Callable[..., Gateway]
CHAT = "/openai/v1/chat/completions"
ASKED = {"model": "m", "messages": [{"role": "user", "content": "Sort the list."}]}


def test_programs_of_this_machine_need_no_token_but_pages_and_others_do(
    gateway: Gateway, provider: Provider
) -> None:
    assert gateway.post(CHAT, ASKED, token=None).status_code == 200
    page = gateway.post(CHAT, ASKED, token=None, headers={"Origin": "https://evil.example"})
    assert page.status_code == 403
    passed_on = gateway.post(CHAT, ASKED, token=None, headers={"X-Forwarded-For": "10.0.0.7"})
    assert passed_on.status_code == 401
    assert "X-Seasoned-Token" in passed_on.json()["error"]["message"]
    assert len(provider.seen) == 1


def test_no_provider_sees_the_token_of_the_gateway(gateways: Gateways, provider: Provider) -> None:
    gateway = gateways(**variables(provider), SEASONED_PROXY__NEEDS_TOKEN="yes")
    assert gateway.post(CHAT, ASKED, token="sk-provider").status_code == 401
    assert provider.seen == []
    shown = {"X-Seasoned-Token": gateway.token}
    assert gateway.post(CHAT, ASKED, token="sk-provider", headers=shown).status_code == 200
    assert provider.seen[-1].headers["authorization"] == "Bearer sk-provider"
    assert gateway.post(CHAT, ASKED).status_code == 200  # the token as Authorization
    assert "authorization" not in provider.seen[-1].headers
    assert all(gateway.token not in str(one) for one in provider.seen)


def test_a_tenant_is_only_served_with_the_token(gateway: Gateway, provider: Provider) -> None:
    path = f"/t/acme/p/web{CHAT}"
    assert gateway.post(path, ASKED, token=None).status_code == 401
    named = gateway.post(CHAT, ASKED, token=None, headers={"X-Seasoned-Tenant": "acme"})
    assert named.status_code == 401
    assert provider.seen == []
    shown = {"X-Seasoned-Token": gateway.token}
    assert gateway.post(path, ASKED, token="sk-x", headers=shown).status_code == 200
    assert provider.seen[-1].path == "/v1/chat/completions"


def test_other_paths_are_not_there(gateway: Gateway, provider: Provider) -> None:
    for path in ("/p/web/nothing", "/t/acme/", "/openai/v2/models", "/geminis", "/p//openai/v1/x"):
        assert gateway.post(path, ASKED).status_code == 404, path
    assert provider.seen == []


def test_what_one_tenant_taught_never_reaches_another(gateway: Gateway, provider: Provider) -> None:
    shown = {"X-Seasoned-Token": gateway.token}

    def ask(tenant: str, *messages: Any, **more: Any) -> str:
        path = f"/t/{tenant}/p/web{CHAT}"
        asked = {"model": "m", "messages": messages, **more}
        assert gateway.post(path, asked, token="sk-x", headers=shown).status_code == 200
        return provider.seen[-1].body.decode()

    function = {"name": "shell", "description": "Run a command."}
    tools = {"tools": [{"type": "function", "function": function}]}
    call = {"name": "shell", "arguments": '{"command": "docker ps"}'}
    failed = (
        {"role": "user", "content": "List the containers."},
        {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": call}]},
        {"role": "tool", "tool_call_id": "c1", "content": "Error: docker: command not found"},
    )
    with Seasoned(gateway.home / "seasoned.db", tenant="acme", project="web") as s:
        s.teach(rule="Always answer in German.")
        s.teach("docker: command not found", fix="Use podman.", tool="shell")
    told = ask("acme", *failed, **tools)
    assert "German" in told
    assert "podman" in told
    for other in ("globex", "acme2"):
        told = ask(other, *failed, **tools)
        assert "German" not in told
        assert "podman" not in told
