"""Call a platform until it takes the call."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from seasoned.channels.channel import ChannelError

T = TypeVar("T")
log = logging.getLogger("seasoned.channels")

LONGEST_PAUSE = 300.0


async def patiently(call: Callable[[], Awaitable[T]]) -> T:
    """Return what a call returns; the platform says how long to wait before the next try."""
    tries = 0
    while True:
        try:
            return await call()
        except ChannelError as error:
            if error.retry_seconds is None:
                raise
            tries += 1
            pause = min(max(error.retry_seconds, 0.0) * (1 + tries // 4), LONGEST_PAUSE)
            log.info("trying again in %.1f s: %s", pause, error)
            await asyncio.sleep(pause)
