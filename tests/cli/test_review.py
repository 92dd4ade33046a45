"""`seasoned review`: an operator decides on what was learned, with the evidence before them."""

import json
import os
import pty
import re
import select
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from seasoned import Seasoned

pytestmark = pytest.mark.sqlite_only

Answer = Callable[..., Any]
Call = Callable[..., Result]
Write = Callable[..., Path]

ERROR = "no free lane for parcel"


def candidate(session: str = "s1", lane: str = "slow", parcel: str = "p1") -> list[dict[str, Any]]:
    failed = {"parcel": parcel}
    return [
        {"tool": "sync", "params": failed, "error": f"{ERROR} {parcel}", "session": session},
        {
            "tool": "sync",
            "params": {**failed, "lane": lane},
            "result": "sent",
            "session": session,
        },
    ]


@pytest.fixture
def waiting(seasoned: Call, answer: Answer, transcript: Write) -> dict[str, Any]:
    """The one fix that waits."""
    seasoned("learn", transcript(candidate()))
    (item,) = answer("review")
    return item


def test_a_candidate_fix_is_listed_with_what_failed_and_what_worked(
    waiting: dict[str, Any],
) -> None:
    assert (waiting["kind"], waiting["witnesses"]) == ("fix", 1)
    assert waiting["lesson"]["status"] == "candidate"
    (repair,) = waiting["repairs"]
    assert repair["failed"] == {"tool": "sync", "params": {"parcel": "p1"}}
    assert ERROR in repair["error"]
    assert repair["worked"]["params"] == {"parcel": "p1", "lane": "slow"}


def test_an_accepted_fix_is_active_as_if_it_had_been_taught(
    seasoned: Call, answer: Answer, waiting: dict[str, Any]
) -> None:
    told = answer("review", "accept", waiting["id"])
    assert (told["status"], told["source"], told["confidence"]) == ("active", "operator", 0.9)
    params = ("--params", '{"parcel": "p9"}', "--session", "later")
    given = seasoned("observe", "sync", *params, "--error", f"{ERROR} p9").stdout
    assert "lane=slow" in given
    assert '"lane":"slow"' in given
    why = seasoned("lessons", "why", waiting["id"]).stdout
    assert "accepted by the operator" in why
    assert "9 worked of 10" in why
    assert answer("review") == []
    assert seasoned("audit", "verify").exit_code == 0


def test_a_rejected_fix_does_not_come_back_by_itself(
    seasoned: Call, answer: Answer, transcript: Write, waiting: dict[str, Any]
) -> None:
    assert answer("review", "reject", waiting["id"])["status"] == "retired"
    more = [call for n in range(3) for call in candidate(f"t{n}", parcel=f"q{n}")]
    seasoned("learn", transcript(more, "later.jsonl"))
    assert answer("review") == []
    assert answer("lessons", "list", "--status", "active") == []


def test_an_edited_fix_says_the_new_words_only(
    seasoned: Call, answer: Answer, waiting: dict[str, Any]
) -> None:
    told = answer("review", "edit", waiting["id"], "Name", "a", "lane.")
    assert (told["status"], told["content"]) == ("active", "Name a lane.")
    params = ("--params", '{"parcel": "p9"}', "--session", "later")
    given = seasoned("observe", "sync", *params, "--error", f"{ERROR} p9").stdout
    assert "Name a lane." in given
    assert "slow" not in given


def test_a_decision_can_be_changed(answer: Answer, waiting: dict[str, Any]) -> None:
    answer("review", "reject", waiting["id"])
    assert answer("review", "accept", waiting["id"])["status"] == "active"
    assert answer("review", "reject", waiting["id"])["status"] == "retired"


def test_most_evidence_comes_first(seasoned: Call, answer: Answer, home: Path) -> None:
    with Seasoned() as s:
        for number in range(3):
            session = f"m{number}"
            s.observe("mail", {"to": number}, error="no lane named", session=session)
            s.observe("mail", {"to": number}, "sent", session="elsewhere")
            s.observe("mail", {"to": number, "lane": number}, "sent", session=session)
        s.observe("sync", {"parcel": "p"}, error=ERROR, session="x")
        s.observe("sync", {"parcel": "p", "lane": "a"}, "sent", session="x")
    found = [item["witnesses"] for item in answer("review")]
    assert found == sorted(found, reverse=True)


def test_without_a_terminal_it_lists_and_says_how_to_decide(
    seasoned: Call, waiting: dict[str, Any]
) -> None:
    result = seasoned("review")
    assert result.exit_code == 0
    assert "1 of 1 · Fix" in result.stdout
    assert "sync" in result.stdout
    assert "seasoned review accept ID" in result.stderr


def test_with_nothing_to_decide_it_says_so(seasoned: Call) -> None:
    assert seasoned("review").stdout == "Nothing waits for review.\n"


def test_an_unknown_id_is_not_found(seasoned: Call) -> None:
    result = seasoned("review", "accept", "zzzzzz")
    assert result.exit_code == 3
    assert "`seasoned review` shows what waits" in result.stderr


@pytest.mark.parametrize("words", [" ", "x" * 700])
def test_new_words_must_be_some_and_not_too_many(
    seasoned: Call, answer: Answer, waiting: dict[str, Any], words: str
) -> None:
    assert seasoned("review", "edit", waiting["id"], words).exit_code == 2
    assert len(answer("review")) == 1


def test_candidates_of_all_projects_are_shown_outside_of_them(
    seasoned: Call, answer: Answer, transcript: Write
) -> None:
    calls = [
        {**call, "project": project, "session": project}
        for project in ("shop", "blog")
        for call in candidate(lane=project)
    ]
    seasoned("learn", transcript(calls))
    everything = answer("review")
    assert {item["lesson"]["scope"]["project"] for item in everything} == {"shop", "blog"}
    (one,) = answer("review", "--project", "shop")
    assert one["lesson"]["scope"]["project"] == "shop"
    assert answer("review", "accept", everything[0]["id"])["status"] == "active"


def test_an_open_conflict_is_shown_and_resolved(seasoned: Call, answer: Answer, home: Path) -> None:
    with Seasoned() as s:
        older = s.rules.add("Deploy with docker, not podman.").id
        newer = s.rules.add("Deploy with podman, not docker.").id
    (item,) = answer("review")
    assert item["kind"] == "conflict"
    assert (item["lesson"]["id"], item["earlier"]["id"]) == (newer, older)
    assert answer("review", "reject", item["id"])["id"] == older
    assert answer("review") == []
    assert answer("rules", "show", older)["status"] == "active"
    assert answer("rules", "show", newer)["status"] == "superseded"


def test_a_candidate_rule_is_shown_with_the_exchange(
    seasoned: Call, answer: Answer, home: Path
) -> None:
    from seasoned.core.scope import Scope
    from seasoned.lessons.lesson import Belief
    from seasoned.rules.case import Case, RuleDraft
    from seasoned.rules.rules import RuleOrigin

    case = Case(
        *("c1", 1, Scope(session="s1"), "we use yarn here", "instruction", 0.5),
        request="install it",
        reply="npm install",
    )
    draft = RuleDraft("preference", "Use yarn.", quotes=("we use yarn here",))

    with Seasoned() as s:
        app = s.inner.app

        async def learned(change: Any) -> None:
            origin = RuleOrigin(session="s1", prior=Belief(1, 1))
            saved = await app.rules.save(change, draft, Scope(), origin)
            assert await app.cases.take(change, case, "test", 1)
            await app.cases.settle(change, case.id, "learned", saved.rule.id, "", holds=False)

        s.inner.app.unit.drive(s.inner.app.unit.change(learned))
    (item,) = answer("review")
    assert item["kind"] == "rule"
    (exchange,) = item["exchanges"]
    assert (exchange["request"], exchange["reply"]) == ("install it", "npm install")
    assert exchange["said"] == "we use yarn here"
    shown = seasoned("review").stdout
    assert "asked   install it" in shown
    assert "said    we use yarn here" in shown
    assert answer("review", "accept", item["id"])["status"] == "active"


@pytest.mark.parametrize("columns", [80, 40])
def test_at_a_terminal_one_key_decides_and_earlier_keys_do_not_count(
    home: Path, transcript: Write, seasoned: Call, answer: Answer, columns: int
) -> None:
    tools = ("sync", "post", "ship")
    calls = [{**call, "tool": tool} for tool in tools for call in candidate(tool, lane=tool)]
    seasoned("learn", transcript(calls))
    before = len(answer("review"))
    typed = Terminal(columns)
    os.write(typed.screen, b"aaa")
    typed.press("r")
    typed.press("l")
    typed.press("q")
    shown = typed.finish()
    assert f"1 of {before} · Fix" in shown
    assert "[a]ccept [e]dit [r]eject [l]ater [q]uit" in shown
    assert "1 rejected, 1 for later" in shown
    assert max(map(len, shown.splitlines())) <= columns
    assert len(answer("review")) == before - 1


class Terminal:
    """A `seasoned review` at a terminal of its own."""

    def __init__(self, columns: int) -> None:
        self.shown = ""
        self.child, self.screen = pty.fork()
        if self.child == 0:
            variables = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm"}
            os.execve(sys.executable, [sys.executable, "-m", "seasoned", "review"], variables)

    def press(self, key: str) -> None:
        """Press a key when the question is there."""
        seen = self.shown.count("[q]uit")
        self._read(lambda: self.shown.count("[q]uit") > seen)
        time.sleep(0.3)  # what is typed before the question stands is dropped
        os.write(self.screen, key.encode())

    def finish(self) -> str:
        self._read(lambda: False)
        os.waitpid(self.child, 0)
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.shown).replace("\r", "")

    def _read(self, enough: Callable[[], bool]) -> None:
        end = time.monotonic() + 60
        while not enough() and time.monotonic() < end:
            if not select.select([self.screen], [], [], 1)[0]:
                continue
            try:
                self.shown += os.read(self.screen, 65536).decode("utf-8", "replace")
            except OSError:  # the process has ended
                return


def test_json_lists_what_tools_need(answer: Answer, waiting: dict[str, Any]) -> None:
    assert set(waiting) >= {"id", "kind", "reason", "witnesses", "lesson", "repairs", "exchanges"}
    assert json.dumps(waiting)
