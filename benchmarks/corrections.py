"""Measure the cost of looking for a correction in a message, beside plain patterns.

message_us_p50, p95   one everyday message of a language, which corrects nothing
correction_us_p50 …   one message that does correct
long_ms               a message of a megabyte
first_ms              the first message of a process: the tables are read

python benchmarks/corrections.py [--quick] [--json]
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from corrections_messages import CORRECTIONS, EVERYDAY
from seasoned.corrections import find_correction

Row = dict[str, str | float]
MEGABYTE = 1_000_000
LONG = {
    "one sentence again and again": "This paragraph was pasted from a report about the weather. ",
    "no no no": "no no no ",
    "one word": "a",
    "Chinese": "这份报告写得很清楚我们明天再讨论下一步的计划",
    "code": "def f(x):\n    return not x  # wrong, use y\n",
}
# The eight that the source document prints; it says that there are more, but not which.
SOURCE_PATTERNS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"estás alucinando",
        r"por qué dices que no puedes",
        r"eso está mal",
        r"te equivocas",
        r"eso no es correcto",
        r"you're wrong",
        r"that's not right",
        r"stop doing that",
    )
]
FIRST = (
    "import time; from seasoned.corrections import find_correction as f;"
    "start = time.perf_counter(); f('No, use tabs, not spaces.');"
    "print(time.perf_counter() - start)"
)


def source_patterns(message: str) -> object:
    return any(pattern.search(message) for pattern in SOURCE_PATTERNS)


SYSTEMS: dict[str, Callable[[str], object]] = {
    "seasoned": find_correction,
    "source_patterns": source_patterns,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds, a few seconds")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    options = parser.parse_args()
    rows = measured(rounds=20 if options.quick else 200)
    print(json.dumps(rows) if options.json else table(rows))


def measured(rounds: int) -> list[Row]:
    rows: list[Row] = []
    everything = [message for messages in EVERYDAY.values() for message in messages]
    for system, look in SYSTEMS.items():
        for language, messages in EVERYDAY.items():
            rows += quantiles(language, system, "message_us", looked(look, messages, rounds))
            corrections = looked(look, CORRECTIONS[language], rounds)
            rows += quantiles(language, system, "correction_us", corrections)
        rows += quantiles("all", system, "message_us", looked(look, everything, rounds))
        for name, piece in LONG.items():
            message = (piece * (MEGABYTE // len(piece) + 1))[:MEGABYTE]
            best = min(looked(look, [message], 3))
            rows.append(row(f"1 MB: {name}", system, "long_ms", best * 1e3))
    answer = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, check=True)
    rows.append(row("all", "seasoned", "first_ms", float(answer.stdout) * 1e3))
    return rows


def looked(look: Callable[[str], object], messages: Sequence[str], rounds: int) -> list[float]:
    """Time each message, in each round."""
    times: list[float] = []
    for message in messages:
        look(message)
    for _ in range(rounds):
        for message in messages:
            start = time.perf_counter()
            look(message)
            times.append(time.perf_counter() - start)
    return times


def quantiles(name: str, system: str, metric: str, times: Sequence[float]) -> list[Row]:
    cuts = statistics.quantiles(times, n=20)
    return [
        row(name, system, f"{metric}_p50", statistics.median(times) * 1e6),
        row(name, system, f"{metric}_p95", cuts[-1] * 1e6),
    ]


def row(name: str, system: str, metric: str, value: float) -> Row:
    return {"set": name, "system": system, "metric": metric, "value": round(value, 2)}


def table(rows: Sequence[Row]) -> str:
    found: dict[tuple[str, str], list[str]] = {}
    for one in rows:
        cell = f"{one['metric']} {one['value']:.1f}"
        found.setdefault((str(one["set"]), str(one["system"])), []).append(cell)
    return "\n".join(
        f"{name:<36}{system:<17}{'  '.join(cells)}" for (name, system), cells in found.items()
    )


if __name__ == "__main__":
    main()
