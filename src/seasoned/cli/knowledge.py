"""`seasoned knowledge …`: documents that agents can consult."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seasoned.cli.command import NOT_FOUND, Limit, Options, Yes, command
from seasoned.cli.show.render import console, emit, indented, many, note, pairs, say, table, words
from seasoned.core.clock import SystemClock, ago, iso
from seasoned.core.errors import NotFound
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.documents.document_store import KnownDocument
    from seasoned.documents.library import LibraryReport, Progress


app = typer.Typer(no_args_is_help=True, help="Import documents that agents can consult.")

Name = Annotated[
    str,
    typer.Argument(help="Path or URL of the document, or a unique part of it.", metavar="NAME"),
]
PROBLEMS_SHOWN = 20


@command(app, "add")
def add(
    options: Options,
    sources: Annotated[
        list[str], typer.Argument(help="Files, folders or web pages.", metavar="PATH|URL")
    ],
) -> None:
    """Import documents: Markdown, HTML, PDF and plain text.

    Folders are searched recursively; hidden files are skipped. Documents that were imported
    before are updated, and unchanged passages stay as they are. Unreadable documents are reported
    and skipped.
    """
    from seasoned.documents.fetch import is_address

    for source in sources:
        if not is_address(source) and not Path(source).expanduser().exists():
            raise NotFound(f"no file or folder {source!r}; check the path")
    with options.open(create=True, everyone=True) as s, _progress(quiet=options.json) as progress:
        report = s.knowledge.add(*sources, progress=progress)
    _print_report(options, report)
    if not report.documents:
        note("error: nothing could be imported")
        raise typer.Exit(NOT_FOUND)


@command(app, "list")
def list_documents(options: Options) -> None:
    """List documents."""
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
    """Show a document and its passages in order."""
    from seasoned.cli.show.shapes import lesson_shape

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
    query: Annotated[list[str], typer.Argument(help="Search words.", metavar="QUERY")],
    limit: Limit = 5,
) -> None:
    """Search passages by request."""
    from seasoned.cli.show.shapes import lesson_shape

    with options.open() as s:
        hits = s.knowledge.search(" ".join(query), limit=limit)
    if options.json:
        emit([{"score": round(hit.score, 4), **lesson_shape(hit.lesson)} for hit in hits])
    elif not hits:
        note("no passage matches")
    for hit in () if options.json else hits:
        say(words(f"{hit.score:.2f}  {hit.lesson.trigger}  {hit.lesson.id}", "bold"))
        say(indented(one_line(hit.lesson.content, 300), by=6))


@command(app, "update")
def update(
    options: Options,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove documents that no longer exist.")
    ] = False,
) -> None:
    """Read all documents again and import changes."""
    with options.open(everyone=True) as s, _progress(quiet=options.json) as progress:
        report = s.knowledge.update(prune=prune, progress=progress)
    _print_report(options, report)
    if report.vanished and not prune and not options.json:
        note("missing documents are kept; `seasoned knowledge update --prune` removes them")


@command(app, "remove")
def remove(
    options: Options,
    name: Name,
    yes: Yes = False,
) -> None:
    """Remove a document, or all in a folder."""
    from seasoned.documents.library import matching_documents

    with options.open() as s:
        meant = matching_documents(s.knowledge.list(), name)
        asked = len(meant) > 1 and not yes and sys.stdin.isatty()
        if asked and not typer.confirm(f"Remove {len(meant)} documents?", err=True):
            note("nothing changed")
            return
        report = s.knowledge.remove(name)
    if options.json:
        emit(library_shape(report))
        return
    what = shown_name(meant[0].name) if len(meant) == 1 else many(report.removed, "document")
    say(f"Removed {what}, {many(report.passages_removed, 'passage')}.")


def _print_report(options: Options, report: "LibraryReport") -> None:
    if options.json:
        emit(library_shape(report))
        return
    for problem in report.problems[:PROBLEMS_SHOWN]:
        note(f"{shown_name(problem.name)}: {problem.reason}")
    if len(report.problems) > PROBLEMS_SHOWN:
        note(f"… and {len(report.problems) - PROBLEMS_SHOWN} more unreadable documents")
    for name in report.vanished:
        note(f"{shown_name(name)}: no longer there")
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
    """Show the current document on stderr, if that is a terminal."""
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


def document_shape(document: "KnownDocument") -> dict[str, Any]:
    tenant, project, user, _ = document.scope.fields()
    return {
        "id": document.id,
        "name": document.name,
        "title": document.title,
        "format": document.format,
        "passages": document.passages,
        "scope": {"tenant": tenant, "project": project, "user": user},
        "added": iso(document.added_at),
        "updated": iso(document.updated_at),
    }


def library_shape(report: "LibraryReport") -> dict[str, Any]:
    return {
        "documents": {
            "added": report.added,
            "updated": report.updated,
            "unchanged": report.unchanged,
            "removed": report.removed,
            "failed": len(report.problems),
        },
        "passages": {
            "added": report.passages_added,
            "kept": report.passages_kept,
            "removed": report.passages_removed,
        },
        "vanished": report.vanished,
        "problems": [asdict(problem) for problem in report.problems],
    }


def shown_name(name: str) -> str:
    """Return a path relative to the current folder if it is below that; a URL unchanged."""
    if not os.path.isabs(name):
        return name
    near = os.path.relpath(name)
    return name if near.startswith("..") else near
