"""The services that can be asked for vectors: what each is asked, and how its answer is read."""

from typing import Any

from seasoned.llm.remote import Wire


def _openai_rows(answer: Any) -> list[Any]:
    items = answer["data"]
    placed = {item.get("index", place): item["embedding"] for place, item in enumerate(items)}
    return [placed[place] for place in range(len(items))]


def _with(question: dict[str, Any], name: str, dimensions: int) -> dict[str, Any]:
    return {**question, name: dimensions} if dimensions else question


OPENAI = Wire(
    name="openai",
    url="https://api.openai.com",
    version="/v1",
    path="/embeddings",
    default_model="text-embedding-3-small",
    most=2048,
    headers=lambda key: {"Authorization": f"Bearer {key}"},
    question=lambda model, texts, dimensions: _with(
        {"model": model, "input": texts}, "dimensions", dimensions
    ),
    rows=_openai_rows,
    key_variable="OPENAI_API_KEY",
    named_by_address=True,
)

GEMINI = Wire(
    name="gemini",
    url="https://generativelanguage.googleapis.com",
    version="/v1beta",
    path="/models/{model}:batchEmbedContents",
    default_model="gemini-embedding-001",
    most=100,
    headers=lambda key: {"x-goog-api-key": key},
    question=lambda model, texts, dimensions: {
        "requests": [
            _with(
                {"model": f"models/{model}", "content": {"parts": [{"text": text}]}},
                "outputDimensionality",
                dimensions,
            )
            for text in texts
        ]
    },
    rows=lambda answer: [item["values"] for item in answer["embeddings"]],
    key_variable="GEMINI_API_KEY",
)

OLLAMA = Wire(
    name="ollama",
    url="http://127.0.0.1:11434",
    version="",
    path="/api/embed",
    default_model="embeddinggemma",
    most=512,
    headers=lambda key: {"Authorization": f"Bearer {key}"},
    question=lambda model, texts, dimensions: _with(
        {"model": model, "input": texts}, "dimensions", dimensions
    ),
    rows=lambda answer: answer["embeddings"],
)

WIRES = {wire.name: wire for wire in (OPENAI, GEMINI, OLLAMA)}
