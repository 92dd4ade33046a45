"""`LearnAPI` over every transport: the same calls, the same answers."""

import asyncio
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from tests.protocol.fixed_plugin import FixedPlugin
from tests.protocol.serving import COMMAND, Process, Served

from seasoned import AsyncSeasoned, Seasoned
from seasoned.core.errors import BadInput
from seasoned.protocol import (
    AsyncLearnAPI,
    AuthFailed,
    Client,
    HostSilent,
    HostUnreachable,
    LearnAPI,
    ProtocolError,
    Refused,
    connect,
    connect_async,
)
from seasoned.protocol.host.host_config import HostConfig

# The example from the protocol's documentation, except for the imports.
EXAMPLE = """
learn = LearnAPI(client)
# Submit feedback
resp = learn.feedback(
polarity="POSITIVE",
score=0.9,
dimension="CORRECTNESS",
confidence=0.95,
prompt="What is 2+2?",
response="4",
source="HUMAN",
comment="Correct answer"
)
# Record RL experience
count = learn.experience([
{"state": {"count": 0}, "action": {"type": "inc"}, "reward": 1.0,
"next_state": {"count": 1}, "done": False}
])
# Trigger adaptation
records = learn.adapt(skill_name="my_skill", strategy="ucb1")
# Query stats
skills, tools = learn.stats(skill_name="my_skill")
# Convenience: send scalar reward
learn.reward(skill_name="my_skill", value=1.0, correlation_id="req_123")
"""


@pytest.fixture(params=["http", "stdio", "in process"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Client]:
    if request.param == "http":
        processes: Callable[..., Process] = request.getfixturevalue("processes")
        made = connect(processes().url)
    elif request.param == "stdio":
        request.getfixturevalue("home")
        made = connect([*COMMAND, "--stdio", "--db", str(tmp_path / "x.db")])
    else:
        opened: Callable[..., Seasoned] = request.getfixturevalue("opened")
        made = connect(opened(tmp_path / "x.db"))
    yield made
    made.close()


def test_the_example_of_the_documentation_runs_as_written(client: Client) -> None:
    names: dict[str, Any] = {"LearnAPI": LearnAPI, "client": client}
    exec(compile(EXAMPLE, "example", "exec"), names)
    assert names["resp"].recorded == 1
    assert names["resp"].scores_by_dimension == {"correctness": 0.9}
    assert names["count"] == 1
    learn: LearnAPI = names["learn"]
    ((record,), tools) = learn.stats(skill_name="my_skill")
    assert (record.name, record.skill_name, record.avg_score) == ("my_skill", "my_skill", 1.0)
    assert tools == []
    assert client.ping() >= 0


def test_a_batch_is_one_message_and_each_counts_once(client: Client) -> None:
    learn = LearnAPI(client)
    items = [{"polarity": "Positive", "score": 1, "feedback_id": f"f{n % 30}"} for n in range(50)]
    assert learn.feedback(items).recorded == 30
    assert learn.feedback(items).recorded == 0
    steps = [{"experience_id": f"e{n}", "action": {"skill": "plan"}} for n in range(40)]
    assert (learn.experience(steps), learn.experience(steps)) == (40, 0)


def test_calls_told_in_experience_show_in_the_stats(client: Client) -> None:
    learn = LearnAPI(client)
    for name in ("skill_name", "component_name"):
        call = {name: "plan", "duration_ms": 20.0, "success": True}
        learn.experience([{"action": call, "reward": 1.0}])
    learn.experience([{"action": {"tool": "grep", "duration_ms": 5, "success": False}}])
    ((plan,), (grep,)) = learn.stats()
    assert (plan.name, plan.calls_total, plan.calls_success) == ("plan", 2, 2)
    assert plan.avg_duration_ms == 20.0
    assert (grep.name, grep.calls_failed) == ("grep", 1)
    assert abs(plan.last_called - time.time()) < 60
    (adapted,) = learn.adapt("plan", "UCB1")
    assert (adapted.calls_total, adapted.policy["strategy"]) == (2, "ucb1")
    assert adapted.policy["reasons"]


def test_what_the_host_refuses_is_an_error_with_its_reason(client: Client) -> None:
    learn = LearnAPI(client)
    with pytest.raises(Refused, match=r"say in correction what would be right") as refused:
        learn.feedback("corrective")
    assert (refused.value.code, refused.value.retryable) == ("invalid_message", False)
    with pytest.raises(Refused, match="ucb1"):
        learn.adapt("plan", "bogus")
    with pytest.raises(BadInput, match="NaN and infinity"):
        learn.feedback("positive", score=float("nan"))
    with pytest.raises(BadInput, match="no colour"):
        learn.feedback([{"polarity": "positive", "colour": "red"}])
    assert learn.feedback("positive", score=5).note.endswith("score 5 clamped to 1.0")


def test_the_async_client_gives_the_same_answers(tmp_path: Path, home: Path, served: Any) -> None:
    async def converse(learn: AsyncLearnAPI) -> tuple[int, int]:
        answers = await asyncio.gather(*(learn.feedback("positive") for _ in range(20)))
        return sum(each.recorded for each in answers), await learn.experience([{"reward": 1}])

    async def run() -> None:
        host = served(FixedPlugin())
        async with connect_async(host.url) as client:
            assert await converse(AsyncLearnAPI(client)) == (20, 1)
        async with (
            AsyncSeasoned(tmp_path / "y.db") as seasoned,
            connect_async(seasoned) as client,
        ):
            assert await converse(AsyncLearnAPI(client)) == (20, 1)

    asyncio.run(run())


def test_in_process_on_both_databases(seasoned: Seasoned) -> None:
    with connect(seasoned) as client:
        learn = LearnAPI(client)
        assert learn.feedback("positive", score=0.5, skill_name="plan").recorded == 1
        assert learn.stats("plan")[0][0].avg_score == 0.5


def test_a_corrected_reply_becomes_a_correction(opened: Any, tmp_path: Path) -> None:
    s = opened(tmp_path / "x.db")
    with connect(s) as client:
        LearnAPI(client).feedback(
            polarity="CORRECTIVE",
            prompt="List them",
            response="Run docker ps.",
            correction="Run podman ps.",
        )
    assert s.status()["corrections"]["queue"]["pending"] == 1


def test_a_restart_in_the_middle_loses_nothing_and_counts_once(
    processes: Callable[..., Process],
) -> None:
    first = processes()
    client = connect(first.url, tries=8, timeout_seconds=60)
    learn = LearnAPI(client)
    said: list[int] = []

    def talk() -> None:
        for number in range(300):
            answer = learn.feedback([{"polarity": "positive", "feedback_id": f"f{number}"}])
            said.append(answer.recorded)

    talking = threading.Thread(target=talk)
    talking.start()
    while len(said) < 50:
        time.sleep(0.01)
    first.process.kill()
    first.process.wait()
    second = processes(port=first.port)
    talking.join(60)
    assert len(said) == 300
    # Feedback stored but not yet answered at the kill counts as a duplicate.
    assert sum(said) >= 299
    assert learn.feedback([{"polarity": "neutral", "feedback_id": "f299"}]).recorded == 0
    client.close()
    assert second.end()[0] == 0


def test_a_wrong_token_is_an_error(served: Any) -> None:
    host: Served = served(FixedPlugin(), config=HostConfig(token="right"))
    with connect(host.url, token="wrong") as client, pytest.raises(AuthFailed, match="token"):
        LearnAPI(client).feedback("positive")
    with connect(host.url, token="right") as client:
        assert LearnAPI(client).feedback("positive").recorded == 1


def test_a_missing_host_is_an_error() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with connect(f"http://127.0.0.1:{port}") as client, pytest.raises(HostUnreachable) as said:
        LearnAPI(client).feedback("positive")
    assert "is the host running?" in str(said.value)


def test_a_silent_host_times_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with connect(url, timeout_seconds=0.5) as client:
            start = time.monotonic()
            with pytest.raises(HostSilent, match=r"within 0\.5 s"):
                LearnAPI(client).feedback("positive")
            assert time.monotonic() - start < 3


def test_another_service_on_the_port_is_an_error() -> None:
    def answer(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")

    with socket.create_server(("127.0.0.1", 0)) as other:
        threading.Thread(target=answer, args=(other,), daemon=True).start()
        url = f"http://127.0.0.1:{other.getsockname()[1]}"
        with connect(url) as client, pytest.raises(ProtocolError, match="is no learn host"):
            LearnAPI(client).feedback("positive")


def test_an_overworked_host_is_asked_again(served: Any) -> None:
    class Slow(FixedPlugin):
        def _record_feedback(self, feedbacks: Any) -> Any:
            time.sleep(0.05)
            return super()._record_feedback(feedbacks)

    plugin = Slow()
    host: Served = served(plugin, config=HostConfig(in_flight=1))

    async def run() -> list[int]:
        async with connect_async(host.url, tries=10) as client:
            learn = AsyncLearnAPI(client)
            answers = await asyncio.gather(*(learn.feedback("positive") for _ in range(5)))
            return [each.recorded for each in answers]

    assert asyncio.run(run()) == [1] * 5
    assert len(plugin.feedbacks) == 5


@pytest.mark.parametrize("target", ["ftp://x", "127.0.0.1:8420", "http://", "http://x:99999"])
def test_an_invalid_address_is_an_error(target: str) -> None:
    with pytest.raises(BadInput):
        connect(target)


def test_a_missing_command_is_an_error() -> None:
    with connect(["no-such-command-here"]) as client, pytest.raises(BadInput, match="no-such"):
        client.ping()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_the_command_ends_gracefully_on_a_signal(
    processes: Callable[..., Process], how: signal.Signals
) -> None:
    process = processes()
    with connect(process.url, tries=1, timeout_seconds=5) as client:
        assert LearnAPI(client).feedback("positive").recorded == 1
        assert process.end(how) == (0, "")


def test_a_pipe_ends_with_a_signal_or_its_input(tmp_path: Path, home: Path) -> None:
    for by_signal in (True, False):
        process = subprocess.Popen(
            [*COMMAND, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"type":"ping","id":"p"}\n')
        process.stdin.flush()
        assert b'"pong"' in process.stdout.readline()
        if by_signal:
            process.send_signal(signal.SIGTERM)
        else:
            process.stdin.close()
        assert process.wait(20) == 0
        process.stdin.close()
        process.stdout.close()


def test_a_line_that_is_too_long_is_refused_and_the_next_is_not(home: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"x" * (17 * 2**20) + b'\n{"type":"ping","id":"p"}\n')
        process.stdin.flush()
        said = process.stdout.readline() + process.stdout.readline()
        process.stdin.close()
    assert b"may have 16777216 bytes" in said
    assert b'"pong"' in said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--http", "0.0.0.0:0", "--no-token"], "without a token anybody could teach"),
        (["--http", "nonsense"], "give HOST:PORT"),
        (["--http", "127.0.0.1:1", "--stdio"], "mutually exclusive"),
    ],
)
def test_unusable_options_are_refused(home: Path, given: list[str], said: str) -> None:
    done = subprocess.run([*COMMAND, *given], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert said in done.stderr


def test_the_token_of_the_settings_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, processes: Callable[..., Process]
) -> None:
    monkeypatch.setenv("SEASONED_SERVER__TOKEN", "from-the-settings")
    process = processes()
    with connect(process.url, token="other") as client, pytest.raises(AuthFailed):
        client.ping()
    with connect(process.url, token="from-the-settings") as client:
        assert client.ping() >= 0
