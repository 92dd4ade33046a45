"""How well corrections and standing wishes are told in what people really say to coding agents.

    python evals/remarks.py --data DIR [--model NAME] [--json] [--quick] [--show]
    python evals/remarks.py --data DIR --record-prompts FILE

Every `*.jsonl` file in DIR is a set; its rows are {"id", "text", "previous_request",
"previous_reply", "last_tool", "corrects", "standing", "note"}, labelled by reading. The store is
told the exchange before, then the message; then the learner of corrections runs. Without a model
each row has a store of its own. With `--model` (`cassette:DIR` for recorded answers, see
cassette.py, or the name of a model as in llm.model) the rows of a set share one, since a model
judges several messages in one question; `--record-prompts` writes these questions to a file.

    precision, recall, f1 correcting  it was taken for a correction, against `corrects`
    precision, recall, f1 standing    a rule was made that outlives the session, against `standing`
    rules, given                      such rules in all, and those that are active
    given due                         share of the given rules whose row has a note
    given standing                    share of the given rules whose row is standing
    rules matched                     share of the rules that say the same as the row's note
    notes matched                     share of the notes of which a rule says the same
    sentences                         sentences read in messages, also those for the session alone
    sentences due, sentences matched  share of them whose row has a note; that say the same as it
    notes read                        share of the notes of which a sentence says the same

A rule says the same as a note if the words of both, without common ones and endings, overlap with
an F1 of at least one half; of two wordings by different people that is a low bound. `always` takes
every message for a correction; `patterns` are the phrases that the source document prints.
"""

import argparse
import json
import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cassette import Cassette, Recorder
from corrections import SOURCE_PATTERNS
from seasoned import Seasoned
from seasoned.llm.model import Model
from seasoned.rules.judge import TOGETHER
from seasoned.rules.learner import CaseResult

QUICK_ROWS = 60  # of each set
SAME = 0.5
COMMON = frozenset(
    "a an and are as at be before by do does for from has have in instead into is it its not of on "
    "or so than that the their them then there they this to use used using was were when with you "
    "your".split()
)
ENDING = re.compile(r"(?:ing|ed|es|s|e)$")
PATTERNS = re.compile("|".join(SOURCE_PATTERNS), re.IGNORECASE)
CASSETTE = "cassette:"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Judgement:
    corrects: bool
    rules: Sequence[str] = ()
    given: Sequence[str] = ()  # the active ones of the rules
    sentences: Sequence[str] = ()


def told(results: Iterable[CaseResult], *, corrects: bool) -> Judgement:
    results = list(results)
    rules = [one.rule for one in results if one.rule is not None]
    return Judgement(
        corrects,
        [rule.content for rule in rules],
        [rule.content for rule in rules if rule.status == "active"],
        [one.sentence for one in results if one.sentence],
    )


def hear(s: Seasoned, row: Row) -> bool:
    """Tell the exchange and the message of a row; return whether it was noticed at once."""
    request, reply = row["previous_request"] or "", row["previous_reply"] or ""
    if reply:
        s.replied(request, reply, tool_calls=calls_of(row), session=row["id"])
    return bool(s.turn(row["text"], session=row["id"]).correction)


def calls_of(row: Row) -> list[dict[str, Any]]:
    """Read the last call of a row: the name of the tool, then its parameters as JSON."""
    tool, _, params = (row.get("last_tool") or "").partition(" ")
    return [{"tool": tool, "params": params}] if tool else []


def alone(rows: Sequence[Row]) -> list[Judgement]:
    """Judge without a model, each row in a store of its own."""
    judged: list[Judgement] = []
    for row in rows:
        with Seasoned(":memory:", project="remarks", user="reader") as s:
            noticed = hear(s, row)
            judged.append(told(s.corrections.learn(), corrects=noticed))
    return judged


def with_model(rows: Sequence[Row], model: "Model | str") -> list[Judgement]:
    """Judge with a model, as many rows together as go into one question."""
    # The learner runs when it is asked to, not in the background.
    environment = {
        **os.environ,
        "SEASONED_BEHAVIORAL__INTERVAL_SECONDS": str(24 * 3600),
        "SEASONED_BUFFER__CAPACITY": "1000000",
    }
    if isinstance(model, str):
        environment["SEASONED_LLM__MODEL"] = model
    results: dict[str, list[CaseResult]] = {}
    with Seasoned(":memory:", project="remarks", user="reader", environment=environment) as s:
        if not isinstance(model, str):
            s.inner.app.lend("rules", model)
        for row in rows:
            hear(s, row)
            if waiting(s) >= TOGETHER or row is rows[-1]:
                for result in s.corrections.learn():
                    results.setdefault(result.case.scope.session, []).append(result)
    return [
        told(found, corrects=any(one.corrects for one in found))
        for found in (results.get(row["id"], []) for row in rows)
    ]


def waiting(s: Seasoned) -> int:
    """Return how many messages a question could ask about now; failed ones wait for later."""
    status = s.corrections.status()
    return sum(one["pending"] - one["failing"] for one in (status, status["remarks"]))


BASELINES: Mapping[str, Callable[[Row], Judgement]] = {
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
    given = [row for row, one in pairs for _ in one.given]
    read = [(sentence, row["note"]) for row, one in pairs for sentence in one.sentences]
    noted = [(row["note"], one) for row, one in pairs if row["note"]]
    return metrics | {
        "rules": len(made),
        "given": len(given),
        "given due": share(bool(row["note"]) for row in given),
        "given standing": share(bool(row["standing"]) for row in given),
        "rules matched": share(says_the_same(rule, note) for rule, note in made),
        "notes matched": share(
            any(says_the_same(rule, note) for rule in one.rules) for note, one in noted
        ),
        "sentences": len(read),
        "sentences due": share(bool(note) for _, note in read),
        "sentences matched": share(says_the_same(sentence, note) for sentence, note in read),
        "notes read": share(
            any(says_the_same(sentence, note) for sentence in one.sentences) for note, one in noted
        ),
    }


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
    parser.add_argument("--model", help=f"a model as in llm.model, or {CASSETTE}DIR")
    parser.add_argument("--record-prompts", type=Path, help="write the questions to this file")
    parser.add_argument("--json", action="store_true", help="rows as JSON, one per line")
    parser.add_argument("--quick", action="store_true", help=f"about {QUICK_ROWS} rows a set")
    parser.add_argument("--show", action="store_true", help="print every rule that is made")
    options = parser.parse_args()
    sets = {
        path.stem: rows_of(path, options.quick) for path in sorted(options.data.glob("*.jsonl"))
    }
    if options.record_prompts:
        logging.disable()  # each question that is not answered would be a warning
        recorder = Recorder(options.record_prompts)
        for rows in sets.values():
            with_model(rows, recorder)
        print(f"{len(recorder.written)} questions in {options.record_prompts}")
        return
    model = options.model
    if model and model.startswith(CASSETTE):
        model = Cassette(Path(model.removeprefix(CASSETTE)))
    for name, rows in sets.items():
        systems = {"seasoned": alone(rows)}
        if model:
            systems["with model"] = with_model(rows, model)
        systems |= {system: [judge(row) for row in rows] for system, judge in BASELINES.items()}
        for system, judged in systems.items():
            report(name, system, rows, judged, options)
    if isinstance(model, Cassette) and (model.missing or model.broken):
        print(
            f"{len(model.missing)} questions without an answer: {', '.join(sorted(model.missing))}"
        )
        for key, wrong in sorted(model.broken.items()):
            print(f"unusable answer to {key}: {wrong}")


def report(
    name: str,
    system: str,
    rows: Sequence[Row],
    judged: Sequence[Judgement],
    options: argparse.Namespace,
) -> None:
    for metric, value in measured(rows, judged).items():
        if options.json:
            row = {"set": name, "system": system, "metric": metric}
            print(json.dumps(row | {"value": round(value, 4)}), flush=True)
        else:
            print(f"{name:<14} {system:<10} {metric:<22} {value:.3f}", flush=True)
    for row, one in zip(rows, judged, strict=True) if options.show else ():
        for rule in one.rules:
            given = "" if rule in one.given else " (not given)"
            print(f"\n{row['text'][:300]!r}\n  note: {row['note']}\n  rule: {rule}{given}")


if __name__ == "__main__":
    main()
