"""Call a framework's synchronous twin, which makes a loop of its own and leaves it open."""

import asyncio
from typing import Any


async def in_thread(work: Any, *args: Any, **more: Any) -> Any:
    """Call it in a thread with a loop that is closed after it."""

    def run() -> Any:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            return work(*args, **more)
        finally:
            asyncio.set_event_loop(None)
            loop.close()

    return await asyncio.to_thread(run)
