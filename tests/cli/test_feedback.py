"""`seasoned feedback` and `seasoned export`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Answer = Callable[..., Any]
Call = Callable[..., Result]

TURN = ("--prompt", "Capital of France?", "--response", "Lyon.")


def test_feedback_is_kept_listed_and_adds_up(seasoned: Call, answer: Answer) -> None:
    given = seasoned("feedback", "add", "positive", *TURN, "--skill", "geography", "--id", "f1")
    assert given.stdout == "Recorded feedback f1; helpfulness is +1.00 on average of 1.\n"
    fixed = ("corrective", *TURN, "--correction", "Paris.", "--dimension", "CORRECTNESS")
    told = answer("feedback", "add", *fixed, "--comment", "look it up", "--id", "f2")
    assert (told["accepted"], told["duplicates"]) == (1, 0)
    listed = seasoned("feedback", "list").stdout
    for words in ("f1", "f2", "+1.00", "-1.00", "skill geography", "→ Lyon.", "“Paris.”"):
        assert words in listed
    newest = answer("feedback", "list", "--polarity", "corrective")[0]
    assert (newest["id"], newest["correction"]) == ("f2", "Paris.")
    assert newest["turn"]["prompt"] == "Capital of France?"
    assert answer("feedback", "stats")["correctness"]["mean_score"] == -1
    assert answer("feedback", "stats", "--by", "skill")["geography"]["count"] == 1
    assert "geography" in seasoned("feedback", "stats", "--by", "skill").stdout


def test_the_same_id_counts_once(seasoned: Call) -> None:
    first, second = (seasoned("feedback", "add", "negative", "--id", "f1") for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert "exists already" in second.stderr


def test_clamped_values_are_reported(seasoned: Call) -> None:
    assert "clamped to 1.0" in seasoned("feedback", "add", "positive", "--score", "7").stderr


def test_an_empty_list_says_how_to_give_feedback(seasoned: Call) -> None:
    for command in ("list", "stats"):
        result = seasoned("feedback", command)
        assert (result.exit_code, result.stdout) == (0, "")
        assert "seasoned feedback add" in result.stderr


@pytest.mark.parametrize("kind", ["dpo", "kto", "reward", "sft"])
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_an_export_is_written_and_reported(
    seasoned: Call, answer: Answer, tmp_path: Path, kind: str, form: str
) -> None:
    seasoned("feedback", "add", "corrective", *TURN, "--correction", "Paris.")
    seasoned("feedback", "add", "neutral")
    path = tmp_path / f"data.{form}"
    told = answer("export", kind, path)
    assert (told["rows"], told["format"]) == (2 if kind == "kto" else 1, form)
    assert told["left_out"] == {"no request and answer known": 1}
    assert Path(told["datasheet"]).read_text("utf-8").startswith(f"# data.{form}")
    said = seasoned("export", kind, path).stdout
    assert "data.jsonl.datasheet.md" in said or form == "parquet"
    assert "no request and answer known" in said


def test_options_reach_the_export(seasoned: Call, answer: Answer, tmp_path: Path) -> None:
    mail = ("--prompt", "ana@example.com", "--response", "Hi.")
    seasoned("feedback", "add", "positive", *mail, "--model", "m1", "--confidence", "0.5")
    path = tmp_path / "data.txt"
    options = ("--format", "jsonl", "--model", "m1", "--least-confidence", "0.5", "--samples")
    more = ("--source", "human", "--dimension", "helpfulness", "--since", "2020-01-01", "--chat")
    told = answer("export", "reward", path, *options, *more, "--with-corrections")
    assert told["personal_data_replaced"] == {"email": 1}
    row = json.loads(path.read_text("utf-8"))
    assert row["prompt"] == [{"role": "user", "content": "<email>"}]
    kept = answer("export", "sft", path, "--format", "jsonl", "--keep-pii")
    assert kept["personal_data_replaced"] is None
    assert "ana@example.com" in path.read_text("utf-8")
    assert answer("export", "sft", path, "--format", "jsonl", "--until", "2020-01-01")["rows"] == 0


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("feedback", "add", "splendid"), "one of positive, negative"),
        (("feedback", "add", "corrective"), "say in correction"),
        (("feedback", "add", "positive", "--score", "nan"), "finite"),
        (("feedback", "add", "positive", "--dimension", "mood"), "dimension is 'mood'"),
        (("feedback", "stats", "--by", "mood"), "not by 'mood'"),
        (("feedback", "list", "--since", "soon"), "since is 'soon'"),
        (("export", "ppo", "x.jsonl"), "kind is 'ppo'"),
        (("export", "dpo", "x.csv"), "names no format"),
        (("export", "dpo", "no/such/x.jsonl"), "no folder"),
        (("export", "dpo"), "PATH"),
    ],
)
def test_bad_input_is_said_in_one_line(seasoned: Call, args: tuple[str, ...], told: str) -> None:
    result = seasoned(*args)
    assert result.exit_code == 2, result.output
    assert told in result.stderr
    assert "Traceback" not in result.output
