"""Measure how well corrections are detected, beside plain patterns.

    python evals/corrections.py [--data DIR] [--part all|tune|held-out] [--json] [--quick]

Every `*.jsonl` file of DIR is a set; its rows are {"text", "correction": 0|1, "previous_reply"}. A
stable hash of the text puts each row into one of two halves: phrases were looked for in the tuning
half only, `--part held-out` asks the other.

    precision, recall, f1   of the turns that correct
    ap                      area under the curve of precision over recall, by score
    r_at_p90                the recall that is left when nine of ten alarms must be right
    fpr                     the share of ordinary turns that were taken for corrections

`seasoned` is what `find_correction` returns by itself; `seasoned_safe` what is learned from without
a second opinion; `seasoned_signs` also what is too weak to be returned: an offer turned down, a
"no" to a question; `seasoned_embedder` asks the bundled embedder about
what is uncertain. The labels of uss_* tell of satisfaction, not of correction.
"""

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from seasoned.corrections import SAFE, UNCERTAIN, EmbedderOpinion, find_correction

DATA = Path(__file__).parents[1] / ".." / "shared" / "data" / "corrections"
QUICK = 1000  # rows of a set
SIGN = 0.3
METRICS = ("precision", "recall", "f1", "ap", "r_at_p90", "fpr")
# The eight that the source document prints; it says that there are more, but not which.
SOURCE_PATTERNS = (
    r"estás alucinando",
    r"por qué dices que no puedes",
    r"eso está mal",
    r"te equivocas",
    r"eso no es correcto",
    r"you're wrong",
    r"that's not right",
    r"stop doing that",
)
_SOURCE = re.compile("|".join(SOURCE_PATTERNS), re.IGNORECASE)


@dataclass(frozen=True)
class Turn:
    text: str
    corrects: bool
    reply: str | None


def seasoned(turn: Turn) -> float:
    found = find_correction(turn.text, previous_reply=turn.reply, floor=0)
    return found.score if found else 0.0


def seasoned_embedder(turn: Turn) -> float:
    found = find_correction(
        turn.text, previous_reply=turn.reply, floor=0, second_opinion=_opinion()
    )
    return found.score if found else 0.0


@cache
def _opinion() -> EmbedderOpinion:
    """Return the opinion of the bundled embedder."""
    from seasoned.llm.embed.wordllama import WordLlama

    return EmbedderOpinion(WordLlama().embed)


def source_patterns(turn: Turn) -> float:
    return 1.0 if _SOURCE.search(turn.text) else 0.0


# A score for each turn, and from which score on it counts as a correction.
SYSTEMS: Mapping[str, tuple[Callable[[Turn], float], float]] = {
    "seasoned": (seasoned, UNCERTAIN),
    "seasoned_safe": (seasoned, SAFE),
    "seasoned_signs": (seasoned, SIGN),
    "seasoned_embedder": (seasoned_embedder, UNCERTAIN),
    "source_patterns": (source_patterns, 1.0),
}


def part_of(text: str) -> str:
    return "held-out" if hashlib.sha256(text.encode()).digest()[0] % 2 else "tune"


def turns_of(path: Path, part: str, quick: bool) -> list[Turn]:
    turns: list[Turn] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                turn = Turn(row["text"], bool(row["correction"]), row.get("previous_reply"))
            except (ValueError, KeyError, TypeError) as error:
                sys.exit(f"{path}:{number}: not a row with text and correction ({error!r})")
            if part in ("all", part_of(turn.text)):
                turns.append(turn)
    return turns[:: max(1, len(turns) // QUICK)] if quick else turns


def metrics(turns: Sequence[Turn], scores: Sequence[float], floor: float) -> dict[str, float]:
    flagged = [turn.corrects for turn, score in zip(turns, scores, strict=True) if score >= floor]
    right, there = sum(flagged), sum(turn.corrects for turn in turns)
    if not there:
        return {"fpr": len(flagged) / len(turns)}
    precision, recall = right / len(flagged) if flagged else 0.0, right / there
    curve = list(_curve(turns, scores))
    before = [0.0, *(recall for _, recall in curve)]
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * right / (len(flagged) + there),
        "ap": sum(p * (r - last) for (p, r), last in zip(curve, before, strict=False)),
        "r_at_p90": max((r for p, r in curve if p >= 0.9), default=0.0),
        "fpr": (len(flagged) - right) / max(1, len(turns) - there),
    }


def _curve(turns: Sequence[Turn], scores: Sequence[float]) -> Iterator[tuple[float, float]]:
    """Return precision and recall at each score, the highest first."""
    ranked = sorted(zip(scores, turns, strict=True), key=lambda pair: -pair[0])
    there, right = sum(turn.corrects for turn in turns), 0
    for place, (score, turn) in enumerate(ranked, start=1):
        if not score:
            return
        right += turn.corrects
        if place == len(ranked) or ranked[place][0] < score:
            yield right / place, right / there


def measured(data: Path, part: str, quick: bool) -> Iterator[tuple[str, str, dict[str, float]]]:
    files = sorted(data.glob("*.jsonl"))
    if not files:
        sys.exit(f"no *.jsonl files in {data}; --data says where they are")
    for path in files:
        turns = turns_of(path, part, quick)
        known: dict[Callable[[Turn], float], list[float]] = {}
        for system, (score, floor) in SYSTEMS.items():
            if turns:
                if score not in known:
                    known[score] = [score(turn) for turn in turns]
                yield path.stem, system, metrics(turns, known[score], floor)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, help="directory with *.jsonl sets")
    parser.add_argument("--part", choices=["all", "tune", "held-out"], default="all")
    parser.add_argument("--json", action="store_true", help="print rows as JSON, one per line")
    parser.add_argument("--quick", action="store_true", help=f"about {QUICK} rows of each set")
    options = parser.parse_args()
    if not options.json:
        print(f"{'set':<18}{'system':<18}" + "".join(f"{metric:>11}" for metric in METRICS))
    for name, system, values in measured(options.data, options.part, options.quick):
        if options.json:
            for metric, value in values.items():
                row = {"set": name, "system": system, "metric": metric, "value": round(value, 4)}
                print(json.dumps(row))
        else:
            cells = (f"{values[m]:>11.3f}" if m in values else f"{'':>11}" for m in METRICS)
            print(f"{name:<18}{system:<18}" + "".join(cells))


if __name__ == "__main__":
    main()
