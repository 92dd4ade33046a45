"""Check that exports load elsewhere without loss, and that trainers accept them.

    python evals/exports.py [--quick] [--rows 5000] [--json]

Feedback of every kind, in many scripts and with awkward texts, is exported as DPO, KTO, reward and
SFT data, as JSON lines and as Parquet, plain and as chat. Each file is then loaded by `datasets` in
an environment of its own, compared row by row with what was exported, and given to the functions
with which TRL's trainers check and convert a dataset. The exit code is 1 when one says no.
"""

import argparse
import hashlib
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from peers.environment import PeerMissing, ask
from seasoned import Seasoned
from seasoned.feedback.feedback import DIMENSIONS, GIVERS, POLARITIES, Feedback, RatedTurn

FORMATS = ("jsonl", "parquet")
KINDS = ("dpo", "kto", "reward", "samples", "sft")
WORDS = (
    "the plan is fine", "Straße", "東京へ行く", "مرحبا", "naïve", "🙂 ok", "line\nbreak",
    "tab\there", 'quote "x"', "\u2028", "\x85", "back\\slash", "e\u0301", "{}", "null",
    "<b>", "a,b;c", " ",
)  # fmt: skip
AT_ONCE = 500


def feedback(number: int, seed: int = 7) -> Sequence[Feedback]:
    """Make feedback of every polarity, dimension and source, with texts that break file formats."""
    rng = random.Random(seed)

    def text() -> str:
        return " ".join(["so", *rng.choices(WORDS, k=rng.randint(1, 8)), str(rng.random())])

    return [
        Feedback(
            id=f"f{place}",
            polarity=(polarity := rng.choice(POLARITIES)),
            score={"positive": 1, "negative": -1}.get(polarity, 0) * rng.random(),
            dimension=rng.choice(DIMENSIONS),
            confidence=rng.random(),
            correction=text() if polarity == "corrective" else "",
            source=rng.choice(GIVERS[1:]),  # what people correct becomes rules: not asked here
            turn=RatedTurn(text(), text(), model=f"model-{rng.randint(1, 3)}"),
        )
        for place in range(number)
    ]


def exported(rows: int, folder: Path) -> list[dict[str, Any]]:
    """Export every kind in every format; return path, number of rows, and a digest."""
    files: list[dict[str, Any]] = []
    with Seasoned(str(folder / "seasoned.db")) as s:
        given = feedback(rows)
        for start in range(0, rows, AT_ONCE):
            s.feedback.record(given[start : start + AT_ONCE])
        for kind in KINDS:
            for chat in (False, True):
                digest = None
                for form in FORMATS:
                    path = folder / f"{kind}-{'chat' if chat else 'plain'}.{form}"
                    began = time.perf_counter()
                    report = s.export(
                        "reward" if kind == "samples" else kind,
                        path,
                        samples=kind == "samples",
                        chat=chat,
                    )
                    digest = digest or digest_of(path)  # of the JSON lines: both must hold that
                    files.append(
                        {
                            "kind": kind,
                            "chat": chat,
                            "format": form,
                            "path": str(path),
                            "exported": report.rows,
                            "expected": digest,
                            "seconds": round(time.perf_counter() - began, 3),
                        }
                    )
    return files


def digest_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            digest.update(json.dumps(json.loads(line), sort_keys=True).encode())
    return digest.hexdigest()


def judged(file: dict[str, Any]) -> dict[str, Any]:
    problems = {name: said for name, said in file["checks"].items() if said}
    if file["rows"] != file["exported"]:
        problems["rows"] = f"{file['rows']} of {file['exported']} came"
    if file["digest"] != file["expected"]:
        problems["round trip"] = "a row came back otherwise"
    if not file["rows"]:
        problems["rows"] = "there are none"
    kept = ("kind", "chat", "format", "rows", "seconds")
    return {
        **{name: file[name] for name in kept},
        "checks": ["rows", "round trip", *file["checks"]],
        "problems": problems,
    }


def measure(rows: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        answer = ask("trl", "trl_exports.py", {"files": exported(rows, Path(folder))})
    files = [judged(file) for file in answer["files"]]
    return {
        "feedback": rows,
        "versions": answer["versions"],
        "files": files,
        "passed": sum(not file["problems"] for file in files),
        "failed": sum(bool(file["problems"]) for file in files),
    }


def shown(result: dict[str, Any]) -> None:
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    print(f"{result['feedback']:,} feedbacks; {versions}\n")
    print(f"{'kind':8} {'form':6} {'format':8} {'rows':>7} {'seconds':>8}  problems")
    for file in result["files"]:
        form = "chat" if file["chat"] else "plain"
        told = "; ".join(f"{name}: {said}" for name, said in file["problems"].items()) or "none"
        print(
            f"{file['kind']:8} {form:6} {file['format']:8} {file['rows']:7,} "
            f"{file['seconds']:8.2f}  {told}"
        )
    print(f"\n{result['passed']} passed, {result['failed']} failed")


def main() -> int:
    parser = argparse.ArgumentParser(description="Do exports load elsewhere, and train?")
    parser.add_argument("--rows", type=int, default=5000, help="feedbacks to export")
    parser.add_argument("--quick", action="store_true", help="200 feedbacks")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    given = parser.parse_args()
    try:
        result = measure(200 if given.quick else given.rows)
    except PeerMissing as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(json.dumps(result, indent=2)) if given.json else shown(result)
    return 1 if result["failed"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
