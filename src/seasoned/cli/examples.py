"""`seasoned examples …`: exchanges that went well, or badly, and are shown beside the like."""

import sys
from typing import Annotated

import typer

from seasoned.cli.asking import agreed
from seasoned.cli.commands import command
from seasoned.cli.options import Options
from seasoned.cli.render import emit, indented, note, pairs, say, words
from seasoned.core.clock import iso
from seasoned.core.text import one_line

app = typer.Typer(no_args_is_help=True, help="See and change exchanges that went well, or badly.")

Id = Annotated[str, typer.Argument(help="The example's id, or the beginning of it.", metavar="ID")]
Limit = Annotated[int, typer.Option(help="At most so many.", min=1, metavar="N")]
NAMES = {True: "positive", False: "negative", None: None}


@command(app, "list")
def list_examples(
    options: Options,
    positive: Annotated[
        bool | None,
        typer.Option("--positive/--negative", help="Only those to follow, or to avoid."),
    ] = None,
    limit: Limit = 50,
) -> None:
    """Show the examples there are, the newest first."""
    from seasoned.cli.rule_shapes import example_shape
    from seasoned.cli.rule_tables import example_table

    with options.open() as s:
        examples = s.examples.list(polarity=NAMES[positive], limit=limit)
    if options.json:
        emit([example_shape(one) for one in examples])
    elif examples:
        say(example_table(examples))
    else:
        note("no such examples; praise and corrections leave some, `seasoned examples add` too")


@command(app, "show")
def show(options: Options, name: Id) -> None:
    """Show one example in full."""
    from seasoned.cli.rule_shapes import example_shape
    from seasoned.cli.rule_tables import for_whom

    with options.open() as s:
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
        ("for", for_whom(example) or "everybody"),
        ("created", iso(example.created_at)),
        ("shown", f"{example.times_given:,} times"),
    ]
    say(words(example.id, "bold"), pairs([row for row in rows if row[1]]))
    for title in ("request", "reply"):
        say("", words(title, "bold"), indented(shape[title] or "(erased)"))


@command(app, "add")
def add(
    options: Options,
    request: Annotated[str, typer.Argument(help="What was asked.", metavar="REQUEST")],
    reply: Annotated[str, typer.Argument(help="What was answered.", metavar="REPLY")],
    positive: Annotated[
        bool, typer.Option("--positive/--negative", help="To be followed, or to be avoided.")
    ] = True,
    why: Annotated[
        str, typer.Option("--note", help="Why it is good, or bad.", metavar="TEXT")
    ] = "",
) -> None:
    """Keep an exchange as an example: one to follow, or with --negative one to avoid."""
    from seasoned.cli.rule_shapes import example_shape

    with options.open() as s:
        example = s.examples.add(
            request, reply, polarity="positive" if positive else "negative", note=why
        )
    if options.json:
        emit(example_shape(example))
    else:
        kind = "to be followed" if positive else "to be avoided"
        say(f"Kept example {example.id}, {kind} in requests like this.")


@command(app, "delete")
def delete(
    options: Options,
    name: Id,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Take an example and its words away for good."""
    from seasoned.cli.rule_shapes import example_shape

    with options.open() as s:
        example = s.examples.get(name)
        question = f"Delete example {example.id}: {one_line(example.trigger, 60)}?"
        if not yes and sys.stdin.isatty() and not agreed(question):
            note("nothing was changed")
            return
        example = s.examples.delete(example.id)
    if options.json:
        emit(example_shape(example))
    else:
        say(f"Deleted example {example.id}: its words are gone, that it was is audited.")


@command(app, "search")
def search(
    options: Options,
    query: Annotated[list[str], typer.Argument(help="What to look for.", metavar="QUERY")],
    limit: Limit = 5,
) -> None:
    """Find the examples that fit a request best."""
    from seasoned.cli.rule_shapes import example_shape

    with options.open() as s:
        hits = s.examples.search(" ".join(query), limit=limit)
    if options.json:
        emit([{"score": round(hit.score, 4), **example_shape(hit.lesson)} for hit in hits])
    elif not hits:
        note("no example fits")
    for hit in () if options.json else hits:
        shape = example_shape(hit.lesson)
        say(words(f"{hit.score:.2f}  {hit.lesson.id}  {shape['polarity']}", "bold"))
        say(indented(one_line(shape["request"], 140), "dim", by=6))
        say(indented(f"→ {one_line(shape['reply'], 300)}", by=6))
