"""The services whose models can be asked: what each is asked, and how its answer is read."""

import json
from typing import Any, cast

from seasoned.llm.json_schema import Schema, without_bounds
from seasoned.llm.model import Question, estimated_tokens
from seasoned.llm.remote_model import ModelWire, Reply, Without

CUT = "the answer was cut off; keep it short"
WINDOW = 4096  # Ollama cuts a prompt that does not fit, without a word, and loads for each size


def _tokens(usage: Any, *names: str) -> int | None:
    """The sum of some counts; None when the service does not count."""
    if not isinstance(usage, dict):
        return None
    counts = [cast("dict[str, Any]", usage).get(name) for name in names]
    whole = [count for count in counts if isinstance(count, int) and count >= 0]
    return sum(whole) if whole and counts[0] is not None else None


def _told(question: Question) -> str:
    """The system prompt for a service that takes no schema."""
    schema = json.dumps(question.schema.body, ensure_ascii=False)
    return f"{question.system}\n\nAnswer with one JSON object that satisfies this schema:\n{schema}"


def _openai_question(model: str, question: Question, without: Without) -> dict[str, Any]:
    body: dict[str, Any] = {"model": model}
    plain = "json_schema" in without
    system = _told(question) if plain else question.system
    body["messages"] = [
        {"role": "system", "content": system},
        {"role": "user", "content": question.prompt},
    ]
    limit = "max_tokens" if "max_completion_tokens" in without else "max_completion_tokens"
    body[limit] = question.most_tokens
    if "temperature" not in without:
        body["temperature"] = 0
    if not plain:
        taken = without_bounds(question.schema.body)
        schema = {"name": question.schema.name, "strict": True, "schema": taken}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif "json_object" not in without:
        body["response_format"] = {"type": "json_object"}
    return body


def _openai_reply(answer: Any) -> Reply:
    choice, usage = answer["choices"][0], answer.get("usage")
    message = choice["message"]
    trouble = CUT if choice.get("finish_reason") == "length" else ""
    if message.get("refusal"):
        trouble = f"the model refused: {message['refusal']}"
    return Reply(
        message.get("content") or "",
        _tokens(usage, "prompt_tokens"),
        _tokens(usage, "completion_tokens"),
        trouble,
    )


OPENAI = ModelWire(
    name="openai",
    url="https://api.openai.com",
    version="/v1",
    path="/chat/completions",
    headers=lambda key: {"Authorization": f"Bearer {key}"} if key else {},
    question=_openai_question,
    reply=_openai_reply,
    concessions=(
        ("temperature", "temperature"),  # models that think take none
        ("max_completion_tokens", "max_completion_tokens"),  # older servers
        ("json_schema", ""),
        ("json_object", "response_format"),
        ("json_object", "json_object"),
    ),
    key_variable="OPENAI_API_KEY",
)


def _anthropic_question(model: str, question: Question, without: Without) -> dict[str, Any]:
    name = question.schema.name
    tool = {
        "name": name,
        "description": "Takes the answer. Call it once, with the whole answer.",
        "input_schema": without_bounds(question.schema.body),
    }
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": question.most_tokens,
        "system": question.system,
        "messages": [{"role": "user", "content": question.prompt}],
        "tools": [tool],
        "tool_choice": {"type": "tool", "name": name},
    }
    if "temperature" not in without:
        body["temperature"] = 0
    if "tool_choice" in without:  # models that always think let no tool be forced
        body["tool_choice"] = {"type": "auto"}
        body["system"] += f"\n\nAnswer by calling the tool {name}, once, and with nothing else."
    return body


def _anthropic_reply(answer: Any) -> Reply:
    blocks, usage = answer["content"], answer.get("usage")
    called = [block["input"] for block in blocks if block["type"] == "tool_use"]
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    troubles = {"max_tokens": CUT, "refusal": "the model refused"}
    inputs = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Reply(
        called[0] if called else text,
        _tokens(usage, *inputs),
        _tokens(usage, "output_tokens"),
        troubles.get(answer.get("stop_reason") or "", ""),
    )


ANTHROPIC = ModelWire(
    name="anthropic",
    url="https://api.anthropic.com",
    version="/v1",
    path="/messages",
    headers=lambda key: {
        "anthropic-version": "2023-06-01",
        **({"x-api-key": key} if key else {}),
    },
    question=_anthropic_question,
    reply=_anthropic_reply,
    concessions=(("temperature", "temperature"), ("tool_choice", "tool_choice")),
    key_variable="ANTHROPIC_API_KEY",
)


def _gemini_question(model: str, question: Question, without: Without) -> dict[str, Any]:
    schema = without_bounds(question.schema.body)
    config: dict[str, Any] = {
        "responseMimeType": "application/json",
        "maxOutputTokens": question.most_tokens,
    }
    if "temperature" not in without:
        config["temperature"] = 0
    if "json_schema" in without:
        config["responseSchema"] = openapi(schema)
    else:
        config["responseJsonSchema"] = schema
    return {
        "systemInstruction": {"parts": [{"text": question.system}]},
        "contents": [{"role": "user", "parts": [{"text": question.prompt}]}],
        "generationConfig": config,
    }


def openapi(schema: Schema) -> dict[str, Any]:
    """A schema as older Gemini servers want it: null is a property, other keys go unmentioned.

    >>> openapi({"type": ["string", "null"], "enum": ["a", None]})
    {'type': 'string', 'nullable': True, 'enum': ['a']}
    """
    types = [schema["type"]] if isinstance(schema["type"], str) else list(schema["type"])
    made: dict[str, Any] = {"type": next(name for name in types if name != "null")}
    if "null" in types:
        made["nullable"] = True
    if "enum" in schema:
        made["enum"] = [one for one in schema["enum"] if one is not None]
    if "items" in schema:
        made["items"] = openapi(schema["items"])
    if "properties" in schema:
        made["properties"] = {name: openapi(one) for name, one in schema["properties"].items()}
    kept = ("description", "required")
    return {**made, **{name: schema[name] for name in kept if name in schema}}


def _gemini_reply(answer: Any) -> Reply:
    usage = answer.get("usageMetadata")
    tokens = (
        _tokens(usage, "promptTokenCount"),
        _tokens(usage, "candidatesTokenCount", "thoughtsTokenCount"),
    )
    if not answer.get("candidates"):
        blocked = answer["promptFeedback"].get("blockReason", "no reason is given")
        return Reply("", *tokens, f"the prompt was blocked: {blocked}")
    first = answer["candidates"][0]
    parts = first.get("content", {}).get("parts", [])
    text = "".join(part.get("text", "") for part in parts if not part.get("thought"))
    ended = first.get("finishReason") or "STOP"
    trouble = {"STOP": "", "MAX_TOKENS": CUT}.get(ended, f"the model stopped: {ended}")
    return Reply(text, *tokens, trouble)


GEMINI = ModelWire(
    name="gemini",
    url="https://generativelanguage.googleapis.com",
    version="/v1beta",
    path="/models/{model}:generateContent",
    headers=lambda key: {"x-goog-api-key": key} if key else {},
    question=_gemini_question,
    reply=_gemini_reply,
    concessions=(("temperature", "temperature"), ("json_schema", "schema")),
    key_variable="GEMINI_API_KEY",
)


def _ollama_question(model: str, question: Question, without: Without) -> dict[str, Any]:
    plain = "json_schema" in without
    system = _told(question) if plain else question.system
    needed = estimated_tokens(system + question.prompt) + question.most_tokens
    return {
        "model": model,
        "stream": False,
        "messages": [
            {"role": "system", "content": system},
            {"role": "user", "content": question.prompt},
        ],
        "format": "json" if plain else without_bounds(question.schema.body),
        "options": {
            "temperature": 0,
            "num_predict": question.most_tokens,
            "num_ctx": -(-needed // WINDOW) * WINDOW,
        },
    }


OLLAMA = ModelWire(
    name="ollama",
    url="http://127.0.0.1:11434",
    version="",
    path="/api/chat",
    headers=lambda key: {"Authorization": f"Bearer {key}"} if key else {},
    question=_ollama_question,
    reply=lambda answer: Reply(
        answer["message"]["content"],
        _tokens(answer, "prompt_eval_count"),
        _tokens(answer, "eval_count"),
        CUT if answer.get("done_reason") == "length" else "",
    ),
    concessions=(("json_schema", "format"), ("json_schema", "schema")),
)

MODEL_WIRES = {wire.name: wire for wire in (OPENAI, ANTHROPIC, GEMINI, OLLAMA)}
