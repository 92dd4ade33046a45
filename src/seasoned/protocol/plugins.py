"""The plugins of a host, in the order in which they are asked."""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import EntryPoint, entry_points
from inspect import isawaitable, iscoroutinefunction
from typing import Any

from seasoned.core.errors import Unsupported
from seasoned.core.waiting import waited
from seasoned.protocol.plugin import GROUP, LearnPlugin

log = logging.getLogger("seasoned.protocol")


class Plugins:
    """Asks the highest priority first, and the next when a hook returns `NotImplemented`."""

    def __init__(self, plugins: Iterable[LearnPlugin], hook_seconds: float = 20) -> None:
        self.plugins: Sequence[LearnPlugin] = sorted(plugins, key=lambda each: -each.priority)
        self._seconds = hook_seconds
        self._threads: dict[int, ThreadPoolExecutor] = {}

    async def call(self, hook: str, *args: Any, timed: bool = True) -> Any:
        for plugin in self.plugins:
            method = getattr(plugin, hook)
            if not iscoroutinefunction(method):
                answer = await self._in_thread(plugin, method, *args)
            elif timed:
                async with asyncio.timeout(self._seconds):
                    answer = await method(*args)
            else:
                answer = await method(*args)
            if answer is not NotImplemented:
                return answer
        raise Unsupported(f"no plugin of this host does {hook.strip('_').replace('_', ' ')}")

    async def _in_thread(self, plugin: LearnPlugin, method: Any, *args: Any) -> Any:
        """One thread a plugin: a hook that takes long holds up nobody else's messages, and what
        it keeps (a connection, a list) sees one thread only."""
        thread = self._threads.get(id(plugin))
        if thread is None:
            thread = self._threads[id(plugin)] = ThreadPoolExecutor(1, f"plugin-{plugin.name}")
        answer = await waited(thread.submit(method, *args), self._seconds)
        return await answer if isawaitable(answer) else answer

    def close(self) -> None:
        for thread in self._threads.values():
            thread.shutdown(wait=False, cancel_futures=True)
        self._threads.clear()


def installed_plugins(found: Iterable[EntryPoint] | None = None) -> Sequence[LearnPlugin]:
    """Those of other packages; one that cannot be loaded is said, and the others serve."""
    plugins: list[LearnPlugin] = []
    for point in entry_points(group=GROUP) if found is None else found:
        try:
            plugin = point.load()()
        except Exception:
            log.exception("the learn plugin %s cannot be loaded; it is left out", point.name)
            continue
        if isinstance(plugin, LearnPlugin):
            plugins.append(plugin)
        else:
            log.error("the learn plugin %s is no LearnPlugin; it is left out", point.name)
    return plugins
