"""Measure how well recall answers questions, beside words alone, vectors alone and plain fusion.

    python evals/recall.py --data DIR [--json] [--quick] [--half dev|test]

A set NAME is two files of DIR: NAME_documents.jsonl, rows of {"conv", "id", "session", "speaker",
"text"}, and NAME_questions.jsonl, rows of {"conv", "id", "question", "evidence"}. Each `conv` is
searched on its own. Documents with a speaker are turns of a conversation, in their order; others
are texts of their own. The fusion was tuned on the first two `conv` of locomo (`--half dev`);
`--half test` asks the others, and all of the sets that have only one.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recall_baselines import BASELINES, Collection
from recall_metrics import METRICS, Ranking
from seasoned import Seasoned

Row = dict[str, Any]
DEPTH = 10
TUNED = 2  # the first so many `conv` of a set that has more
QUICK = 150  # questions of a set


def rows_of(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def sets(data: Path) -> Iterator[tuple[str, list[Row], list[Row]]]:
    for path in sorted(data.glob("*_documents.jsonl")):
        name = path.name.removesuffix("_documents.jsonl")
        yield name, rows_of(path), rows_of(data / f"{name}_questions.jsonl")


def seasoned(documents: Sequence[Row]) -> Callable[[str], Sequence[str]]:
    """Import the documents of one `conv` as a user would."""
    s = Seasoned(":memory:")
    names: dict[tuple[str, str], str] = {}
    turns: dict[str, list[Row]] = {}
    for row in documents:
        if row["speaker"]:
            turns.setdefault(str(row["session"]), []).append(row)
        else:
            s.knowledge.add_text(row["id"], row["text"])
            _, passages = s.knowledge.get(row["id"])
            names |= {(one.id, ""): row["id"] for one in passages}
    for session, rows in turns.items():
        s.knowledge.add_passages(f"session {session}", [(r["speaker"], r["text"]) for r in rows])
        _, passages = s.knowledge.get(f"session {session}")
        kept = [row for row in rows if row["text"].strip()]
        names |= {(one.id, ""): row["id"] for one, row in zip(passages, kept, strict=True)}
    settled(s)

    def ask(question: str) -> Sequence[str]:
        hits = s.knowledge.search(question, limit=3 * DEPTH)
        return list(dict.fromkeys(names[hit.lesson.id, ""] for hit in hits))[:DEPTH]

    return ask


def settled(s: Seasoned) -> None:
    """Wait until every lesson has its vector."""
    deadline = time.monotonic() + 120
    while s.status()["embedding"]["waiting"] and time.monotonic() < deadline:
        time.sleep(0.05)


def measured(
    data: Path, quick: bool, half: str | None
) -> Iterator[tuple[str, str, Mapping[str, float]]]:
    for name, documents, questions in sets(data):
        convs = list(dict.fromkeys(row["conv"] for row in documents))
        if half and len(convs) > TUNED:
            convs = convs[:TUNED] if half == "dev" else convs[TUNED:]
        asked = [row for row in questions if row["conv"] in convs and row["evidence"]]
        asked = asked[:: max(1, len(asked) // QUICK)] if quick else asked
        systems: dict[str, list[Ranking]] = {}
        for conv in convs:
            own = [row for row in documents if row["conv"] == conv]
            collection = Collection([row["id"] for row in own], [_said(row) for row in own], own)
            answers = {"seasoned": seasoned(own)}
            answers |= {system: made(collection) for system, made in BASELINES.items()}
            for row in (row for row in asked if row["conv"] == conv):
                for system, ask in answers.items():
                    found = ask(row["question"])
                    systems.setdefault(system, []).append(
                        Ranking(found, frozenset(row["evidence"]))
                    )
        for system, rankings in systems.items():
            yield (
                name,
                system,
                {
                    metric: sum(map(value, rankings)) / len(rankings)
                    for metric, value in METRICS.items()
                },
            )


def _said(row: Row) -> str:
    return f"{row['speaker']}: {row['text']}" if row["speaker"] else row["text"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help=f"about {QUICK} questions a set")
    parser.add_argument("--half", choices=["dev", "test"], help="what was tuned on, or the rest")
    options = parser.parse_args()
    if not options.json:
        print(f"{'set':<14} {'system':<16}" + "".join(f"{metric:>11}" for metric in METRICS))
    for name, system, values in measured(options.data, options.quick, options.half):
        if options.json:
            for metric, value in values.items():
                row = {"set": name, "system": system, "metric": metric, "value": round(value, 4)}
                print(json.dumps(row))
        else:
            print(f"{name:<14} {system:<16}" + "".join(f"{v:>11.3f}" for v in values.values()))


if __name__ == "__main__":
    main()
