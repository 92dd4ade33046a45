"""Graph files: round trips; a bad line is named and nothing is imported."""

import json
import string
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned import Seasoned
from seasoned.core.clock import FixedClock
from seasoned.core.errors import BadInput, NotFound
from seasoned.graph.formats import FORMATS, format_named
from seasoned.graph.snapshot import GraphFormat, Snapshot
from seasoned.graph.triple import LONGEST_NODE_BYTES, PREDICATES, UNSEEN, Triple, plain_label

pytestmark = pytest.mark.sqlite_only

SEEN = st.characters(codec="utf-8").filter(lambda one: not UNSEEN.match(one))
NODES = st.text(SEEN, min_size=1, max_size=30).filter(
    lambda name: bool(name.strip()) and len(name.encode()) <= LONGEST_NODE_BYTES
)
TEXTS = st.text(max_size=40).map(plain_label)
TRIPLES = st.builds(
    Triple,
    NODES,
    st.sampled_from(PREDICATES),
    NODES,
    st.floats(0, allow_infinity=False),
    TEXTS,
    st.integers(0, 2**63 - 1),
)


@st.composite
def graphs(draw: st.DrawFn) -> Snapshot:
    """Any graph that a store can hold: unique triples, and labels for some nodes."""
    triples = draw(
        st.lists(
            TRIPLES, max_size=8, unique_by=lambda one: (one.subject, one.predicate, one.object)
        )
    )
    ends = sorted({end for one in triples for end in (one.subject, one.object)})
    named = draw(st.lists(st.sampled_from(ends), unique=True)) if ends else []
    return Snapshot(triples, {node: draw(TEXTS) for node in named})


@pytest.mark.parametrize("name", FORMATS)
@given(graph=graphs())
def test_what_is_read_is_what_was_written(name: str, graph: Snapshot) -> None:
    chosen = FORMATS[name]
    back = chosen.read("".join(chosen.write(graph)))
    assert list(back.triples) == list(graph.triples)
    assert dict(back.labels) == dict(graph.labels)


@given(graph=graphs())
def test_ntriples_keep_to_their_grammar_line_by_line(graph: Snapshot) -> None:
    allowed = set(string.printable) - set("\x0b\x0c\r")
    for line in FORMATS["ntriples"].write(graph):
        assert line.endswith(" .\n")
        assert line.count("\n") == 1
        assert set(line.partition('"')[0]) <= allowed


@given(graph=graphs())
def test_lines_of_ntriples_may_come_in_any_order(graph: Snapshot) -> None:
    lines = list(FORMATS["ntriples"].write(graph))
    back = FORMATS["ntriples"].read("".join(reversed(lines)))
    assert set(back.triples) == set(graph.triples)
    assert dict(back.labels) == dict(graph.labels)


@given(graph=graphs())
def test_graphml_is_xml_that_names_every_end(graph: Snapshot) -> None:
    root = ElementTree.fromstring("".join(FORMATS["graphml"].write(graph)))
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    ids = {node.get("id") for node in root.iterfind(".//g:node", space)}
    for edge in root.iterfind(".//g:edge", space):
        assert {edge.get("source"), edge.get("target")} <= ids


def test_json_is_one_document() -> None:
    graph = Snapshot([Triple("a", "relatedTo", "b", 0.5, "me", 7)], {"a": "the first"})
    assert json.loads("".join(FORMATS["json"].write(graph))) == {
        "nodes": [{"id": "a", "label": "the first"}],
        "triples": [
            {
                "subject": "a",
                "predicate": "relatedTo",
                "object": "b",
                "weight": 0.5,
                "source": "me",
                "at": 7,
            }
        ],
    }


PLAIN = """# a comment, and a blank line

<urn:seasoned:tool:bash> <urn:seasoned:relatedTo> <http://example.com/\\u00e9> . # said so
<urn:seasoned:tool:bash> <http://www.w3.org/2000/01/rdf-schema#label> "the \\"shell\\""@en .
"""


def test_plain_ntriples_from_elsewhere_are_taken() -> None:
    graph = FORMATS["ntriples"].read(PLAIN)
    assert graph == Snapshot(
        [Triple("tool:bash", "relatedTo", "http://example.com/é")], {"tool:bash": 'the "shell"'}
    )


A, LIKE, B = "<urn:seasoned:a>", "<urn:seasoned:relatedTo>", "<urn:seasoned:b>"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
GOOD = f"{A} {LIKE} {B} .\n"
BAD = {
    "ntriples": [
        (f"{GOOD}{A} {LIKE} {B}\n", 2, "no N-Triples"),
        (f"{GOOD}{A} <urn:seasoned:loves> {B} .\n", 2, "no predicate 'loves'"),
        (f'{GOOD}{A} {LIKE} "text" .\n', 2, "must be a node"),
        (f"{GOOD}<urn:seasoned:%FF> {LIKE} {B} .\n", 2, "percent-encoded"),
        (f"{GOOD}<urn:seasoned:> {LIKE} {B} .\n", 2, "needs a name"),
        (f'{GOOD}_:x <urn:seasoned:weight> "heavy" .\n', 2, "weight cannot be read"),
        (f'{GOOD}_:x <urn:seasoned:weight> "1" .\n', 2, "names no subject"),
        (f"{GOOD}_:x <{RDF}subject> {B} .\n_:x <{RDF}predicate> {LIKE} .\n"
         f"_:x <{RDF}object> {A} .\n", 2, "not in the file"),
    ],
    "graphml": [
        ("<graphml>\n<graph>\n<edge>\n</graphml>", 4, "not well-formed"),
        ('<graphml><graph>\n<edge source="a" target="b"/></graph></graphml>', 2, "predicate ''"),
        ('<graphml><graph>\n<edge source="a"><data key="predicate">follows</data></edge>'
         "</graph></graphml>", 2, "target is missing"),
        ('<graphml>\n<graph edgedefault="undirected"/></graphml>', 2, "undirected"),
        ('<graphml><graph>\n\n<edge source="a" target="b"><data key="predicate">follows</data>'
         '<data key="weight">x</data></edge></graph></graphml>', 3, "weight cannot be read"),
    ],
    "json": [
        ('{"triples":\n[}', 2, "not valid JSON"),
        ("[]", 1, "must be an object"),
        ('{"triples": [\n{"subject": "a", "object": "b"}]}', 2, "needs predicate"),
        ('{"triples": [{"subject": "a", "predicate": "follows", "object": "b"},\n'
         '{"subject": "a",\n "predicate": "loves", "object": "b"}]}', 2, "no predicate 'loves'"),
        ('{"triples": [\n{"subject": "a", "predicate": "follows", "object": "b", "weight": true}]}',
         2, "weight is True"),
        ('{"triples": [\n{"subject": "a", "predicate": "follows", "object": "b", "weight": NaN}]}',
         2, "weight"),
        ('{"nodes": [\n\n{"id": "a"}]}', 3, "an id and a label"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("chosen", "text", "line", "reason"),
    [(FORMATS[name], *case) for name, cases in BAD.items() for case in cases],
)
def test_a_bad_line_is_named_and_nothing_is_taken(
    opened: Callable[..., Seasoned],
    tmp_path: Path,
    chosen: GraphFormat,
    text: str,
    line: int,
    reason: str,
) -> None:
    s = opened(":memory:")
    file = tmp_path / f"bad{chosen.suffix}"
    file.write_text(text, "utf-8")
    with pytest.raises(BadInput) as refused:
        s.graph.import_file(file)
    assert str(refused.value).startswith(f"{file}:{line}: ")
    assert reason in str(refused.value)
    assert s.graph.query() == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_graph_moves_from_one_database_to_another(
    database_url: str,
    opened: Callable[..., Seasoned],
    clock: FixedClock,
    tmp_path: Path,
    name: str,
) -> None:
    s = opened(database_url, clock=clock, environment={"SEASONED_GRAPH__ENABLED": "true"})
    for session in ("s1", "s2"):
        s.observe("scan", {}, error='out of <paper> & "ink"', session=session)
        s.observe("scan", {"refill": True}, "ok", session=session)
    file = tmp_path / f"graph{FORMATS[name].suffix}"
    written = s.graph.export_file(file)
    other = opened(tmp_path / "other.db", clock=FixedClock(1))
    assert other.graph.import_file(file) == written == len(s.graph.query())
    assert other.graph.query() == s.graph.query()
    assert other.graph.text(name) == s.graph.text(name) == file.read_text("utf-8")
    assert other.verify_audit().intact


def test_a_file_that_does_not_tell_its_format_or_is_not_there_is_refused(
    opened: Callable[..., Seasoned], tmp_path: Path
) -> None:
    s = opened(":memory:")
    with pytest.raises(BadInput, match=r"\.nt, \.graphml, \.json"):
        s.graph.export_file(tmp_path / "graph.txt")
    with pytest.raises(NotFound, match=r"gone\.nt"):
        s.graph.import_file(tmp_path / "gone.nt")
    with pytest.raises(BadInput, match="cannot write"):
        s.graph.export_file(tmp_path / "no folder" / "graph.nt")
    with pytest.raises(BadInput, match="turtle"):
        format_named("turtle")
    assert list(tmp_path.iterdir()) == []
