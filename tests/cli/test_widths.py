"""Tables on narrow terminals and in pipes: whatever the width, no name, id or value is lost."""

from collections.abc import Callable
from pathlib import Path
from unicodedata import east_asian_width

import pytest
from typer.testing import Result

Call = Callable[..., Result]

WIDE = "配置工具的名字很长"


@pytest.fixture
def filled(seasoned: Call, three: Path) -> Call:
    """A store with some of everything that is shown as a table."""
    seasoned("learn", three)
    seasoned("observe", WIDE, "--error", "没有区域")
    seasoned("rules", "add", "いつも日本語で返事をしてください。")
    seasoned("examples", "add", "Undo the last commit", "git reset --soft HEAD~1")
    seasoned("feedback", "add", "positive", "--prompt", "a", "--response", "b", "--id", "judged-1")
    seasoned("graph", "add", "tool:deploy", "relatedTo", "tool:kubectl")
    return seasoned


def columns(line: str) -> int:
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in line)


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
@pytest.mark.parametrize(
    ("args", "names"),
    [
        (("stats",), ("deploy", WIDE)),
        (("lessons", "list"), ("trigger",)),
        (("rules", "list"), ("いつも", "日本語")),
        (("examples", "list"), ("Undo", "commit")),
        (("feedback", "list"), ("judged-1",)),
        (("feedback", "stats"), ("helpfulness",)),
        (("graph", "query"), ("tool:kubectl",)),
        (("config", "show"), ("knowledge.analysisTokenThreshold", "default")),
    ],
    ids=" ".join,
)
def test_a_table_keeps_its_names_at_every_width(
    filled: Call,
    monkeypatch: pytest.MonkeyPatch,
    args: tuple[str, ...],
    names: tuple[str, ...],
    width: int,
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = filled(*args).stdout
    told = "".join(shown.split())  # a long word is folded, not cut
    for name in names:
        assert name in told, shown
    assert "…" not in shown
    if args[0] != "config":  # which begins with paths, and these are never wrapped in a pipe
        assert max(columns(line) for line in shown.splitlines()) <= width
