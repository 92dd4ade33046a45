"""Who may call a host: no web page, no stranger; and none of them pushes out an agent."""

import http.client
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.protocol.fixed_plugin import FixedPlugin
from tests.protocol.serving import Agent, Process, Served, feedback

from seasoned.protocol import AuthFailed, LearnAPI, connect
from seasoned.protocol.host.host_config import HostConfig

pytestmark = pytest.mark.sqlite_only
Start = Callable[..., Served]
Meet = Callable[..., Agent]


def asked(port: int, path: str = "/session", method: str = "POST", **headers: str) -> int:
    """Return the status of a request with exactly these headers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest(method, path, skip_host=True)
    for name, value in {"Content-Length": "0", **headers}.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "127.0.0.1:8420"}, 200),
        ({"Host": "localhost"}, 200),
        ({"Host": "LOCALHOST.:8420"}, 200),
        ({"Host": "[::1]:8420"}, 200),
        ({"Host": "learn.example.com"}, 200),
        ({"Host": "evil.example:8420"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": "localhost.evil.example"}, 403),
        ({"Host": ""}, 403),
        ({"Host": "localhost", "Origin": "https://evil.example"}, 403),
        ({"Host": "localhost", "Origin": "null"}, 403),
        ({"Host": "localhost:8420", "Origin": "http://localhost:3000"}, 403),
        ({"Host": "localhost:8420", "Origin": "http://localhost:8420"}, 200),
        ({"Host": "localhost", "Sec_Fetch_Site": "cross-site"}, 403),
        ({"Host": "localhost", "Sec_Fetch_Site": "same-site"}, 403),
    ],
)
def test_other_names_and_web_pages_are_refused(
    served: Start, plugin: FixedPlugin, headers: dict[str, str], status: int
) -> None:
    host = served(plugin, config=HostConfig(names=("learn.example.com",)))
    assert asked(host.port, **headers) == status
    assert asked(host.port, "/health", "GET", **headers) == status


def test_many_sessions_that_never_read_leave_new_agents_served(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    host = served(plugin)
    before = agents(host)
    assert before.ask(feedback("before"))["recorded"] == 1
    leaving = agents(host, reads=False)
    for _ in range(1005):
        leaving.session = leaving.post("/session", b"")[1]["session_id"]
        assert leaving.send({"type": "ping", "id": "p"}) == 200
    new = agents(host)
    assert new.ask(feedback("new"))["recorded"] == 1
    assert before.ask(feedback("after"))["recorded"] == 1
    assert len(host.host.sessions.in_memory) <= 1000


def test_strangers_that_open_sessions_push_out_nobody(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    config = HostConfig(token="secret", strangers=20, sessions=30, kept_sessions=30)
    host = served(plugin, config=config)
    agent = agents(host)
    assert agent.ask({"type": "handshake/req", "id": "h", "auth_token": "secret"})["ok"]
    stranger = agents(host, reads=False)
    for number in range(500):
        stranger.session = stranger.post("/session", b"")[1]["session_id"]
        if number % 5 == 0:
            assert stranger.send({"type": "ping", "id": "p"}) == 200
    assert len(host.host.sessions.strangers) <= 20
    assert agent.ask(feedback("a"))["recorded"] == 1

    async def count() -> Any:
        async with host.db.read() as tx:
            return await tx.fetch_one("SELECT count(*) FROM protocol_sessions")

    assert host.db.run(count()) == (1,)


def test_a_stranger_teaches_nothing_and_is_told_where_the_token_is(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    config = HostConfig(token="secret", token_place="/home/ada/.seasoned/token")
    agent = agents(served(plugin, config=config))
    refused = agent.ask({"type": "handshake/req", "id": "h", "auth_token": ""})
    assert refused["ok"] is False
    assert refused["reason"].startswith("auth_failed")
    assert "/home/ada/.seasoned/token" in refused["reason"]
    said = agent.ask(feedback("a", source="HUMAN"))
    assert (said["code"], said["retryable"]) == ("auth_failed", False)
    assert "/home/ada/.seasoned/token" in said["message"]
    assert plugin.feedbacks == []


def test_a_stranger_sends_little_and_has_little_time(
    served: Start, agents: Meet, plugin: FixedPlugin
) -> None:
    host = served(plugin, config=HostConfig(token="secret", stranger_read_seconds=0.3))
    agent = agents(host, reads=False)
    assert agent.send(b"x" * 70_000) == 413
    slow = http.client.HTTPConnection("127.0.0.1", host.port, timeout=10)
    slow.putrequest("POST", "/send")
    slow.putheader("X-Session-Id", agent.session)
    slow.putheader("Content-Length", "100")
    slow.endheaders(b"{")
    assert slow.getresponse().status == 408
    slow.close()


def test_the_token_may_come_in_a_header(served: Start, agents: Meet, plugin: FixedPlugin) -> None:
    host = served(plugin, config=HostConfig(token="secret"))
    agent = agents(host, reads=False)
    body = json.dumps(feedback("a")).encode()
    for token, recorded in (("wrong", 0), ("secret", 1)):
        headers = {"X-Session-Id": agent.session, "Authorization": f"Bearer {token}"}
        assert agent.post("/send", body, headers)[0] == 200
        assert len(plugin.feedbacks) == recorded
    # A handshake without a token, as a client sends it that knows headers only, keeps it.
    agent.read()
    assert agent.reply() is not None
    assert agent.reply() is not None
    assert agent.ask({"type": "handshake/req", "id": "h", "auth_token": ""})["ok"]
    assert agent.ask(feedback("b"))["recorded"] == 1


def test_the_token_is_made_once_kept_private_and_read_by_local_clients(
    processes: Callable[..., Process],
    tmp_path: Path,
) -> None:
    first = processes()
    path = tmp_path / "home" / "token"
    assert path.stat().st_mode & 0o777 == 0o600
    token = path.read_text()
    assert len(token.strip()) >= 32
    with connect(first.url) as client:
        assert LearnAPI(client).feedback("positive").recorded == 1
    with connect(first.url, token="") as client, pytest.raises(AuthFailed, match=str(path)):
        client.ping()
    first.end()
    processes()
    assert path.read_text() == token


def test_a_token_that_others_may_read_is_refused(home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / "token").write_text("public")
    (home / "token").chmod(0o644)
    command = [sys.executable, "-m", "seasoned", "host", "--http", "127.0.0.1:0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "chmod 600" in done.stderr


def test_without_a_token_people_count_as_the_environment(
    processes: Callable[..., Process],
    tmp_path: Path,
) -> None:
    host = processes("--no-token")
    with connect(host.url) as client:
        learn = LearnAPI(client)
        answer = learn.feedback(
            "CORRECTIVE", correction="Use uv.", prompt="Install it", response="Use pip."
        )
    assert answer.recorded == 1
    assert "counts as env" in answer.note
    assert not (tmp_path / "home" / "token").exists()
    assert asked(host.port, Host="evil.example") == 403
    host.end()
    from seasoned import Seasoned

    with Seasoned(tmp_path / "home" / "seasoned.db") as s:
        (stored,) = s.feedback.list()
        assert stored.feedback.source == "env"
        assert s.rules.list() == []
