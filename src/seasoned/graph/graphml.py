"""The graph as GraphML, which yEd, Gephi, Cytoscape and networkx open.

A node has a `label`; an edge has `predicate`, `weight`, `origin` (its source) and `at`. Two nodes
may have several edges, one per predicate.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from seasoned.core.errors import BadInput
from seasoned.graph.snapshot import GraphFormat, Snapshot, Unreadable, check_triple
from seasoned.graph.triple import Triple, check_predicate

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
# Attributes of an edge ("source" is taken): field of the triple, type, converter.
EDGE: dict[str, tuple[str, str, Callable[[str], Any]]] = {
    "predicate": ("predicate", "string", str),
    "weight": ("weight", "double", float),
    "origin": ("source", "string", str),
    "at": ("at", "long", int),
}


def write(graph: Snapshot) -> Iterator[str]:
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="{NAMESPACE}">\n'
    yield _key("label", "node", "string")
    for name, (_, kind, _) in EDGE.items():
        yield _key(name, "edge", kind)
    yield '<graph id="seasoned" edgedefault="directed">\n'
    for node in graph.nodes:
        label = graph.labels.get(node)
        data = "" if label is None else _data("label", label)
        yield f"<node id={quoteattr(node)}>{data}</node>\n"
    for one in graph.triples:
        ends = f"source={quoteattr(one.subject)} target={quoteattr(one.object)}"
        data = "".join(_data(name, getattr(one, part)) for name, (part, _, _) in EDGE.items())
        yield f"<edge {ends}>{data}</edge>\n"
    yield "</graph>\n</graphml>\n"


def _key(name: str, where: str, kind: str) -> str:
    return f'<key id="{name}" for="{where}" attr.name="{name}" attr.type="{kind}"/>\n'


def _data(name: str, value: object) -> str:
    return f'<data key="{name}">{escape(str(value))}</data>'


@dataclass(slots=True)
class GraphmlReader:
    """Handlers of the XML parser: the open element, and what was read so far."""

    parser: Any
    keys: dict[str, str] = field(default_factory=dict[str, str])
    labels: dict[str, str] = field(default_factory=dict[str, str])
    triples: list[Triple] = field(default_factory=list[Triple])
    element: dict[str, str] = field(default_factory=dict[str, str])
    line: int = 0
    data: dict[str, str] = field(default_factory=dict[str, str])
    open_key: str | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = _local(tag)
        if name == "key":
            self.keys[attributes.get("id", "")] = attributes.get("attr.name", "")
        elif name in ("node", "edge"):
            self.element, self.line = attributes, self.parser.CurrentLineNumber
            self.data = {}
        elif name == "data":
            key = attributes.get("key", "")
            self.open_key = self.keys.get(key) or key
            self.data[self.open_key] = ""
        elif name == "graph" and attributes.get("edgedefault") == "undirected":
            raise Unreadable("the edges are undirected", self.parser.CurrentLineNumber)

    def text(self, characters: str) -> None:
        if self.open_key is not None:
            self.data[self.open_key] += characters

    def end(self, tag: str) -> None:
        name = _local(tag)
        if name == "data":
            self.open_key = None
        elif name == "node" and "label" in self.data:
            self.labels[self._attribute("id")] = self.data["label"]
        elif name == "edge":
            self.triples.append(self._triple())

    def _triple(self) -> Triple:
        details: dict[str, Any] = {}
        for name, (part, _, kind) in EDGE.items():
            if name in self.data:
                try:
                    details[part] = kind(self.data[name])
                except ValueError as error:
                    raise Unreadable(f"{name} cannot be read: {error}", self.line) from error
        try:
            predicate = check_predicate(details.pop("predicate", ""))
        except BadInput as error:
            raise Unreadable(str(error), self.line) from error
        ends = (self._attribute("source"), predicate, self._attribute("target"))
        return check_triple(Triple(*ends, **details), self.line)

    def _attribute(self, name: str) -> str:
        if name not in self.element:
            raise Unreadable(f"{name} is missing", self.line)
        return self.element[name]


def read(text: str) -> Snapshot:
    parser = expat.ParserCreate("UTF-8")
    parser.buffer_text = True
    reading = GraphmlReader(parser)
    parser.StartElementHandler = reading.start
    parser.CharacterDataHandler = reading.text
    parser.EndElementHandler = reading.end
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise Unreadable(f"not well-formed XML: {error}", error.lineno) from error
    return Snapshot(reading.triples, reading.labels)


def _local(tag: str) -> str:
    return tag.rpartition(":")[2]


GRAPHML = GraphFormat("graphml", ".graphml", write, read)
