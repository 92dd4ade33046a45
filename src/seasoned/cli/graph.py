"""`seasoned graph …`: what was learned as a graph, to ask, to walk, to draw elsewhere."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from seasoned.cli.asking import agreed
from seasoned.cli.commands import command
from seasoned.cli.options import Options
from seasoned.cli.render import emit, heading, many, note, pairs, say, table, words
from seasoned.core.errors import BadInput, NotFound

app = typer.Typer(no_args_is_help=True, help="See how errors, fixes, tools and sessions connect.")

NODE = "A node, like tool:bash; or a fix, by its lesson's id or the beginning of it."
Predicates = Annotated[
    list[str] | None,
    typer.Option("--predicate", help="These edges only; may be repeated.", metavar="NAME"),
]
FormatName = Annotated[
    str | None,
    typer.Option("--format", help="ntriples, graphml or json; else as the file ends.", metavar="F"),
]


class Way(StrEnum):
    BOTH = "both"
    OUT = "out"
    IN = "in"


@command(app, "status")
def status(options: Options) -> None:
    """Show whether there is a graph, how much is in it, and what its worker did."""
    with options.open() as s:
        found = s.status()["graph"]
    if options.json:
        emit(found)
        return
    rows = [
        ("graph", "on" if found["enabled"] else "off (graph.enabled)"),
        (
            "passed on",
            f"{found['propagation_rate']:.0%} of a fix's change, to the fixes of similar errors",
        ),
        ("triples", f"{found['triples']:,}"),
    ]
    if found["enabled"]:
        rows.append(("to be drawn", f"{found['waiting']:,}"))
    say(words("Graph", "bold"), pairs(rows))
    if found.get("last_error"):
        note(f"warning: the last batch failed ({found['last_error']}); it is tried again")


@command(app, "query")
def query(
    options: Options,
    subject: Annotated[
        str | None, typer.Option("--subject", "-s", help="What it is about.", metavar="NODE")
    ] = None,
    predicate: Annotated[
        str | None, typer.Option("--predicate", "-p", help="What is said of it.", metavar="NAME")
    ] = None,
    object_: Annotated[
        str | None, typer.Option("--object", "-o", help="What it is said with.", metavar="NODE")
    ] = None,
    limit: Annotated[int, typer.Option(help="At most so many.", min=1, metavar="N")] = 20,
) -> None:
    """Show the triples with these parts; a part that is left out may be anything."""
    from seasoned.cli.graph_shapes import triple_line, triple_shape

    with options.open() as s:
        found = s.graph.query(subject, predicate, object_, limit=limit)
    if options.json:
        emit([triple_shape(one) for one in found])
    elif found:
        say(
            table((">weight", "triple"), [(f"{one.weight:.2f}", triple_line(one)) for one in found])
        )
    else:
        note("no such triples; `seasoned graph stats` shows what there is")


@command(app, "neighbours")
def neighbours(
    options: Options,
    node: Annotated[str, typer.Argument(help=NODE, metavar="NODE")],
    depth: Annotated[int, typer.Option(help="So many steps away at most.", metavar="N")] = 1,
    most: Annotated[int, typer.Option(help="At most so many; the strongest.", metavar="N")] = 20,
    predicate: Predicates = None,
    way: Annotated[Way, typer.Option("--way", help="Along the edges, against them.")] = Way.BOTH,
) -> None:
    """Show what is near a node, the nearest and strongest first."""
    from seasoned.cli.graph_shapes import neighbourhood_shape

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
    longest: Annotated[int, typer.Option(help="So many edges at most.", metavar="N")] = 6,
    predicate: Predicates = None,
) -> None:
    """Show how two nodes hang together, by a shortest way."""
    from seasoned.cli.graph_shapes import edge_shape, triple_line

    with options.open() as s:
        found = s.graph.path(start, end, longest=longest, predicates=predicate or ())
    if found is None:
        raise NotFound(f"no way from {start} to {end} within {longest} edges; try --longest")
    if options.json:
        emit([edge_shape(edge) for edge in found])
        return
    for edge in found:
        say(triple_line(edge))
    if not found:
        say(f"{start} is where it ends")


@command(app, "stats")
def stats(
    options: Options,
    busiest: Annotated[int, typer.Option(help="So many nodes.", min=0, metavar="N")] = 10,
) -> None:
    """Show how many triples and nodes there are, of what, and the busiest nodes."""
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
        note("the graph is empty; set graph.enabled to have what is learned drawn into it")
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
    weight: Annotated[float, typer.Option(help="How strongly it holds.", metavar="W")] = 1.0,
) -> None:
    """Add a triple of your own."""
    from seasoned.cli.graph_shapes import triple_line, triple_shape

    with options.open() as s:
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
        Path | None, typer.Argument(help="Where to; stdout otherwise.", metavar="[FILE]")
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
        say(f"{file}: {many(written, 'triple')}, written.")


@command(app, "import")
def import_(
    options: Options,
    file: Annotated[Path, typer.Argument(help="What export wrote.", metavar="FILE")],
    format_: FormatName = None,
) -> None:
    """Add the graph that a file holds, all of it or nothing."""
    with options.open() as s:
        added = s.graph.import_file(file, format_)
    if options.json:
        emit({"file": str(file), "triples": added})
    else:
        say(f"{file}: {many(added, 'triple')}, added.")


@command(app, "clear")
def clear(
    options: Options,
    redraw: Annotated[
        bool, typer.Option("--redraw", help="Then draw what was learned anew.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove every triple of this scope; what was learned stays."""
    with options.open() as s:
        if not yes:
            if not sys.stdin.isatty():
                raise BadInput("clearing takes every triple away; give --yes to do it")
            if not agreed(f"Remove {many(s.status()['graph']['triples'], 'triple')}?"):
                note("nothing was changed")
                return
        gone = s.graph.clear()
        drawn = s.graph.redraw() if redraw else 0
    if options.json:
        emit({"removed": gone, "drawn": drawn})
    else:
        say(f"Removed {many(gone, 'triple')}.")
        if redraw:
            say(f"Drew {many(drawn, 'piece')} of what was learned anew.")
