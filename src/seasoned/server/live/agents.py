"""The agents of the gateway: one for each model that a request may choose, built on first use."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seasoned.api import AsyncSeasoned
from seasoned.api.agent import split_names
from seasoned.core.errors import BadInput, ConfigError, SeasonedError, Unsupported
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.agent.agent import Agent

FILES = ("local:", "scripted:")  # such a name is a path on this machine


class Agents:
    """Agents by the model's name; empty is the one that the settings name.

    Each runs in a task of its own, because what it opens (MCP servers) must be closed by the task
    that opened it.
    """

    def __init__(self, seasoned: AsyncSeasoned, tools: Sequence[Any] = ()) -> None:
        self._seasoned = seasoned
        self._tools = tools
        self._agents: dict[str, asyncio.Future[Agent]] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self._stop = asyncio.Event()

    async def get(self, model: str | None = None) -> "Agent":
        """Return the agent of a model that requests may use; `ConfigError` if there is none."""
        name = self.allowed(model)
        waiting = self._agents.get(name)
        if waiting is None:
            waiting = self._agents[name] = asyncio.get_running_loop().create_future()
            self._keepers = [one for one in self._keepers if not one.done()]
            self._keepers.append(asyncio.create_task(self._keep(name, waiting)))
        try:
            return await asyncio.shield(waiting)
        finally:
            if waiting.done() and (waiting.cancelled() or waiting.exception() is not None):
                self._agents.pop(name, None)  # the next request tries again

    def allowed(self, model: str | None) -> str:
        """Return the name under which the agent is kept; refuse a model that is not for callers."""
        name = (model or "").strip()
        if name.startswith(FILES):
            raise BadInput(
                f"the model {one_line(name, 80)!r} names a file of the server; a request may only "
                "choose a model by its provider, and only those in server.models"
            )
        names = self.names()
        if not names:
            raise ConfigError(
                "this server has no model to chat with; set agent.model (or llm.model), for "
                "instance SEASONED_AGENT__MODEL=openai:gpt-5.4-mini, and start it again"
            )
        if not name or name == names[0]:
            return ""
        if name not in names:
            given = ", ".join(one for one in names if not one.startswith(FILES))
            raise BadInput(
                f"the model {one_line(name, 80)!r} is not offered here"
                + (f"; choose from {given}" if given else "; leave `model` out")
                + ", or let the operator add it to server.models"
            )
        return name

    def names(self) -> list[str]:
        """Return the models of this server, the default first."""
        settings = self._seasoned.app.config.settings
        first = settings.agent.model.strip() or settings.llm.model.strip()
        more = split_names(settings.server.models)
        return [first, *(one for one in more if one != first)] if first else more

    def status(self) -> list[dict[str, Any]]:
        """Return what became of the latest requests to the models; asks none of them."""
        found: list[dict[str, Any]] = []
        for waiting in self._agents.values():
            if not waiting.done() or waiting.cancelled() or waiting.exception() is not None:
                continue
            status = getattr(waiting.result().model, "status", None)
            found += status() if status is not None else ()
        return found

    async def close(self) -> None:
        self._stop.set()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        self._keepers.clear()
        self._agents.clear()

    async def _keep(self, name: str, waiting: "asyncio.Future[Agent]") -> None:
        """Build an agent and keep its connections open until the server stops."""
        try:
            # In a thread, because the model clients take a second to import.
            agent = await asyncio.to_thread(self._build, name)
            async with agent.running():
                if not waiting.done():
                    waiting.set_result(agent)
                await self._stop.wait()
        except SeasonedError as error:
            _fail(waiting, error)
        except Exception as error:  # noqa: BLE001 - an MCP server may fail in any way
            text = one_line(f"{type(error).__name__}: {error}", 500)
            _fail(waiting, Unsupported(f"the agent cannot start: {text}"))
        finally:
            if not waiting.done():
                waiting.cancel()

    def _build(self, name: str) -> "Agent":
        names = self.names()
        chosen = name or (names[0] if names else None)
        return self._seasoned.agent(chosen, tools=self._tools).inner


def _fail(waiting: "asyncio.Future[Agent]", error: Exception) -> None:
    if not waiting.done():
        waiting.set_exception(error)
        waiting.exception()  # marked as retrieved: its asker may have left
