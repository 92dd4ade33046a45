"""Real MCP servers, as programs and over HTTP, are ordinary toolsets."""

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.tools.turns import Person, Recorder, play, played

from seasoned.core.errors import ConfigError
from seasoned.tools.approval import ApprovalRules
from seasoned.tools.mcp import McpTools, load_servers, mcp_tools, servers_from
from seasoned.tools.run import ALLOW, ToolRun
from seasoned.tools.toolset import combine, toolset_from, wrapped

SERVER = '''
import os, sys
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

server = MCPServer("weather")

@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def forecast(city: str, days: int = 1) -> str:
    """Tells what the weather will be."""
    print("asked for", city, file=sys.stderr)
    return f"{city}: rain for {days} days"

@server.tool()
def seed(cloud: str) -> str:
    """Makes it rain."""
    raise ToolError(f"{cloud} is out of reach")

@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def variables() -> list[str]:
    """Names what it knows of its environment."""
    return sorted(f"{name}={value}" for name, value in os.environ.items())

if len(sys.argv) > 1:
    server.run("streamable-http", port=int(sys.argv[1]))
else:
    server.run("stdio")
'''


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "server.py"
    path.write_text(SERVER)
    return path


def configured(**servers: Any) -> Sequence[McpTools]:
    import json

    return mcp_tools(servers_from(json.dumps({"mcpServers": servers}), {}))


def stdio(script: Path, **more: Any) -> dict[str, Any]:
    return {"command": sys.executable, "args": [str(script)], **more}


def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


def test_the_tools_of_a_program_are_called_shown_and_learned_from(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef0123")
    learned = Recorder()
    tools = configured(weather=stdio(script, env={"CITY": "Lima"}))
    answer = play(
        wrapped(combine(tools), learned),
        [("weather_forecast", {"city": "Oslo", "days": 2})],
        [("weather_variables", {})],
    )
    assert answer.texts[0] == "Oslo: rain for 2 days"
    assert "CITY=Lima" in answer.texts[1]
    assert "OPENAI" not in answer.texts[1]
    assert [call.tool for call in learned.calls] == ["weather_forecast", "weather_variables"]
    assert tools[0].problem == ""
    assert not _children()


def test_what_does_not_only_read_is_asked_for_and_an_error_is_a_failed_result(script: Path) -> None:
    tools = wrapped(combine(configured(weather=stdio(script))), Recorder())
    call = [("weather_seed", {"cloud": "Nimbus"})]
    assert play(tools, call).texts[0].startswith("Nobody allowed this call of weather_seed")
    answer = play(tools, call, run=ToolRun(ask=Person([ALLOW])))
    assert answer.outcomes == ["failed"]
    assert "Nimbus is out of reach" in answer.texts[0]


def test_wrong_arguments_are_a_failed_result(script: Path) -> None:
    tools = wrapped(combine(configured(weather=stdio(script))), Recorder())
    answer = play(tools, *[[("weather_forecast", {"town": "Oslo"})]] * 3)
    assert answer.outcomes == ["failed"] * 3


def test_a_server_that_does_not_start_is_reported_and_the_rest_goes_on(
    script: Path, caplog: pytest.LogCaptureFixture
) -> None:
    servers = configured(
        missing={"command": "no-such-program-anywhere"},
        broken={"command": sys.executable, "args": ["-c", "raise SystemExit(3)"]},
        far={"url": f"http://127.0.0.1:{_free_port()}/mcp"},
        weather=stdio(script),
    )
    tools = wrapped(combine([*servers, toolset_from([add])]), Recorder())
    calls = [("weather_forecast", {"city": "Oslo"}), ("add", {"a": 1, "b": 2})]
    answer = play(tools, calls)
    assert answer.texts == ["Oslo: rain for 1 days", "3"]
    assert [bool(server.problem) for server in servers] == [True, True, True, False]
    assert "the MCP server missing is not available" in caplog.text
    assert not _children()


def test_a_server_that_dies_in_the_middle_does_not_end_the_turn(script: Path) -> None:
    script.write_text(
        SERVER.replace('raise RuntimeError(f"{cloud} is out of reach")', "os._exit(1)")
    )
    (server,) = configured(weather=stdio(script))
    tools = wrapped(combine([server]), Recorder(), rules=ApprovalRules("none"))
    answer = play(tools, [("weather_seed", {"cloud": "x"})])
    assert answer.outcomes == ["failed"]
    assert not _children()


def test_a_server_that_hangs_at_its_start_is_given_up(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seasoned.tools.mcp.START_SECONDS", 0.5)
    script.write_text("import time; time.sleep(60)")
    (server,) = configured(weather=stdio(script))
    start = time.monotonic()
    play(wrapped(combine([server, toolset_from([add])]), Recorder()), [("add", {"a": 1, "b": 2})])
    assert time.monotonic() - start < 20
    assert server.problem
    assert not _children()


def test_a_server_stays_while_its_tools_are_in_use(script: Path) -> None:
    (server,) = configured(weather=stdio(script))
    tools = wrapped(combine([server]), Recorder())

    async def twice() -> list[int]:
        seen: list[int] = []
        async with tools:
            for _ in range(2):
                await played(tools, [[("weather_forecast", {"city": "Oslo"})]], ToolRun())
                seen.append(_children()[0].pid)
        return seen

    first, second = asyncio.run(twice())
    assert first == second
    assert not _children()


@pytest.fixture
def http_server(script: Path) -> Generator[str]:
    port = _free_port()
    process = subprocess.Popen(
        [sys.executable, str(script), str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 20
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/mcp"
    process.terminate()
    process.wait()


def test_a_server_is_called_over_http(http_server: str) -> None:
    tools = wrapped(combine(configured(weather={"url": http_server})), Recorder())
    calls = [("weather_forecast", {"city": city}) for city in ("Oslo", "Lima", "Rome")]
    assert play(tools, calls).texts == [
        f"{city}: rain for 1 days" for city in ("Oslo", "Lima", "Rome")
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "is not valid JSON"),
        ("[]", "has no servers"),
        ('{"mcpServers": []}', "has no servers"),
        ('{"mcpServers": {"a": 1}}', "must be an object"),
        ('{"mcpServers": {"a": {}}}', "either a command or a url"),
        ('{"mcpServers": {"a": {"command": "x", "url": "y"}}}', "either a command or a url"),
        ('{"mcpServers": {"a": {"command": "x", "args": "y"}}}', "args must be a list"),
        ('{"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}}', "env must be an object"),
        ('{"mcpServers": {"a": {"command": "${NOWHERE}"}}}', "needs the variable NOWHERE"),
        ('{"mcpServers": {"..": {"command": "x"}}}', "needs a name"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        servers_from(text, {})


def test_servers_are_read_from_a_file_with_variables_and_shown_without_secrets(
    tmp_path: Path,
) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(
        '{"mcpServers": {"my mail": {"url": "${HOST:-http://localhost}/mcp", "headers": '
        '{"Authorization": "Bearer ${TOKEN}"}}, "off": {"command": "x", "disabled": true}}}'
    )
    (server,) = load_servers(path, {"TOKEN": "hush"})
    assert (server.name, server.url) == ("my_mail", "http://localhost/mcp")
    assert server.headers == {"Authorization": "Bearer hush"}
    assert "hush" not in repr(server)
    with pytest.raises(ConfigError, match="cannot read"):
        load_servers(tmp_path / "nowhere.json", {})


def _children() -> list[psutil.Process]:
    """Return the running servers among our child processes."""
    until = time.monotonic() + 3
    found: list[psutil.Process] = []
    while time.monotonic() < until:
        found = [one for one in psutil.Process().children() if _is_server(one)]
        if not found:
            break
        if len(found) == 1 and found[0].status() != psutil.STATUS_ZOMBIE:
            break
        time.sleep(0.05)
    return found


def _is_server(process: psutil.Process) -> bool:
    try:
        return any("server.py" in part for part in process.cmdline())
    except psutil.Error:
        return False


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
