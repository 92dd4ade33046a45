"""Measure paraphrases: does another wording find the fix, and an unrelated error none?

Rows of {"tool", "error", "variant", "paraphrase", "fix", "unrelated"}: every fix of a set is
taught for its `error`, all in one store. Then each `variant` (another number, path or name), each
`paraphrase` (another version or vendor) and each `unrelated` error of the same tool is asked.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from seasoned import Seasoned
from seasoned.core.words import dice, telling_words
from seasoned.errors.pattern import pattern_of
from seasoned.llm.embed.embedder import Cached
from seasoned.llm.embed.wordllama import WordLlama

Row = Mapping[str, str]
Ask = Callable[[str, str], str | None]  # a tool and its error; the first hint's text

PROVIDERS = {"seasoned": "wordllama", "words": "none"}
THRESHOLDS = {"cosine": (0.6, 0.8), "dice": (0.6, 0.8)}


def paraphrases(rows: Sequence[Row]) -> Iterator[tuple[str, str, float]]:
    """Return (system, metric, value): ours with and without vectors, and two plain measures."""
    for system, provider in PROVIDERS.items():
        with _taught(rows, provider) as seasoned:
            yield from _shares(system, rows, partial(_hinted, seasoned))
    for measure, thresholds in THRESHOLDS.items():
        for threshold in thresholds:
            nearest = partial(_nearest, rows, MEASURES[measure], threshold)
            yield from _shares(f"{measure} {threshold}", rows, nearest)


def _shares(system: str, rows: Sequence[Row], ask: Ask) -> Iterator[tuple[str, str, float]]:
    for kind in ("variant", "paraphrase"):
        answers = [(row["fix"], ask(row["tool"], row[kind])) for row in rows]
        right = sum(fix == answer for fix, answer in answers)
        given = sum(answer is not None for _, answer in answers)
        yield system, f"{kind}_fix@1", right / len(rows)
        yield system, f"{kind}_wrong_hint_rate", (given - right) / len(rows)
    false = sum(ask(row["tool"], row["unrelated"]) is not None for row in rows)
    yield system, "unrelated_false_hint_rate", false / len(rows)


def _taught(rows: Sequence[Row], provider: str) -> Seasoned:
    environment = {**os.environ, "SEASONED_EMBEDDING__PROVIDER": provider}
    seasoned = Seasoned(":memory:", environment=environment)
    for row in rows:
        seasoned.teach(row["error"], fix=row["fix"], tool=row["tool"])
    return seasoned


def _hinted(seasoned: Seasoned, tool: str, error: str) -> str | None:
    hint = seasoned.observe(tool, error=error, session=f"{tool} {error}")
    return hint.text if hint else None


def _nearest(
    rows: Sequence[Row],
    alike: Callable[[str, str], float],
    threshold: float,
    tool: str,
    error: str,
) -> str | None:
    """Return the fix of the tool's nearest error, if it is near enough."""
    scored = [(alike(error, row["error"]), row["fix"]) for row in rows if row["tool"] == tool]
    best = max(scored, default=(0.0, ""))
    return best[1] if best[0] >= threshold else None


def _cosine(one: str, other: str) -> float:
    return float(_vector(pattern_of(one)) @ _vector(pattern_of(other)))


def _dice(one: str, other: str) -> float:
    return dice(telling_words(pattern_of(one)), telling_words(pattern_of(other)))


MEASURES: dict[str, Callable[[str, str], float]] = {"cosine": _cosine, "dice": _dice}


@cache
def _embedder() -> Cached:
    return Cached(WordLlama())


def _vector(text: str) -> Any:
    return _embedder().embed([text])[0]
