"""Read real sessions, and find out for each failure which later call repaired it.

A file `<source>.jsonl.gz` (or `.jsonl`) holds sessions one after another, in order of their start;
a line is a tool call (`tool`, `params`, and `result` or `error`, with `refused` or `cancelled`) or
a message (`role`, `text`).
"""

import difflib
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

WINDOW = 24  # events after a failure in which its repair is looked for
UNCOUNTED = frozenset({"description", "timeout", "explanation", "run_in_background"})
TOKEN = re.compile(r"\w+|[^\w\s]")
ENDINGS = (".jsonl.gz", ".jsonl")


@dataclass(frozen=True)
class Event:
    session: str
    project: str = ""
    user: str = ""
    tool: str = ""  # empty for a message
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    result: Any = None
    error: str | None = None
    refused: bool = False
    cancelled: bool = False
    text: str = ""
    id: str = ""
    role: str = ""  # of a message: user or assistant

    @property
    def failed(self) -> bool:
        return bool(self.tool) and self.error is not None

    @property
    def judged(self) -> bool:
        """Whether a hint for this failure is judged by what the session did next."""
        return self.failed and not (self.refused or self.cancelled)


def sources(folder: Path) -> dict[str, Path]:
    """Every file of sessions in a folder, by its name."""
    return {
        path.name.removesuffix(ending): path
        for path in sorted(folder.iterdir())
        for ending in ENDINGS
        if path.name.endswith(ending) and path.name != "gold.jsonl"
    }


def sessions_of(path: Path) -> Iterator[list[Event]]:
    current: list[Event] = []
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            event = event_of(json.loads(line))
            if current and current[0].session != event.session:
                yield current
                current = []
            current.append(event)
    if current:
        yield current


def event_of(row: Mapping[str, Any]) -> Event:
    return Event(
        session=row["session"],
        project=row.get("project") or "",
        user=row.get("user") or "",
        tool=row.get("tool") or "",
        params=row.get("params") or {},
        result=row.get("result"),
        error=row.get("error"),
        refused=bool(row.get("refused")),
        cancelled=bool(row.get("cancelled")),
        text=row.get("text") or "",
        id=row.get("id") or "",
        role=row.get("role") or "",
    )


def tokens_of(params: Mapping[str, Any]) -> list[str]:
    """The words and marks of what a call was given; how it was described does not count."""
    counted = {name: value for name, value in params.items() if name not in UNCOUNTED}
    return [token for text in texts_of(counted) for token in TOKEN.findall(text)]


def texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for inner in cast("Mapping[str, Any]", value).values():
            yield from texts_of(inner)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from texts_of(inner)
    else:
        yield value if isinstance(value, str) else json.dumps(value)


def repair_of(events: Sequence[Event], at: int) -> int | None:
    """Where the first similar call of the same tool succeeds after the failure at `at`."""
    failed = events[at]
    tokens = tokens_of(failed.params)
    for index in range(at + 1, min(at + 1 + WINDOW, len(events))):
        later = events[index]
        works = later.tool == failed.tool and not later.failed
        if works and are_alike(tokens, tokens_of(later.params)):
            return index
    return None


def are_alike(one: Sequence[str], other: Sequence[str]) -> bool:
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    return matcher.quick_ratio() > 0.5 and matcher.ratio() > 0.5


def difference(before: Sequence[str], after: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
    """The tokens that were removed, and those that were added."""
    old, new = Counter(before), Counter(after)
    return old - new, new - old
