"""`seasoned learn`: learn from existing transcripts."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.cli.command import INTERRUPTED, NOT_FOUND, Options, command
from seasoned.cli.show.render import console, emit, many, note, say, visible, words
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope

if TYPE_CHECKING:
    from seasoned.cli.learn_out import FileReport
    from seasoned.cli.learn_report import LearnReport
    from seasoned.transcripts.history import HistoryReport, Progress

app = typer.Typer()

SHOWN = 10
WRITTEN = 20


@command(app, "learn")
def learn(
    options: Options,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Transcripts, or folders of them.", metavar="PATH", show_default=False),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Also write the project's rules and fixes to this Markdown file, in a marked "
            "block; {project} in its name writes one for each project.",
            metavar="AGENTS.md",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show what would be learned, and change nothing."),
    ] = False,
    most: Annotated[
        int | None,
        typer.Option(
            help=f"Lessons to show (default {SHOWN} a project) and to write (default {WRITTEN}).",
            min=1,
            metavar="N",
            show_default=False,
        ),
    ] = None,
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Without PATH: learn from all sessions that are found."),
    ] = False,
) -> None:
    """Learn from transcripts that you already have.

    Without PATH it finds the sessions of the coding assistants on this machine, lists them by
    project, and asks which to learn from. The content of a file decides its format: sessions of
    some twenty assistants, runs of agent frameworks, OpenAI and Anthropic messages, OpenTelemetry
    spans, plain tool calls as JSONL. Each session teaches the project whose folder it took place
    in; --project puts all of them into one. Files that were learned before are skipped; an
    interrupted run continues where it stopped.
    """
    from seasoned.cli.learn_choice import chosen_sessions
    from seasoned.cli.learn_out import check_place, write_files
    from seasoned.cli.learn_report import learned_from
    from seasoned.cli.rehearsal import copied_store
    from seasoned.cli.scope import settle_scope
    from seasoned.cli.show.learned import learned_shape

    found = chosen_sessions(options, yes=yes) if not paths and out is None else paths or []
    if found is None:
        return
    files = _files(found)
    if out is not None:
        check_place(out)
    written: Sequence[FileReport] = ()
    refused: BadInput | None = None
    with copied_store(options) if dry_run else options.open(create=True) as s:
        project = None if options.project is None else s.inner.scope.project
        s.inner.scope = Scope(s.inner.scope.tenant)  # the records say the rest
        with _progress(files, quiet=options.json) as progress:
            learned = learned_from(s, files, progress, project=project, user=options.user)
        settle_scope(s, options.project, options.user)
        if out is not None and not learned.interrupted:
            of = [one.project for one in learned.projects]
            try:
                written = write_files(
                    s, out, of, options.project is not None, most or WRITTEN, dry=dry_run
                )
            except BadInput as error:
                refused = error  # what was learned is saved, and is reported first
    if options.json:
        shape = {"dry_run": dry_run, **learned_shape(learned)}
        emit({**shape, "out": [asdict(one) for one in written]})
    else:
        _show(learned, most or SHOWN, written, dry=dry_run)
    if refused is not None:
        raise refused
    if learned.interrupted:
        note("interrupted: progress is saved; run the command again to continue")
        raise typer.Exit(INTERRUPTED)
    if learned.nothing_read:
        note("error: no readable transcript; nothing was learned")
        raise typer.Exit(NOT_FOUND)


def _files(paths: Sequence[Path]) -> list[Path]:
    from seasoned.transcripts.files import ENDINGS, transcript_files

    files = list(transcript_files(paths))
    if paths and not files:
        named = ", ".join(str(path) for path in paths)
        raise NotFound(
            f"no transcripts in {named}; most end in {', '.join(ENDINGS[:3])} (or .gz), and a file "
            "with another ending is read if you name it"
        )
    return files


@contextmanager
def _progress(files: Sequence[Path], *, quiet: bool) -> Generator["Progress | None"]:
    """Show a progress bar on stderr, if that is a terminal."""
    screen = console(stderr=True)
    if quiet or not screen.is_terminal or not files:
        yield None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    sizes = {path: _size(path) for path in files}
    bar = Progress(
        TextColumn("learning"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[counts]}"),
        console=screen,
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=sum(sizes.values()), counts="")
        started: dict[Path, int] = {}

        def step(path: Path, report: "HistoryReport") -> None:
            started.setdefault(path, sizes.get(path, 1))
            counts = f"{many(report.calls, 'call')}, {many(report.failures, 'failure')}"
            bar.update(task, completed=sum(started.values()), counts=counts)

        yield step


def _size(path: Path) -> int:
    try:
        return path.stat().st_size + 1
    except OSError:
        return 1  # the reader reports the error


def _show(
    learned: "LearnReport",
    most: int,
    written: "Sequence[FileReport]",
    *,
    dry: bool,
) -> None:
    from seasoned.cli.show.learned import show_problems, show_run, show_unused

    report = learned.report
    show_problems(learned)
    if dry:
        say(words("Dry run: this would be learned, nothing was changed.", "bold"))
    if not learned.nothing_new:
        show_run(learned, most=most, dry=dry)
    elif report.skipped_files or report.known_calls:
        read = report.files + report.skipped_files
        say(f"Nothing new: every call in {many(read, 'file')} was learned before.")
    elif report.messages:
        say(f"{many(report.messages, 'message')} read, but no tool calls.")
    show_unused(learned)
    if report.unattributed:
        left = many(report.unattributed, "correction")
        say(f"{left} left out: nobody knows who said so; `seasoned --user NAME learn` says whose.")
    for one in written:
        say(one.text)
        if dry and one.lessons:
            typer.echo(visible(one.block))
