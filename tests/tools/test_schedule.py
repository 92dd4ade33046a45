"""The schedule: each task runs once, on time, in one process, even after a crash."""

import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest
from tests.tools.turns import Recorder, play

from seasoned.core.clock import DAY, HOUR, MINUTE, SECOND, FixedClock
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Database
from seasoned.db.opening import open_database
from seasoned.db.unit import transact
from seasoned.tools.builtin.planned_times import parse_seconds, parse_time
from seasoned.tools.builtin.schedule import ScheduleConfig, schedule_tools
from seasoned.tools.builtin.schedule_store import CLAIM, MOST_RETRIES, Schedule, ScheduleStore
from seasoned.tools.run import ALLOW, ApprovalDecision, ApprovalRequest, ToolRun
from seasoned.tools.toolset import toolset_from, wrapped

ANA = Scope(project="web", user="ana", session="s1")

Work = Callable[[Connection], Coroutine[Any, Any, Any]]


class Plan:
    def __init__(self, db: Database, clock: FixedClock) -> None:
        self.db = db
        self.clock = clock
        self.store = ScheduleStore()

    def do(self, work: Work) -> Any:
        return self.db.run(transact(self.db, work))

    def add(self, prompt: str, seconds: int = 60, every: int = 0) -> Schedule:
        now = self.clock.now()
        at = now + seconds * SECOND
        return self.do(lambda tx: self.store.add(tx, ANA, prompt, at, now, every_seconds=every))

    def due(self) -> Sequence[Schedule]:
        return self.do(lambda tx: self.store.due(tx, self.clock.now(), 10))

    def done(self, one: Schedule) -> bool:
        return self.do(lambda tx: self.store.done(tx, one, self.clock.now()))

    def failed(self, one: Schedule, error: str = "no model") -> bool:
        return self.do(lambda tx: self.store.failed(tx, one, error, self.clock.now()))

    def all(self) -> Sequence[Schedule]:
        return self.do(lambda tx: self.store.list(tx, ANA, every=True))

    def call(self, name: str, config: ScheduleConfig | None = None, /, **params: Any) -> str:
        tools = toolset_from(schedule_tools(self.db, self.clock, config))
        run = ToolRun(ANA, ask=_allow)  # what repeats needs approval
        return play(wrapped(tools, Recorder()), [(name, params)], run=run).texts[0]


async def _allow(request: ApprovalRequest) -> ApprovalDecision:
    return ALLOW


@pytest.fixture
def plan(db: Database, clock: FixedClock) -> Plan:
    return Plan(db, clock)


def test_a_reminder_is_due_at_its_time_and_not_before(plan: Plan) -> None:
    said = plan.call("remind", what="Ask about the backup", when="2h")
    assert said.endswith(": Ask about the backup")
    assert plan.due() == []
    plan.clock.advance(seconds=7200)
    (one,) = plan.due()
    assert (one.prompt, one.scope) == ("Ask about the backup", ANA)
    assert plan.done(one)
    assert plan.due() == []
    assert [(row.status, row.runs) for row in plan.all()] == [("done", 1)]


def test_what_repeats_keeps_its_rhythm_and_does_not_catch_up(plan: Plan) -> None:
    plan.call("repeat", what="Summarise", every="1h")
    start = plan.clock.now()
    plan.clock.advance(seconds=5.5 * 3600)  # no process ran for a while
    (one,) = plan.due()
    assert plan.done(one)
    assert plan.due() == []
    (row,) = plan.all()
    assert (row.status, row.due_at) == ("waiting", start + 6 * HOUR)


def test_a_claimed_task_is_exclusive_until_the_claim_ends(plan: Plan) -> None:
    plan.add("once")
    plan.clock.advance(seconds=60)
    (claimed,) = plan.due()
    assert plan.due() == []
    plan.clock.advance(seconds=CLAIM / SECOND)  # the process that claimed it has died
    (again,) = plan.due()
    assert not plan.done(claimed), "the dead one came back: its claim is over"
    assert plan.done(again)
    assert plan.all()[0].runs == 1


def test_only_one_of_many_processes_claims_a_task(database_url: str, plan: Plan) -> None:
    for number in range(10):
        plan.add(f"job {number}")
    plan.clock.advance(seconds=60)
    got: list[str] = []
    begin = threading.Barrier(4)

    def worker() -> None:
        own = open_database(database_url, busy_seconds=20)
        own.run(own.open())
        other = Plan(own, plan.clock)
        begin.wait()
        for _ in range(5):
            got.extend(one.prompt for one in other.due())
        own.run(own.close())
        own.shutdown()

    workers = [threading.Thread(target=worker) for _ in range(4)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert sorted(got) == [f"job {number}" for number in range(10)]


def test_a_failure_is_retried_with_growing_delays_and_then_given_up(plan: Plan) -> None:
    plan.add("once")
    plan.clock.advance(seconds=60)
    waits: list[int] = []
    for _ in range(MOST_RETRIES):
        (one,) = plan.due()
        assert plan.failed(one, "cannot log in with password=hunter2")
        waits.append((plan.all()[0].claimed_until - plan.clock.now()) // MINUTE)
        assert plan.due() == []
        plan.clock.advance(seconds=waits[-1] * 60)
    assert waits == [1, 2, 4, 8, 16]
    (one,) = plan.due()
    assert plan.failed(one)
    (row,) = plan.all()
    assert (row.status, row.last_error) == ("done", "no model")


def test_secrets_in_an_error_are_not_kept(plan: Plan) -> None:
    plan.add("once")
    plan.clock.advance(seconds=60)
    plan.failed(plan.due()[0], "cannot log in with password=hunter2")
    assert plan.all()[0].last_error == "cannot log in with password=<secret>"


def test_a_failure_does_not_change_the_rhythm(plan: Plan) -> None:
    first = plan.add("daily", seconds=3600, every=86_400)
    plan.clock.advance(seconds=3600)
    (one,) = plan.due()
    plan.failed(one)
    plan.clock.advance(seconds=60)
    (one,) = plan.due()
    plan.done(one)
    (row,) = plan.all()
    assert (row.due_at, row.tries, row.last_error) == (first.due_at + DAY, 0, "")


def test_a_cancelled_task_is_not_completed_even_while_it_runs(plan: Plan) -> None:
    one = plan.add("again", every=3600)
    plan.clock.advance(seconds=60)
    (claimed,) = plan.due()
    assert "cancelled" in plan.call("schedule_cancel", name=one.id[:8])
    assert not plan.done(claimed)
    plan.clock.advance(days=2)
    assert plan.due() == []
    assert "nothing is scheduled as" in plan.call("schedule_cancel", name=one.id)


def test_a_user_sees_and_cancels_only_their_own(plan: Plan) -> None:
    one = plan.add("mine")
    bob = Scope(project="web", user="bob")

    async def other(tx: Connection) -> None:
        assert await plan.store.list(tx, bob) == []
        for name in (one.id, ""):
            with pytest.raises(NotFound):
                await plan.store.cancel(tx, bob, name)

    plan.do(other)
    assert "mine" in plan.call("schedule_list")


def test_there_is_a_limit_to_what_can_be_planned(plan: Plan) -> None:
    few = ScheduleConfig(most=1)
    assert plan.call("remind", few, what="a", when="1h").startswith("planned")
    assert "1 things are planned already" in plan.call("remind", few, what="b", when="1h")
    assert "too often" in plan.call("repeat", what="a", every="5s")
    assert "is over" in plan.call("remind", what="a", when="2001-01-01T00:00:00Z")
    assert "say what to do" in plan.call("remind", what="  ", when="1h")


@pytest.mark.parametrize(
    "text",
    ["soon", "", "3 months", "-5m", "0s", "9999999w", "1h tomorrow", "9999-12-31", "99999-01-01"],
)
def test_a_time_that_cannot_be_understood_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        parse_time(text, 1_700_000_000 * SECOND)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90 secs", 90),
        ("15min", 900),
        ("1 week", 604_800),
        ("2 hrs, 5 mins", 7500),
        ("a day", 86_400),
    ],
)
def test_times_are_understood_as_people_write_them(text: str, seconds: int) -> None:
    assert parse_seconds(text) == seconds


def test_parallel_plans_are_all_kept(plan: Plan) -> None:
    tools = wrapped(toolset_from(schedule_tools(plan.db, plan.clock)), Recorder())
    calls = [("remind", {"what": f"job {number}", "when": "1h"}) for number in range(8)]
    assert all("planned" in text for text in play(tools, calls, run=ToolRun(ANA)).texts)
    assert len(plan.all()) == 8
