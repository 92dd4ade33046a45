"""Serve a system in a process of its own: one question per line in, one answer per line out.

Times are taken here, around the very call that a user of the system would make, so that the pipe
costs nobody anything.
"""

import json
import logging
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol


class Store(Protocol):
    """The interface of every system. A text is {"number", "tenant", "kind", "trigger", …}."""

    def open(self, path: str, tenant: str) -> None: ...

    def add(self, text: dict[str, Any]) -> None:
        """Add one text, as a user would."""
        ...

    def load(self, texts: Sequence[dict[str, Any]]) -> None:
        """Add many texts in the fastest way."""
        ...

    def settle(self) -> None:
        """Wait until all added texts can be found."""
        ...

    def query(self, text: str, most: int) -> Sequence[str]:
        """Return the texts that a user gets for this query, best first."""
        ...

    def near(self, text: str, most: int) -> Sequence[str]:
        """Return the texts with the nearest vectors."""
        ...

    def close(self) -> None: ...


def whole(text: dict[str, Any]) -> str:
    """Return the whole lesson, for a system that stores one text per memory."""
    return "\n".join(part for part in (text["trigger"], text["content"]) if part)


def serve(store: Store) -> None:
    """Answer until there are no more questions."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is not an answer
    for line in sys.stdin:
        asked: dict[str, Any] = json.loads(line)
        try:
            answer = ANSWERS[asked.pop("do")](store, **asked)
        except Exception as error:  # goes to the one who asked
            logging.exception("it could not be answered")
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _open(store: Store, path: str, tenant: str) -> dict[str, Any]:
    return {"seconds": _timed(lambda: store.open(path, tenant))}


def _add(store: Store, texts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"seconds": [_timed(lambda text=text: store.add(text)) for text in texts]}


def _load(store: Store, texts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"seconds": _timed(lambda: store.load(texts))}


def _settle(store: Store) -> dict[str, Any]:
    return {"seconds": _timed(store.settle)}


def _query(store: Store, texts: list[str], most: int, way: str, at_most: float) -> dict[str, Any]:
    """Ask one query after the other, until the time is up."""
    search: Callable[[str, int], Sequence[str]] = getattr(store, way)
    seconds: list[float] = []
    found: list[list[str]] = []
    until = time.perf_counter() + at_most
    cpu = time.process_time()
    for text in texts:
        start = time.perf_counter()
        answer = search(text, most)
        end = time.perf_counter()
        seconds.append(end - start)
        found.append(list(answer))
        if end > until:
            break
    return {"seconds": seconds, "found": found, "cpu_seconds": time.process_time() - cpu}


def _close(store: Store) -> dict[str, Any]:
    return {"seconds": _timed(store.close)}


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


ANSWERS: dict[str, Callable[..., dict[str, Any]]] = {
    "open": _open,
    "add": _add,
    "load": _load,
    "settle": _settle,
    "query": _query,
    "close": _close,
}
