"""Follow a session: read its events from a number on, as they come."""

import asyncio
from collections.abc import AsyncGenerator

from seasoned.server.live.event_log import EventLog, LoggedEvent

KEEP_ALIVE_SECONDS = 15.0
ENDS = ("done", "error")  # the last event of a turn


async def followed(log: EventLog, after: int) -> AsyncGenerator[LoggedEvent | None]:
    """Yield events as they come; None after a while without any, and at a gap the end."""
    news = asyncio.Event()
    log.wakers.add(news.set)
    try:
        while log.holds(after):
            news.clear()
            for event in log.after(after):
                after = event.number
                yield event
            if log.last == after and log.closed:
                return
            if log.last == after:
                try:
                    async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                        await news.wait()
                except TimeoutError:
                    yield None
    finally:
        log.wakers.discard(news.set)
