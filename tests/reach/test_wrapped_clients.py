"""The plain `openai` and `anthropic` clients learn when they are wrapped, without any server."""

import asyncio
import json
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic
from openai import AsyncOpenAI, OpenAI
from tests.reach import story
from tests.reach.proxied import (
    provider,  # noqa: F401  # pyright: ignore[reportUnusedImport]
    run_tool,
    tell_story,
)
from tests.reach.test_proxy_anthropic import MessagesAgent
from tests.reach.test_proxy_openai import ChatAgent
from tests.server.proxies.provider import Call, Provider, Reply

from seasoned import AsyncSeasoned, Seasoned
from seasoned.adapters import anthropic_client, openai_client
from seasoned.core.errors import BadInput

QUICK = {
    "SEASONED_BEHAVIORAL__INTERVAL_SECONDS": "0.2",
    "SEASONED_BUFFER__FLUSH_SECONDS": "0.1",
    "SEASONED_PROXY__DEADLINE_SECONDS": "20",
}


@pytest.fixture
def s(tmp_path: Path) -> Generator[Seasoned]:
    home = {"SEASONED_HOME": str(tmp_path), **QUICK}
    with Seasoned(tmp_path / "seasoned.db", environment=home) as opened:
        yield opened


@pytest.mark.parametrize("streams", [False, True])
def test_an_openai_client_tells_the_story(
    provider: Provider,  # noqa: F811
    s: Seasoned,
    tmp_path: Path,
    streams: bool,
) -> None:
    with OpenAI(base_url=f"{provider.url}/v1", api_key="sk-x", max_retries=0) as plain:
        client = openai_client.learning(plain, s)
        assert isinstance(client, OpenAI)
        tell_story(provider, partial(ChatAgent, client, streams=streams), tmp_path)


@pytest.mark.parametrize("streams", [False, True])
def test_an_anthropic_client_tells_the_story(
    provider: Provider,  # noqa: F811
    s: Seasoned,
    tmp_path: Path,
    streams: bool,
) -> None:
    with Anthropic(base_url=provider.url, api_key="sk-x", max_retries=0) as plain:
        client = anthropic_client.learning(plain, s)
        tell_story(provider, partial(MessagesAgent, client, streams=streams), tmp_path)


class AsyncAgent:
    """An agent on an asynchronous client, driven by a loop of its own."""

    def __init__(self, run: Callable[[Any], Any], client: Any, *, streams: bool) -> None:
        self.run = run
        self.client = client
        self.streams = streams
        self.messages: list[Any] = [{"role": "system", "content": "You book tables."}]

    def ask(self, message: str) -> str:
        return self.run(self._ask(message))

    async def _ask(self, message: str) -> str:
        self.messages.append({"role": "user", "content": message})
        while True:
            reply = await self._reply()
            self.messages.append(reply)
            if not reply.get("tool_calls"):
                return reply["content"]
            for call in reply["tool_calls"]:
                output, _ = run_tool(json.loads(call["function"]["arguments"]))
                answer = {"role": "tool", "tool_call_id": call["id"], "content": output}
                self.messages.append(answer)

    async def _reply(self) -> dict[str, Any]:
        function = {"name": story.TOOL, "parameters": story.PARAMETERS}
        given: dict[str, Any] = {
            "model": "gpt-5.4-mini",
            "messages": self.messages,
            "tools": [{"type": "function", "function": function}],
        }
        if self.streams:
            async with self.client.chat.completions.stream(**given) as stream:
                done = await stream.get_final_completion()
        else:
            done = await self.client.chat.completions.create(**given)
        return done.choices[0].message.model_dump(exclude_none=True, exclude={"parsed"})


@pytest.mark.parametrize("streams", [False, True])
def test_an_async_openai_client_tells_the_story(
    provider: Provider,  # noqa: F811
    tmp_path: Path,
    streams: bool,
) -> None:
    home = {"SEASONED_HOME": str(tmp_path), **QUICK}
    with asyncio.Runner() as runner:
        s = AsyncSeasoned(tmp_path / "seasoned.db", environment=home)
        plain = AsyncOpenAI(base_url=f"{provider.url}/v1", api_key="sk-x", max_retries=0)
        client = openai_client.learning(plain, s)
        try:
            agent = partial(AsyncAgent, runner.run, client, streams=streams)
            tell_story(provider, agent, tmp_path)
        finally:
            runner.run(plain.close())
            runner.run(s.close())


def test_an_async_anthropic_client_gets_the_hint(
    provider: Provider,  # noqa: F811
    tmp_path: Path,
) -> None:
    async def talk() -> str:
        home = {"SEASONED_HOME": str(tmp_path), **QUICK}
        async with AsyncSeasoned(tmp_path / "seasoned.db", environment=home) as s:
            await s.teach(story.ERROR, fix="Write the day as 2027-06-01.", tool=story.TOOL)
            async with AsyncAnthropic(base_url=provider.url, api_key="x", max_retries=0) as plain:
                client: Any = anthropic_client.learning(plain, s)
                given: Any = {"model": "m", "max_tokens": 99}
                provider.say(Reply(calls=[Call(story.TOOL, story.LATER_WRONG)]))
                asked = {"role": "user", "content": story.LATER_REQUEST}
                reply = await client.messages.create(**given, messages=[asked])
                result = {
                    "type": "tool_result",
                    "tool_use_id": reply.content[0].id,
                    "content": story.ERROR,
                    "is_error": True,
                }
                messages: list[Any] = [asked, {"role": "assistant", "content": reply.content}]
                messages.append({"role": "user", "content": [result]})
                async with client.messages.stream(**given, messages=messages) as stream:
                    return await stream.get_final_text()

    assert asyncio.run(talk()) == "Fine."
    assert "Write the day as 2027-06-01." in provider.seen[-1].body.decode()


def test_a_synchronous_client_needs_a_synchronous_seasoned(
    provider: Provider,  # noqa: F811
    tmp_path: Path,
) -> None:
    with (
        OpenAI(base_url=provider.url, api_key="sk-x") as plain,
        pytest.raises(BadInput, match="use Seasoned, or AsyncOpenAI"),
    ):
        openai_client.learning(plain, AsyncSeasoned(tmp_path / "seasoned.db"))


def test_a_session_named_in_a_header_is_not_told_to_the_provider(
    provider: Provider,  # noqa: F811
    s: Seasoned,
) -> None:
    with OpenAI(base_url=f"{provider.url}/v1", api_key="sk-x", max_retries=0) as plain:
        client = openai_client.learning(plain, s)
        client.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": "Sort the list, please."}],
            extra_headers={"X-Seasoned-Session": "mine"},
        )
        assert "x-seasoned-session" not in provider.seen[-1].headers
        assert [one.name for one in s.sessions.list()] == ["mine"]
