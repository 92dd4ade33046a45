"""The examples run as they are, without a key, and show that something was learned."""

import asyncio
import runpy
from pathlib import Path

import pytest
from tests.adapters.in_thread import in_thread

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("with_*.py"))
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HF_TOKEN")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_without_a_key(
    example: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
    for key in KEYS:
        monkeypatch.delenv(key, raising=False)

    asyncio.run(in_thread(runpy.run_path, str(example), run_name="__main__"))

    shown = capsys.readouterr().out.split("the model reads: ")
    assert "Pass `day` as a date" in shown[-1] or "[LEARNED BEHAVIORAL RULES]" in shown[-1]
    assert "Pass `day`" not in shown[1]
    assert len(example.read_text("utf-8").splitlines()) <= 40


def test_there_is_an_example_for_each_framework() -> None:
    assert len(EXAMPLES) == 5
