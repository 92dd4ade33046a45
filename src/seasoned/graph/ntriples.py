"""The graph as N-Triples, which every RDF tool reads.

A node or predicate is the IRI `urn:seasoned:` and its name, percent-encoded. Plain RDF has no
weights, so each triple is followed by its reification: a blank node with its subject, predicate and
object, and with weight, source and time. Labels are `rdfs:label`.

    <urn:seasoned:error:bash:3f2a> <urn:seasoned:resolvedBy> <urn:seasoned:fix:k3x9> .
    _:t1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#subject> <urn:seasoned:error:bash:3f2a> .
    …
    _:t1 <urn:seasoned:weight> "0.8"^^<http://www.w3.org/2001/XMLSchema#double> .

Lines may be read in any order. A triple without its reification has weight 1; a foreign IRI is a
node by its whole name.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from seasoned.graph.snapshot import GraphFormat, Snapshot, Unreadable, check_triple
from seasoned.graph.triple import PREDICATES, Predicate, Triple

OURS = "urn:seasoned:"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
XSD = "http://www.w3.org/2001/XMLSchema#"

PARTS = {f"{RDF}{name}": name for name in ("subject", "predicate", "object")}
KINDS: dict[str, Callable[[str], Any]] = {"weight": float, "source": str, "at": int}
TYPES = {"weight": "double", "at": "integer"}
DETAILS = {f"{OURS}{name}": name for name in KINDS}

LINE = re.compile(
    r"""\s* (?: <(?P<subject>[^<>"\x00-\x20]*)> | _:(?P<blank>[^\s<>"]+) )
        \s* <(?P<predicate>[^<>"\x00-\x20]*)>
        \s* (?: <(?P<object>[^<>"\x00-\x20]*)>
              | "(?P<literal>(?:[^"\\\r\n]|\\.)*)" (?: \^\^<[^<>"\x00-\x20]*> | @[A-Za-z0-9-]+ )? )
        \s* \. \s* (?:\#.*)? """,
    re.VERBOSE,
)
ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
SHORT = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


@dataclass(slots=True)
class Reification:
    """The details that a blank node gives of a triple."""

    line: int
    parts: dict[str, str] = field(default_factory=dict[str, str])
    details: dict[str, Any] = field(default_factory=dict[str, Any])


def write(graph: Snapshot) -> Iterator[str]:
    for number, one in enumerate(graph.triples, 1):
        parts = (_iri(one.subject), _iri(one.predicate), _iri(one.object))
        yield f"{' '.join(parts)} .\n"
        for (said, _), part in zip(PARTS.items(), parts, strict=True):
            yield f"_:t{number} <{said}> {part} .\n"
        for name, kind in KINDS.items():
            value = kind(getattr(one, name))
            yield f"_:t{number} <{OURS}{name}> {_literal(name, value)} .\n"
    for node, label in graph.labels.items():
        yield f"{_iri(node)} <{LABEL}> {_literal('label', label)} .\n"


def _iri(name: str) -> str:
    return f"<{OURS}{quote(name, safe=':')}>"


def _literal(name: str, value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    told = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{told}"^^<{XSD}{TYPES[name]}>' if name in TYPES else f'"{told}"'


def read(text: str) -> Snapshot:
    triples: dict[tuple[str, str, str], Triple] = {}
    labels: dict[str, str] = {}
    statements: dict[str, Reification] = defaultdict(lambda: Reification(0))
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = LINE.fullmatch(line)
        if found is None:
            raise Unreadable("this is no N-Triples statement", number)
        predicate = _unescaped(found["predicate"], number)
        if found["blank"] is not None:
            statement = statements[found["blank"]]
            statement.line = statement.line or number
            _note(statement, predicate, found, number)
        elif predicate == LABEL:
            if found["literal"] is None:
                raise Unreadable("a label must be a text in quotes", number)
            node = _node(found["subject"], number)
            labels[node] = _unescaped(found["literal"], number)
        else:
            triple = _triple(found, predicate, number)
            triples[triple.subject, triple.predicate, triple.object] = triple
    for statement in statements.values():
        _apply(statement, triples)
    return Snapshot(list(triples.values()), labels)


def _triple(found: "re.Match[str]", predicate: str, line: int) -> Triple:
    if found["object"] is None:
        raise Unreadable("the object must be a node, not a text", line)
    subject, object_ = (_node(found[part], line) for part in ("subject", "object"))
    return check_triple(Triple(subject, _known(predicate, line), object_), line)


def _note(statement: Reification, predicate: str, found: "re.Match[str]", line: int) -> None:
    if predicate in PARTS:
        if found["object"] is None:
            raise Unreadable(f"{PARTS[predicate]} must be an IRI", line)
        statement.parts[PARTS[predicate]] = found["object"]
    elif predicate in DETAILS:
        name = DETAILS[predicate]
        try:
            statement.details[name] = KINDS[name](_unescaped(found["literal"] or "", line))
        except ValueError as error:
            raise Unreadable(f"{name} cannot be read: {error}", line) from error
    elif predicate != f"{RDF}type":
        raise Unreadable(f"{predicate} is not said of a triple", line)


def _apply(statement: Reification, triples: dict[tuple[str, str, str], Triple]) -> None:
    """Set a triple's weight, source and time from its reification."""
    missing = [name for name in PARTS.values() if name not in statement.parts]
    if missing:
        raise Unreadable(f"this statement names no {' and no '.join(missing)}", statement.line)
    subject, predicate, object_ = (statement.parts[name] for name in PARTS.values())
    line = statement.line
    named = (_node(subject, line), _known(_unescaped(predicate, line), line), _node(object_, line))
    said = check_triple(Triple(*named, **statement.details), line)
    key = (said.subject, said.predicate, said.object)
    if key not in triples:
        raise Unreadable("this statement is about a triple that is not in the file", line)
    triples[key] = said


def _node(iri: str, line: int) -> str:
    name = _unescaped(iri, line)
    if not name.startswith(OURS):
        return name
    try:
        return unquote(name.removeprefix(OURS), errors="strict")
    except UnicodeDecodeError as error:
        raise Unreadable(f"{iri} is not percent-encoded UTF-8", line) from error


def _known(iri: str, line: int) -> Predicate:
    name = iri.removeprefix(OURS)
    if not iri.startswith(OURS) or name not in PREDICATES:
        raise Unreadable(f"there is no predicate {name!r}; there are {', '.join(PREDICATES)}", line)
    return name


def _unescaped(text: str, line: int) -> str:
    def meant(found: "re.Match[str]") -> str:
        code = found[1] or found[2]
        if not code:
            return SHORT.get(found[3], found[3])
        try:
            return chr(int(code, 16))
        except (ValueError, OverflowError) as error:
            raise Unreadable(f"\\U{code} is no character", line) from error

    return ESCAPE.sub(meant, text) if "\\" in text else text


NTRIPLES = GraphFormat("ntriples", ".nt", write, read)
