"""An agent of smolagents that learns. With HF_TOKEN it asks a real model, else a script."""

import os
import re

from smolagents import ChatMessage, CodeAgent, InferenceClientModel, LogLevel, Model, tool

from seasoned import Seasoned
from seasoned.adapters.smolagents import learns


class Script(Model):
    steps = iter(["'30 May 2027'", "'2027-05-30'", "'2027-06-01'"])

    def generate(self, messages, **options):
        told = messages[0].content[0]["text"].partition("Notes from experience with tools:")[2]
        print("the model reads:", told.strip() or "no notes yet")
        call = f"final_answer(book_table({next(self.steps)}))"
        return ChatMessage(role="assistant", content=f"<code>\n{call}\n</code>")


@tool
def book_table(day: str) -> str:
    """Book a table.

    Args:
        day: The day.
    """
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", day):
        raise ValueError("day must be YYYY-MM-DD, e.g. 2027-01-31")
    return f"booked on {day}"


model = InferenceClientModel() if os.environ.get("HF_TOKEN") else Script()
with Seasoned(":memory:") as s:
    agent = CodeAgent(tools=[book_table], model=model, verbosity_level=LogLevel.OFF)
    agent = learns(s, agent)  # the one line
    for request in ("Book a table on 30 May 2027.", "And one on the first of June."):
        print(request, "→", agent.run(request))
