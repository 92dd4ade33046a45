"""Every fix that real sessions teach is a sentence that a colleague can follow."""

import gzip
import json
from pathlib import Path

import pytest

from seasoned import Seasoned
from seasoned.lessons.readable import flaw_of

DATA = Path(__file__).parents[3] / "shared" / "data" / "sessions"
SOURCES = ("context-evaluator", "cyspbot", "entireio-git-sync", "oh-my-posh", "tau-bench")

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the sessions are not beside the code")


@pytest.mark.parametrize("source", SOURCES)
def test_no_wording_needs_a_reader_who_was_there(source: str, home: Path) -> None:
    with Seasoned(":memory:") as s, gzip.open(DATA / f"{source}.jsonl.gz", "rt") as lines:
        for call in map(json.loads, lines):
            if call.get("tool"):
                s.observe(
                    *(call["tool"], call.get("params"), call.get("result"), call.get("error")),
                    session=call["session"],
                )
        fixes = s.lessons(kind="fix", limit=1000)
    assert fixes
    assert {fix.content: flaw for fix in fixes if (flaw := flaw_of(fix.content))} == {}
