"""Every fix that real sessions teach is a sentence that a colleague can follow."""

import sys
from pathlib import Path

import pytest

from seasoned import Seasoned
from seasoned.lessons.readable import flaw_of

REPOSITORY = Path(__file__).parents[2]
DATA = REPOSITORY.parent / "shared" / "data" / "sessions"
SOURCES = ("context-evaluator", "cyspbot", "entireio-git-sync", "oh-my-posh", "tau-bench")

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the sessions are not beside the code")


@pytest.mark.parametrize("source", SOURCES)
def test_no_wording_needs_a_reader_who_was_there(
    source: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(REPOSITORY / "evals"), *sys.path])
    from sessions_data import sessions_of  # pyright: ignore

    with Seasoned(":memory:") as s:
        for events in sessions_of(DATA / f"{source}.jsonl.gz"):  # pyright: ignore
            for event in events:  # pyright: ignore
                if event.tool:  # pyright: ignore
                    s.observe(
                        event.tool, event.params, event.result, event.error, session=event.session
                    )  # pyright: ignore
        fixes = s.lessons(kind="fix", limit=1000)
    assert fixes
    flaws = {fix.content: flaw for fix in fixes if (flaw := flaw_of(fix.content))}
    assert flaws == {}
