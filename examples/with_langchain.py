"""An agent of LangChain that learns. With OPENAI_API_KEY it asks a real model, else a script."""

import os
import re

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from seasoned import Seasoned
from seasoned.adapters.langchain import LearningMiddleware


def call(day):
    return AIMessage("", tool_calls=[{"name": "book_table", "args": {"day": day}, "id": day}])


class Script(GenericFakeChatModel):
    def bind_tools(self, tools, **options):
        print("the model reads:", tools[0].description.replace("\n", " "))
        return self


def book_table(day: str) -> str:
    """Book a table."""
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", day):
        raise ValueError("day must be YYYY-MM-DD, e.g. 2027-01-31")
    return f"booked on {day}"


steps = [call("30 May 2027"), call("2027-05-30"), AIMessage("Booked.")]
steps += [call("2027-06-01"), AIMessage("Done.")]
model = "openai:gpt-5-mini" if os.environ.get("OPENAI_API_KEY") else Script(messages=iter(steps))
with Seasoned(":memory:") as s:
    learning = LearningMiddleware(s, tell_errors=True)  # the one line, and its place:
    agent = create_agent(model, [book_table], middleware=[learning])
    for request in ("Book a table on 30 May 2027.", "And one on the first of June."):
        result = agent.invoke({"messages": [{"role": "user", "content": request}]})
        print(request, "→", result["messages"][-1].text)
