"""Toolsets in a real agent's loop: what model, channel and learner see of a call."""

import asyncio
import threading
import time
from typing import Any

import pytest
from pydantic_ai.toolsets import FunctionToolset
from tests.tools.turns import Recorder, kinds, play, played

from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.fixes.hint import Hint
from seasoned.tools.approval import ApprovalRules
from seasoned.tools.guarded import GuardConfig
from seasoned.tools.run import ToolEvent, ToolRun
from seasoned.tools.tool import tool
from seasoned.tools.toolset import combine, toolset_from, wrapped

HINT = Hint("k3x9", "Use `podman` instead of `docker`.", 0.9)


def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


def test_a_call_is_made_shown_and_learned_from() -> None:
    learned, shown = Recorder(), list[ToolEvent]()
    run = ToolRun(Scope(session="s1"), tell=shown.append)
    answer = play(wrapped(toolset_from([add]), learned), [("add", {"a": 1, "b": 2})], run=run)
    assert answer.texts == ["3"]
    assert kinds(shown) == ["started", "finished"]
    (call,) = learned.calls
    assert (call.tool, call.params, call.result, call.session) == ("add", {"a": 1, "b": 2}, 3, "s1")
    assert call.duration_ms is not None
    assert call.id == shown[0].id


def test_an_exception_becomes_a_result_with_the_known_fix_beside_it() -> None:
    def start() -> None:
        """Starts a container."""
        raise RuntimeError("docker: command not found")

    learned, shown = Recorder(HINT), list[ToolEvent]()
    tools = wrapped(toolset_from([start]), learned)
    answer = play(tools, [("start", {})], run=ToolRun(tell=shown.append))
    assert answer.outcomes == ["failed"]
    assert answer.texts == [f"RuntimeError: docker: command not found\n\n{HINT}"]
    assert learned.calls[0].error == "RuntimeError: docker: command not found"
    assert kinds(shown) == ["started", "failed"]


def test_a_result_that_says_it_failed_is_a_failure_and_is_read_whole() -> None:
    def shell(command: str) -> dict[str, Any]:
        """Runs a command."""
        return {"exit_code": 2, "stdout": "half of it", "stderr": "no such file"}

    answer = play(wrapped(toolset_from([shell]), Recorder(HINT)), [("shell", {"command": "x"})])
    assert answer.outcomes == ["failed"]
    assert "half of it" in answer.texts[0]
    assert str(HINT) in answer.texts[0]


@pytest.mark.parametrize("given", [{"a": 1, "b": "two"}, {"a": 1}, '{"a": 1,', "[1, 2]"])
def test_wrong_arguments_never_end_the_turn_and_are_learned_from(given: Any) -> None:
    learned = Recorder(HINT)
    answer = play(wrapped(toolset_from([add]), learned), *[[("add", given)]] * 4)
    assert answer.outcomes == ["failed"] * 4
    assert "arguments" in answer.texts[0]
    assert str(HINT) in answer.texts[0]
    assert len(learned.calls) == 4


def test_a_learner_that_breaks_does_not_break_the_call(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("the disk is full")

    answer = play(wrapped(toolset_from([add]), broken), [("add", {"a": 1, "b": 2})])
    assert answer.texts == ["3"]
    assert "could not learn from a call of add" in caplog.text


def test_a_screen_that_breaks_does_not_break_the_turn(caplog: pytest.LogCaptureFixture) -> None:
    def broken(event: ToolEvent) -> None:
        raise RuntimeError("the terminal is gone")

    answer = play(
        wrapped(toolset_from([add]), Recorder()),
        [("add", {"a": 1, "b": 2})],
        run=ToolRun(tell=broken),
    )
    assert answer.texts == ["3"]
    assert "could not show that add has started" in caplog.text


def test_parallel_calls_run_at_once_and_each_is_learned_from() -> None:
    together = threading.Barrier(3, timeout=10)

    def meet(name: str) -> str:
        """Waits for the others."""
        together.wait()
        return name

    learned = Recorder()
    calls = [("meet", {"name": name}) for name in "abc"]
    assert play(wrapped(toolset_from([meet]), learned), calls).texts == ["a", "b", "c"]
    assert sorted(call.params["name"] for call in learned.calls) == ["a", "b", "c"]


def test_an_ordinary_function_does_not_hold_up_the_loop_and_a_slow_one_is_left_behind() -> None:
    def slow() -> None:
        """Takes its time."""
        time.sleep(3)

    async def run() -> tuple[str, int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticking = asyncio.create_task(tick())
        tools = wrapped(toolset_from([slow]), Recorder(), guard=GuardConfig(seconds=0.3))
        answer = await played(tools, [[("slow", {})]], ToolRun())
        ticking.cancel()
        return answer.texts[0], ticks

    start = time.monotonic()
    text, ticks = asyncio.run(run())
    assert text == "slow timed out after 0.3 s and was stopped"
    assert ticks > 5
    assert time.monotonic() - start < 2.5


def test_a_cancelled_turn_cancels_the_call_and_is_no_failure_of_the_tool() -> None:
    learned, shown, cleaned = Recorder(), list[ToolEvent](), list[bool]()
    begun = asyncio.Event()

    async def wait() -> None:
        """Waits."""
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            cleaned.append(True)

    async def run() -> None:
        tools = wrapped(toolset_from([wait]), learned)
        turn = asyncio.create_task(played(tools, [[("wait", {})]], ToolRun(tell=shown.append)))
        await begun.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn

    asyncio.run(run())
    assert cleaned == [True]
    assert learned.calls == []
    assert [event.text for event in shown] == ["", "cancelled"]


def test_secrets_in_results_and_errors_reach_neither_the_model_nor_the_learner() -> None:
    def settings(broken: bool) -> dict[str, str]:
        """Reads the settings."""
        if broken:
            raise RuntimeError("cannot log in with password=hunter2")
        return {"user": "ana", "api_key": "sk-0123456789abcdef0123", "note": "token=abcdef123456"}

    learned, shown = Recorder(), list[ToolEvent]()
    answer = play(
        wrapped(toolset_from([settings]), learned),
        [("settings", {"broken": False}), ("settings", {"broken": True})],
        run=ToolRun(tell=shown.append),
    )
    everything = f"{answer.texts} {learned.calls} {shown}"
    assert "ana" in everything
    for secret in ("hunter2", "0123456789abcdef", "abcdef123456"):
        assert secret not in everything
    assert answer.texts[1] == "RuntimeError: cannot log in with password=<secret>"


def test_a_huge_result_keeps_its_beginning_and_its_end() -> None:
    def dump() -> str:
        """Prints everything."""
        return "first" + "x" * 1_000_000 + "last"

    tools = wrapped(toolset_from([dump]), Recorder(), guard=GuardConfig(longest=1000))
    text = play(tools, [("dump", {})]).texts[0]
    assert len(text) < 1100
    assert text.startswith("first")
    assert text.endswith("last")


def test_a_failure_with_a_lot_to_say_is_still_a_failure() -> None:
    def build() -> dict[str, Any]:
        """Builds it."""
        return {"exit_code": 2, "stdout": "x" * 50_000, "stderr": "y" * 50_000 + " no such file"}

    learned = Recorder(HINT)
    answer = play(wrapped(toolset_from([build]), learned), [("build", {})])
    assert answer.outcomes == ["failed"]
    assert len(answer.texts[0]) < 32_000
    assert learned.calls[0].result["exit_code"] == 2
    assert str(HINT) in answer.texts[0]


def test_a_tool_can_neither_end_the_process_nor_drown_the_model() -> None:
    def leave(how: str) -> None:
        """Leaves."""
        if how == "exit":
            raise SystemExit(3)
        raise ValueError("x" * 1_000_000)

    tools = wrapped(toolset_from([leave]), Recorder())
    answer = play(tools, [("leave", {"how": "exit"}), ("leave", {"how": "shout"})])
    assert answer.texts[0] == "SystemExit: 3"
    assert len(answer.texts[1]) < 11_000


def test_the_same_failing_call_is_stopped_and_a_changed_one_is_not() -> None:
    made: list[str] = []

    def fetch(page: str) -> str:
        """Fetches a page."""
        made.append(page)
        raise OSError("unreachable")

    tools = wrapped(toolset_from([fetch]), Recorder(), guard=GuardConfig(failures=2))
    answer = play(tools, *[[("fetch", {"page": "a"})]] * 4, [("fetch", {"page": "b"})])
    assert made == ["a", "a", "b"]
    assert "has failed 2 times in this turn and was not made again" in answer.texts[3]
    assert answer.texts[4] == "OSError: unreachable"


def test_a_tool_is_not_called_endlessly_in_a_turn_but_again_in_the_next() -> None:
    tools = wrapped(toolset_from([add]), Recorder(), guard=GuardConfig(calls=2))
    calls = [[("add", {"a": 1, "b": number})] for number in range(3)]
    assert "which is the limit" in play(tools, *calls).texts[2]
    assert play(tools, calls[0]).texts == ["1"]


def test_an_async_function_is_a_tool_too_and_knows_its_run() -> None:
    from pydantic_ai import RunContext

    @tool(name="who_am_i", description="Tells who asks.")
    async def anything(ctx: RunContext[ToolRun]) -> str:
        return ctx.deps.scope.user

    tools = wrapped(toolset_from([anything]), Recorder())
    assert play(tools, [("who_am_i", {})], run=ToolRun(Scope(user="ana"))).texts == ["ana"]


def test_examples_reach_the_model_with_the_description() -> None:
    @tool(examples=[{"service": "web"}])
    def deploy(service: str) -> str:
        """Puts a service into production."""
        return service

    (made,) = toolset_from([deploy]).tools.values()
    assert made.description == (
        'Puts a service into production.\nExamples of arguments:\n- {"service":"web"}'
    )


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(BadInput, match="two tools called add"):
        toolset_from([add, add])
    with pytest.raises(BadInput, match="two tools called add"):
        combine([toolset_from([add]), toolset_from([add])])


def unknown_type(what: "Nowhere") -> None:  # type: ignore[name-defined]  # noqa: F821
    """Has a type that nobody knows."""


class Callable1:
    pass


NO_TOOLS: list[Any] = [
    (lambda: 1, "is not a valid tool name"),
    (staticmethod(add), "below @staticmethod"),
    ((number for number in ()), "is not a function"),
    (Callable1, "is not a function"),
    (unknown_type, "unknown_type cannot be a tool"),
]


@pytest.mark.parametrize(("function", "complaint"), NO_TOOLS)
def test_what_cannot_be_a_tool_is_refused_with_the_reason(function: Any, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        toolset_from([function])


def test_a_generator_is_no_tool() -> None:
    def numbers() -> Any:
        yield 1

    with pytest.raises(BadInput, match="return a list instead"):
        tool(numbers)


def test_a_foreign_toolset_that_defers_its_approval_is_asked_for_by_us() -> None:
    foreign = FunctionToolset[ToolRun](requires_approval=True)
    foreign.add_function(add)
    tools = wrapped(foreign, Recorder(), rules=ApprovalRules())
    answer = play(tools, [("add", {"a": 1, "b": 2})])
    assert answer.texts[0].startswith("Nobody allowed this call of add: there is nobody")
