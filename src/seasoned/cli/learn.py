"""`seasoned learn`: learn from existing transcripts."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.cli.command import INTERRUPTED, NOT_FOUND, Options, command
from seasoned.cli.show.render import console, emit, many, note, say
from seasoned.core.errors import BadInput, NotFound

if TYPE_CHECKING:
    from seasoned.api import Seasoned
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
            help="Also write the best lessons to this Markdown file, in a marked block.",
            metavar="AGENTS.md",
            show_default=False,
        ),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(
            help=f"Lessons to show (default {SHOWN}) and to write (default {WRITTEN}).",
            min=1,
            metavar="N",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Learn from transcripts that you already have.

    Formats are recognised by content: OpenAI and Anthropic messages, Claude Code sessions, Codex
    rollouts, OpenTelemetry spans, and plain tool calls as JSONL. Files that were learned before
    are skipped; an interrupted run continues where it stopped.
    """
    from seasoned.cli.agents_file import check
    from seasoned.cli.learn_report import learned_from, learned_shape

    files = _files(paths or [], needed=out is None)
    if out is not None:
        check(out)
    with options.open() as s:
        with _progress(files, quiet=options.json) as progress:
            learned = learned_from(s, files, progress)
        known = _known(s)
        written = (
            _write(s, out, most or WRITTEN) if out is not None and not learned.interrupted else None
        )
    if options.json:
        emit({**learned_shape(learned), "out": asdict(written) if written else None})
    else:
        _show(learned, most or SHOWN, known, written)
    if learned.interrupted:
        note("interrupted: progress is saved; run the command again to continue")
        raise typer.Exit(INTERRUPTED)
    if learned.nothing_read:
        note("error: no readable transcript; nothing was learned")
        raise typer.Exit(NOT_FOUND)


def _files(paths: Sequence[Path], *, needed: bool) -> list[Path]:
    from seasoned.transcripts.files import ENDINGS, transcript_files

    if needed and not paths:
        raise BadInput("no transcripts given; try: seasoned learn PATH…")
    files = list(transcript_files(paths))
    if paths and not files:
        named = ", ".join(str(path) for path in paths)
        raise NotFound(f"no transcripts in {named}; they end in {', '.join(ENDINGS[:3])} (or .gz)")
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


def _known(s: "Seasoned") -> str:
    status = s.status()
    fixes = sum(status["lessons"].get("fix", {}).values())
    patterns = many(status["errors"], "error pattern")
    return f"{patterns} and {many(fixes, 'fix', 'fixes')} in total"


@dataclass(frozen=True, slots=True)
class FileReport:
    """Outcome of writing lessons to a file."""

    file: str
    lessons: int
    outcome: str


def _write(s: "Seasoned", out: Path, most: int) -> FileReport:
    from seasoned.cli.agents_file import block_of, update
    from seasoned.cli.learn_report import EVERY_PATTERN, best_first

    best = best_first(s.lessons(status="active", limit=EVERY_PATTERN))[:most]
    outcome = update(out, block_of(best)) if best or out.exists() else "not made"
    return FileReport(str(out), len(best), outcome)


def _show(learned: "LearnReport", most: int, known: str, written: FileReport | None) -> None:
    from seasoned.cli.learn_report import show_learned, show_problems

    report = learned.report
    show_problems(learned)
    if not learned.nothing_new:
        show_learned(learned, most=most)
        if learned.fixes or report.rules:
            say("`seasoned learning why ID` explains a lesson.")
    elif report.skipped_files or report.known_calls:
        read = report.files + report.skipped_files
        say(f"Nothing new: every call in {many(read, 'file')} was learned before; {known}.")
    elif report.messages:
        say(f"{many(report.messages, 'message')} read, but no tool calls; {known}.")
    if report.unattributed:
        left = many(report.unattributed, "correction")
        say(f"{left} left out: nobody knows who said so; `seasoned --user NAME learn` says whose.")
    if written:
        say(f"{written.file}: {many(written.lessons, 'lesson')}, {written.outcome}.")
