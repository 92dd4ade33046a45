"""How well corrections and standing wishes are told in what people really say to coding agents.

    python evals/remarks.py --data DIR [--json] [--quick] [--show]

Every `*.jsonl` file in DIR is a set; its rows are {"text", "previous_request", "previous_reply",
"corrects", "standing", "note"}, labelled by reading. Each row gets a store of its own: it is told
the exchange before, then the message; then the learner of corrections runs.

    precision, recall, f1 correcting  a correction was noticed, against `corrects`
    precision, recall, f1 standing    a rule was made that outlives the session, against `standing`
    rules                             such rules, in all
    rules matched                     share of them that say the same as the row's note
    notes matched                     share of the notes of which a rule says the same

A rule says the same as a note if the words of both, without common ones and endings, overlap with
an F1 of at least one half. `always` takes every message for a correction; `patterns` are the
phrases that the source document prints.
"""

import argparse
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corrections import SOURCE_PATTERNS
from seasoned import Seasoned

QUICK_ROWS = 60  # of each set
SAME = 0.5
COMMON = frozenset(
    "a an and are as at be before by do does for from has have in instead into is it its not of on "
    "or so than that the their them then there they this to use used using was were when with you "
    "your".split()
)
ENDING = re.compile(r"(?:ing|ed|es|s|e)$")
PATTERNS = re.compile("|".join(SOURCE_PATTERNS), re.IGNORECASE)

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Judgement:
    corrects: bool
    rules: Sequence[str] = ()


def seasoned(row: Row) -> Judgement:
    with Seasoned(":memory:", project="remarks", user="reader") as s:
        s.replied(row["previous_request"] or "", row["previous_reply"] or "", session="before")
        noticed = s.turn(row["text"], session="before")
        s.corrections.learn()
        rules = [rule.content for rule in s.rules.list() if rule.status == "active"]
    return Judgement(bool(noticed.correction), rules)


SYSTEMS: Mapping[str, Callable[[Row], Judgement]] = {
    "seasoned": seasoned,
    "patterns": lambda row: Judgement(PATTERNS.search(row["text"]) is not None),
    "always": lambda _: Judgement(True),
}


def rows_of(path: Path, quick: bool) -> list[Row]:
    rows: list[Row] = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return rows[:: max(1, len(rows) // QUICK_ROWS)] if quick else rows


def measured(rows: Sequence[Row], judged: Sequence[Judgement]) -> dict[str, float]:
    pairs = list(zip(rows, judged, strict=True))
    metrics = {
        **prf("correcting", [(bool(row["corrects"]), one.corrects) for row, one in pairs]),
        **prf("standing", [(bool(row["standing"]), bool(one.rules)) for row, one in pairs]),
    }
    made = [(rule, row["note"]) for row, one in pairs for rule in one.rules]
    noted = [(row["note"], one.rules) for row, one in pairs if row["note"]]
    metrics["rules"] = len(made)
    metrics["rules matched"] = share(says_the_same(rule, note) for rule, note in made)
    metrics["notes matched"] = share(
        any(says_the_same(rule, note) for rule in rules) for note, rules in noted
    )
    return metrics


def prf(name: str, pairs: Sequence[tuple[bool, bool]]) -> dict[str, float]:
    """Precision, recall and F1 of (true, told) pairs."""
    right, true, told = (
        sum(a and b for a, b in pairs),
        sum(a for a, _ in pairs),
        sum(b for _, b in pairs),
    )
    return {
        f"precision {name}": right / told if told else 0.0,
        f"recall {name}": right / true if true else 0.0,
        f"f1 {name}": 2 * right / (true + told) if true + told else 0.0,
    }


def share(flags: Iterator[bool]) -> float:
    counted = list(flags)
    return sum(counted) / len(counted) if counted else 0.0


def says_the_same(rule: str, note: str) -> bool:
    ours, theirs = telling(rule), telling(note)
    return bool(ours and theirs) and 2 * len(ours & theirs) >= SAME * (len(ours) + len(theirs))


def telling(text: str) -> set[str]:
    words = set(re.findall(r"\w{2,}", text.lower())) - COMMON
    return {ENDING.sub("", word) if len(word) > 4 else word for word in words}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of *.jsonl sets")
    parser.add_argument("--json", action="store_true", help="rows as JSON, one per line")
    parser.add_argument("--quick", action="store_true", help=f"about {QUICK_ROWS} rows a set")
    parser.add_argument("--show", action="store_true", help="print every rule that is made")
    options = parser.parse_args()
    for path in sorted(options.data.glob("*.jsonl")):
        rows = rows_of(path, options.quick)
        for system, judge in SYSTEMS.items():
            judged = [judge(row) for row in rows]
            for metric, value in measured(rows, judged).items():
                if options.json:
                    row = {"set": path.stem, "system": system, "metric": metric}
                    print(json.dumps(row | {"value": round(value, 4)}), flush=True)
                else:
                    print(f"{path.stem:<14} {system:<9} {metric:<22} {value:.3f}", flush=True)
            for row, one in zip(rows, judged, strict=True) if options.show else ():
                for rule in one.rules:
                    print(f"\n{row['text'][:300]!r}\n  note: {row['note']}\n  rule: {rule}")


if __name__ == "__main__":
    main()
