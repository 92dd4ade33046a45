"""Who makes the calls in the eval of first calls: a real model, or a scripted reader."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any, Protocol, cast

from pydantic_ai.direct import model_request
from pydantic_ai.messages import InstructionPart, ModelRequest, TextPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings

from first_call_tools import SimulatedTool, Task
from seasoned.core.ids import digest
from seasoned.llm.chat.near_json import near_json

SYSTEM = "Call the tool for the user's request. Answer with its arguments as JSON."
MOST_TOKENS = 100


class Caller(Protocol):
    asked: int  # questions that were not answered from the cache

    def arguments(self, prompt: str, tool: SimulatedTool, task: Task) -> dict[str, Any]:
        """Return the arguments of the call that the prompt asks for."""
        ...


class ModelCaller:
    """A model by its name (`local:PATH.gguf`, `openai:…`); equal prompts are asked once."""

    def __init__(self, name: str, threads: int, cache: Path | None) -> None:
        from seasoned.llm.chat.providers import ChatConfig, chat_model

        self.name = name
        self.model = chat_model(name, config=ChatConfig(timeout_seconds=600, threads=threads)).model
        self.cache = cache
        self.asked = 0
        self.loop = asyncio.new_event_loop()
        self.known: dict[str, dict[str, Any]] = {}
        if cache is not None and cache.exists():
            for line in cache.read_text("utf-8").splitlines():
                row = json.loads(line)
                self.known[row["key"]] = row["args"]

    def arguments(self, prompt: str, tool: SimulatedTool, task: Task) -> dict[str, Any]:
        key = digest(Path(self.name).name, SYSTEM, prompt, json.dumps(tool.schema, sort_keys=True))
        if key not in self.known:
            self.known[key] = self._ask(prompt, tool)
            if self.cache is not None:
                with self.cache.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"key": key, "args": self.known[key]}) + "\n")
        return self.known[key]

    def _ask(self, prompt: str, tool: SimulatedTool) -> dict[str, Any]:
        self.asked += 1
        asked = ModelRequest.user_text_prompt(prompt, instructions=SYSTEM)
        wanted = ModelRequestParameters(
            output_mode="native",
            output_object=OutputObjectDefinition(json_schema=tool.schema, name="arguments"),
            instruction_parts=[InstructionPart(content=SYSTEM)],
        )
        settings: ModelSettings = {"max_tokens": MOST_TOKENS, "temperature": 0}
        answer = self.loop.run_until_complete(
            model_request(
                self.model, [asked], model_settings=settings, model_request_parameters=wanted
            )
        )
        said = "".join(part.content for part in answer.parts if isinstance(part, TextPart))
        made = near_json(said)
        return cast("dict[str, Any]", made) if isinstance(made, dict) else {}


class ScriptedCaller:
    """A reader that knows a quirk only if the prompt says it in words that tell it."""

    def __init__(self) -> None:
        self.asked = 0

    def arguments(self, prompt: str, tool: SimulatedTool, task: Task) -> dict[str, Any]:
        self.asked += 1
        told = re.search(tool.cue, prompt, re.DOTALL)
        return dict(task.right if told else task.naive)
