"""An agent reads what was learned about its tools in their descriptions."""

from collections.abc import Callable

import pytest

from seasoned import Seasoned
from seasoned.llm.chat.scripted import Call, Say, Scripted, ScriptedRequest

pytestmark = pytest.mark.sqlite_only

ROUND = "Give `amount` in cents."
LATER = "Ask before amounts above 500."


def pay(invoice: str, amount: int) -> str:
    """Pay an invoice."""
    return f"{invoice} is paid"


class Listener:
    """A model that says the same each time, and notes how the tools were described."""

    def __init__(self, answers: int) -> None:
        self.described: list[str] = []
        self.model = Scripted(*[self._answer] * answers)

    def _answer(self, asked: ScriptedRequest) -> Say:
        (tool,) = (one for one in asked.parameters.function_tools if one.name == "pay")
        self.described.append(tool.description or "")
        return Say("Well.")


def test_a_lesson_about_a_tool_is_in_its_description_and_not_in_the_prompt(
    seasoned: Seasoned,
) -> None:
    lesson = seasoned.teach("amount is wrong", fix=ROUND, tool="pay")
    heard: list[ScriptedRequest] = []

    def answer(asked: ScriptedRequest) -> Say:
        heard.append(asked)
        return Say("Paid.")

    with seasoned.agent(Scripted(answer), tools=[pay]) as agent:
        agent.ask("use the pay tool for invoice A17, the amount is wrong", session="s")
    (asked,) = heard
    (tool,) = (one for one in asked.parameters.function_tools if one.name == "pay")
    assert ROUND in (tool.description or "")
    assert ROUND not in asked.text
    (told,) = seasoned.sessions.told("s").values()
    assert ROUND in told
    assert lesson.id in told


def test_notes_stay_the_same_in_a_session_and_are_new_in_the_next(seasoned: Seasoned) -> None:
    seasoned.teach("amount is wrong", fix=ROUND, tool="pay")
    listener = Listener(3)
    with seasoned.agent(listener.model, tools=[pay]) as agent:
        agent.ask("hello", session="monday")
        seasoned.teach("refused by the bank", fix=LATER, tool="pay")
        agent.ask("hello again", session="monday")
        agent.ask("hello", session="tuesday")
    first, second, other = listener.described
    assert first == second
    assert ROUND in first
    assert LATER not in first
    assert LATER in other


def test_a_session_keeps_its_notes_when_the_process_is_another(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    listener = Listener(2)
    one = opened(database_url)
    one.teach("amount is wrong", fix=ROUND, tool="pay")
    with one.agent(listener.model, tools=[pay]) as agent:
        agent.ask("hello", session="monday")
    one.teach("refused by the bank", fix=LATER, tool="pay")
    one.close()
    with opened(database_url).agent(listener.model, tools=[pay]) as agent:
        agent.ask("hello again", session="monday")
    first, second = listener.described
    assert first == second
    assert LATER not in second


def test_a_tool_with_notes_still_works_and_is_learned_from(seasoned: Seasoned) -> None:
    seasoned.teach("amount is wrong", fix=ROUND, tool="pay")
    model = Scripted(Say(calls=(Call("pay", {"invoice": "A17", "amount": 1250}),)), "Paid.")
    with seasoned.agent(model, tools=[pay]) as agent:
        assert agent.ask("Pay A17.") == "Paid."
    assert {record.name: record.calls for record in seasoned.tools()}["pay"] == 1
