"""Asks several parts of the database, side by side where it can, each within its time.

A Postgres answers on several connections at once, and a part that is too slow is cut off. SQLite
answers inline, one part after the other: a part whose turn comes too late is left out.
"""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

from seasoned.db.database import Connection, Database
from seasoned.recall.context import Entry

Pipeline = Callable[[Connection], Awaitable[Sequence[Entry]]]


async def together(
    db: Database, pipelines: Mapping[str, Pipeline], seconds: float
) -> tuple[dict[str, Sequence[Entry]], list[str]]:
    """What each part came to, and a note for each that was left out."""
    notes: list[str] = []
    ends = time.monotonic() + seconds

    async def read(pipeline: Pipeline) -> Sequence[Entry]:
        async with db.read() as tx:
            return await pipeline(tx)

    async def asked(name: str, pipeline: Pipeline) -> Sequence[Entry]:
        left = ends - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            return await (_cut_off(read(pipeline), left) if db.overlaps else read(pipeline))
        except TimeoutError:
            notes.append(f"{name}: cut off after {seconds:g} s")
            return ()

    if db.overlaps:
        import asyncio

        found = await asyncio.gather(*(asked(*one) for one in pipelines.items()))
    else:
        found = [await asked(*one) for one in pipelines.items()]
    return dict(zip(pipelines, found, strict=True)), notes


async def _cut_off(work: Awaitable[Sequence[Entry]], seconds: float) -> Sequence[Entry]:
    import asyncio

    return await asyncio.wait_for(work, seconds)
