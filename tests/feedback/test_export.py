"""Exports for training: exact, and without personal data unless requested."""

import importlib
import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from seasoned import AsyncSeasoned, Seasoned
from seasoned.core.errors import BadInput
from seasoned.feedback.feedback import Feedback, RatedTurn

pytestmark = pytest.mark.sqlite_only

PARQUET: Any = importlib.import_module("pyarrow.parquet")
ODD = 'Straße 東京 🙂 \u2028 \x85 "q" \\ \n\t {}, null e\u0301 \x1b[31m'


def turn(n: int, **more: Any) -> RatedTurn:
    known: dict[str, Any] = {"model": "m1", **more}
    return RatedTurn(f"request {n} {ODD}", f"answer {n} {ODD}", **known)


GIVEN = [
    Feedback("good", "positive", 0.5, "tone", 0.9, turn=turn(1), source="env", at=1_000_000),
    Feedback("bad", "negative", -0.5, "safety", 0.8, turn=turn(2), source="env", at=2_000_000),
    Feedback(
        *("fixed", "corrective", 0.0, "tone", 0.7),
        correction=f"better {ODD}",
        turn=turn(3, model="m2"),
        source="env",
        at=3_000_000,
    ),
    Feedback(
        *("part", "corrective", 0.0, "tone", 0.6),
        correction="ANSWER",
        correction_span=(0, 6),
        turn=turn(4, model="", version="v9"),
        source="self",
        at=4_000_000,
    ),
    Feedback("meh", "neutral", 0.0, turn=turn(5), source="env", at=5_000_000),
    Feedback("unsaid", "positive", 1.0, source="env", at=6_000_000),
    Feedback("odd", "positive", -0.5, turn=turn(6), source="env", at=7_000_000),
    Feedback("same", "corrective", correction="x", turn=RatedTurn("q", "x"), source="env"),
]


def lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="\n") as file:
        return [json.loads(line) for line in file]


def rows(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        return PARQUET.read_table(path).to_pylist()
    return lines(path)


@pytest.fixture
def judged(seasoned: Seasoned) -> Seasoned:
    seasoned.feedback.record(GIVEN)
    return seasoned


@pytest.fixture(params=["jsonl", "parquet"])
def form(request: pytest.FixtureRequest) -> str:
    return request.param


def of(found: Sequence[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in found]


def test_dpo_is_pairs_just_as_they_were_given(judged: Seasoned, tmp_path: Path, form: str) -> None:
    path = tmp_path / f"pairs.{form}"
    report = judged.export("dpo", path)
    found = rows(path)
    pairs = [pair for one in GIVEN if (pair := one.to_preference_pair())]
    assert [{name: row[name] for name in pairs[0]} for row in found] == pairs
    assert of(found, "id", "source") == [("fixed", "env"), ("part", "self")]
    assert found[1]["chosen"] == "ANSWER" + found[1]["rejected"][6:]
    assert found[1]["model_version"] == "v9"
    assert report.rows == 2
    assert report.left_out == {
        "no correction, so no better answer known": 3,
        "no request and answer known": 1,
        "polarity and score disagree": 1,
        "the correction changes nothing": 1,
    }


def test_kto_is_labelled_answers(judged: Seasoned, tmp_path: Path, form: str) -> None:
    path = tmp_path / f"labels.{form}"
    judged.export("kto", path)
    found = rows(path)
    assert of(found, "id", "label") == [
        ("good", True),
        ("bad", False),
        ("fixed", True),
        ("fixed", False),
        ("part", True),
        ("part", False),
    ]
    assert found[0]["completion"] == f"answer 1 {ODD}"


def test_reward_is_pairs_or_samples(judged: Seasoned, tmp_path: Path, form: str) -> None:
    pairs, samples = tmp_path / f"pairs.{form}", tmp_path / f"samples.{form}"
    judged.export("reward", pairs)
    judged.export("reward", samples, samples=True)
    assert of(rows(pairs), "id") == [("fixed",), ("part",)]
    found = {row["id"]: row for row in rows(samples)}
    for one in GIVEN[:5]:
        sample = one.to_reward_sample()
        assert sample is not None
        assert {name: found[one.id][name] for name in sample} == sample


def test_sft_is_good_conversations(judged: Seasoned, tmp_path: Path, form: str) -> None:
    path = tmp_path / f"good.{form}"
    judged.export("sft", path)
    found = rows(path)
    assert of(found, "id") == [("good",), ("fixed",), ("part",)]
    assert found[1]["messages"] == [
        {"role": "user", "content": f"request 3 {ODD}"},
        {"role": "assistant", "content": f"better {ODD}"},
    ]


def test_chat_says_the_same_in_messages(judged: Seasoned, tmp_path: Path, form: str) -> None:
    plain, chat = tmp_path / f"plain.{form}", tmp_path / f"chat.{form}"
    for kind, names in (("dpo", ("chosen", "rejected")), ("kto", ("completion",))):
        judged.export(kind, plain)
        judged.export(kind, chat, chat=True)
        for one, other in zip(rows(plain), rows(chat), strict=True):
            assert other["prompt"] == [{"role": "user", "content": one["prompt"]}]
            for name in names:
                assert other[name] == [{"role": "assistant", "content": one[name]}]


def test_both_formats_hold_the_same_rows(judged: Seasoned, tmp_path: Path) -> None:
    for kind in ("dpo", "kto", "reward", "sft"):
        found: list[Any] = []
        for form in ("jsonl", "parquet"):
            judged.export(kind, tmp_path / f"same.{form}")
            found.append(rows(tmp_path / f"same.{form}"))
        assert found[0] == found[1]


def test_every_line_is_one_row_for_every_reader(judged: Seasoned, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    judged.export("kto", path)
    assert [json.loads(line) for line in path.read_text("utf-8").splitlines()] == lines(path)


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        ({"dimension": "tone"}, ["good", "fixed", "part"]),
        ({"source": "self"}, ["part"]),
        ({"least_confidence": 0.8}, ["good", "bad"]),
        ({"model": "m2"}, ["fixed"]),
        ({"since": "1970-01-01T00:00:02", "until": "1970-01-01T00:00:03"}, ["bad"]),
        ({"dimension": "tone", "source": "env", "least_confidence": 0.8}, ["good"]),
        ({"dimension": "plan_quality"}, []),
    ],
)
@pytest.mark.both_dialects
def test_filters_narrow_and_say_so(
    judged: Seasoned, tmp_path: Path, filters: dict[str, Any], left: list[str]
) -> None:
    path = tmp_path / "labels.jsonl"
    report = judged.export("kto", path, **filters)
    assert list(dict.fromkeys(row["id"] for row in lines(path))) == left
    assert report.left_out["left out by the filters"] > 0
    sheet = report.datasheet.read_text("utf-8")
    for name in filters:
        assert f"| {name.replace('_', ' ')} |" in sheet


def test_personal_data_stays_out_unless_asked(seasoned: Seasoned, tmp_path: Path) -> None:
    told = "ana@example.com, +33 1 42 68 53 00, 4111 1111 1111 1111, DE89 3704 0044 0532 0130 00"
    seasoned.feedback.add("positive", prompt=f"I am {told}", response=f"Hello {told}")
    path = tmp_path / "good.jsonl"
    report = seasoned.export("sft", path)
    assert lines(path)[0]["messages"][1]["content"] == "Hello <email>, <phone>, <card>, <iban>"
    assert report.masked == {"card": 2, "email": 2, "iban": 2, "phone": 2}
    assert "2 × email" in report.datasheet.read_text("utf-8")
    kept = seasoned.export("sft", path, keep_pii=True)
    assert lines(path)[0]["messages"][1]["content"] == f"Hello {told}"
    assert "Personal data was left in" in kept.datasheet.read_text("utf-8")


def test_the_datasheet_tells_all(judged: Seasoned, tmp_path: Path, form: str) -> None:
    path = tmp_path / f"labels.{form}"
    report = judged.export("kto", path, chat=True)
    sheet = (tmp_path / f"labels.{form}.datasheet.md").read_text("utf-8")
    for told in (
        "6 rows",
        "| tone | 5 |",
        "| env | 4 |",
        "| self | 2 |",
        "polarity and score disagree | 1",
        "## Licence",
        "chat messages",
        sha256(path.read_bytes()).hexdigest(),
        f"{path.stat().st_size:,} bytes",
    ):
        assert told in sheet
    assert report.sha256 in sheet


def test_an_export_with_no_rows_is_a_file_all_the_same(
    seasoned: Seasoned, tmp_path: Path, form: str
) -> None:
    path = tmp_path / f"none.{form}"
    assert seasoned.export("dpo", path).rows == 0
    assert rows(path) == []


def test_a_text_that_was_cut_is_no_example(seasoned: Seasoned, tmp_path: Path) -> None:
    seasoned.feedback.add("positive", prompt="x" * 100_000, response="y")
    seasoned.turn("a question", reply="an answer " * 1000, session="chat-1")
    seasoned.feedback.add("positive", session="chat-1")
    seasoned.examples.add("a question", "an answer " * 1000)
    report = seasoned.export("sft", tmp_path / "good.jsonl", with_corrections=True)
    assert report.rows == 0
    assert report.left_out == {"a text was too long to be kept whole": 3}


@pytest.mark.parametrize(
    ("kind", "name", "more", "told"),
    [
        ("ppo", "x.jsonl", {}, "kind is 'ppo'"),
        ("dpo", "x.csv", {}, "x.csv names no format"),
        ("dpo", "x.jsonl", {"format": "arrow"}, "the format is 'arrow'"),
        ("dpo", "nowhere/x.jsonl", {}, "there is no folder"),
        ("dpo", "folder.jsonl", {}, "is a folder"),
        ("dpo", "x.jsonl", {"dimension": "mood"}, "dimension is 'mood'"),
        ("dpo", "x.jsonl", {"source": "god"}, "source is 'god'"),
        ("dpo", "x.jsonl", {"least_confidence": 7}, "from 0 to 1"),
        ("dpo", "x.jsonl", {"least_confidence": float("nan")}, "from 0 to 1"),
        ("dpo", "x.jsonl", {"since": "soon"}, "since is 'soon'"),
        ("dpo", "x.jsonl", {"samples": True}, "samples are for a reward export"),
    ],
)
def test_an_impossible_export_is_refused_with_its_reason(
    judged: Seasoned, tmp_path: Path, kind: str, name: str, more: dict[str, Any], told: str
) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(BadInput, match=told):
        judged.export(kind, tmp_path / name, **more)
    assert list(tmp_path.glob("**/*.tmp")) == []
    assert not (tmp_path / "x.jsonl").exists()


def test_a_failing_export_leaves_what_was_there(
    judged: Seasoned, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    path = tmp_path / f"labels.{form}"
    judged.export("kto", path)
    before = path.read_bytes()

    def full(text: str, found: Any = None) -> str:
        raise OSError("No space left on device")

    monkeypatch.setattr("seasoned.feedback.export.export.without_pii", full)
    with pytest.raises(BadInput, match="No space left"):
        judged.export("kto", path)
    assert path.read_bytes() == before
    assert {one.name for one in tmp_path.iterdir()} >= {path.name, f"{path.name}.datasheet.md"}
    assert not [one for one in tmp_path.iterdir() if one.name.endswith(".tmp")]


def test_exports_are_of_one_tenant_and_project(
    database_url: str, opened: Callable[..., Seasoned], tmp_path: Path
) -> None:
    for place in ({}, {"tenant": "t"}, {"tenant": "t", "project": "p"}):
        s = opened(database_url, **place)
        s.feedback.add("positive", prompt=f"for {place}", response="a")
        s.export("sft", tmp_path / "good.jsonl")
        (row,) = lines(tmp_path / "good.jsonl")
        assert row["messages"][0]["content"] == f"for {place}"


@pytest.mark.both_dialects
def test_corrections_and_examples_come_along_once(seasoned: Seasoned, tmp_path: Path) -> None:
    path = tmp_path / "with.jsonl"
    chat = seasoned.conversation("chat-1")
    chat.user("List the containers")
    chat.assistant("Run docker ps.")
    chat.edited("Run podman ps.")
    seasoned.feedback.add(
        "corrective", prompt="Build it", response="docker build .", correction="podman build ."
    )
    seasoned.corrections.learn()
    seasoned.examples.add("Undo it", "git reset --soft HEAD~1")
    seasoned.examples.add("Which tests fail?", "All of them pass.", polarity="negative")
    assert seasoned.export("dpo", path).rows == 1
    report = seasoned.export("dpo", path, with_corrections=True)
    assert of(lines(path), "prompt", "chosen", "rejected") == [
        ("Build it", "podman build .", "docker build ."),
        ("List the containers", "Run podman ps.", "Run docker ps."),
    ]
    assert report.left_out["was given as feedback, too"] == 1
    seasoned.export("kto", path, with_corrections=True)
    assert sorted(of(lines(path), "prompt", "completion", "label")) == [
        ("Build it", "docker build .", False),
        ("Build it", "podman build .", True),
        ("List the containers", "Run docker ps.", False),
        ("List the containers", "Run podman ps.", True),
        ("Undo it", "git reset --soft HEAD~1", True),
        ("Which tests fail?", "All of them pass.", False),
    ]
    narrowed = seasoned.export("kto", path, with_corrections=True, dimension="tone")
    assert narrowed.rows == 0


def test_async_code_exports_too(database_url: str, home: Path, tmp_path: Path) -> None:
    import asyncio

    async def told() -> int:
        async with AsyncSeasoned(database_url) as s:
            await s.feedback.record(GIVEN)
            return (await s.export("dpo", tmp_path / "pairs.jsonl")).rows

    assert asyncio.run(told()) == 2
