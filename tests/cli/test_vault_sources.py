"""Where the vault's passphrase comes from: a real keyring, a real terminal, a pipe."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.terminal_driver import CTRL_C, PROMPT, Terminal, script_of

Process = Callable[..., subprocess.CompletedProcess[str]]

PASSPHRASE = "several words of a passphrase"
NO_KEYRING = {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}


@pytest.fixture
def vault(home: Path, process: Process, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault that only a person can open; its profile has two settings."""
    for name, value in NO_KEYRING.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("SEASONED_PASSPHRASE", raising=False)
    given = {"SEASONED_PASSPHRASE": PASSPHRASE}
    assert process("config", "init", **given).returncode == 0
    model = script_of(["Hello from the profile."], home.parent / "script.json")
    for key, value in (("agent.model", model), ("agent.maxSteps", "7")):
        assert process("config", "set", key, value, **given).returncode == 0
    return home / "vault.json"


def _piped(text: str, *args: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "seasoned", *args]
    given = {**os.environ, **variables}
    return subprocess.run(command, env=given, input=text, text=True, capture_output=True)  # noqa: PLW1510


def test_a_keyring_opens_it_and_takes_the_new_passphrase(
    home: Path, process: Process, tmp_path: Path
) -> None:
    ring = {
        "PYTHON_KEYRING_BACKEND": "filed_keyring.FiledKeyring",
        "PYTHONPATH": str(Path(__file__).parent),
        "FILED_KEYRING": str(tmp_path / "ring.json"),
    }
    made = subprocess.run(
        [sys.executable, "-m", "keyring", "set", "seasoned-vault", str(home / "vault.json")],
        env={**os.environ, **ring},
        input=f"{PASSPHRASE}\n",
        text=True,
        check=False,
        capture_output=True,
    )
    assert made.returncode == 0, made.stderr
    init = process("config", "init", **ring)
    assert init.returncode == 0, init.stderr
    assert "from the keyring" in init.stderr
    assert process("config", "set", "agent.maxSteps", "7", **ring).returncode == 0
    shown = process("config", "show", "--json", **ring)
    assert "vault (profile default)" in shown.stdout
    changed = _piped("another passphrase\n", "config", "passphrase", "--passphrase-stdin", **ring)
    assert changed.returncode == 0, changed.stderr
    assert "another passphrase" in (tmp_path / "ring.json").read_text()
    assert "vault (profile default)" in process("config", "show", "--json", **ring).stdout
    (tmp_path / "ring.json").unlink()
    assert "locked" in process("config", "show", **ring).stdout


def test_a_pipe_gives_the_passphrase_and_the_secret(home: Path, process: Process) -> None:
    made = _piped(f"{PASSPHRASE}\n", "config", "init", "--passphrase-stdin", **NO_KEYRING)
    assert made.returncode == 0, made.stderr
    given = {"SEASONED_PASSPHRASE": PASSPHRASE}
    kept = _piped("sk-piped\n", "secrets", "set", "llm.key", "--stdin", **given)
    assert kept.returncode == 0, kept.stderr
    assert "llm.key" in process("secrets", "list", **given).stdout
    refused = _piped("sk-piped\n", "secrets", "set", "llm.key", **given)
    assert refused.returncode == 2
    assert "--stdin" in refused.stderr


def test_a_line_of_stdin_opens_it(home: Path, process: Process) -> None:
    made = _piped(f"{PASSPHRASE}\n", "config", "init", "--passphrase-stdin", **NO_KEYRING)
    assert made.returncode == 0, made.stderr
    stdin = {**NO_KEYRING, "SEASONED_PASSPHRASE_FILE": "-"}
    kept = _piped(f"{PASSPHRASE}\nsk-piped\n", "secrets", "set", "llm.key", "--stdin", **stdin)
    assert kept.returncode == 0, kept.stderr
    shown = _piped(f"{PASSPHRASE}\n", "config", "show", "--json", **stdin)
    assert '"origin": "vault"' in shown.stdout, shown.stderr
    changed = ("config", "passphrase", "--passphrase-stdin")
    told = _piped(f"{PASSPHRASE}\nanother one\n", *changed, **stdin)
    assert told.returncode == 0, told.stderr
    wrong = _piped(f"{PASSPHRASE}\n", "secrets", "list", **stdin)
    assert wrong.returncode == 2
    assert "the passphrase is from stdin" in wrong.stderr
    assert "llm.key" in _piped("another one\n", "secrets", "list", **stdin).stdout
    empty = _piped("", "secrets", "list", **stdin)
    assert empty.returncode == 2
    assert "give it as the first line" in empty.stderr


def test_a_terminal_is_asked_twice_for_a_new_one_and_shows_nothing(home: Path) -> None:
    with Terminal("config", "init", home=home, variables=NO_KEYRING) as screen:
        screen.wait("New passphrase")
        screen.say(PASSPHRASE)
        screen.wait("The same again")
        screen.say("something else")
        screen.wait("those two differ")
        for question in ("New passphrase", "The same again"):
            screen.wait(question)
            screen.say(PASSPHRASE)
        screen.wait("now in use")
        assert screen.ends() == 0
        assert PASSPHRASE not in screen.raw
    with Terminal("secrets", "set", "llm.key", home=home, variables=NO_KEYRING) as screen:
        screen.wait("Passphrase of")
        screen.say("wrong")
        screen.wait("that does not open it")
        screen.wait("Passphrase of")
        screen.say(PASSPHRASE)
        screen.wait("Value of llm.key")
        screen.say("sk-typed")
        screen.wait("Stored the secret")
        assert screen.ends() == 0
        assert not {PASSPHRASE, "sk-typed", "wrong"} & set(screen.raw.split())


def test_a_chat_asks_for_it_and_goes_on_without_when_it_is_empty(
    vault: Path, home: Path, tmp_path: Path
) -> None:
    with Terminal("chat", "--root", tmp_path, home=home) as screen:
        screen.wait("Passphrase of")
        screen.say(PASSPHRASE)
        screen.wait(PROMPT)
        screen.say("Hi")
        screen.wait("Hello from the profile.")
        assert PASSPHRASE not in screen.raw
    model = script_of(["Hello without it."], tmp_path / "other.json")
    with Terminal("chat", "--root", tmp_path, "--model", model, home=home) as screen:
        screen.wait("go on without it")
        screen.say("")
        screen.wait("going on without its profile and its secrets")
        screen.wait(PROMPT)
        screen.say("Hi")
        screen.wait("Hello without it.")


def test_a_chat_without_a_terminal_says_that_it_goes_on_without(
    vault: Path, process: Process, tmp_path: Path
) -> None:
    model = script_of(["Hello without it."], tmp_path / "other.json")
    told = process("chat", "Hi", "--model", model, "--root", tmp_path)
    assert told.returncode == 0, told.stderr
    assert "Hello without it." in told.stdout
    assert "going on without its profile and its secrets" in told.stderr
    assert "SEASONED_PASSPHRASE_FILE" in told.stderr


def test_serve_asks_for_it_at_a_terminal_and_only_there(vault: Path, home: Path) -> None:
    args: Any = ("serve", "--http", "127.0.0.1:0")
    with Terminal(*args, home=home) as screen:
        screen.wait("Passphrase of")
        screen.say(PASSPHRASE)
        screen.wait("gateway on")
        screen.press(CTRL_C)
        assert screen.ends() == 0
        assert "going on without" not in screen.text
    with Terminal(*args, home=home) as screen:
        for _ in range(3):
            screen.wait("Passphrase of")
            screen.say("wrong")
        assert screen.ends() == 2
    alone = subprocess.Popen(
        [sys.executable, "-m", "seasoned", *args],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert alone.stderr is not None
    said = alone.stderr.readline()
    while "gateway on" not in said and alone.poll() is None:
        said += alone.stderr.readline()
    alone.send_signal(signal.SIGTERM)
    assert alone.wait(30) == 0
    alone.stderr.close()
    assert "going on without its profile and its secrets" in said


def test_a_profile_is_removed_after_a_question_but_not_the_one_in_use(
    vault: Path, home: Path, process: Process
) -> None:
    given = {"SEASONED_PASSPHRASE": PASSPHRASE}
    assert process("config", "init", "work", **given).returncode == 0
    refused = process("config", "remove", "work", **given)
    assert refused.returncode == 2
    assert "is in use" in refused.stderr
    for answer, left in (("n", "default"), ("y", None)):
        args = ("config", "remove", "default")
        with Terminal(*args, home=home, variables=given) as screen:
            screen.wait("Remove the profile default?")
            screen.say(answer)
            assert screen.ends() == 0
        listed = process("config", "profiles", **given).stdout
        assert ("default" in listed) is bool(left)
    missing = process("config", "remove", "default", "--yes", **given)
    assert missing.returncode == 3
