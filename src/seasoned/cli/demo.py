"""`seasoned demo`: the whole loop on sample transcripts, from old failures to a new hint."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.cli.command import Options, command
from seasoned.cli.desk.address import NoBrowser
from seasoned.cli.program import program
from seasoned.cli.show.render import emit, framed, indented, many, note, pairs, say, words
from seasoned.core.errors import BadInput, DatabaseUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seasoned.api import Seasoned
    from seasoned.cli.demo_scenes import PlayedCorrection, PlayedScene
    from seasoned.cli.learn_report import LearnReport

app = typer.Typer()

MOST_ERRORS = 6
MOST_FIXES = 5


@command(app, "demo")
def demo(
    options: Options,
    serve: Annotated[
        bool, typer.Option("--serve", help="Open the desk on weeks of made-up activity.")
    ] = False,
    http: Annotated[
        str | None,
        typer.Option(
            help="With --serve: address to listen on; default: any free port.",
            metavar="HOST:PORT",
            show_default=False,
        ),
    ] = None,
    no_browser: NoBrowser = False,
) -> None:
    """See it at work on sample transcripts.

    Learns from them, then handles a new request and new failures. Uses its own database, demo.db
    in the home folder, and recreates it each time (or the one given by --db). With --serve it
    fills a temporary database, and serves its desk until Ctrl-C.
    """
    if serve:
        from seasoned.cli.desk.demo import serve_demo

        serve_demo(options, samples(), http, no_browser=no_browser)
        return
    if http is not None:
        raise BadInput("--http is for --serve; add it, to see the desk in a browser")
    _play(options)


def _play(options: Options) -> None:
    from seasoned.api import Seasoned
    from seasoned.cli.demo_scenes import SCENES, play, play_correction
    from seasoned.cli.learn_report import learned_from
    from seasoned.cli.place import place_of
    from seasoned.config import environment
    from seasoned.transcripts.files import transcript_files

    if options.database:
        place_of(options.database, create=True)
    database = options.database or _fresh_database()
    files = list(transcript_files([samples()]))
    with Seasoned(database, environment=environment(SEASONED_GRAPH__ENABLED="true")) as s:
        learned = learned_from(s, files, project="", user="")  # one store for all samples
        if learned.interrupted:
            raise KeyboardInterrupt
        if options.json:
            _emit(s, learned, [play(s, scene) for scene in SCENES], play_correction(s), database)
            return
        _tell_learned(learned, len(files))
        played = [play(s, scene) for scene in SCENES]
        _tell_request(played[0])
        _title("3. New failures", "reporting one returns a hint")
        for one in played:
            _tell_failure(one)
        corrected = play_correction(s)
        _tell_correction(corrected)
        _tell_graph(s, played)
        _tell_rest(s, database, played, corrected)


def samples() -> Path:
    import seasoned

    return Path(seasoned.__file__).parent / "samples"


def _fresh_database() -> str:
    """Return the path of the demo's database, after deleting the one of an earlier demo."""
    from seasoned.config import load

    path = load().home / "demo.db"
    try:
        for name in ("demo.db", "demo.db-wal", "demo.db-shm"):
            path.with_name(name).unlink(missing_ok=True)
    except OSError as error:
        raise DatabaseUnavailable(
            f"cannot recreate {path} ({error.strerror or error}); "
            "point SEASONED_HOME or --db at a folder you can write to"
        ) from error
    return str(path)


def _title(text: str, about: str = "") -> None:
    line = words(f"\n{text}", "bold cyan")
    line.append_text(words(f"  {about}" if about else "", "not bold dim"))
    say(line, "")


def _tell_learned(learned: "LearnReport", files: int) -> None:
    from seasoned.cli.show.learned import show_fixes, show_numbers, show_patterns

    say(words("Seasoned: agents that learn from experience", "bold"))
    _title(f"1. Learning from {files} old transcripts", "no model, no key, no network")
    show_numbers(learned)
    show_patterns(learned.patterns, most=MOST_ERRORS)
    show_fixes([one for one in learned.fixes if one.fix.status == "active"], most=MOST_FIXES)


def _tell_request(played: "PlayedScene") -> None:
    _title("2. A new request", f"for an agent that is about to use {played.scene.tool}")
    say(indented(f"“{played.scene.request}”", "italic"), "")
    if played.context:
        say(framed(played.context.text, "added to its prompt", "green"))
    else:
        say(indented("No lesson is relevant: the prompt stays as it is."))


def _tell_failure(played: "PlayedScene") -> None:
    scene, hint = played.scene, played.hint
    say(
        indented(f"{scene.tool} {played.call}"),
        indented(f"✗ {scene.error}", "red"),
    )
    if hint is None:
        say(indented("No fix is known yet; the next success will teach one."), "")
        return
    known, *_ = str(hint).splitlines()
    say(indented(f"→ {known}", "bold green"))
    if played.retry:
        better = f"{hint.confidence:.2f} → {played.confidence_after:.2f}"
        say(
            indented(f"→ Try: {played.retry}", "bold green"),
            indented(f"✓ the retry works: confidence {better}", "green"),
        )
    say("")


def _tell_correction(corrected: "PlayedCorrection") -> None:
    from seasoned.cli.demo_scenes import LATER, OTHER, REPLY, REQUEST, SAID

    _title("4. A user corrects the agent", "and does not have to repeat it")
    say(
        indented(f"user   {REQUEST}"),
        indented(f"agent  {REPLY}"),
        indented(f"user   {SAID}", "bold"),
        "",
        framed(corrected.at_once, "added to the prompt of this turn", "green"),
        indented(f"In another session: “{LATER}”", "italic"),
        framed(corrected.later or "nothing", "added to that prompt", "green"),
        indented(f"“{OTHER}”  {corrected.other or '→ nothing: not relevant here'}", "dim"),
    )


def _tell_graph(s: "Seasoned", played: "Sequence[PlayedScene]") -> None:
    """Print the graph around the first hint."""
    from seasoned.cli.demo_scenes import connected

    stats = s.graph.stats()
    if not stats.triples:
        return  # graph.enabled is off
    about = f"{many(stats.triples, 'triple')} between {many(stats.nodes, 'node')}"
    _title("5. The knowledge graph", about)
    for hint in [one.hint for one in played if one.hint][:1]:
        say(indented(hint.text, "bold"))
        rows = connected(s, hint.lesson)
        for (name, value), mark in zip(rows, "├" * (len(rows) - 1) + "└", strict=True):
            say(indented(f"{mark} {name:<13}{value}"))


def _tell_rest(
    s: "Seasoned", database: str, played: "Sequence[PlayedScene]", corrected: "PlayedCorrection"
) -> None:
    status, audit = s.status(), s.verify_audit()
    intact = "chain intact" if audit.intact else audit.reason
    _title("6. What to try next")
    say(
        pairs(
            [
                ("database", status["database"]),
                ("audit", f"{many(audit.events, 'event')}, {intact}"),
            ]
        ),
        "",
    )
    hints = [one.hint for one in played if one.hint]
    here, name = shlex.quote(database), program()
    tries = [
        (f"{name} lessons list --db {here}", "list all lessons"),
        *(
            (f"{name} lessons why {hint.lesson} --db {here}", "explain the first hint")
            for hint in hints[:1]
        ),
        *(
            (
                f"{name} graph neighbours {hint.lesson} --depth 2 --db {here}",
                "show related nodes",
            )
            for hint in hints[:1]
        ),
        (f"{name} rules list --db {here}", "list the rules that users gave"),
        (f"{name} demo --serve", "see weeks of it in a browser"),
        (f"{name} learn ~/.claude/projects", "learn from your own Claude Code sessions"),
        (
            f"{name} learn ~/.codex/sessions --out AGENTS.md",
            "learn from Codex, write a file",
        ),
        (f"{name} --help", "list all commands"),
    ]
    for line, about in tries:
        say(indented(f"{about}:", "dim"))
        typer.echo(f"    {line}")  # never wrapped, so that it can be copied
    if not hints or corrected.learned is None:
        note("warning: a hint or rule is missing; the samples should have taught more")


def _emit(
    s: "Seasoned",
    learned: "LearnReport",
    played: "Sequence[PlayedScene]",
    corrected: "PlayedCorrection",
    database: str,
) -> None:
    from seasoned.cli.demo_scenes import correction_shape, played_shape
    from seasoned.cli.show.learned import learned_shape

    stats = s.graph.stats()
    emit(
        {
            "learned": learned_shape(learned),
            "scenes": [played_shape(one) for one in played],
            "correction": correction_shape(corrected),
            "graph": {"triples": stats.triples, "nodes": stats.nodes},
            "database": database,
        }
    )
