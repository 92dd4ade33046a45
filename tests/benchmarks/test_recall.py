"""The recall benchmark runs on a few lessons and finds what it taught."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"

CORPUS = """
import json
from corpus import Corpus
corpus = Corpus()
lessons = list(corpus.lessons(0, 500))
queries = corpus.queries(80, range(500))
print(json.dumps({
    "lessons": [lesson.whole for lesson in lessons],
    "again": [Corpus().lesson(number).whole for number in (0, 499)],
    "queries": [[query.text, query.target] for query in queries],
}))
"""


@pytest.fixture(scope="module")
def rows() -> dict[str, float]:
    """The benchmark's results for Seasoned with 300 lessons."""
    command = [sys.executable, str(BENCHMARKS / "recall.py"), "--quick", "--json"]
    options = ["--sizes", "300", "--only", "seasoned"]
    ran = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    told = json.loads(ran.stdout)
    assert {(row["set"], row["system"]) for row in told} == {("300 lessons", "seasoned")}
    return {row["metric"]: row["value"] for row in told}


def test_what_was_taught_is_found_again(rows: dict[str, float]) -> None:
    assert rows["hit_at_10"] > 0.8
    assert rows["recall_at_10"] > 0.95


def test_every_cost_is_measured(rows: dict[str, float]) -> None:
    costs = ("add_per_s", "load_per_s", "cold_start_ms", "query_ms_p50", "query_ms_p95", "rss_mb")
    assert all(rows[cost] > 0 for cost in (*costs, "disk_mb", "writing_query_ms_p95"))


def test_the_corpus_is_the_same_each_time_and_its_queries_are_about_it() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", CORPUS], cwd=BENCHMARKS, capture_output=True, text=True, check=True
    )
    told = json.loads(ran.stdout)
    lessons: list[str] = told["lessons"]
    assert told["again"] == [lessons[0], lessons[499]]
    assert len(set(lessons)) == 500
    assert all(8 <= len(lesson.split()) <= 60 for lesson in lessons)
    queries: list[tuple[str, int | None]] = told["queries"]
    meant = [(text, lessons[target]) for text, target in queries if target is not None]
    shared = [set(text.split()) & set(lesson.split()) for text, lesson in meant]
    assert len(meant) == 70
    assert sum(map(bool, shared)) > 60
