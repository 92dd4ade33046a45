"""Secrets planted in every text that the public API takes: none of them is in the database file."""

import inspect
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from seasoned import Seasoned
from seasoned.core.errors import SeasonedError
from seasoned.graph.triple import Triple
from seasoned.llm.chat.scripted import Call, Say, Scripted

pytestmark = pytest.mark.sqlite_only

# Take functions, open files, or end what is tested: nothing to plant a text in.
NOT_CALLED = {"agent", "close", "make_face", "on", "provide", "tool", "drive", "session"}


class Plants:
    """Makes texts with secrets, and remembers the secrets."""

    def __init__(self) -> None:
        self.secrets: list[str] = []
        self._numbers = itertools.count(1)

    def text(self) -> str:
        number = next(self._numbers)
        token = f"xQ7{number:04d}bR2kW9pLz5mT8vN3cY6"
        password = f"k{number:04d}Zw4nV"
        self.secrets += [token, password]
        return f"Never use ghp_{token} with password={password} here"

    def found_in(self, folder: Path) -> list[str]:
        """Return the secrets in any file of a folder: the database, its log, exports."""
        stored = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
        return [secret for secret in self.secrets if secret[:12].encode() in stored]


# An argument by the words in its annotation, the first that fits; None for what holds no text.
ARGUMENTS: tuple[tuple[tuple[str, ...], Callable[[Plants], Any]], ...] = (
    (("Scope",), lambda plants: None),
    (("PathLike",), lambda plants: None),
    (("Progress",), lambda plants: None),
    (("Triple",), lambda plants: [Triple(plants.text(), "relatedTo", plants.text())]),
    (
        ("Mapping", "Sequence"),
        lambda plants: [
            {"tool": plants.text(), "params": {"a": plants.text()}, "error": plants.text()}
        ],
    ),
    (("Mapping",), lambda plants: {"text": plants.text(), plants.text(): [plants.text()]}),
    (("Sequence[str]",), lambda plants: [plants.text()]),
    (("Iterable[str]",), lambda plants: [plants.text()]),
    (("str",), lambda plants: plants.text()),
    (("Any",), lambda plants: plants.text()),
)


def planted(parameter: inspect.Parameter, plants: Plants) -> Any:
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        return None
    words = str(parameter.annotation)
    makers = (make for parts, make in ARGUMENTS if all(part in words for part in parts))
    make = next(makers, None)
    return make(plants) if make else None


def methods(s: Seasoned) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every public method of the facade and of its faces."""
    for name in dir(Seasoned):
        if name.startswith("_") or name in NOT_CALLED:
            continue
        found = getattr(s, name)
        if callable(found):
            yield name, found
        else:
            for inner in dir(found):
                if not inner.startswith("_") and inner not in (*NOT_CALLED, "inner"):
                    yield f"{name}.{inner}", getattr(found, inner)


def test_no_text_of_any_public_method_is_stored_with_a_secret(tmp_path: Path) -> None:
    plants = Plants()
    s = Seasoned(tmp_path / "x.db")
    accepted: set[str] = set()
    called = list(methods(s))
    for name, method in called:
        if name == "verify_audit":
            continue
        parameters = inspect.signature(method).parameters.values()
        given = {one.name: planted(one, plants) for one in parameters}
        needed = {one.name for one in parameters if one.default is one.empty}
        texts = {one: value for one, value in given.items() if value is not None}
        for chosen in (set(texts), needed, *({one} | needed for one in texts)):
            with suppress(SeasonedError, TypeError, ValueError, AttributeError, OSError):
                method(**{one: texts[one] for one in chosen if one in texts})
                accepted.add(name)
    s.observe("shell", {"cmd": plants.text()}, error=f"boom: {plants.text()}", session="one")
    s.observe("shell", {"cmd": "ls"}, "fine", session="one")
    for field in ("fix", "rule", "fact", "preference"):
        s.teach(plants.text(), **{field: plants.text()})  # type: ignore[arg-type]
    s.turn(plants.text(), plants.text(), session=plants.text())
    s.correct(f"No, that is wrong. {plants.text()}", request=plants.text(), reply=plants.text())
    assert s.verify_audit().intact
    s.close()
    assert plants.found_in(tmp_path) == []
    assert len(called) > 90
    assert len(accepted) > 50, sorted(accepted)


def test_a_chat_with_tools_stores_no_secret_but_works_with_it(tmp_path: Path) -> None:
    plants = Plants()
    message, argument, result, reply, name = (plants.text() for _ in range(5))
    got: list[str] = []

    def send(note: str) -> str:
        """Send a note."""
        got.append(note)
        if len(got) == 1:
            raise ValueError(result)
        return result

    model = Scripted(
        *(Say(calls=(Call("send", {"note": argument}),)) for _ in range(2)), Say(reply), "Fine."
    )
    s = Seasoned(tmp_path / "x.db")
    with s.agent(model, tools=[send], built_in=[], session=name) as agent:
        assert agent.ask(message) == reply
        agent.ask("And now?")
    assert message in model.asked[0].text  # the running turn has the real text
    assert got == [argument, argument]
    assert message not in model.asked[-1].text  # later ones have what is stored
    assert "password=<secret>" in model.asked[-1].text
    assert [one.role for one in s.sessions.messages(name)][:2] == ["user", "assistant"]
    s.close()
    assert plants.found_in(tmp_path) == []


def test_sessions_whose_names_hold_different_secrets_stay_apart(tmp_path: Path) -> None:
    names = [f"deploy with password=hunter{number}" for number in range(3)]
    with Seasoned(tmp_path / "x.db") as s:
        for name in names:
            s.turn("Is this another session?", "Fine.", session=name)
        assert len(s.sessions.list()) == 3
        assert [len(s.sessions.messages(name)) for name in names] == [2, 2, 2]
        s.reward("button", "red password=hunter1", 1.0)
        s.reward("button", "red password=hunter2", 0.0)
        chosen = s.adapt("button").choice
        assert chosen is not None
        assert chosen.arm.startswith("red password=<secret>~")
    assert b"hunter1" not in (tmp_path / "x.db").read_bytes()


def test_learning_from_a_transcript_stores_no_secret(tmp_path: Path) -> None:
    plants = Plants()
    old = tmp_path / "old.jsonl"
    calls = [
        {
            "type": "function",
            "id": "c1",
            "function": {"name": "run", "arguments": {"cmd": plants.text()}},
        }
    ]
    messages = [
        {"role": "user", "content": plants.text()},
        {"role": "assistant", "content": plants.text(), "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": f"Error: {plants.text()}"},
        {"role": "user", "content": f"No, that is wrong. {plants.text()}"},
    ]
    for call in calls:
        function: Any = call["function"]
        function["arguments"] = json.dumps(function["arguments"])
    old.write_text(json.dumps({"messages": messages}) + "\n")
    folder = tmp_path / "db"
    with Seasoned(folder / "x.db") as s:
        s.learn([old])
        assert s.errors()
    assert plants.found_in(folder) == []


def test_no_text_of_a_message_on_the_wire_is_stored_or_logged_with_a_secret(tmp_path: Path) -> None:
    plants, place = Plants(), tmp_path / "host"
    place.mkdir()
    host = subprocess.Popen(
        [sys.executable, "-m", "seasoned", "host", "--stdio"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "SEASONED_HOME": str(place)},
    )
    text = plants.text
    feedback = {
        "feedback_id": text(),
        "correlation_id": text(),
        "session_id": text(),
        "polarity": "NEGATIVE",
        "source": "HUMAN",
        "dimension": "helpfulness",
        "comment": text(),
        "prompt": text(),
        "response": text(),
        "correction": f"No, that is wrong. {text()}",
        "annotator_id": text(),
        "rated_turn": {
            **{one: text() for one in ("prompt", "response", "model", "version")},
            "environment": {text(): text()},
        },
        "model": text(),
        "environment": {text(): text()},
        "skill_name": text(),
        "tool_name": text(),
    }
    experience = {
        "experience_id": text(),
        "skill_name": text(),
        "session_id": text(),
        "reward": 0.5,
        "state": {text(): text()},
        "action": {"skill_name": text(), "input": {"a": text()}},
        "next_state": {"b": [text()]},
        "metadata": {text(): text()},
        "error": text(),
    }
    bodies: list[tuple[str, dict[str, Any]]] = [
        ("learn/feedback/req", {"feedbacks": [feedback]}),
        ("learn/feedback/req", {"feedbacks": text()}),
        ("learn/experience/req", {"experiences": [experience]}),
        ("learn/adapt/req", {"skill_name": text(), "strategy": "ucb1", "context": {"c": text()}}),
        ("learn/adapt/req", {"skill_name": "s", "strategy": text()}),
        ("learn/stats/req", {"skill_name": text()}),
        (text(), {}),
    ]
    sent = [
        json.dumps({"type": kind, "id": text(), "version": "1.0", "ts": 1.5, **body})
        for kind, body in bodies
    ]
    said, logged = host.communicate("\n".join((*sent, text(), "")).encode(), timeout=60)
    kinds = [json.loads(line)["type"] for line in said.splitlines()]
    assert {"learn/feedback/resp", "learn/experience/resp"} <= set(kinds), said.decode()[:900]
    (place / "log").write_bytes(logged)
    assert plants.found_in(place) == []
