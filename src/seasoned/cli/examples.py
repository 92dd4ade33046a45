"""`seasoned examples …`: good and bad exchanges, shown with similar requests."""

import sys
from typing import Annotated

import typer

from seasoned.cli.command import Limit, Options, Yes, command
from seasoned.cli.show.render import emit, indented, note, pairs, say, words
from seasoned.cli.terminal import confirmed
from seasoned.core.clock import iso
from seasoned.core.text import one_line

app = typer.Typer(no_args_is_help=True, help="List and edit good and bad example exchanges.")

Id = Annotated[str, typer.Argument(help="Id of the example, or a prefix of it.", metavar="ID")]
NAMES = {True: "positive", False: "negative", None: None}


@command(app, "list")
def list_examples(
    options: Options,
    positive: Annotated[
        bool | None,
        typer.Option("--positive/--negative", help="Only good ones, or only bad ones."),
    ] = None,
    limit: Limit = 50,
) -> None:
    """List examples, newest first."""
    from seasoned.cli.show.rules import example_shape, example_table

    with options.open() as s:
        examples = s.examples.list(polarity=NAMES[positive], limit=limit)
    if options.json:
        emit([example_shape(one) for one in examples])
    elif examples:
        say(example_table(examples))
    else:
        note("no such examples; praise, corrections and `seasoned examples add` create some")


@command(app, "show")
def show(options: Options, name: Id) -> None:
    """Show one example in full."""
    from seasoned.cli.show.rules import example_shape, scope_text

    with options.open(about=name) as s:
        example = s.examples.get(name)
    shape = example_shape(example)
    if options.json:
        emit(shape)
        return
    rows = [
        ("example", shape["polarity"]),
        ("because", shape["note"]),
        ("status", example.status),
        ("rule", shape["rule"] or ""),
        ("source", f"{example.source} (trust: {example.trust})"),
        ("for", scope_text(example) or "everybody"),
        ("created", iso(example.created_at)),
        ("shown", f"{example.times_given:,} times"),
    ]
    say(words(example.id, "bold"), pairs([row for row in rows if row[1]]))
    for title in ("request", "reply"):
        say("", words(title, "bold"), indented(shape[title] or "(erased)"))


@command(app, "add")
def add(
    options: Options,
    request: Annotated[str, typer.Argument(help="The request.", metavar="REQUEST")],
    reply: Annotated[str, typer.Argument(help="The reply.", metavar="REPLY")],
    positive: Annotated[
        bool, typer.Option("--positive/--negative", help="Follow it, or avoid it.")
    ] = True,
    why: Annotated[str, typer.Option("--note", help="Why it is good or bad.", metavar="TEXT")] = "",
) -> None:
    """Add an example to follow or, with --negative, to avoid."""
    from seasoned.cli.show.rules import example_shape

    with options.open(create=True, everyone=True) as s:
        example = s.examples.add(
            request, reply, polarity="positive" if positive else "negative", note=why
        )
    if options.json:
        emit(example_shape(example))
    else:
        kind = "follow" if positive else "avoid"
        say(f"Added example {example.id}, to {kind} in similar requests.")


@command(app, "delete")
def delete(
    options: Options,
    name: Id,
    yes: Yes = False,
) -> None:
    """Delete an example and its text."""
    from seasoned.cli.show.rules import example_shape

    with options.open(about=name) as s:
        example = s.examples.get(name)
        question = f"Delete example {example.id}: {one_line(example.trigger, 60)}?"
        if not yes and sys.stdin.isatty() and not confirmed(question):
            note("nothing changed")
            return
        example = s.examples.delete(example.id)
    if options.json:
        emit(example_shape(example))
    else:
        say(f"Deleted example {example.id} and its text; the audit records it.")


@command(app, "search")
def search(
    options: Options,
    query: Annotated[list[str], typer.Argument(help="Search words.", metavar="QUERY")],
    limit: Limit = 5,
) -> None:
    """Search examples by request."""
    from seasoned.cli.show.rules import example_shape

    with options.open() as s:
        hits = s.examples.search(" ".join(query), limit=limit)
    if options.json:
        emit([{"score": round(hit.score, 4), **example_shape(hit.lesson)} for hit in hits])
    elif not hits:
        note("no example matches")
    for hit in () if options.json else hits:
        shape = example_shape(hit.lesson)
        say(words(f"{hit.score:.2f}  {hit.lesson.id}  {shape['polarity']}", "bold"))
        say(indented(one_line(shape["request"], 140), "dim", by=6))
        say(indented(f"→ {one_line(shape['reply'], 300)}", by=6))
