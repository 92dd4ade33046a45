"""A small real model on this machine."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from pydantic_ai import Agent

from seasoned.core.errors import ConfigError, MissingExtra, ModelError
from seasoned.llm.chat.local import load_weights
from seasoned.llm.chat.providers import ChatConfig, chat_model
from seasoned.llm.chat.supervisor import Supervised
from seasoned.llm.model import AnswerSchema, Model, ModelQuestion

FOLDER = Path(os.environ.get("SEASONED_WEIGHTS") or "~/.cache/seasoned/weights").expanduser()
SMOLLM2 = FOLDER / "SmolLM2-135M-Instruct.Q4_1.gguf"
ONE_THREAD = ChatConfig(threads=1)


@pytest.fixture
def weights() -> Path:
    if not SMOLLM2.exists():
        pytest.skip(f"no weights at {SMOLLM2}; `python scripts/fetch_weights.py smollm2` gets them")
    return SMOLLM2


@pytest.mark.local_llm
def test_it_answers_plain_and_in_a_stream(weights: Path) -> None:
    model = Supervised([chat_model(f"local:{weights}", config=ONE_THREAD)])

    async def run() -> tuple[str, int, list[str]]:
        async with Agent(model, model_settings={"max_tokens": 16, "temperature": 0}) as agent:
            plain = await agent.run("Say hello.")
            async with agent.run_stream("Say hello.") as stream:
                pieces = [one async for one in stream.stream_text(delta=True, debounce_by=None)]
            return plain.output, plain.usage.output_tokens, pieces

    plain, tokens, pieces = anyio.run(run)
    assert plain
    assert "".join(pieces).strip()
    assert 0 < tokens <= 16
    assert len(pieces) > 2


@pytest.mark.local_llm
def test_it_keeps_to_a_schema_in_the_background(
    weights: Path, background: Callable[..., Model]
) -> None:
    schema = AnswerSchema(
        "colour",
        {
            "type": "object",
            "properties": {"colour": {"type": "string", "enum": ["red", "green"]}},
            "required": ["colour"],
            "additionalProperties": False,
        },
    )
    model = background(model=f"local:{weights}")
    answer = model.answer(ModelQuestion("You know colours.", "What colour is grass?", schema, 60))
    assert answer.data["colour"] in ("red", "green")
    assert answer.output_tokens > 0


@pytest.mark.local_llm
def test_a_file_is_loaded_once(weights: Path) -> None:
    assert load_weights(weights, 1) is load_weights(weights, 1)


def test_a_file_that_is_no_model_is_an_error_at_once(tmp_path: Path) -> None:
    file = tmp_path / "notes.gguf"
    file.write_text("these are notes")
    with pytest.raises(ConfigError, match="is not a GGUF file"):
        chat_model(f"local:{file}")


def test_a_file_that_is_broken_off_says_so_when_it_is_asked(tmp_path: Path) -> None:
    file = tmp_path / "half.gguf"
    file.write_bytes(b"GGUF" + b"\0" * 100)
    chat = chat_model(f"local:{file}", config=ONE_THREAD)

    async def run() -> None:
        await Agent(chat.model).run("Hi")

    with pytest.raises(ModelError, match=r"half\.gguf cannot be loaded .* is the file whole"):
        anyio.run(run)


def test_a_missing_package_is_told_with_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtra, match=r"need xllamacpp.* install .*\[local\]'"):
        chat_model(f"local:{file}")
