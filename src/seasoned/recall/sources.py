"""Asks the layers that others fill, each in its own thread, and waits no longer than it may."""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice

from seasoned.core.text import one_line, storable
from seasoned.core.waiting import begun, waited
from seasoned.recall.context import Entry
from seasoned.recall.layers import Layer, Request, Source

log = logging.getLogger("seasoned.recall")

LONGEST_LINE = 600
MOST_AT_ONCE = 16  # requests to one source: one that hangs must not gather threads without end

Answer = Future[list[str]]


@dataclass(frozen=True, slots=True)
class Begun:
    """Sources that are being asked, and until when; and why some were not."""

    answers: Mapping[Layer, Answer]
    until: float
    notes: Sequence[str] = ()


class Sources:
    """At most one for a layer."""

    def __init__(self) -> None:
        self._sources: dict[Layer, Source] = {}
        self._gates: dict[Layer, Callable[[], bool]] = {}
        self._running: defaultdict[Layer, list[Answer]] = defaultdict(list)

    def provide(self, layer: Layer, source: Source, when: Callable[[], bool] | None = None) -> None:
        """`when` says at once whether the source needs to be asked at all."""
        self._sources[layer] = source
        self._gates.pop(layer, None)
        if when is not None:
            self._gates[layer] = when

    def fills(self, layer: Layer) -> bool:
        return layer in self._sources

    def begin(self, request: Request, seconds: float) -> Begun:
        """Asks every source at once, but for those that are stuck."""
        answers: dict[Layer, Answer] = {}
        notes: list[str] = []
        for layer, source in self._sources.items():
            if layer in self._gates and not self._gates[layer]():
                continue
            running = [answer for answer in self._running[layer] if not answer.done()]
            if len(running) < MOST_AT_ONCE:
                answers[layer] = begun(_lines, source, request)
                running.append(answers[layer])
            else:
                notes.append(f"{layer}: its source is stuck in {len(running)} earlier requests")
            self._running[layer] = running
        return Begun(answers, time.monotonic() + seconds, notes)


async def gathered(asked: Begun) -> tuple[list[Entry], list[str]]:
    """What came in time, and a note for each source that was too slow or failed."""
    entries: list[Entry] = []
    notes = list(asked.notes)
    for layer, answer in asked.answers.items():
        try:
            lines = await waited(answer, asked.until - time.monotonic())
        except TimeoutError:
            notes.append(f"{layer}: cut off, its source took too long")
        except Exception as error:  # another's source must not break the turn
            log.exception("the source of layer %s failed", layer)
            notes.append(f"{layer}: its source failed ({type(error).__name__}: {error})")
        else:
            entries += entries_of(layer, lines)
    return entries, notes


def _lines(source: Source, request: Request) -> list[str]:
    """As many lines as are wanted; a source may have more, without end."""
    given = source(request)
    lines = (one_line(storable(line), LONGEST_LINE) for line in as_lines(given))
    return list(islice(filter(None, lines), request.most))


def as_lines(given: Iterable[str]) -> Iterable[str]:
    """One text is one line, not a line for each of its letters.

    >>> as_lines("be kind"), as_lines(["be", "kind"])
    (['be kind'], ['be', 'kind'])
    """
    return [given] if isinstance(given, str) else given


def entries_of(layer: Layer, lines: Sequence[str]) -> list[Entry]:
    """The lines that a layer was filled with, as entries."""
    return [
        Entry(layer, f"• {line}", 1.0, f"its source gave it as number {place}", layer)
        for place, line in enumerate(lines, 1)
    ]
