"""The same flows with a small real language model on this machine."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from seasoned import Seasoned

FOLDER = Path(os.environ.get("SEASONED_WEIGHTS") or "~/.cache/seasoned/weights").expanduser()
QWEN = FOLDER / "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"

pytestmark = [pytest.mark.local_llm, pytest.mark.timeout(900)]


@pytest.fixture
def seasoned(opened: Callable[..., Seasoned]) -> Seasoned:
    if not QWEN.exists():
        pytest.skip(f"no weights at {QWEN}; `python scripts/fetch_weights.py qwen` gets them")
    settings = {
        "SEASONED_AGENT__MODEL": f"local:{QWEN}",
        "SEASONED_LLM__TIMEOUT_SECONDS": "300",
        "SEASONED_AGENT__TURN_SECONDS": "600",
        "SEASONED_AGENT__MAX_STEPS": "6",
        "SEASONED_AGENT__INSTRUCTIONS": "Answer in at most ten words. Heed the notes.",
    }
    return opened(":memory:", environment=settings)


def test_what_was_told_in_one_session_is_said_in_another(seasoned: Seasoned) -> None:
    seasoned.teach("dog", fact="The user's dog is called Rex.", source="user")
    with seasoned.agent(built_in=[]) as agent:
        reply = agent.ask("What is the name of my dog?", session="tuesday")
    assert "Rex" in reply


def test_a_correction_changes_the_very_next_answer(seasoned: Seasoned) -> None:
    with seasoned.agent(built_in=[], session="chat") as agent:
        agent.ask("Which city is the capital of France?")
        reply = agent.ask("No, that is wrong. Always answer in capital letters. Which city?")
    assert "PARIS" in reply


def test_a_fix_that_was_found_in_one_session_is_used_in_the_next(seasoned: Seasoned) -> None:
    made: list[str] = []

    def stock(product: str) -> str:
        """How many pieces of a product are in stock."""
        made.append(product)
        if not product.startswith("SKU-"):
            raise ValueError(f"unknown product {product}; write it as SKU-{product}")
        return "42 pieces"

    seasoned.observe(
        "stock", {"product": "7001"}, error="ValueError: unknown product 7001; write it as SKU-7001"
    )
    seasoned.observe("stock", {"product": "SKU-7001"}, result="42 pieces")
    with seasoned.agent(built_in=[], tools=[stock]) as agent:
        reply = agent.ask("How many pieces of product 8002 are in stock?")
    assert made[-1] == "SKU-8002"
    assert "42" in reply
