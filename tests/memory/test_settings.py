"""Memory and librarian from the settings, in the app, with a scripted model."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seasoned import AsyncSeasoned, Seasoned

pytestmark = pytest.mark.sqlite_only

pytest.importorskip("pydantic_ai")

PROMISE = "I promise to bring the blue folder to Ana."
NOTE = {"kind": "promise", "text": "A folder for Ana.", "message": 1, "quote": "blue folder"}
FACT = {"kind": "fact", "text": "They use Postgres.", "message": 3, "quote": "use Postgres"}
QUESTION = {"question": "Who is Ana?", "reason": "to know her"}
DATA: dict[str, Any] = {
    "observations": [{"observations": [NOTE, FACT], "settled": []}],
    "reflection": [{"text": "It is about a folder."}],
    "inquiries": [{"answers": [], "questions": [QUESTION]}],
    "conversation_lessons": [{"items": []}],
}
Talk = Callable[..., Any]


@pytest.fixture
def settings(tmp_path: Path, home: Path) -> dict[str, str]:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"data": DATA}))
    return {
        "SEASONED_HOME": str(home),
        "SEASONED_LLM__MODEL": f"scripted:{path}",
        "SEASONED_MEMORY__OBSERVE_TOKENS": "10",
        "SEASONED_KNOWLEDGE__ENABLED": "false",
        "SEASONED_BUFFER__FLUSH_SECONDS": "60",  # work only on demand
    }


def talked(chat: Any) -> None:
    for text in (PROMISE, "We use Postgres.", "Go on with it."):
        chat.turn(text)


def test_the_settings_name_the_model_that_remembers_and_asks(
    talk: Talk, opened: Callable[..., Seasoned], database_url: str, settings: dict[str, str]
) -> None:
    talked(talk())
    s = opened(database_url, environment=settings)
    made = s.memory.observe()
    assert (made.observations, made.by[:9]) == (2, "scripted:")
    assert s.memory.reflect().reflections == 1
    asked = s.librarian.ask("talk").asked
    assert [one.question for one in asked] == ["Who is Ana?"]
    status = s.status()
    assert status["memory"]["observations"] == 2
    assert (status["librarian"]["pending"], status["librarian"]["note"]) == (1, "")


def test_the_async_api_has_memory_and_librarian(
    talk: Talk, database_url: str, settings: dict[str, str]
) -> None:
    talked(talk())

    async def run() -> None:
        async with AsyncSeasoned(database_url, environment=settings) as s:
            assert (await s.memory.observe("talk")).observations == 2
            (one,) = (await s.librarian.ask()).asked
            await s.librarian.answer(one.id, "a colleague")
            story = await s.memory.show("talk")
            assert story.observations[0].text == "A folder for Ana."

    asyncio.run(run())
