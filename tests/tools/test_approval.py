"""Approval: no dangerous call without a yes, and a yes covers exactly what it says."""

import asyncio
import time
from typing import Any

import pytest
from tests.tools.turns import Person, Played, Recorder, kinds, play, played

from seasoned.core.clock import FixedClock
from seasoned.core.errors import BadInput, ConfigError, NotFound
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.tools.approval import ApprovalRules, approval_need
from seasoned.tools.approval_store import Approvals
from seasoned.tools.calls import render_call
from seasoned.tools.run import ALLOW, DENY, ApprovalDecision, ToolEvent, ToolRun
from seasoned.tools.tool import tool
from seasoned.tools.toolset import toolset_from, wrapped

pytestmark = pytest.mark.sqlite_only

ANA = Scope(user="ana", session="s1")
ALWAYS = ApprovalDecision("always")
ALWAYS_TOOL = ApprovalDecision("always", reach="tool")


class Disk:
    """A dangerous tool and a harmless one; `wiped` records the calls that were made."""

    def __init__(self, rules: ApprovalRules | None = None, approvals: Any = None) -> None:
        self.wiped: list[str] = []
        self.learned = Recorder()

        @tool(dangerous=True)
        def wipe(disk: str) -> str:
            """Wipes a disk."""
            self.wiped.append(disk)
            return f"{disk} is empty"

        def look(disk: str) -> str:
            """Looks at a disk."""
            return f"{disk} is full"

        tools = toolset_from([wipe, look])
        self.tools = wrapped(tools, self.learned, rules=rules, approvals=approvals)

    def wipe(self, *disks: str, run: ToolRun) -> Played:
        return play(self.tools, [("wipe", {"disk": disk}) for disk in disks], run=run)


def test_a_dangerous_call_is_made_after_a_yes() -> None:
    disk, ana, shown = Disk(), Person([ALLOW]), list[ToolEvent]()
    answer = disk.wipe("a", run=ToolRun(ANA, ask=ana, tell=shown.append))
    assert answer.texts == ["a is empty"]
    assert ana.asked[0].shown == "wipe disk: a"
    assert kinds(shown) == ["started", "approval", "allowed", "finished"]


def test_a_no_is_told_to_the_model_kept_as_a_signal_and_learned_as_a_failure() -> None:
    disk, ana, shown = (
        Disk(),
        Person([ApprovalDecision("deny", "not on Fridays")]),
        list[ToolEvent](),
    )
    run = ToolRun(ANA, ask=ana, tell=shown.append)
    answer = disk.wipe("a", run=run)
    assert disk.wiped == []
    assert answer.outcomes == ["failed"]
    assert answer.texts[0].startswith("The user did not allow this call of wipe: not on Fridays.")
    assert [(one.tool, one.reason, one.by_user) for one in run.denied] == [
        ("wipe", "not on Fridays", True)
    ]
    assert disk.learned.calls[0].error == answer.texts[0]
    assert kinds(shown) == ["started", "approval", "denied", "failed"]


def test_a_denied_call_is_not_asked_for_again() -> None:
    disk, ana = Disk(), Person([DENY, ALLOW])
    play(disk.tools, *[[("wipe", {"disk": "a"})]] * 3, run=ToolRun(ANA, ask=ana))
    assert len(ana.asked) == 1
    assert disk.wiped == []


def test_without_an_answer_in_time_the_call_is_not_made() -> None:
    disk, asleep = Disk(ApprovalRules(timeout_seconds=0.1)), Person([ALLOW], takes_seconds=30)
    run, start = ToolRun(ANA, ask=asleep), time.monotonic()
    answer = disk.wipe("a", run=run)
    assert time.monotonic() - start < 5
    assert answer.texts[0].startswith(
        "Nobody allowed this call of wipe: nobody answered within 0.1"
    )
    assert disk.wiped == []
    assert not run.denied[0].by_user


@pytest.mark.parametrize(
    "ask",
    [
        None,
        Person([RuntimeError("the channel is gone")]),
        Person([ApprovalDecision("perhaps")]),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ],
)
def test_whatever_is_no_yes_is_a_no(ask: Person | None) -> None:
    disk = Disk()
    assert disk.wipe("a", run=ToolRun(ANA, ask=ask)).outcomes == ["failed"]
    assert disk.wiped == []


def test_a_turn_that_is_cancelled_while_asking_makes_no_call() -> None:
    disk, asleep = Disk(), Person([ALLOW], takes_seconds=30)

    async def cancelled() -> None:
        turn = played(disk.tools, [[("wipe", {"disk": "a"})]], ToolRun(ANA, ask=asleep))
        async with asyncio.timeout(0.3):
            await turn

    with pytest.raises(TimeoutError):
        asyncio.run(cancelled())
    assert disk.wiped == []


def test_parallel_calls_are_asked_for_one_by_one_and_each_has_its_own_answer() -> None:
    disk, ana = Disk(), Person([ALLOW, DENY, ALLOW], takes_seconds=0.02)
    answer = disk.wipe("a", "b", "c", run=ToolRun(ANA, ask=ana))
    asked = [request.params["disk"] for request in ana.asked]
    refused = asked[1]
    assert sorted(disk.wiped) == sorted(set("abc") - {refused})
    assert answer.outcomes.count("failed") == 1


def test_always_may_cover_one_exact_call(db: Database, clock: FixedClock) -> None:
    approvals = Approvals(db, clock)
    disk, ana = Disk(approvals=approvals), Person([ALWAYS, DENY])
    disk.wipe("a", run=ToolRun(ANA, ask=ana))
    disk.wipe("a", run=ToolRun(ANA.within("another session"), ask=ana))
    assert (disk.wiped, len(ana.asked)) == (["a", "a"], 1)
    disk.wipe("b", run=ToolRun(ANA, ask=ana))
    disk.wipe("a", run=ToolRun(Scope(user="bob"), ask=ana))
    assert (disk.wiped, len(ana.asked)) == (["a", "a"], 3)


def test_always_this_tool_spares_the_questions_that_wait(db: Database, clock: FixedClock) -> None:
    disk, ana = Disk(approvals=Approvals(db, clock)), Person([ALWAYS_TOOL, DENY])
    disk.wipe("a", "b", "c", run=ToolRun(ANA, ask=ana))
    assert (sorted(disk.wiped), len(ana.asked)) == (["a", "b", "c"], 1)


@pytest.mark.both_dialects
def test_an_approval_can_be_seen_and_taken_back(db: Database, clock: FixedClock) -> None:
    approvals = Approvals(db, clock)
    disk, ana = Disk(approvals=approvals), Person([ALWAYS, DENY])
    disk.wipe("a", run=ToolRun(ANA, ask=ana))

    async def taken_back() -> None:
        async with db.write() as tx:
            (approval,) = await approvals.store.list(tx, ANA)
            assert (approval.tool, approval.shown) == ("wipe", "wipe disk: a")
            with pytest.raises(NotFound):
                await approvals.store.remove(tx, Scope(user="bob"), approval.id)
            with pytest.raises(NotFound):
                await approvals.store.remove(tx, ANA, "")
            await approvals.store.remove(tx, ANA, approval.id[:6])
            assert await approvals.store.list(tx, ANA) == []

    db.run(taken_back())
    disk.wipe("a", run=ToolRun(ANA, ask=ana))
    assert disk.wiped == ["a"]


def test_several_approvals_that_begin_alike_are_not_mixed_up(
    db: Database, clock: FixedClock
) -> None:
    approvals = Approvals(db, clock)

    async def ambiguous() -> None:
        async with db.write() as tx:
            for number in range(40):  # more than there are first letters, so two share one
                await approvals.store.add(tx, ANA, f"tool{number}", "", "", 1)
            letters = [one.id[0] for one in await approvals.store.list(tx, ANA)]
            twice = next(letter for letter in letters if letters.count(letter) > 1)
            with pytest.raises(BadInput, match="several approvals"):
                await approvals.store.remove(tx, ANA, twice)

    db.run(ambiguous())


def test_a_sensitive_tool_is_asked_for_each_time(db: Database, clock: FixedClock) -> None:
    rules = ApprovalRules("none", sensitive=["lo*"])
    disk, ana = Disk(rules, Approvals(db, clock)), Person([ALWAYS_TOOL])
    for _ in range(2):
        play(disk.tools, [("look", {"disk": "a"})], run=ToolRun(ANA, ask=ana))
    assert [request.can_always for request in ana.asked] == [False, False]


@pytest.mark.parametrize(
    ("rules", "asked_for"),
    [
        (ApprovalRules(), {"wipe"}),
        (ApprovalRules("all"), {"wipe", "look"}),
        (ApprovalRules("configured"), set[str]()),
        (ApprovalRules("configured", sensitive=["look"]), {"look"}),
        (ApprovalRules("none"), set[str]()),
        (ApprovalRules("none", sensitive=["wipe"]), {"wipe"}),
        (ApprovalRules("all", exempt=["look"]), {"wipe"}),
        (ApprovalRules("all", sensitive=["*"], exempt=["*"]), set[str]()),
    ],
)
def test_exempt_comes_before_sensitive_and_sensitive_before_the_policy(
    rules: ApprovalRules, asked_for: set[str]
) -> None:
    tools = {"wipe": True, "look": False}
    wanted = {name for name, bad in tools.items() if approval_need(rules, name, dangerous=bad)}
    assert wanted == asked_for


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"approval\.policy is 'some'"):
        ApprovalRules("some")


def test_a_call_is_shown_as_it_is_made() -> None:
    hidden = "rm -rf ~ \x1b[2K\r ls \u202e gnp.exe"
    shown = render_call("run_script", {"script": hidden, "args": ["x"] * 500})
    assert "\\x1b[2K\\r" in shown
    assert "\\u202e" in shown
    assert shown.count('"x"') == 500  # the person sees the whole call
