"""Measure how often the first hint is right, and how often wrong, after one to three episodes.

    python evals/fixes.py --data DIR [--json] [--quick] [--half dev|test]

Every file of DIR is a set: rows of {"tool", "params", "error", "fixed", "accepted", "rule"} are
repairs; rows of {"error", "lesson_id"} with a file *_docs.jsonl beside are taught lessons. What is
said otherwise comes from the file paraphrases.jsonl beside this one (see fixes_paraphrases.py).
`--half` keeps the rules (or lessons) whose name hashes to one side: tune on one, report the other.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fixes_lessons import taught_lessons
from fixes_paraphrases import paraphrases
from fixes_repairs import repairs

STRANGERS = 60
PARAPHRASES = Path(__file__).with_name("paraphrases.jsonl")


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def is_in(half: str | None, name: str) -> bool:
    odd = int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2
    return half is None or odd == (half == "test")


def measured(
    data: Path, quick: bool, half: str | None
) -> Iterator[tuple[str, tuple[str, str, float]]]:
    kept = [row for row in rows_of(PARAPHRASES) if is_in(half, row["error"])]
    yield from (("paraphrases", row) for row in paraphrases(kept))
    sets = {path.stem: rows_of(path) for path in sorted(data.glob("*.jsonl"))}
    strangers = [
        row["error"]
        for rows in sets.values()
        for row in rows
        if "lesson_id" in row and "error" in row
    ]
    strangers = sorted(strangers, key=lambda e: hashlib.sha256(e.encode()).digest())[:STRANGERS]
    for name, rows in sets.items():
        if rows and {"params", "error", "fixed", "accepted", "rule"} <= rows[0].keys():
            kept = [row for row in rows if is_in(half, row["rule"])]
            yield from ((name, row) for row in repairs(kept, strangers, quick))
        elif rows and {"error", "lesson_id"} <= rows[0].keys():
            texts = {row["lesson_id"]: row["text"] for row in sets[f"{name}_docs"]}
            kept = [row for row in rows if is_in(half, row["lesson_id"])]
            yield from ((name, row) for row in taught_lessons(kept, texts, quick))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="one draw, a sample of leave-one-out")
    parser.add_argument("--half", choices=["dev", "test"], help="only one half of the rules")
    options = parser.parse_args()
    if not options.json:
        print(f"{'set':<14} {'system':<11} {'metric':<46} value")
    for name, (system, metric, value) in measured(options.data, options.quick, options.half):
        if options.json:
            row = {"set": name, "system": system, "metric": metric, "value": round(value, 4)}
            print(json.dumps(row))
        else:
            print(f"{name:<14} {system:<11} {metric:<46} {value:.3f}")


if __name__ == "__main__":
    main()
