"""Asks the layers that others fill, each in its own thread, and waits no longer than it may."""

import logging
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from seasoned.core.text import one_line, storable
from seasoned.core.waiting import begun, waited
from seasoned.recall.context import Entry
from seasoned.recall.layers import Layer, Request, Source

log = logging.getLogger("seasoned.recall")

LONGEST_LINE = 600


@dataclass(frozen=True, slots=True)
class Begun:
    """Sources that are being asked, and until when."""

    futures: Mapping[Layer, Future[list[str]]]
    until: float


def begin(sources: Mapping[Layer, Source], request: Request, seconds: float) -> Begun:
    """Asks every source at once."""
    futures: dict[Layer, Future[list[str]]] = {
        layer: begun(_lines, source, request) for layer, source in sources.items()
    }
    return Begun(futures, time.monotonic() + seconds)


async def gathered(asked: Begun, most: int) -> tuple[list[Entry], list[str]]:
    """What came in time, and a note for each source that was too slow or failed."""
    entries: list[Entry] = []
    notes: list[str] = []
    for layer, future in asked.futures.items():
        try:
            lines = await waited(future, asked.until - time.monotonic())
        except TimeoutError:
            notes.append(f"{layer}: cut off, its source took too long")
        except Exception as error:  # another's source must not break the turn
            log.exception("the source of layer %s failed", layer)
            notes.append(f"{layer}: its source failed ({type(error).__name__}: {error})")
        else:
            entries += _entries(layer, lines[:most])
    return entries, notes


def _lines(source: Source, request: Request) -> list[str]:
    return [one_line(storable(line), LONGEST_LINE) for line in source(request)]


def _entries(layer: Layer, lines: Sequence[str]) -> list[Entry]:
    return [
        Entry(layer, f"• {line}", 1.0, f"its source gave it as number {place}", layer)
        for place, line in enumerate(lines, 1)
        if line
    ]
