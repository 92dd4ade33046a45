"""One session changes the next: fixes, rules, preferences and promises carry over."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seasoned import Seasoned
from seasoned.llm.chat.scripted import Call, Say, Scripted, ScriptedRequest
from seasoned.recall.context import LayerRequest

QUICK = {"SEASONED_BUFFER__FLUSH_SECONDS": "0.02"}


def weather(city: str) -> str:
    """The weather in a city."""
    if city != "Oslo":
        raise ValueError(f"unknown city {city!r}; names are written as on the map")
    return "rain, 4 degrees"


def system(asked: ScriptedRequest) -> str:
    return "\n".join(part.content for part in asked.parameters.instruction_parts or [])


def eventually(holds: Callable[[], Any], seconds: float = 30) -> None:
    """Wait for work in the background."""
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends, "it did not happen"
        time.sleep(0.02)


@pytest.fixture
def lively(database_url: str, opened: Callable[..., Seasoned], home: Path) -> Callable[..., Any]:
    """Open Seasoned with quick workers and more settings."""

    def open_one(**settings: str) -> Seasoned:
        named = {f"SEASONED_{name.upper()}": value for name, value in settings.items()}
        return opened(database_url, environment={"SEASONED_HOME": str(home), **QUICK, **named})

    return open_one


def test_a_tool_does_not_fail_the_same_way_in_the_next_session(seasoned: Seasoned) -> None:
    def heeds_what_it_is_told(asked: ScriptedRequest) -> Say:
        (tool,) = (one for one in asked.parameters.function_tools if one.name == "weather")
        told = "use `Oslo` instead of `oslo`" in (tool.description or "")
        return Say(calls=(Call("weather", {"city": "Oslo" if told else "oslo"}),))

    right = Say(calls=(Call("weather", {"city": "Oslo"}),))
    model = Scripted(
        *(heeds_what_it_is_told, right, "Rain."),
        *(heeds_what_it_is_told, right, "Rain again."),
        *(heeds_what_it_is_told, "Still rain."),
    )
    with seasoned.agent(model, tools=[weather]) as agent:
        for day in ("monday", "tuesday"):  # two sessions that don't depend on one another
            agent.ask("What is the weather in the city of oslo?", session=day)
        events = list(agent.events("The weather in the city of oslo, please.", session="friday"))
    assert [event.tool.kind for event in events if event.tool] == ["started", "finished"]


def test_a_correction_becomes_a_rule_of_every_session(seasoned: Seasoned) -> None:
    model = Scripted("It is 39 degrees Fahrenheit.", "4 degrees.", "4 degrees.")
    with seasoned.agent(model) as agent:
        agent.ask("How warm is it?", session="monday")
        agent.ask("No, that is wrong. Always use degrees Celsius.", session="monday")
        seasoned.corrections.learn()
        agent.ask("How warm is it?", session="tuesday")
    assert "Celsius" in system(model.asked[2])


def test_a_preference_told_in_one_session_is_known_in_the_next(
    lively: Callable[..., Seasoned],
) -> None:
    seasoned = lively()
    model = Scripted("Noted.", "Sure.", "Bye.", "Tea, of course.")
    with seasoned.agent(model) as agent:
        for said in ("I prefer green tea to coffee.", "Can you look that up?", "Bye."):
            agent.ask(said, session="monday")
        agent.end(session="monday")
        eventually(lambda: any("tea" in one.content for one in seasoned.lessons()))
        agent.ask("Order me something to drink, tea or coffee.", session="tuesday")
    assert "green tea" in model.asked[3].text + system(model.asked[3])


def test_a_closed_session_taught_what_a_model_found_in_it(
    lively: Callable[..., Seasoned], tmp_path: Path
) -> None:
    found = {
        "kind": "fact",
        "content": "The staging server is called heron.",
        "confidence": "high",
        "subject": "staging server",
        "predicate": "is called",
        "object": "heron",
        "quotes": [{"message": 1, "text": "our staging server is heron"}],
    }
    script = tmp_path / "background.json"
    script.write_text(json.dumps({"data": {"conversation_lessons": [{"items": [found]}]}}))
    seasoned = lively(llm__model=f"scripted:{script}", memory__enabled="false")
    with seasoned.agent(Scripted("I see.", "Done.", "Heron.")) as agent:
        agent.ask("By the way, our staging server is heron.", session="monday")
        agent.ask("Deploy there.", session="monday")
        agent.end(session="monday")
        eventually(lambda: any("heron" in one.content for one in seasoned.lessons()))


def test_a_promise_made_at_the_start_of_a_long_conversation_is_kept(
    lively: Callable[..., Seasoned],
) -> None:
    seasoned = lively(agent__history_tokens="1500", memory__observe_tokens="300")
    promise = "I promise to send you the report on Friday."
    filler = "That is a long story, which begins in a small town by the sea. " * 3
    model = Scripted(promise, *[filler] * 98, "On Friday.")
    with seasoned.agent(model, session="long") as agent:
        agent.ask("When do I get the report?")
        for number in range(98):
            agent.ask(f"Tell me story number {number}.")
        agent.ask("What did you promise me?")
    last = model.asked[-1]
    assert len(seasoned.sessions.messages("long")) == 200
    assert len(last.messages) < 60
    assert "report on Friday" in last.text


def test_a_part_of_recall_that_hangs_does_not_hold_up_the_answer(
    lively: Callable[..., Seasoned],
) -> None:
    seasoned = lively(knowledge__deadline_seconds="0.2")

    def hangs(request: LayerRequest) -> list[str]:
        time.sleep(5)
        return []

    seasoned.provide("reflections", hangs)
    seasoned.teach("weather", fact="The station in Oslo is called Blindern.")
    model = Scripted("Rain.")
    with seasoned.agent(model) as agent:
        start = time.monotonic()
        assert agent.ask("The weather at the station in Oslo?") == "Rain."
        assert time.monotonic() - start < 4
    assert "Blindern" in model.asked[0].text


def test_personal_data_does_not_leave_and_comes_back(lively: Callable[..., Seasoned]) -> None:
    seasoned = lively(privacy__redact="true")
    card, mail, key = "4111 1111 1111 1111", "ana@example.com", "sk-proj-Abc123def456Ghi789jkl"
    seasoned.teach("mail", fact=f"Ana's address is {mail}.")
    sent: list[str] = []

    def send_mail(to: str, text: str) -> str:
        """Sends a mail."""
        sent.append(to)
        return f"sent to {to}; her card {card} is on file"

    def to_whom_it_was_told(asked: ScriptedRequest) -> Say:
        assert "<EMAIL_1>" in asked.text
        return Say(calls=(Call("send_mail", {"to": "<EMAIL_1>", "text": "Hello"}),))

    model = Scripted(to_whom_it_was_told, "I wrote to <EMAIL_1>.")
    with seasoned.agent(model, tools=[send_mail]) as agent:
        message = f"Mail Ana at {mail}; the key is {key}."
        assert agent.ask(message) == f"I wrote to {mail}."
    assert sent == [mail]
    out = "\n".join(asked.text + system(asked) for asked in model.asked)
    for secret in (mail, card, key):
        assert secret not in out
