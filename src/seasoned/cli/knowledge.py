"""`seasoned knowledge …`: documents that agents may draw on."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.cli.commands import command
from seasoned.cli.exits import NOT_FOUND
from seasoned.cli.knowledge_shapes import document_shape, report_shape, shown_name
from seasoned.cli.options import Options
from seasoned.cli.render import console, emit, indented, many, note, pairs, say, table, words
from seasoned.core.clock import SystemClock, ago, iso
from seasoned.core.errors import NotFound
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.learning.library_report import LibraryReport, Progress

app = typer.Typer(no_args_is_help=True, help="Import documents that agents may draw on.")

Name = Annotated[
    str,
    typer.Argument(help="The document: its path, its address, or a telling part.", metavar="NAME"),
]
PROBLEMS_SHOWN = 20


@command(app, "add")
def add(
    options: Options,
    sources: Annotated[
        list[str], typer.Argument(help="Files, folders, web pages.", metavar="PATH|URL")
    ],
) -> None:
    """Import documents: Markdown, HTML, PDF and plain text.

    A folder is walked for documents, without hidden ones. What was imported before is brought up
    to date: passages that are still there stay as they are. One that cannot be read is named,
    and the others are imported.
    """
    from seasoned.documents.fetch import is_address

    for source in sources:
        if not is_address(source) and not Path(source).expanduser().exists():
            raise NotFound(f"no file or folder {source!r}; check the path")
    with options.open() as s, _progress(quiet=options.json) as progress:
        report = s.knowledge.add(*sources, progress=progress)
    _tell(options, report)
    if not report.documents:
        note("error: none of this could be imported")
        raise typer.Exit(NOT_FOUND)


@command(app, "list")
def list_documents(options: Options) -> None:
    """Show the documents there are."""
    with options.open() as s:
        documents = s.knowledge.list()
    if options.json:
        emit([document_shape(document) for document in documents])
    elif documents:
        now = SystemClock().now()
        rows = [
            (
                f"{document.passages:,}",
                document.format,
                ago(document.updated_at, now),
                one_line(document.title, 40),
                shown_name(document.name),
            )
            for document in documents
        ]
        say(table((">passages", "format", "updated", "title", "document"), rows))
    else:
        note("no documents yet; `seasoned knowledge add PATH` imports some")


@command(app, "show")
def show(options: Options, name: Name) -> None:
    """Show a document and its passages, in their order."""
    from seasoned.cli.shapes import lesson_shape

    with options.open() as s:
        document, passages = s.knowledge.get(name)
    if options.json:
        shape = document_shape(document)
        emit(shape | {"passages": [lesson_shape(passage) for passage in passages]})
        return
    rows = [
        ("document", document.name),
        ("format", document.format),
        ("added", iso(document.added_at)),
        ("updated", iso(document.updated_at)),
    ]
    say(words(document.title, "bold"), pairs(rows))
    for passage in passages:
        say("", words(f"{passage.trigger or '(erased)'}  {passage.id}", "bold"))
        say(indented(passage.content))


@command(app, "search")
def search(
    options: Options,
    query: Annotated[list[str], typer.Argument(help="What to look for.", metavar="QUERY")],
    limit: Annotated[int, typer.Option(help="At most so many.", min=1, metavar="N")] = 5,
) -> None:
    """Find the passages that fit a request best."""
    from seasoned.cli.shapes import lesson_shape

    with options.open() as s:
        hits = s.knowledge.search(" ".join(query), limit=limit)
    if options.json:
        emit([{"score": round(hit.score, 4), **lesson_shape(hit.lesson)} for hit in hits])
    elif not hits:
        note("no passage fits")
    for hit in () if options.json else hits:
        say(words(f"{hit.score:.2f}  {hit.lesson.trigger}  {hit.lesson.id}", "bold"))
        say(indented(one_line(hit.lesson.content, 300), by=6))


@command(app, "update")
def update(
    options: Options,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove documents that are no longer there.")
    ] = False,
) -> None:
    """Read all documents again where they stand, and take over what has changed."""
    with options.open() as s, _progress(quiet=options.json) as progress:
        report = s.knowledge.update(prune=prune, progress=progress)
    _tell(options, report)
    if report.vanished and not prune and not options.json:
        note("what is gone is still known; `seasoned knowledge update --prune` removes it")


@command(app, "remove")
def remove(
    options: Options,
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove a document, or all in a folder, with every passage."""
    from seasoned.learning.document_names import named

    with options.open() as s:
        meant = named(s.knowledge.list(), name)
        asked = len(meant) > 1 and not yes and sys.stdin.isatty()
        if asked and not typer.confirm(f"Remove {len(meant)} documents?", err=True):
            note("nothing was changed")
            return
        report = s.knowledge.remove(name)
    if options.json:
        emit(report_shape(report))
        return
    what = shown_name(meant[0].name) if len(meant) == 1 else many(report.removed, "document")
    say(f"Removed {what}, {many(report.passages_removed, 'passage')}.")


def _tell(options: Options, report: "LibraryReport") -> None:
    if options.json:
        emit(report_shape(report))
        return
    for problem in report.problems[:PROBLEMS_SHOWN]:
        note(f"{shown_name(problem.name)}: {problem.reason}")
    if len(report.problems) > PROBLEMS_SHOWN:
        note(f"… and {len(report.problems) - PROBLEMS_SHOWN} more that could not be imported")
    for name in report.vanished:
        note(f"{shown_name(name)}: it is gone")
    documents = _counted(
        (report.added, "added"),
        (report.updated, "updated"),
        (report.unchanged, "unchanged"),
        (report.removed, "removed"),
        (len(report.problems), "failed"),
    )
    passages = _counted(
        (report.passages_added, "added"),
        (report.passages_kept, "kept"),
        (report.passages_removed, "removed"),
    )
    if documents:
        say(pairs([("documents", documents), ("passages", passages or "none")]))
    else:
        note("no documents yet; `seasoned knowledge add PATH` imports some")


def _counted(*counts: tuple[int, str]) -> str:
    return ", ".join(f"{number:,} {word}" for number, word in counts if number)


@contextmanager
def _progress(*, quiet: bool) -> Generator["Progress | None"]:
    """What is being read, on stderr, on a terminal only."""
    screen = console(stderr=True)
    if quiet or not screen.is_terminal:
        yield None
        return
    with screen.status("reading documents") as status:

        def step(name: str, report: "LibraryReport") -> None:
            done = many(report.documents, "document")
            new = many(report.passages_added, "new passage")
            status.update(words(f"{done}, {new}: {shown_name(name)}"))

        yield step
