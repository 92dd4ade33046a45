"""An export takes the same memory for any number of rows."""

import tracemalloc
from pathlib import Path

import pytest

from seasoned import Seasoned
from seasoned.feedback.feedback import Feedback, RatedTurn

MB = 1_000_000


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("many") / "seasoned.db")
    text = "many words and no end of them, " * 10
    with Seasoned(path) as s:
        for start in range(0, 20_000, 1000):
            s.feedback.record(
                [
                    Feedback(f"f{n}", "positive", 1.0, source="env", turn=RatedTurn(text, f"{n}"))
                    for n in range(start, start + 1000)
                ]
            )
    return path


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_the_memory_does_not_grow_with_the_rows(filled: str, form: str, tmp_path: Path) -> None:
    path = tmp_path / f"good.{form}"
    with Seasoned(filled) as s:
        s.export("sft", path, until="1970-01-02")  # an empty export, to load all modules
        tracemalloc.start()
        try:
            report = s.export("sft", path, keep_pii=True)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert report.rows == 20_000
    assert peak < (4 if form == "jsonl" else 14) * MB  # the rows hold more than 8 MB of text
