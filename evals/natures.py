"""How well the nature of a failure is told, on failures labelled by reading them.

    python evals/natures.py --data DIR [--json] [--quick] [--show]

`natures.jsonl` beside this file holds the labels: the source and id of a failed call, and misuse,
check, refused, cancelled, outage or nothing_found. The rules of `errors/nature.py` were written
while the part `seen` was read. The part `held` was labelled before they were run on it, and then
used to improve them; the part `fresh` was labelled before the improved rules were run on it. The
calls themselves are read from DIR (see sessions_data.py). `accuracy` is the share told right;
precision and recall are per nature. The baseline `misuse` takes every failure for misuse, as if
there were no natures.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from seasoned.errors.nature import nature_of
from sessions_data import Event, sessions_of, sources

LABELS = Path(__file__).with_name("natures.jsonl")


def labelled(data: Path) -> Iterator[tuple[Event, str, str]]:
    """Every labelled failure with its nature and the part of the labels it belongs to."""
    rows = [json.loads(line) for line in LABELS.read_text("utf-8").splitlines()]
    labels = {(row["source"], row["id"]): (row["nature"], row["part"]) for row in rows}
    for source, path in sources(data).items():
        for events in sessions_of(path):
            for event in events:
                if event.failed and (source, event.id) in labels:
                    yield event, *labels[source, event.id]


def measured(pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, float]]:
    """Metrics of (told, true) pairs."""
    yield "accuracy", sum(told == true for told, true in pairs) / len(pairs)
    told_counts, true_counts = (
        Counter(told for told, _ in pairs),
        Counter(true for _, true in pairs),
    )
    for nature in sorted(true_counts):
        hits = sum(told == true == nature for told, true in pairs)
        yield f"precision {nature}", hits / told_counts[nature] if told_counts[nature] else 0.0
        yield f"recall {nature}", hits / true_counts[nature]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of sessions")
    parser.add_argument("--json", action="store_true", help="rows as JSON, one per line")
    parser.add_argument("--quick", action="store_true", help="the same: it takes seconds")
    parser.add_argument("--show", action="store_true", help="print what is told wrongly")
    options = parser.parse_args()
    found = list(labelled(options.data))
    if not found:
        raise SystemExit(f"{options.data} holds none of the labelled calls")
    told = [nature_of(event.error or "", event.params) for event, _, _ in found]
    for part in ("seen", "held", "fresh"):
        pairs = [
            (ours, true) for ours, (_, true, own) in zip(told, found, strict=True) if own == part
        ]
        blind = [("misuse", true) for _, true in pairs]
        for system, judged in (("seasoned", pairs), ("misuse", blind)):
            for metric, value in measured(judged):
                if options.json:
                    row = {"set": f"natures {part}", "system": system, "metric": metric}
                    print(json.dumps(row | {"value": round(value, 4)}))
                else:
                    print(f"{part:<6}{system:<10} {metric:<24} {value:.3f}")
    if options.show:
        for (event, true, part), ours in zip(found, told, strict=True):
            if ours != true:
                print(f"\n{part}: {ours}, labelled {true}: {event.tool}", end=" ")
                print(json.dumps(event.params)[:250])
                print(f"  {(event.error or '')[:500]!r}")


if __name__ == "__main__":
    main()
