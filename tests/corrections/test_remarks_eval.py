"""The eval of remarks: without a model, from recorded answers, and its recorded questions."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.sqlite_only

ROOT = Path(__file__).parents[2]
ROWS: list[dict[str, Any]] = [
    {
        "id": "a",
        "previous_request": "start the database",
        "previous_reply": "I ran docker run postgres.",
        "last_tool": 'Bash {"command": "docker run postgres"}',
        "text": "No, use podman, not docker.",
        "corrects": True,
        "standing": True,
        "note": "Use podman rather than docker for containers.",
    },
    {
        "id": "b",
        "previous_request": "",
        "previous_reply": "",
        "last_tool": "",
        "text": "Add an index on the name of the customers",
        "corrects": False,
        "standing": False,
        "note": "",
    },
    {
        "id": "c",
        "previous_request": "sum it up",
        "previous_reply": "The total is 12.50.",
        "last_tool": "",
        "text": "by the way, prices are stored in cents",
        "corrects": True,
        "standing": True,
        "note": "Treat stored prices as cents.",
    },
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    lines = "\n".join(json.dumps(row) for row in ROWS)
    (folder / "mine.jsonl").write_text(lines, "utf-8")
    return folder


def run(data: Path, *options: str) -> str:
    command = [sys.executable, "evals/remarks.py", "--data", str(data), *options]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def figures(told: str, system: str) -> dict[str, float]:
    rows = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
    return {row["metric"]: row["value"] for row in rows if row["system"] == system}


def test_without_a_model_only_what_is_sure_counts(data: Path) -> None:
    found = figures(run(data, "--json"), "seasoned")
    assert (found["precision correcting"], found["recall correcting"]) == (1.0, 0.5)
    assert (found["given"], found["given due"]) == (1, 1.0)


def test_questions_are_recorded_without_labels_and_answers_found_by_digest(
    data: Path, tmp_path: Path
) -> None:
    path = tmp_path / "questions.jsonl"
    assert "1 questions" in run(data, "--record-prompts", str(path))
    (asked,) = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert all(row["text"] in asked["prompt"] for row in ROWS)
    assert "Treat stored prices" not in json.dumps(asked)

    cassette = tmp_path / "answers"
    cassette.mkdir()
    missing = run(data, "--json", "--model", f"cassette:{cassette}")
    assert f"1 questions without an answer: {asked['digest']}" in missing

    entry: dict[str, Any] = dict.fromkeys(("poison", "right_reply"))
    entry |= {"praise": False, "reason": "x", "confidence": 0.9}
    entry |= {"type": "preference", "trigger": "prices"}
    entries: list[dict[str, Any]] = [
        {
            "quote": row["text"],
            "corrects": row["corrects"],
            "standing": row["standing"],
            "sentence": row["note"] or None,
            "number": number,
        }
        | entry
        for number, row in enumerate(ROWS, start=1)
    ]
    answer = {"digest": asked["digest"], "answer": {"messages": entries}}
    (cassette / "a.jsonl").write_text(json.dumps(answer), "utf-8")
    found = figures(run(data, "--json", "--model", f"cassette:{cassette}"), "with model")
    assert (found["f1 correcting"], found["f1 standing"]) == (1.0, 1.0)
    assert (found["given"], found["rules matched"], found["notes matched"]) == (2, 1.0, 1.0)
