"""Asks several parts of the database, its pipelines side by side where it can, within a time.

A Postgres answers each pipeline on a connection of its own, and a part that is too slow is cut
off. SQLite answers inline, one after the other: a part whose turn comes too late is left out.
"""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import chain

from seasoned.db.database import Connection, Database
from seasoned.recall.context import Entry

Part = Callable[[Connection], Awaitable[Sequence[Entry]]]
Pipeline = Mapping[str, Part]  # one after the other, under their names


async def together(
    db: Database, pipelines: Sequence[Pipeline], seconds: float
) -> tuple[dict[str, Sequence[Entry]], list[str]]:
    """What each part came to, those of a pipeline in their order; and a note for each left out."""
    notes: list[str] = []
    ends = time.monotonic() + seconds

    async def read(part: Part) -> Sequence[Entry]:
        async with db.read() as tx:
            return await part(tx)

    async def asked(name: str, part: Part) -> Sequence[Entry]:
        left = ends - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            return await (_cut_off(read(part), left) if db.overlaps else read(part))
        except TimeoutError:
            notes.append(f"{name}: cut off after {seconds:g} s")
            return ()

    async def run(parts: Pipeline) -> list[tuple[str, Sequence[Entry]]]:
        return [(name, await asked(name, part)) for name, part in parts.items()]

    if db.overlaps:
        import asyncio

        found = await asyncio.gather(*map(run, pipelines))
    else:
        found = [await run(parts) for parts in pipelines]
    return dict(chain.from_iterable(found)), notes


async def _cut_off(work: Awaitable[Sequence[Entry]], seconds: float) -> Sequence[Entry]:
    import asyncio

    return await asyncio.wait_for(work, seconds)
