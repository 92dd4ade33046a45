"""Sessions of our own agent with prepared answers: the desk shows what was told in each turn.

Only where the library of the agent is installed; the other sessions come from agents elsewhere.
"""

import json
from importlib.util import find_spec
from pathlib import Path
from random import Random

from seasoned.api import Seasoned
from seasoned.cli.desk.tasks import Task, order, table
from seasoned.core.clock import FixedClock

ANSWERS = 400  # in the chat, before its script ends
CHAT = (
    "This is a demonstration: no model answers, these words are prepared. Beside them you see what "
    "a model would have been told. Correct me, as in “no, answer in German”, and watch.",
    "Still prepared words. What you wrote was read all the same: a correction becomes a rule, and "
    "stands in the next prompt.",
)


def has_agent() -> bool:
    return find_spec("pydantic_ai") is not None


def chat_script(folder: Path) -> str:
    """Write the answers of the chat page; return the name of their model."""
    path = folder / "chat.json"
    path.write_text(json.dumps([CHAT[min(at, 1)] for at in range(ANSWERS)]), "utf-8")
    return f"scripted:{path}"


def play_turns(s: Seasoned, clock: FixedClock) -> None:
    random = Random(5)
    for number in range(3):
        clock.advance(seconds=40)
        tasks = (table(random), order(random), table(random))
        _play_session(s, f"front desk {number + 1}", tasks)


def _play_session(s: Seasoned, name: str, tasks: tuple[Task, ...]) -> None:
    """Let the agent do the tasks; it calls each tool as it should, having been told how."""
    from seasoned.llm.chat.scripted import Call, Say, Scripted

    steps = [
        step for task in tasks for step in (Say(calls=(Call(task.tool, task.right),)), task.reply)
    ]

    def book_table(day: str, guests: int, name: str) -> str:
        """Book a table."""
        return f"booked: {day}, {guests} guests, {name}"

    def get_order(order_id: str) -> str:
        """Look up an order."""
        return f"{order_id} is on its way"

    with s.agent(Scripted(*steps), tools=[book_table, get_order], built_in=()) as agent:
        for task in tasks:
            agent.ask(task.request, session=name)
