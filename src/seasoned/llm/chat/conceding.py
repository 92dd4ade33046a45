"""Repeat a refused request without the option that the server refused.

Servers that speak a provider's format often know only a part of it: no temperature, no JSON schema,
no tool that must be called. `structured.py` checks the answer whichever way it came.
"""

import json
from dataclasses import replace
from typing import Any

from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import InstructionPart, ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

REFUSED = (400, 422)
# Options that can be given up, and a word that the refusal of each contains; the first that applies
# to the request is dropped. Any refusal may be about the schema.
OPTIONS = (
    ("temperature", "temperature"),
    ("max_completion_tokens", "max_completion_tokens"),
    ("tool_choice", "tool_choice"),
    ("json_schema", ""),
    ("json_object", "response_format"),
    ("json_object", "json_object"),
)


class Conceding(WrapperModel):
    """Drop refused options one by one; those whose removal helped stay away from then on."""

    def __init__(self, wrapped: Model) -> None:
        super().__init__(wrapped)
        self._dropped: frozenset[str] = frozenset()

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        mode = self.wrapped.profile.get("default_structured_output_mode", "tool")
        asked = model_request_parameters.with_default_output_mode(mode)
        dropped = self._dropped
        while True:
            settings = _settings_without(dropped, model_settings)
            parameters = _parameters_without(dropped, asked)
            try:
                response = await self.wrapped.request(messages, settings, parameters)
            except ModelHTTPError as error:
                option = _refused_option(error, settings, parameters) if _refuses(error) else ""
                if not option:
                    raise
                dropped |= {option}
            else:
                self._dropped = dropped
                return response


def _refuses(error: ModelHTTPError) -> bool:
    return error.status_code in REFUSED


def _refused_option(
    error: ModelHTTPError, settings: ModelSettings | None, parameters: ModelRequestParameters
) -> str:
    """Return the next option of this request to do without; empty if none is left."""
    said = json.dumps(error.body, default=str).lower()
    given = settings or ModelSettings()
    used = {
        "temperature": "temperature" in given,
        "max_completion_tokens": "max_tokens" in given,
        "tool_choice": parameters.output_mode == "tool" and not parameters.allow_text_output,
        "json_schema": parameters.output_mode == "native",
        "json_object": parameters.output_mode == "prompted",
    }
    return next((name for name, word in OPTIONS if used[name] and word in said), "")


def _settings_without(
    dropped: frozenset[str], settings: ModelSettings | None
) -> ModelSettings | None:
    if not settings:
        return settings
    kept: dict[str, Any] = dict(settings)
    if "temperature" in dropped:
        kept.pop("temperature", None)
    if "max_completion_tokens" in dropped and "max_tokens" in kept:
        kept["extra_body"] = {"max_tokens": kept.pop("max_tokens")}  # its older name
    return ModelSettings(**kept)


def _parameters_without(
    dropped: frozenset[str], parameters: ModelRequestParameters
) -> ModelRequestParameters:
    if "tool_choice" in dropped and parameters.output_mode == "tool":
        name = parameters.output_tools[0].name
        told = f"Answer by calling the tool {name}, once, and with nothing else."
        return _with_instruction(replace(parameters, allow_text_output=True), told)
    if parameters.output_mode != "native" or parameters.output_object is None:
        return parameters
    if "json_object" in dropped:
        schema = json.dumps(parameters.output_object.json_schema, ensure_ascii=False)
        plain = replace(parameters, output_mode="text", output_object=None, allow_text_output=True)
        told = f"Answer with one JSON object that satisfies this schema:\n{schema}"
        return _with_instruction(plain, told)
    if "json_schema" in dropped:
        return replace(parameters, output_mode="prompted")
    return parameters


def _with_instruction(parameters: ModelRequestParameters, text: str) -> ModelRequestParameters:
    parts = [*(parameters.instruction_parts or ()), InstructionPart(content=text)]
    return replace(parameters, instruction_parts=parts)
