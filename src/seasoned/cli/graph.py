"""`seasoned graph …`: query, walk and export the knowledge graph."""

import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seasoned.cli.command import Limit, Options, Yes, command
from seasoned.cli.show.render import emit, heading, many, note, pairs, say, table, words
from seasoned.cli.terminal import confirmed
from seasoned.core.clock import iso
from seasoned.core.errors import BadInput, NotFound

if TYPE_CHECKING:
    from seasoned.graph.traverse import Edge, Neighbourhood
    from seasoned.graph.triple import Triple

app = typer.Typer(no_args_is_help=True, help="Query the knowledge graph.")

NODE = "A node, e.g. tool:bash; or the id of a fix, or a prefix of it."
Predicates = Annotated[
    list[str] | None,
    typer.Option("--predicate", help="Follow only these edges; may be repeated.", metavar="NAME"),
]
FormatName = Annotated[
    str | None,
    typer.Option("--format", help="ntriples, graphml or json; default: by extension.", metavar="F"),
]


class Direction(StrEnum):
    BOTH = "both"
    OUT = "out"
    IN = "in"


@command(app, "status")
def status(options: Options) -> None:
    """Show the size of the graph and the state of its worker."""
    with options.open() as s:
        found = s.status()["graph"]
    if options.json:
        emit(found)
        return
    rows = [
        ("graph", "on" if found["enabled"] else "off (graph.enabled)"),
        (
            "propagated",
            f"{found['propagation_rate']:.0%} of a confidence change, to similar errors' fixes",
        ),
        ("triples", f"{found['triples']:,}"),
    ]
    if found["enabled"]:
        rows.append(("pending", f"{found['waiting']:,}"))
    say(words("Graph", "bold"), pairs(rows))
    if found.get("last_error"):
        note(f"warning: the last batch failed ({found['last_error']}); it will be retried")


@command(app, "query")
def query(
    options: Options,
    subject: Annotated[
        str | None, typer.Option("--subject", "-s", help="Subject.", metavar="NODE")
    ] = None,
    predicate: Annotated[
        str | None, typer.Option("--predicate", "-p", help="Predicate.", metavar="NAME")
    ] = None,
    object_: Annotated[
        str | None, typer.Option("--object", "-o", help="Object.", metavar="NODE")
    ] = None,
    limit: Limit = 20,
) -> None:
    """List triples that match; an omitted part matches anything."""
    with options.open() as s:
        found = s.graph.query(subject, predicate, object_, limit=limit)
    if options.json:
        emit([triple_shape(one) for one in found])
    elif found:
        say(
            table((">weight", "triple"), [(f"{one.weight:.2f}", triple_line(one)) for one in found])
        )
    else:
        note("no such triples; `seasoned graph stats` gives an overview")


@command(app, "neighbours")
def neighbours(
    options: Options,
    node: Annotated[str, typer.Argument(help=NODE, metavar="NODE")],
    depth: Annotated[int, typer.Option(help="Go at most N steps.", metavar="N")] = 1,
    most: Annotated[int, typer.Option(help="Show the N strongest.", metavar="N")] = 20,
    predicate: Predicates = None,
    way: Annotated[
        Direction, typer.Option("--way", help="Direction of edges to follow.")
    ] = Direction.BOTH,
) -> None:
    """List the neighbours of a node, nearest and strongest first."""
    with options.open() as s:
        found = s.graph.neighbours(
            node, depth=depth, most=most, predicates=predicate or (), direction=way.value
        )
        labels = s.graph.labels([*found.starts, *(one.node for one in found.near)])
    if options.json:
        emit(neighbourhood_shape(found, labels))
        return
    (start,) = found.starts
    say(words(start, "bold"))
    if start in labels:
        say(f"  {labels[start]}")
    rows = [
        (f"{one.steps}", f"{one.strength:.2f}", f"{one.node}{_label(labels.get(one.node))}")
        for one in found.near
    ]
    say("", table((">steps", ">strength", "node"), rows))


def _label(label: str | None) -> str:
    return f"\n→ {label}" if label else ""


@command(app, "path")
def path(
    options: Options,
    start: Annotated[str, typer.Argument(help=NODE, metavar="FROM")],
    end: Annotated[str, typer.Argument(help=NODE, metavar="TO")],
    longest: Annotated[int, typer.Option(help="Maximum number of edges.", metavar="N")] = 6,
    predicate: Predicates = None,
) -> None:
    """Show a shortest path between two nodes."""
    with options.open() as s:
        found = s.graph.path(start, end, longest=longest, predicates=predicate or ())
    if found is None:
        raise NotFound(f"no path from {start} to {end} within {longest} edges; try --longest")
    if options.json:
        emit([edge_shape(edge) for edge in found])
        return
    for edge in found:
        say(triple_line(edge))
    if not found:
        say(f"{start} is both start and end")


@command(app, "stats")
def stats(
    options: Options,
    busiest: Annotated[
        int, typer.Option(help="Show the N busiest nodes.", min=0, metavar="N")
    ] = 10,
) -> None:
    """Count triples and nodes, and show the busiest nodes."""
    with options.open() as s:
        found = s.graph.stats(busiest=busiest)
        labels = s.graph.labels([node for node, _ in found.busiest])
    if options.json:
        emit(
            {
                "triples": found.triples,
                "nodes": found.nodes,
                "predicates": dict(sorted(found.predicates.items())),
                "busiest": [
                    {"node": node, "triples": named, "label": labels.get(node)}
                    for node, named in found.busiest
                ],
            }
        )
        return
    if not found.triples:
        note("the graph is empty; set graph.enabled to fill it from lessons")
        return
    rows = sorted(found.predicates.items(), key=lambda pair: (-pair[1], pair[0]))
    say(
        f"{many(found.triples, 'triple')}, {many(found.nodes, 'node')}",
        heading("Triples"),
        table((">number", "predicate"), [(f"{number:,}", name) for name, number in rows]),
        heading("Busiest nodes"),
        table(
            (">triples", "node"),
            [(f"{named:,}", f"{node}{_label(labels.get(node))}") for node, named in found.busiest],
        ),
    )


@command(app, "add")
def add(
    options: Options,
    subject: Annotated[str, typer.Argument(help="A node.", metavar="SUBJECT")],
    predicate: Annotated[str, typer.Argument(help="relatedTo, contains, …", metavar="PREDICATE")],
    object_: Annotated[str, typer.Argument(help="A node.", metavar="OBJECT")],
    weight: Annotated[float, typer.Option(help="Weight of the triple.", metavar="W")] = 1.0,
) -> None:
    """Add a triple."""
    with options.open(create=True) as s:
        s.graph.add((subject, predicate, object_, weight, "operator"))
        (stored,) = s.graph.query(subject, predicate, object_, limit=1)
    if options.json:
        emit(triple_shape(stored))
    else:
        say(f"Added {triple_line(stored)} ({stored.weight:g}).")


@command(app, "export")
def export(
    options: Options,
    file: Annotated[
        Path | None, typer.Argument(help="Output file; default: stdout.", metavar="[FILE]")
    ] = None,
    format_: FormatName = None,
) -> None:
    """Write the graph as N-Triples, GraphML or JSON.

    GraphML opens in yEd, Gephi and networkx; N-Triples in every RDF tool.
    """
    with options.open() as s:
        if file is None:
            typer.echo(s.graph.text(format_ or ("json" if options.json else "ntriples")), nl=False)
            return
        written = s.graph.export_file(file, format_)
    if options.json:
        emit({"file": str(file), "triples": written})
    else:
        say(f"Wrote {many(written, 'triple')} to {file}.")


@command(app, "import")
def import_(
    options: Options,
    file: Annotated[Path, typer.Argument(help="File written by export.", metavar="FILE")],
    format_: FormatName = None,
) -> None:
    """Import a graph from a file, all or nothing."""
    with options.open(create=True) as s:
        added = s.graph.import_file(file, format_)
    if options.json:
        emit({"file": str(file), "triples": added})
    else:
        say(f"Added {many(added, 'triple')} from {file}.")


@command(app, "clear")
def clear(
    options: Options,
    redraw: Annotated[
        bool, typer.Option("--redraw", help="Then rebuild it from the lessons.")
    ] = False,
    yes: Yes = False,
) -> None:
    """Remove every triple of this scope; lessons stay."""
    with options.open() as s:
        if not yes:
            if not sys.stdin.isatty():
                raise BadInput("this removes every triple; confirm with --yes")
            if not confirmed(f"Remove {many(s.status()['graph']['triples'], 'triple')}?"):
                note("nothing changed")
                return
        gone = s.graph.clear()
        drawn = s.graph.redraw() if redraw else 0
    if options.json:
        emit({"removed": gone, "drawn": drawn})
    else:
        say(f"Removed {many(gone, 'triple')}.")
        if redraw:
            say(f"Rebuilt it from {many(drawn, 'record')}.")


def triple_line(triple: "Triple | Edge") -> str:
    """Write a triple on one line.

    >>> from seasoned.graph.traverse import Edge
    >>> triple_line(Edge("error:bash:3f2a", "causedBy", "tool:bash", 1.0))
    'error:bash:3f2a causedBy tool:bash'
    """
    return f"{triple.subject} {triple.predicate} {triple.object}"


def triple_shape(triple: "Triple") -> dict[str, Any]:
    return {
        "subject": triple.subject,
        "predicate": triple.predicate,
        "object": triple.object,
        "weight": triple.weight,
        "source": triple.source,
        "at": iso(triple.at),
    }


def edge_shape(edge: "Edge") -> dict[str, Any]:
    return {
        "subject": edge.subject,
        "predicate": edge.predicate,
        "object": edge.object,
        "weight": edge.weight,
    }


def neighbourhood_shape(found: "Neighbourhood", labels: Mapping[str, str]) -> dict[str, Any]:
    return {
        "starts": [{"node": node, "label": labels.get(node)} for node in found.starts],
        "nodes": [
            {
                "node": one.node,
                "steps": one.steps,
                "strength": round(one.strength, 4),
                "label": labels.get(one.node),
            }
            for one in found.near
        ],
        "edges": [edge_shape(edge) for edge in found.edges],
    }
