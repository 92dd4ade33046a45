"""An agent of pydantic-ai that learns. With OPENAI_API_KEY it asks a real model, else a script."""

import os
import re

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from seasoned import Seasoned
from seasoned.adapters.pydantic_ai import Learning

script = iter(
    [{"day": "30 May 2027"}, {"day": "2027-05-30"}, "Booked.", {"day": "2027-06-01"}, "Done."]
)


def answer(messages, info):
    print("the model reads:", info.function_tools[0].description.replace("\n", " "))
    step = next(script)
    return ModelResponse(
        parts=[TextPart(step) if isinstance(step, str) else ToolCallPart("book_table", step)]
    )


def book_table(day: str) -> str:
    """Book a table."""
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", day):
        raise ModelRetry("day must be YYYY-MM-DD, e.g. 2027-01-31")
    return f"booked on {day}"


model = "openai:gpt-5-mini" if os.environ.get("OPENAI_API_KEY") else FunctionModel(answer)
with Seasoned(":memory:") as s:
    agent = Agent(model, tools=[book_table], capabilities=[Learning(s)])  # the one line
    for request in ("Book a table on 30 May 2027.", "And one on the first of June."):
        print(request, "→", agent.run_sync(request).output)
