"""An agent of the OpenAI Agents SDK that learns; it asks a script without OPENAI_API_KEY."""

import json
import os

from agents import Agent, Model, ModelResponse, Usage, function_tool
from openai.types.responses import ResponseOutputItem
from pydantic import TypeAdapter

from seasoned import Seasoned
from seasoned.adapters.openai_agents import LearningRunner


class Script(Model):
    steps = iter(["30 May 2027", "2027-05-30", "Booked.", "2027-06-01", "Done."])

    async def get_response(self, system_instructions, input, model_settings, tools, **options):
        print("the model reads:", tools[0].description.replace("\n", " "))
        step, make = next(self.steps), TypeAdapter(ResponseOutputItem).validate_python
        call = {"call_id": step, "name": "book_table", "arguments": json.dumps({"day": step})}
        said = {"id": step, "role": "assistant", "status": "completed", "type": "message"}
        said["content"] = [{"type": "output_text", "text": step, "annotations": []}]
        made = make(said if step.endswith(".") else {**call, "type": "function_call"})
        return ModelResponse(output=[made], usage=Usage(), response_id=None)

    stream_response = get_response  # of a real model


@function_tool
def book_table(day: str) -> None:
    """Book a table."""
    assert day[:4].isdigit(), "day must be YYYY-MM-DD, e.g. 2027-01-31"


model = None if os.environ.get("OPENAI_API_KEY") else Script()
agent = Agent("booker", model=model, tools=[book_table])
with Seasoned(":memory:") as s:
    runner = LearningRunner(s)  # the one line; use it as you used Runner
    for request in ("Book a table on 30 May 2027.", "And one on the first of June."):
        print(request, "→", runner.run_sync(agent, request).final_output)
