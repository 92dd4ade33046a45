"""The agent plans jobs by the calendar: with approval, for its user, told where it was asked."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.tools.turns import Recorder, play

from seasoned.core.authority import Caller
from seasoned.core.clock import FixedClock
from seasoned.core.events import Bus
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.db.unit import Unit
from seasoned.jobs.delivery import Deliverers
from seasoned.jobs.job import Schedule
from seasoned.jobs.jobs import Jobs
from seasoned.security.audit import AuditStore
from seasoned.tools.builtin.planned_jobs import PlannedJobs
from seasoned.tools.builtin.schedule import schedule_tools
from seasoned.tools.run import ALLOW, DENY, ApprovalDecision, ApprovalRequest, ToolRun
from seasoned.tools.toolset import toolset_from, wrapped

ANA, BOB = Scope("acme", "web", "ana", "s1"), Scope("acme", "web", "bob", "s1")
Call = Callable[..., str]


@pytest.fixture
def jobs(db: Database, clock: FixedClock) -> Jobs:
    return Jobs(Unit(db, AuditStore(db), Bus(), clock), Deliverers())


@pytest.fixture
def call(db: Database, clock: FixedClock, jobs: Jobs) -> Call:
    def play_one(name: str, scope: Scope = ANA, /, *, answer: Any = ALLOW, **params: Any) -> str:
        async def ask(request: ApprovalRequest) -> ApprovalDecision:
            asked.append(request.tool)
            return answer

        tools = toolset_from(schedule_tools(db, clock, jobs=PlannedJobs(jobs)))
        run = ToolRun(scope, ask=ask)
        return play(wrapped(tools, Recorder()), [(name, params)], run=run).texts[0]

    return play_one


asked: list[str] = []


def planned(db: Database, jobs: Jobs) -> list[Schedule]:
    return [*db.run(jobs.list_schedules(Caller(Scope())))]


def test_a_schedule_is_asked_for_and_belongs_to_its_user(
    db: Database, jobs: Jobs, call: Call
) -> None:
    asked.clear()
    said = call("schedule", what="Sum up the tickets", cron="30 7 * * 1-5", zone="Europe/Berlin")
    assert asked == ["schedule"]
    (made,) = planned(db, jobs)
    assert said.startswith(f"planned: [{made.id}]")
    assert made.work.scope == ANA.within("")
    assert made.work.deliver == "session:s1"
    assert (made.rule.kind, made.rule.text, made.rule.timezone) == (
        *("cron", "30 7 * * 1-5"),
        "Europe/Berlin",
    )


def test_without_approval_nothing_is_planned(db: Database, jobs: Jobs, call: Call) -> None:
    call("schedule", what="Delete everything", every="1h", answer=DENY)
    assert not planned(db, jobs)


def test_what_is_asked_in_a_channel_is_told_in_it(db: Database, jobs: Jobs, call: Call) -> None:
    guest = Scope("acme", "web", "telegram-9", "telegram:42:7")
    call("schedule", guest, what="Say hello", at="90m")
    (made,) = planned(db, jobs)
    assert made.work.deliver == "telegram:42:7"


def test_others_neither_see_nor_cancel_it(db: Database, jobs: Jobs, call: Call) -> None:
    call("remind", what="Water the plants", when="3h")
    call("schedule", what="Sum up the tickets", every="2 hours")
    (made,) = planned(db, jobs)
    listed = call("schedule_list")
    assert "Water the plants" in listed
    assert "Sum up the tickets" in listed
    for other in (BOB, Scope("acme", "web"), Scope()):
        assert call("schedule_list", other) == "nothing is planned"
        assert "nothing is scheduled" in call("schedule_cancel", other, name=made.id)
    assert "cancelled" in call("schedule_cancel", name=made.id[:8])
    assert not planned(db, jobs)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({}, "give one of cron, every and at"),
        ({"cron": "* * * * *", "every": "1h"}, "give one of cron, every and at"),
        ({"every": "10s"}, "too often"),
        ({"cron": "never"}, "fields"),
        ({"at": "2001-01-01T09:00"}, "is over"),
    ],
)
def test_a_wrong_time_is_told_to_the_model(call: Call, params: dict[str, str], said: str) -> None:
    assert said in call("schedule", what="Sum up", **params)


def test_tasks_that_begin_with_the_same_words_are_all_planned(
    db: Database, jobs: Jobs, call: Call
) -> None:
    for end in ("of the first project", "of the second project", "of the second project"):
        call("schedule", what=f"Summarise all tickets that were opened yesterday {end}", every="1d")
    names = sorted(one.work.name for one in planned(db, jobs))
    assert [name.rpartition(" ")[2] for name in names[1:]] == ["(2)", "(3)"]
