"""`seasoned graph …`: query, traverse, export, import, and clear with confirmation."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Answer = Callable[..., Any]
Call = Callable[..., Result]


@pytest.fixture
def learned(seasoned: Call, three: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Draw three episodes of one error, and return the error's node."""
    monkeypatch.setenv("SEASONED_GRAPH__ENABLED", "true")
    assert seasoned("learn", three).exit_code == 0
    found = json.loads(seasoned("graph", "query", "-p", "resolvedBy", "--json").stdout)
    return str(found[0]["subject"])


def test_status_says_whether_it_is_on_and_what_is_in_it(learned: str, answer: Answer) -> None:
    told = answer("graph", "status")
    assert told["enabled"] is True
    assert (told["triples"], told["waiting"], told["last_error"]) == (8, 0, "")


def test_a_graph_that_is_off_says_so(seasoned: Call) -> None:
    told = seasoned("graph", "status")
    assert "off (graph.enabled)" in told.stdout
    assert "the graph is empty" in seasoned("graph", "stats").stderr
    assert seasoned("graph", "clear", "--redraw", "--yes").exit_code == 2


def test_queries_narrow_by_each_part(learned: str, seasoned: Call, answer: Answer) -> None:
    every = answer("graph", "query")
    assert len(every) == 8
    for option, part in (("-s", "subject"), ("-p", "predicate"), ("-o", "object")):
        some = answer("graph", "query", option, every[0][part])
        assert some == [one for one in every if one[part] == every[0][part]]
    assert len(answer("graph", "query", "--limit", "2")) == 2
    assert "causedBy tool:deploy" in seasoned("graph", "query").stdout
    assert "no such triples" in seasoned("graph", "query", "-s", "nothing").stderr


def test_neighbours_are_shown_with_their_labels(
    learned: str, seasoned: Call, answer: Answer
) -> None:
    shown = seasoned("graph", "neighbours", "tool:deploy", "--depth", "2").stdout
    assert learned in shown
    assert "Add `region=eu-west`." in shown
    told = answer("graph", "neighbours", learned, "--predicate", "resolvedBy")
    (fix,) = told["nodes"]
    assert (fix["label"], fix["steps"]) == ("Add `region=eu-west`.", 1)
    by_id = answer("graph", "neighbours", fix["node"].removeprefix("fix:")[:6])
    assert by_id["starts"][0]["node"] == fix["node"]


def test_a_path_is_shown_or_not_found(learned: str, seasoned: Call, answer: Answer) -> None:
    told = answer("graph", "path", "session:session 0", "tool:deploy")
    assert [edge["predicate"] for edge in told] == ["inSession", "causedBy"]
    assert learned in seasoned("graph", "path", "session:session 0", "tool:deploy").stdout
    answer("graph", "add", "island:1", "relatedTo", "island:2")
    lost = seasoned("graph", "path", "island:1", "tool:deploy")
    assert (lost.exit_code, lost.stdout) == (3, "")
    assert "no path from island:1" in lost.stderr


def test_statistics_name_the_busiest(learned: str, seasoned: Call, answer: Answer) -> None:
    told = answer("graph", "stats", "--busiest", "1")
    assert (told["triples"], told["nodes"]) == (8, 6)
    assert told["busiest"][0]["node"] == learned
    assert "Busiest nodes" in seasoned("graph", "stats").stdout


@pytest.mark.parametrize("name", ["graph.nt", "graph.graphml", "graph.json"])
def test_a_graph_goes_to_a_file_and_comes_back(
    learned: str, answer: Answer, tmp_path: Path, name: str
) -> None:
    before = answer("graph", "query")
    file = tmp_path / name
    assert answer("graph", "export", file) == {"file": str(file), "triples": 8}
    assert answer("graph", "clear", "--yes") == {"removed": 8, "drawn": 0}
    assert answer("graph", "query") == []
    assert answer("graph", "import", file)["triples"] == 8
    assert answer("graph", "query") == before


def test_export_without_a_file_goes_to_stdout(learned: str, seasoned: Call, answer: Answer) -> None:
    assert seasoned("graph", "export").stdout.startswith("<urn:seasoned:error:deploy:")
    assert seasoned("graph", "export", "--format", "graphml").stdout.startswith("<?xml")
    assert len(answer("graph", "export")["triples"]) == 8


def test_clearing_requires_confirmation(learned: str, seasoned: Call, answer: Answer) -> None:
    refused = seasoned("graph", "clear")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--yes" in refused.stderr
    assert answer("graph", "status")["triples"] == 8
    assert answer("graph", "clear", "--yes", "--redraw")["removed"] == 8
    assert answer("graph", "status")["triples"] == 8


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (("query", "-p", "loves"), 2, "there are causedBy"),
        (("add", "a", "loves", "b"), 2, "there are causedBy"),
        (("add", "a", "relatedTo", "b", "--weight", "nan"), 2, "weight"),
        (("neighbours", "nobody:1"), 3, "no node 'nobody:1'"),
        (("neighbours", "tool:deploy", "--depth", "99"), 2, "at most 10"),
        (("path", "tool:deploy", "nobody:1"), 3, "no node 'nobody:1'"),
        (("import", "gone.nt"), 3, "gone.nt"),
        (("export", "graph.doc"), 2, ".graphml"),
    ],
)
def test_errors_are_one_line(
    learned: str, seasoned: Call, words: tuple[str, ...], code: int, reason: str
) -> None:
    result = seasoned("graph", *words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.startswith("error: ")
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1
