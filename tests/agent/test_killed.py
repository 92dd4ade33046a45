"""A process killed between any two steps of a turn: the next one resumes it, and loses nothing."""

import json
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import apsw
import pytest

FEWEST = 14  # the least number of transactions in the turn
CHILD = Path(__file__).with_name("killed_turn.py")
MESSAGE = "No, that is wrong. Always name the city. And the weather in oslo?"
CALLS = [
    {"calls": [{"tool": "weather", "args": {"city": "oslo"}, "id": "call-1"}]},
    {"calls": [{"tool": "weather", "args": {"city": "Oslo"}, "id": "call-2"}]},
    "In Oslo it rains.",
]


Run = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def run() -> Generator[Run]:
    """Yield a function that runs a turn in a process, killed after `after` transactions."""
    with subprocess.Popen(
        [sys.executable, str(CHILD)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        orders, answers = process.stdin, process.stdout
        assert orders is not None
        assert answers is not None

        def once(
            database: Path, script: list[Any], message: str, after: int = 0
        ) -> tuple[int, str]:
            orders.write(json.dumps([str(database), script, message, after]) + "\n")
            orders.flush()
            code, said = json.loads(answers.readline())
            assert code in (0, 9), said
            return code, said

        yield once
        orders.close()


def copy(database: Path, to: Path) -> None:
    """Back up the database, including its write-ahead log."""
    source, target = apsw.Connection(str(database)), apsw.Connection(str(to))
    with target.backup("main", source, "main") as backup:
        backup.step()


@pytest.fixture(scope="module")
def begun(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a session that has one reply to correct."""
    database = tmp_path_factory.mktemp("begun") / "begun.db"
    assert run(database, ["It rains."], "Weather?") == (0, "done It rains.")
    return database


@pytest.fixture(scope="module")
def whole(run: Run, begun: Path) -> dict[str, list[Any]]:
    """The expected content: the same turn without a kill."""
    database = begun.with_name("whole.db")
    copy(begun, database)
    assert run(database, CALLS, MESSAGE) == (0, "done In Oslo it rains.")
    return learned(database)


def learned(database: Path) -> dict[str, list[Any]]:
    """Return everything a turn stores, without times and random ids."""
    queries = {
        "lessons": "SELECT kind, status, content, worked, failed FROM lessons ORDER BY content",
        "tools": "SELECT name, calls, failures FROM tools ORDER BY name",
        "errors": "SELECT template, seen FROM errors ORDER BY template",
        "episodes": "SELECT tool, outcome FROM episodes ORDER BY tool",
        "queue": "SELECT id FROM queue_items ORDER BY id",
        "exchanges": "SELECT request, reply, tool_calls FROM exchanges",
        "turns": "SELECT turn, status FROM session_turns ORDER BY turn",
        "messages": "SELECT turn, role, text FROM session_messages ORDER BY seq",
    }
    connection: Any = apsw.Connection(str(database))
    return {name: connection.execute(query).fetchall() for name, query in queries.items()}


@pytest.mark.parametrize("after", range(1, 18))
def test_a_killed_turn_is_resumed(
    run: Run, begun: Path, whole: dict[str, list[Any]], after: int, tmp_path: Path
) -> None:
    database = tmp_path / "killed.db"
    copy(begun, database)
    killed, _ = run(database, CALLS, MESSAGE, after)
    if not killed:
        assert after > FEWEST, "the turn was to be killed, and went on"
        pytest.skip(f"the turn has fewer than {after} transactions")
    before = learned(database)
    if before["turns"][-1] == (2, "done"):
        assert before == whole
        return
    unknown = interrupted_calls(database)
    answered = sum(role == "assistant" for turn, role, _ in before["messages"] if turn == 2)
    code, said = run(database, CALLS[answered:], "")
    assert (code, said) == (0, "done In Oslo it rains.")
    after_all = learned(database)
    if not unknown:
        assert after_all == whole
        return
    # The outcome of an interrupted call is unknown, so it is neither repeated nor counted.
    assert [calls for _, calls, _ in after_all["tools"]] == [2 - len(unknown)]
    told = [text for turn, role, text in after_all["messages"] if (turn, role) == (2, "tool")]
    assert sum("whether it took effect is not known" in text for text in told) == len(unknown)
    assert after_all["turns"] == whole["turns"]
    assert after_all["queue"] == whole["queue"]


def interrupted_calls(database: Path) -> set[str]:
    """Return the tool calls that were begun and have no result."""
    connection: Any = apsw.Connection(str(database))
    names: list[str] = [step for (step,) in connection.execute("SELECT step FROM turn_steps")]
    begun = {step.removeprefix("begun:") for step in names if step.startswith("begun:")}
    return begun - {step.removeprefix("done:") for step in names if step.startswith("done:")}


def asked(database: Path, sql: str) -> list[Any]:
    connection: Any = apsw.Connection(str(database))
    return connection.execute(sql).fetchall()


def test_a_call_whose_secret_was_not_stored_is_not_made_with_its_mask(
    run: Run, begun: Path, tmp_path: Path
) -> None:
    """Killed after the model asked for a call: resumed, the call is told as not made."""
    script = [
        {"calls": [{"tool": "weather", "args": {"city": "password=hunter22"}, "id": "call-1"}]},
        "Which city?",
    ]
    resumed: list[str] = []
    for after in range(1, FEWEST + 1):
        database = tmp_path / f"{after}.db"
        copy(begun, database)
        code, _ = run(database, script, "Weather there?", after)
        if code != 9:
            break
        rows = asked(database, "SELECT body FROM session_messages ORDER BY seq")
        if "tool-call" in rows[-1][0] and "<secret>" in rows[-1][0]:
            assert run(database, ["Which city?"], "") == (0, "done Which city?")
            if ("begun:call-1",) not in asked(database, "SELECT step FROM turn_steps"):
                resumed.append("not made")
        assert b"hunter22" not in database.read_bytes()
    assert resumed
