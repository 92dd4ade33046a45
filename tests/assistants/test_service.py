"""The local service: started on demand, one per home, and gone without a trace of harm."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from contextlib import chdir
from pathlib import Path
from select import select
from typing import Any

import pytest
from tests.assistants.hook_runner import CLIENT, Hooks, until

import seasoned
from seasoned import Seasoned
from seasoned.assistants import client, service

START = {"hook_event_name": "SessionStart", "session_id": "s1", "cwd": "/w", "source": "startup"}


def failure(number: int, session: str = "s1", folder: str = "/w/app") -> dict[str, Any]:
    return {
        "hook_event_name": "PostToolUseFailure",
        "session_id": session,
        "cwd": folder,
        "tool_name": "Bash",
        "tool_input": {"command": f"make target{number}"},
        "tool_use_id": f"{session}-{number}",
        "error": f"Exit code 2\nmake: *** No rule to make target 'target{number}'.  Stop.",
    }


def calls(hooks: Hooks, project: str = "/w/app") -> int:
    with Seasoned(hooks.home / "seasoned.db", project=project) as s:
        return sum(tool.calls for tool in s.tools())


def test_the_client_carries_the_version_of_the_package() -> None:
    assert seasoned.__version__ == client.VERSION


def test_the_first_event_starts_the_service_and_is_handled(own_hooks: Hooks) -> None:
    assert own_hooks.send("claude-code", **failure(1)) == {}
    assert own_hooks.is_up()
    assert calls(own_hooks) == 1
    assert own_hooks.log() == ""


def test_a_home_named_relative_to_the_folder_of_the_assistant_is_found(own_hooks: Hooks) -> None:
    own_hooks.home.mkdir()
    done = subprocess.run(
        [*CLIENT, "--host", "claude-code"],
        input=json.dumps(failure(1)).encode(),
        env={**own_hooks.environment, "SEASONED_HOME": own_hooks.home.name},
        cwd=own_hooks.home.parent,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert calls(own_hooks) == 1


def test_its_socket_and_folder_are_open_to_their_owner_only(own_hooks: Hooks) -> None:
    own_hooks.start()
    assert stat.S_IMODE(own_hooks.run.stat().st_mode) == 0o700
    assert stat.S_IMODE((own_hooks.run / client.SOCKET).stat().st_mode) == 0o600


def test_a_home_with_a_long_path_has_a_service_too(tmp_path: Path) -> None:
    hooks = Hooks(tmp_path / ("long" * 40) / "home")
    try:
        hooks.start()
        hooks.send("claude-code", **failure(1))
        assert calls(hooks) == 1
    finally:
        hooks.end()


def test_a_folder_that_others_may_write_is_not_trusted(own_hooks: Hooks) -> None:
    own_hooks.run.mkdir(parents=True)
    own_hooks.run.chmod(0o777)
    done = own_hooks.raw("claude-code", json.dumps(START).encode())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "can be written by others; run: chmod 700" in own_hooks.log()


def test_of_services_that_race_one_stays_and_the_others_leave(own_hooks: Hooks) -> None:
    racers = [own_hooks.spawn() for _ in range(4)]
    until(lambda: sum(one.poll() is None for one in racers) == 1, "all but one leave")
    until(own_hooks.is_up, "the winner listens")
    assert sorted(one.poll() or 0 for one in racers) == [0, 0, 0, 0]
    own_hooks.send("claude-code", **failure(1))
    assert calls(own_hooks) == 1


def test_hooks_that_find_no_service_at_once_start_one_together(own_hooks: Hooks) -> None:
    own_hooks.home.mkdir()
    clients = [
        subprocess.Popen(
            [*CLIENT, "--host", "claude-code"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=own_hooks.environment,
        )
        for _ in range(4)
    ]
    for number, one in enumerate(clients):
        assert one.stdin is not None
        one.stdin.write(json.dumps(failure(number)).encode())
        one.stdin.close()
    for one in clients:
        assert one.wait(60) == 0
        assert one.stdout is not None
        assert one.stderr is not None
        assert (one.stdout.read(), one.stderr.read()) == (b"", b"")
        one.stdout.close()
        one.stderr.close()
    assert calls(own_hooks) == 4


def test_a_killed_service_loses_nothing_that_it_answered_and_is_replaced(own_hooks: Hooks) -> None:
    process = own_hooks.start()
    for number in range(5):
        own_hooks.send("claude-code", **failure(number))
    process.kill()
    process.wait()
    assert calls(own_hooks) == 5
    assert (own_hooks.run / client.SOCKET).exists()  # it had no time to clean up
    own_hooks.send("claude-code", **failure(9))
    assert calls(own_hooks) == 6


def test_kills_while_events_arrive_lose_none_that_was_answered(own_hooks: Hooks) -> None:
    answered = 0
    for round_number in range(3):
        process = own_hooks.start()
        clients = [
            subprocess.Popen(
                [*CLIENT, "--host", "claude-code"],
                stdin=subprocess.PIPE,
                env=own_hooks.environment,
            )
            for _ in range(3)
        ]
        for number, one in enumerate(clients):
            assert one.stdin is not None
            one.stdin.write(json.dumps(failure(number, f"round-{round_number}")).encode())
            one.stdin.close()
        process.kill()
        process.wait()
        assert [one.wait(60) for one in clients] == [0, 0, 0]
        answered += 3
        for number in own_hooks.detached():
            os.kill(number, signal.SIGKILL)
    told = (own_hooks.run / client.LOG).read_text() if (own_hooks.run / client.LOG).exists() else ""
    assert calls(own_hooks) >= answered, told  # one that was stored, not answered, is sent again
    with Seasoned(own_hooks.home / "seasoned.db") as s:
        assert s.verify_audit().intact


def test_an_event_that_a_killed_service_had_not_read_is_sent_again(own_hooks: Hooks) -> None:
    """Its connection is reset, which is another thing than its end."""
    own_hooks.run.mkdir(parents=True, mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener, chdir(own_hooks.run):
        listener.bind(client.SOCKET)
        listener.listen()
        sent = subprocess.Popen(
            [*CLIENT, "--host", "claude-code"], stdin=subprocess.PIPE, env=own_hooks.environment
        )
        assert sent.stdin is not None
        sent.stdin.write(json.dumps(failure(1)).encode())
        sent.stdin.close()
        line, _ = listener.accept()
        assert select([line], [], [], 30)[0]  # the request has arrived
        line.close()
    assert sent.wait(60) == 0
    assert calls(own_hooks) == 1


def test_it_ends_when_nothing_happens_and_leaves_no_socket(own_hooks: Hooks) -> None:
    process = own_hooks.start(SEASONED_ASSISTANTS__IDLE_MINUTES="0.002")
    assert process.wait(60) == 0
    assert not (own_hooks.run / client.SOCKET).exists()


def test_a_signal_ends_it_after_what_it_has_begun(own_hooks: Hooks) -> None:
    process = own_hooks.start()
    own_hooks.send("claude-code", **failure(1))
    process.terminate()
    assert process.wait(60) == 0
    assert not (own_hooks.run / client.SOCKET).exists()
    assert calls(own_hooks) == 1


def raw_request(hooks: Hooks, head: str, payload: bytes) -> bytes:
    before = os.getcwd()
    line, token = client.connect(str(hooks.home), time.monotonic() + 30)
    os.chdir(before)
    with line:
        line.settimeout(30)
        line.sendall(head.replace("TOKEN", token).encode() + payload)
        return b"".join(iter(lambda: line.recv(65536), b""))


def test_a_client_of_a_newer_version_is_answered_and_the_service_makes_room(
    own_hooks: Hooks,
) -> None:
    process = own_hooks.start()
    payload = json.dumps(failure(1)).encode()
    older = f"{client.PROTOCOL} claude-code - 0.0.1 1 - {len(payload)}\n"
    assert raw_request(own_hooks, older, payload).startswith(b"ok\n")
    assert process.poll() is None
    newer = f"{client.PROTOCOL} claude-code - 99.0.0 1 - {len(payload)}\n"
    assert raw_request(own_hooks, newer, payload).startswith(b"ok\n")
    assert process.wait(60) == 0
    own_hooks.send("claude-code", **failure(2))  # starts the next one
    assert calls(own_hooks) == 2


@pytest.mark.parametrize(
    "head",
    [
        "GET / HTTP/1.1\n",
        "seasoned-hook/1 codex\n",
        "seasoned-hook/1 codex - 0.1.0 1 - many\n",
        f"seasoned-hook/1 codex - 0.1.0 1 - {10**12}\n",
        "\n",
    ],
)
def test_a_stranger_on_the_socket_is_told_off(hooks: Hooks, head: str) -> None:
    answer = raw_request(hooks, head, b"")
    assert answer
    assert not answer.startswith(b"ok")
    assert hooks.send("claude-code", **START) == {}


def test_where_there_are_no_sockets_a_port_and_the_token_do(own_hooks: Hooks) -> None:
    own_hooks.start("--tcp")
    assert not (own_hooks.run / client.SOCKET).exists()
    own_hooks.send("claude-code", **failure(1))
    assert calls(own_hooks) == 1
    head = f"{client.PROTOCOL} claude-code - 0.1.0 1 guessed 2\n"
    assert raw_request(own_hooks, head, b"{}") == b"the token is wrong\n"


def test_a_service_that_cannot_start_is_not_started_at_every_event(own_hooks: Hooks) -> None:
    own_hooks.home.mkdir()
    (own_hooks.home / "seasoned.toml").write_text("[server]\nprot = 1\n")
    own_hooks.environment["SEASONED_HOOK_SECONDS"] = "20"
    done = own_hooks.raw("claude-code", json.dumps(START).encode())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    until((own_hooks.run / client.FAILED).exists, "the service says why it failed")
    assert "unknown setting server.prot" in (own_hooks.run / client.FAILED).read_text()
    before = time.monotonic()
    done = own_hooks.raw("claude-code", json.dumps(START).encode())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert time.monotonic() - before < 15  # it does not wait for what will not come
    assert "could not start a moment ago; see `seasoned doctor`" in own_hooks.log()


def test_a_service_that_hangs_does_not_hold_up_the_assistant(tmp_path: Path) -> None:
    hooks = Hooks(tmp_path / "home", SEASONED_HOOK_SECONDS="0.3")
    hooks.run.mkdir(parents=True, mode=0o700)
    before = os.getcwd()
    os.chdir(hooks.run)
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(client.SOCKET)
        os.chdir(before)
        deaf.listen()
        done = hooks.raw("claude-code", json.dumps(START).encode())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "did not answer in time" in hooks.log() or "timed out" in hooks.log()


def test_the_installed_command_does_the_same(hooks: Hooks) -> None:
    command = [sys.executable, "-c", "from seasoned.assistants.client import run; run()"]
    event = json.dumps(failure(1, "installed", "/w/installed")).encode()
    done = hooks.raw("claude-code", event, command=command)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert calls(hooks, "/w/installed") == 1


def test_an_assistant_that_no_longer_listens_is_no_trouble(hooks: Hooks) -> None:
    with Seasoned(hooks.home / "seasoned.db", project="/w/gone") as s:
        s.teach(preference="Use tabs.")
    reader, writer = os.pipe()
    os.close(reader)
    event = json.dumps({**START, "session_id": "gone", "cwd": "/w/gone"}).encode()
    done = subprocess.run(
        [*CLIENT, "--host", "claude-code"],
        input=event,
        stdout=writer,
        stderr=subprocess.PIPE,
        env=hooks.environment,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_client_loads_next_to_nothing() -> None:
    listing = "import sys; sys.path.insert(0, sys.argv[1]); import client; print(*sys.modules)"
    folder = str(Path(client.__file__).parent)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", listing, folder],
        capture_output=True,
        text=True,
        check=True,
    )
    heavy = {"json", "re", "asyncio", "subprocess", "typing", "argparse", "logging", "seasoned"}
    assert heavy & set(done.stdout.split()) == set()
    assert service.FAILED == client.FAILED
