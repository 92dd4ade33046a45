"""Which lessons an agent read in a turn, where they stood, and why: told live and kept."""

import subprocess
import sys

import pytest

from seasoned import Seasoned
from seasoned.llm.chat.scripted import Call, Say, Scripted

pytestmark = pytest.mark.sqlite_only

RULE = "Answer in German."
NOTE = "Write `city` with a capital."
FIX = "Ask `stations` first."


def weather(city: str) -> str:
    """Look up the weather of a city."""
    raise OSError("the station is closed")


def test_what_is_recalled_is_told_before_the_answer_with_its_reason(seasoned: Seasoned) -> None:
    rule = seasoned.teach(rule=RULE)
    note = seasoned.teach("city is wrong", fix=NOTE, tool="weather")
    with seasoned.agent(Scripted("Guten Tag."), tools=[weather]) as agent:
        events = list(agent.events("Good morning!", session="s"))
    kinds = [one.kind for one in events]
    assert kinds.index("recalled") < kinds.index("chunk")
    (recalled,) = (one for one in events if one.kind == "recalled")
    told = {one.lesson: one for one in recalled.given or ()}
    assert (told[rule.id].place, told[rule.id].text) == ("prompt", RULE)
    assert told[rule.id].why
    assert told[note.id].place == "note"
    assert NOTE in told[note.id].text
    assert "weather" in told[note.id].why


def test_nothing_is_told_where_nothing_was_learned(seasoned: Seasoned) -> None:
    with seasoned.agent(Scripted("Good day.")) as agent:
        assert "recalled" not in [one.kind for one in agent.events("Good morning!", session="s")]


def test_a_session_keeps_what_was_given_in_each_turn_hints_included(seasoned: Seasoned) -> None:
    rule = seasoned.teach(rule=RULE)
    fix = seasoned.teach("the station is closed", fix=FIX, tool="weather")
    call = Call("weather", {"city": "oslo"})
    with seasoned.agent(
        Scripted("Guten Tag.", Say(calls=(call,)), "Morgen."), tools=[weather]
    ) as agent:
        agent.ask("Good morning!", session="s")
        events = list(agent.events("What is the weather in Oslo?", session="s"))
    (failed,) = (one.tool for one in events if one.tool and one.tool.kind == "failed")
    assert failed.hint == fix.id

    first, second = seasoned.sessions.given("s").values()
    (standing,) = (one for one in first if one.lesson == rule.id)
    assert standing.place == "prompt"
    assert standing.why
    assert standing.score is not None
    assert fix.id in [one.lesson for one in second if one.place == "hint"]
    assert fix.id not in [one.lesson for one in first if one.place == "hint"]
    assert rule.id in seasoned.sessions.lessons("s")[2]


def test_a_session_of_an_older_version_shows_its_lessons_without_reasons(
    seasoned: Seasoned,
) -> None:
    rule = seasoned.teach(rule=RULE)
    with seasoned.agent(Scripted("Guten Tag.")) as agent:
        agent.ask("Good morning!", session="s")
    body = f'{{"turn": "", "standing": [], "lessons": ["{rule.id}"]}}'

    async def rewrite() -> None:
        async with seasoned.inner.app.db.write() as tx:
            await tx.execute("UPDATE turn_steps SET body = ? WHERE step = 'context'", (body,))

    seasoned.inner.app.db.run(rewrite())
    ((given,),) = seasoned.sessions.given("s").values()
    assert (given.lesson, given.why, given.score) == (rule.id, "", None)


def test_looking_at_what_was_given_loads_no_model_library() -> None:
    code = "import sys, seasoned.agent.given; sys.exit('pydantic_ai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
