"""Shell tool: limits, no secrets, no code from values, no leftover processes."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.tools.turns import Recorder, call, play

from seasoned.core.errors import BadInput, NotFound
from seasoned.core.ids import new_id
from seasoned.tools.approval import ApprovalRules
from seasoned.tools.builtin.processes import safe_environment
from seasoned.tools.builtin.root import Root
from seasoned.tools.builtin.shell import Shell, ShellConfig, shell_tools
from seasoned.tools.guarded import GuardConfig
from seasoned.tools.run import ToolRun
from seasoned.tools.tool import spec_of
from seasoned.tools.toolset import toolset_from, wrapped

HARMLESS = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(Root(tmp_path), ShellConfig(seconds=20, longest=1000), HARMLESS)


@pytest.fixture(autouse=True)
def nothing_is_left_running() -> Generator[None]:
    before, descriptors = _children(), len(os.listdir("/proc/self/fd"))
    yield
    assert len(os.listdir("/proc/self/fd")) <= descriptors + 1
    until = time.monotonic() + 3
    while (left := _children() - before) and time.monotonic() < until:
        time.sleep(0.02)
    assert not left, "they are still there, running or as zombies"


def _children() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


def ran(work: Any) -> dict[str, Any]:
    return asyncio.run(work)


def test_a_program_runs_and_says_how_it_went(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    done = ran(shell.run_program(["pwd"], folder="sub"))
    assert done == {"exit_code": 0, "stdout": f"{tmp_path.resolve()}/sub\n"}
    failed = ran(shell.run_script("echo half; echo broken >&2; exit 3"))
    assert failed == {"exit_code": 3, "stdout": "half\n", "stderr": "broken\n"}


@pytest.mark.parametrize(
    "value",
    [
        "; touch pwned",
        "$(touch pwned)",
        "`touch pwned`",
        "a' b\" c",
        "-n",
        "x\ny",
        "* ? [a]",
        "é日",
    ],
)
def test_a_value_is_never_code(shell: Shell, tmp_path: Path, value: str) -> None:
    seen = ran(shell.run_program(["printf", "%s", value]))
    assert seen["stdout"] == value
    seen = ran(shell.run_script('printf %s "$1"', [value]))
    assert seen["stdout"] == value
    assert os.listdir(tmp_path) == []


def test_a_failing_program_is_a_failure_that_the_model_reads_whole(tmp_path: Path) -> None:
    learned = Recorder()
    tools = wrapped(toolset_from(shell_tools(tmp_path, HARMLESS)), learned)
    calls = [("run_program", {"argv": ["ls", "nowhere"]})]
    assert play(tools, calls).texts[0].startswith("Nobody allowed this call of run_program")
    assert all(spec_of(one).dangerous for one in shell_tools(tmp_path, HARMLESS))
    text = call(shell_tools(tmp_path, HARMLESS)[0], argv=["ls", "nowhere"])
    assert "No such file" in text
    assert '"exit_code":2' in text


def test_secrets_of_our_environment_are_not_passed_on(tmp_path: Path) -> None:
    ours = {
        **HARMLESS,
        "OPENAI_API_KEY": "sk-0123456789abcdef0123",
        "AWS_SECRET_ACCESS_KEY": "x",
        "SEASONED_DATABASE__URL": "postgresql://ana:pw@db/x",
        "SEASONED_PASSPHRASE": "of the vault",
        "SEASONED_PASSPHRASE_FILE": "passphrase",
        "SEASONED_PAYMENT__KEY": "t",
        "GITHUB_TOKEN": "t",
        "LC_PASSWORD": "p",
        "XDG_DATA": "https://ana:hunter2@example.com",
    }
    program, _ = shell_tools(tmp_path, ours)
    text = call(program, argv=["env"])
    assert "LANG=C.UTF-8" in text
    for part in ("OPENAI", "AWS", "SEASONED", "GITHUB", "LC_PASSWORD", "hunter2"):
        assert part not in text
    assert safe_environment(ours) == HARMLESS


def test_a_timeout_ends_the_program_and_its_children(shell: Shell) -> None:
    mark = new_id()
    start = time.monotonic()
    script = f'sleep 300 & (sh -c "sleep 301; : {mark}" &) ; echo begun; sleep 302'
    done = ran(shell.run_script(script, timeout_seconds=0.5))
    assert time.monotonic() - start < 10
    assert done["timed_out"] is True
    assert done["stdout"] == "begun\n"
    assert done["exit_code"] == -signal.SIGTERM
    assert "timed out after 0.5 s" in done["error"]
    assert not _running(mark)


def test_a_program_that_ignores_signals_is_killed(shell: Shell) -> None:
    program = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    done = ran(shell.run_program([sys.executable, "-c", program], timeout_seconds=1))
    assert done["exit_code"] == -signal.SIGKILL


def test_a_child_in_the_background_does_not_outlive_the_call(shell: Shell) -> None:
    mark, start = new_id(), time.monotonic()
    done = ran(shell.run_script(f'sh -c "sleep 60; : {mark}" & echo done'))
    assert done == {"exit_code": 0, "stdout": "done\n"}
    assert time.monotonic() - start < 10
    assert not _running(mark)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the process group is ended")
@pytest.mark.parametrize(
    "start",
    [
        'setsid sh -c "sleep 60; : {mark}" & sleep 0.2',
        '(setsid sh -c "(sleep 60; : {mark}) & sleep 60; : {mark}" &) & sleep 0.2',
        'env -i /usr/bin/setsid -f sh -c "sleep 60; : {mark}"; sleep 0.2',
        'setsid -f sh -c "trap : TERM HUP; sleep 60; sleep 60; : {mark}"; sleep 60',
    ],
)
def test_a_child_that_left_its_session_and_its_parent_ends_with_the_program(
    shell: Shell, start: str
) -> None:
    mark, begun = new_id(), time.monotonic()
    ran(shell.run_script(start.format(mark=mark), timeout_seconds=2))
    assert not _running(mark)
    assert time.monotonic() - begun < 10


def test_a_folder_that_is_a_link_out_of_the_root_is_refused(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    for folder in (outside, root / "inside"):
        folder.mkdir(parents=True)
    (root / "link").symlink_to(outside)
    shell = Shell(Root(root), ShellConfig(), HARMLESS)
    for folder in ("link", "inside/../link", str(root / "link")):
        with pytest.raises(BadInput, match="link"):
            ran(shell.run_program(["pwd"], folder=folder))
    assert ran(shell.run_program(["pwd"], folder="inside"))["stdout"] == f"{root / 'inside'}\n"


def test_a_cancelled_call_ends_its_program(shell: Shell) -> None:
    mark = new_id()

    async def cancelled() -> None:
        work = asyncio.create_task(shell.run_script(f'sh -c "sleep 60; : {mark}"'))
        await asyncio.sleep(0.3)
        assert _running(mark)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(cancelled())
    assert not _running(mark)


def test_a_call_that_is_cut_off_from_outside_ends_its_program(tmp_path: Path) -> None:
    mark = new_id()
    tools = wrapped(
        toolset_from(shell_tools(tmp_path, HARMLESS)),
        Recorder(),
        rules=ApprovalRules("none"),
        guard=GuardConfig(seconds=0.5),
    )
    script = f'sh -c "sleep 60; : {mark}"'
    answer = play(tools, [("run_script", {"script": script})] * 3)
    assert answer.texts == ["run_script timed out after 0.5 s and was stopped"] * 3
    assert not _running(mark)


def test_endless_output_keeps_its_beginning_and_its_end_and_little_memory(shell: Shell) -> None:
    before = psutil.Process().memory_info().rss
    done = ran(shell.run_script("echo first; head -c 200000000 /dev/zero; echo last"))
    assert done["stdout"].startswith("first\n")
    assert done["stdout"].endswith("last\n")
    assert "bytes left out" in done["stdout"]
    assert len(done["stdout"]) < 1200
    assert psutil.Process().memory_info().rss - before < 50_000_000
    done = ran(shell.run_program(["yes"], timeout_seconds=0.5))
    assert len(done["stdout"]) < 1200


def test_a_program_that_reads_gets_nothing_to_read(shell: Shell) -> None:
    assert ran(shell.run_program(["cat"]))["stdout"] == ""


def test_programs_run_at_once(tmp_path: Path) -> None:
    tools = toolset_from(shell_tools(tmp_path, HARMLESS))
    calls = [("run_program", {"argv": ["sleep", "0.7"]})] * 5
    start = time.monotonic()
    assert play(tools, calls, run=ToolRun()).outcomes == ["success"] * 5
    assert time.monotonic() - start < 3


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        ([], "no program to run"),
        ([""], "no program to run"),
        (["no-such-program-anywhere"], "no such program or folder"),
        (["printf", "a\0b"], "NUL"),
        (["/etc/passwd"], "cannot be run"),
    ],
)
def test_what_cannot_be_run_says_why(shell: Shell, argv: list[str], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        ran(shell.run_program(argv))


def test_bad_places_and_times_are_refused(shell: Shell) -> None:
    wrong: list[Any] = [{"folder": "../.."}, {"folder": "nowhere"}, {"timeout_seconds": 1e9}]
    for arguments in wrong:
        with pytest.raises((BadInput, NotFound)):
            ran(shell.run_program(["true"], **arguments))
    with pytest.raises(BadInput, match="the script is empty"):
        ran(shell.run_script("  "))


def _running(mark: str) -> bool:
    """Whether a process with this mark in its arguments still runs; zombies do not count."""
    for process in psutil.process_iter():
        try:
            if mark in " ".join(process.cmdline()) and process.status() != psutil.STATUS_ZOMBIE:
                return True
        except psutil.Error:
            continue
    return False
