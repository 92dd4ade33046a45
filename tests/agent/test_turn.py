"""A turn of an agent, from message to answer, through the public API."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from seasoned import Seasoned
from seasoned.agent.turn import AgentEvent
from seasoned.api.agent import AgentFace
from seasoned.core.clock import FixedClock
from seasoned.core.errors import BadInput, TurnFailed
from seasoned.llm.chat.scripted import Call, Fail, Say, Scripted, ScriptedRequest
from seasoned.tools.run import ApprovalDecision, ApprovalRequest
from seasoned.tools.tool import tool

pytestmark = pytest.mark.sqlite_only


def weather(city: str) -> str:
    """The weather in a city."""
    if city != "Oslo":
        raise ValueError(f"unknown city {city!r}; names are written as on the map")
    return "rain, 4 degrees"


def kinds(events: list[AgentEvent]) -> list[str]:
    """Return the kinds of events, with consecutive repeats merged."""
    told = [f"tool {event.tool.kind}" if event.tool else event.kind for event in events]
    return [kind for place, kind in enumerate(told) if place == 0 or told[place - 1] != kind]


def test_a_reply_streams_and_is_whole_at_the_end(seasoned: Seasoned) -> None:
    model = Scripted(Say("It rains in Oslo, as so often.", thinking="Rain, surely."))
    with seasoned.agent(model) as agent:
        events = list(agent.events("What is the weather?"))
    assert kinds(events) == ["thinking", "chunk", "done"]
    assert len(events) > 3
    chunks = "".join(event.text for event in events if event.kind == "chunk")
    assert chunks == events[-1].text == "It rains in Oslo, as so often."
    assert events[-1].used is not None
    assert events[-1].used.requests == 1


def test_a_failed_tool_does_not_end_the_turn(seasoned: Seasoned) -> None:
    model = Scripted(
        Say(calls=(Call("weather", {"city": "oslo"}),)),
        Say(calls=(Call("weather", {"city": "Oslo"}),)),
        "Rain.",
    )
    with seasoned.agent(model, tools=[weather]) as agent:
        events = list(agent.events("Weather in oslo?"))
    wanted = "tool started", "tool failed", "tool started", "tool finished", "chunk", "done"
    assert kinds(events) == list(wanted)


def test_a_known_fix_comes_with_the_error_in_the_same_turn(seasoned: Seasoned) -> None:
    def follows_hints(asked: ScriptedRequest) -> Say:
        hinted = "use `Oslo` instead of `oslo`" in asked.text
        return Say(calls=(Call("weather", {"city": "Oslo" if hinted else "bergen"}),))

    wrong, right = (
        Call("weather", {"city": "oslo"}),
        Call("weather", {"city": "Oslo"}),
    )
    model = Scripted(
        *(Say(calls=(wrong,)), Say(calls=(right,)), "Rain."),
        *(Say(calls=(wrong,)), Say(calls=(right,)), "More rain."),
        *(Say(calls=(wrong,)), follows_hints, "Rain again."),
    )
    with seasoned.agent(model, tools=[weather]) as agent:
        for day in ("monday", "tuesday"):
            agent.ask("Weather in oslo?", session=day)
        events = list(agent.events("Weather in oslo?", session="friday"))
    tried = "tool started", "tool failed", "tool started", "tool finished"
    assert kinds(events) == ["recalled", *tried, "chunk", "done"]
    failed = next(event for event in events if event.tool and event.tool.kind == "failed")
    assert "use `Oslo` instead of `oslo`" in failed.text


def test_a_correction_reaches_the_very_next_prompt(seasoned: Seasoned) -> None:
    model = Scripted("The weather in Oslo is rain.", "Rain.", "Snow.")
    with seasoned.agent(model, session="chat") as agent:
        agent.ask("Weather in Oslo?")
        events = list(agent.events("No, that is wrong. Always answer in one word."))
        agent.ask("And in Bergen?")
    assert events[0].kind == "noticed"
    assert "one word" not in model.asked[0].text
    assert "one word" in model.asked[1].text.split("[LEARNED BEHAVIORAL RULES]")[1]
    later = model.asked[2].prompt
    assert later.startswith("And in Bergen?")
    assert "one word" in later


def test_earlier_messages_are_sent_again_unchanged(seasoned: Seasoned) -> None:
    seasoned.teach("oslo weather", fact="Oslo's weather station is called Blindern.")
    seasoned.teach(rule="Answer in Norwegian.")
    model = Scripted("Regn.", "Snø.", "Sol.")
    for question in ("Weather in Oslo at the station?", "In Bergen?", "In Oslo tomorrow?"):
        with seasoned.agent(model, session="chat") as agent:  # like a new process
            agent.ask(question)
    first, second, third = (sent(asked) for asked in model.asked)
    assert "Blindern" in first[-1]
    assert second[: len(first)] == first
    assert third[: len(second)] == second
    assert all("Answer in Norwegian." in system(asked) for asked in model.asked)


def sent(asked: ScriptedRequest) -> list[str]:
    return [
        str(getattr(part, "content", "")) for message in asked.messages for part in message.parts
    ]


def system(asked: ScriptedRequest) -> str:
    return "\n".join(part.content for part in asked.parameters.instruction_parts or [])


def test_the_system_prompt_stays_while_rules_are_learned(seasoned: Seasoned) -> None:
    seasoned.teach(rule="Answer in Norwegian.")
    model = Scripted("Regn.", "Regn!", "Sol.")
    with seasoned.agent(model, session="chat") as agent:
        agent.ask("Weather?")
        seasoned.teach(rule="Never use exclamation marks.")
        agent.ask("And now?")
        first, second = map(system, model.asked)
        assert first == second
        assert "Never use exclamation marks." in model.asked[1].prompt
        agent.ask("And now?", session="another")
    assert "Never use exclamation marks." in system(model.asked[2])


def test_a_rule_that_was_forgotten_leaves_the_system_prompt(seasoned: Seasoned) -> None:
    rule = seasoned.teach(rule="Answer in Norwegian.")
    model = Scripted("Regn.", "Rain.")
    with seasoned.agent(model, session="chat") as agent:
        agent.ask("Weather?")
        seasoned.forget(rule.id)
        agent.ask("And now?")
    assert "Norwegian" in system(model.asked[0])
    assert "Norwegian" not in system(model.asked[1])


def test_tools_of_one_answer_run_at_the_same_time(seasoned: Seasoned) -> None:
    together = asyncio.Barrier(3)

    async def slow(name: str) -> str:
        """Waits for its brothers."""
        async with asyncio.timeout(5):
            await together.wait()
        return name

    model = Scripted(Say(calls=tuple(Call("slow", {"name": name}) for name in "abc")), "All there.")
    with seasoned.agent(model, tools=[slow]) as agent:
        assert agent.ask("Go.") == "All there."
    results = [part.content for part in model.asked[1].messages[-1].parts]  # pyright: ignore
    assert results == ["a", "b", "c"]


@tool(dangerous=True)
def wipe(disk: str) -> str:
    """Erases a disk."""
    return f"{disk} is empty now"


def corrected(seasoned: Seasoned) -> list[str]:
    """Return the kinds of the pending corrections."""
    return [json.loads(one.body)["kind"] for one in seasoned.corrections.pending()]


def deciding(answer: Any, asked: list[ApprovalRequest]) -> Callable[..., Any]:
    async def ask(request: ApprovalRequest) -> ApprovalDecision:
        asked.append(request)
        return ApprovalDecision(answer, "not on a Friday" if answer == "deny" else "")

    return ask


def test_a_dangerous_tool_waits_for_a_yes(seasoned: Seasoned) -> None:
    model = Scripted(Say(calls=(Call("wipe", {"disk": "sda"}),)), "Done.")
    asked: list[ApprovalRequest] = []
    with seasoned.agent(model, tools=[wipe]) as agent:
        events = list(agent.events("Wipe sda.", ask=deciding("allow", asked)))
    assert kinds(events)[:4] == ["tool started", "tool approval", "tool allowed", "tool finished"]
    assert [one.shown for one in asked] == ["wipe disk: sda"]


def test_an_approval_for_always_is_asked_once(seasoned: Seasoned) -> None:
    call = Call("wipe", {"disk": "sda"})
    model = Scripted(Say(calls=(call,)), "Done.", Say(calls=(call,)), "Done again.")
    asked: list[ApprovalRequest] = []
    for _ in range(2):
        with seasoned.agent(model, tools=[wipe]) as agent:
            agent.ask("Wipe sda.", ask=deciding("always", asked))
    assert len(asked) == 1


def test_a_denied_tool_is_a_correction(seasoned: Seasoned) -> None:
    model = Scripted(Say(calls=(Call("wipe", {"disk": "sda"}),)), "Then I leave it.")
    with seasoned.agent(model, tools=[wipe], session="chat") as agent:
        agent.ask("Clean up.", ask=deciding("deny", []))
    returned = str(model.asked[1].messages[-1])
    assert "did not allow" in returned
    assert "not on a Friday" in returned
    assert corrected(seasoned) == ["denied"]


def test_with_nobody_to_ask_a_dangerous_tool_is_not_called(seasoned: Seasoned) -> None:
    model = Scripted(Say(calls=(Call("wipe", {"disk": "sda"}),)), "It was not allowed.")
    with seasoned.agent(model, tools=[wipe]) as agent:
        assert agent.ask("Wipe sda.") == "It was not allowed."
    assert "is empty now" not in model.asked[1].text


def test_stopping_a_turn_counts_as_an_interruption(seasoned: Seasoned) -> None:
    async def ponder() -> str:
        """Takes its time."""
        await asyncio.sleep(60)
        return "done"

    model = Scripted(Say("Well, that is a long story.", calls=(Call("ponder"),)), "Short.")
    with seasoned.agent(model, tools=[ponder], session="chat") as agent:
        events = agent.events("Tell me something.")
        assert next(events).kind == "chunk"
        events.close()
        assert agent.ask("Shorter!") == "Short."
    turns = seasoned.sessions.turns("chat")
    assert [turn.status for turn in turns] == ["cancelled", "done"]
    assert "interrupted" in corrected(seasoned)


def test_after_an_interrupt_no_further_piece_arrives(seasoned: Seasoned) -> None:
    """An answer that the model gives whole still arrives in pieces."""

    async def first_word() -> list[AgentEvent]:
        heard: list[AgentEvent] = []
        turn = talker.turn("Tell me something.")
        async for event in turn:
            if event.kind == "chunk" and not heard:
                turn.interrupt()
            heard.append(event)
        return heard

    talker = seasoned.inner.agent(Scripted(Say("Once upon a time. " * 50)), session="chat")
    heard = asyncio.run(first_word())
    assert kinds(heard) == ["chunk", "error"]
    assert len(heard) <= 3
    assert [turn.status for turn in seasoned.sessions.turns("chat")] == ["cancelled"]


def test_a_provider_that_fails_ends_the_turn_with_its_reason(seasoned: Seasoned) -> None:
    model = Scripted(Fail(400, "the prompt is too spicy"), "Fine now.")
    with seasoned.agent(model, session="chat") as agent:
        with pytest.raises(TurnFailed, match="too spicy"):
            agent.ask("Hello?")
        assert agent.ask("Hello again?") == "Fine now."
    assert [turn.status for turn in seasoned.sessions.turns("chat")] == ["failed", "done"]


def test_an_endless_turn_is_stopped(opened: Callable[..., Seasoned]) -> None:
    seasoned = opened(":memory:", environment={"SEASONED_AGENT__MAX_STEPS": "3"})
    model = Scripted(*[Say(calls=(Call("weather", {"city": "Oslo"}),))] * 9)
    agent = seasoned.agent(model, tools=[weather])
    with agent, pytest.raises(TurnFailed, match=r"stopped after 3 steps.*agent\.maxSteps"):
        agent.ask("Weather?")


def test_a_turn_that_takes_too_long_is_stopped(opened: Callable[..., Seasoned]) -> None:
    seasoned = opened(":memory:", environment={"SEASONED_AGENT__TURN_SECONDS": "0.2"})
    agent = seasoned.agent(Scripted(Say("Late.", delay_seconds=30)))
    with agent, pytest.raises(TurnFailed, match=r"longer than 0\.2 s"):
        agent.ask("Hello?")


def test_two_messages_at_once_are_answered_one_after_the_other(seasoned: Seasoned) -> None:
    model = Scripted(Say("First.", delay_seconds=0.2), "Second.")

    async def both(agent: AgentFace) -> list[str]:
        return [*await asyncio.gather(agent.inner.ask("One?"), agent.inner.ask("Two?"))]

    with seasoned.agent(model, session="chat") as agent:
        assert agent._run(both(agent)) == ["First.", "Second."]  # pyright: ignore
    assert [len(asked.messages) for asked in model.asked] == [1, 3]


def test_half_a_character_in_a_reply_does_not_break_the_session(seasoned: Seasoned) -> None:
    with seasoned.agent(Scripted("Done \ud83d now.", "Fine."), session="chat") as agent:
        agent.ask("Go on.")
        assert agent.ask("And?") == "Fine."
    said = [one.text for one in seasoned.sessions.messages("chat")]
    assert "Done \ufffd now." in said


def test_an_empty_message_is_refused(seasoned: Seasoned) -> None:
    with seasoned.agent(Scripted()) as agent, pytest.raises(BadInput, match="empty"):
        agent.ask("  \n")


def test_an_agent_without_a_model_says_how_to_get_one(seasoned: Seasoned) -> None:
    with pytest.raises(Exception, match="no model is set"):
        seasoned.agent()


@pytest.mark.both_dialects
def test_a_scheduled_task_runs_when_it_is_due(seasoned: Seasoned, clock: FixedClock) -> None:
    model = Scripted(
        Say(calls=(Call("remind", {"what": "Water the plants.", "when": "in 2 hours"}),)),
        *("I will.", "The plants want water."),
    )
    with seasoned.agent(model, session="chat") as agent:
        agent.ask("Remind me of the plants in two hours.")
        assert list(agent.due()) == []
        clock.advance(seconds=3 * 3600)
        done = [event for _, turn in agent.due() for event in turn]
        assert done[-1].text == "The plants want water."
        assert list(agent.due()) == []
    assert "Water the plants." in model.asked[2].prompt
    said = [one for one in seasoned.sessions.messages("chat") if one.role == "user"]
    assert [one.text for one in said] == ["Remind me of the plants in two hours."]


def test_a_persons_time_is_neither_the_turns_nor_the_tools(
    opened: Callable[..., Seasoned],
) -> None:
    seasoned = opened(":memory:", environment={"SEASONED_AGENT__TURN_SECONDS": "1.5"})

    async def slow_answer(request: ApprovalRequest) -> ApprovalDecision:
        await asyncio.sleep(2)
        return ApprovalDecision("allow")

    @tool(dangerous=True)
    def wipe() -> str:
        """Wipes the disk."""
        return "clean"

    model = Scripted(Say(calls=(Call("wipe"),)), "Done.")
    with seasoned.agent(model, tools=[wipe]) as agent:
        events = list(agent.events("Wipe it.", ask=slow_answer))
    assert events[-1].text == "Done."
    (finished,) = [one.tool for one in events if one.tool and one.tool.kind == "finished"]
    assert finished.duration_ms is not None
    assert finished.duration_ms < 1000


def test_an_approval_can_be_decided_while_iterating(seasoned: Seasoned) -> None:
    @tool(dangerous=True)
    def wipe() -> str:
        """Wipes the disk."""
        return "clean"

    with seasoned.agent(Scripted(Say(calls=(Call("wipe"),)), "Done."), tools=[wipe]) as agent:
        told: list[str] = []
        events = agent.events("Wipe it.")
        for event in events:
            if event.kind == "approval" and event.tool and event.tool.request:
                assert events.is_waiting(event.tool.request.id)
                events.decide(event.tool.request.id, ApprovalDecision("allow"))
            told += [event.tool.kind] if event.tool else []
    assert told == ["started", "approval", "allowed", "finished"]


def test_what_was_said_before_an_interrupt_is_in_the_session(seasoned: Seasoned) -> None:
    model = Scripted(Say("One two three four five.", pause_seconds=0.05), "Go on.")
    with seasoned.agent(model, session="chat") as agent:
        events = agent.events("Count.")
        for event in events:
            if event.kind == "chunk":
                events.interrupt()
        agent.ask("And then?")
    said = [one.text for one in seasoned.sessions.messages("chat") if one.role == "assistant"]
    assert said == ["One two thre", "Go on."]
    assert "One two thre" in model.asked[1].text


def test_a_forgotten_correction_is_not_learned_later(seasoned: Seasoned) -> None:
    with seasoned.agent(Scripted("Hello, my friend.", "Hi."), session="chat") as agent:
        agent.ask("Hello")
        events = list(agent.events("No, that is wrong. Always answer in one word."))
    (noticed,) = [event for event in events if event.kind == "noticed"]
    assert noticed.lesson is not None
    seasoned.forget(noticed.lesson)
    seasoned.corrections.learn()
    assert seasoned.rules.list(status="active", provisional=True) == []
