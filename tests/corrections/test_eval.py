"""The evaluation and the benchmark of corrections run and report every metric."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def rows_of(*command: str) -> list[dict[str, str | float]]:
    ran = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=True, cwd=ROOT
    )
    if ran.stdout.startswith("["):
        return json.loads(ran.stdout)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_the_evaluation_measures_each_set_in_halves(tmp_path: Path) -> None:
    turns = [
        {"text": "That's wrong.", "correction": 1, "previous_reply": None},
        {"text": "you're wrong", "correction": 1, "previous_reply": None},
        {"text": "Thanks a lot!", "correction": 0, "previous_reply": None},
        {"text": "What's the time?", "correction": 0, "previous_reply": None},
    ]
    (tmp_path / "small.jsonl").write_text("\n".join(map(json.dumps, turns)), "utf-8")
    rows = rows_of("evals/corrections.py", "--data", str(tmp_path), "--json")
    found = {(row["system"], row["metric"]): row["value"] for row in rows}
    assert found["seasoned", "f1"] == found["seasoned", "ap"] == 1
    assert found["source_patterns", "recall"] == 0.5
    assert found["source_patterns", "fpr"] == 0
    assert {row["set"] for row in rows} == {"small"}


def test_a_row_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"text": "x"}\n', "utf-8")
    with pytest.raises(subprocess.CalledProcessError) as failed:
        rows_of("evals/corrections.py", "--data", str(tmp_path))
    assert "bad.jsonl:1" in failed.value.stderr


def test_the_benchmark_measures_every_language() -> None:
    rows = rows_of("benchmarks/corrections.py", "--quick", "--json")
    sets = {row["set"] for row in rows if row["metric"] == "message_us_p50"}
    assert sets == {"en", "es", "pt", "fr", "de", "it", "zh", "ja", "all"}
    assert all(isinstance(row["value"], float) and row["value"] > 0 for row in rows)
