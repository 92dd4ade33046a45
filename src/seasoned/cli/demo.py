"""`seasoned demo`: the whole loop on sample transcripts, from an old failure to a new hint."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from seasoned.cli.commands import command
from seasoned.cli.options import Options
from seasoned.cli.render import emit, framed, indented, many, note, pairs, say, words
from seasoned.core.errors import DatabaseUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seasoned.cli.demo_correction import Corrected
    from seasoned.cli.demo_scenes import Played
    from seasoned.cli.learned import Learned
    from seasoned.facade import Seasoned

app = typer.Typer()

MOST_ERRORS = 6
MOST_FIXES = 5


@command(app, "demo")
def demo(options: Options) -> None:
    """See it at work on sample transcripts.

    Learns from them, then meets a new request and new failures. Uses a database of its own,
    demo.db in the home folder, made anew each time (or --db).
    """
    from seasoned.cli.demo_correction import correct
    from seasoned.cli.demo_scenes import SCENES, play
    from seasoned.cli.learned import learned_from
    from seasoned.config import environment
    from seasoned.facade import Seasoned
    from seasoned.transcripts.files import transcript_files

    database = options.database or _fresh_database()
    files = list(transcript_files([samples()]))
    with Seasoned(database, environment=environment(SEASONED_GRAPH__ENABLED="true")) as s:
        learned = learned_from(s, files)
        if learned.interrupted:
            raise KeyboardInterrupt
        if options.json:
            _emit(s, learned, [play(s, scene) for scene in SCENES], correct(s), database)
            return
        _tell_learned(learned, len(files))
        played = [play(s, scene) for scene in SCENES]
        _tell_request(played[0])
        _title("3. New failures", "each is answered in the call that reports it")
        for one in played:
            _tell_failure(one)
        corrected = correct(s)
        _tell_correction(corrected)
        _tell_graph(s, played)
        _tell_rest(s, database, played, corrected)


def samples() -> Path:
    import seasoned

    return Path(seasoned.__file__).parent / "samples"


def _fresh_database() -> str:
    """The demo's own database, without what an earlier demo left in it."""
    from seasoned.config import load

    path = load().home / "demo.db"
    try:
        for name in ("demo.db", "demo.db-wal", "demo.db-shm"):
            path.with_name(name).unlink(missing_ok=True)
    except OSError as error:
        raise DatabaseUnavailable(
            f"cannot begin {path} anew ({error.strerror or error}); "
            "point SEASONED_HOME or --db at a place you may write"
        ) from error
    return str(path)


def _title(text: str, about: str = "") -> None:
    line = words(f"\n{text}", "bold cyan")
    line.append_text(words(f"  {about}" if about else "", "not bold dim"))
    say(line, "")


def _tell_learned(learned: "Learned", files: int) -> None:
    from seasoned.cli.learned_tables import show_fixes, show_numbers, show_patterns

    say(words("Seasoned: agents that learn from experience", "bold"))
    _title(f"1. Learning from {files} old transcripts", "no model, no key, no network")
    show_numbers(learned)
    show_patterns(learned.patterns, most=MOST_ERRORS)
    show_fixes([one for one in learned.fixes if one.fix.status == "active"], most=MOST_FIXES)


def _tell_request(played: "Played") -> None:
    _title("2. A new request", f"for an agent that is about to use {played.scene.tool}")
    say(indented(f"“{played.scene.request}”", "italic"), "")
    if played.context:
        say(framed(played.context.text, "what its prompt gets", "green"))
    else:
        say(indented("Nothing relevant was learned for it: its prompt stays as it is."))


def _tell_failure(played: "Played") -> None:
    scene, hint = played.scene, played.hint
    say(
        indented(f"{scene.tool} {played.call}"),
        indented(f"✗ {scene.error}", "red"),
    )
    if hint is None:
        say(indented("No fix is known for this one yet; what works next will be learned."), "")
        return
    known, *_ = str(hint).splitlines()
    say(indented(f"→ {known}", "bold green"))
    if played.retry:
        better = f"{hint.confidence:.2f} → {played.confidence_after:.2f}"
        say(
            indented(f"→ Try: {played.retry}", "bold green"),
            indented(f"✓ a retry that works makes it surer: confidence {better}", "green"),
        )
    say("")


def _tell_correction(corrected: "Corrected") -> None:
    from seasoned.cli.demo_correction import LATER, OTHER, REPLY, REQUEST, SAID

    _title("4. A user corrects the agent", "and need not say it again")
    say(
        indented(f"user   {REQUEST}"),
        indented(f"agent  {REPLY}"),
        indented(f"user   {SAID}", "bold"),
        "",
        framed(corrected.at_once, "what the prompt gets in this very turn", "green"),
        indented(f"In another session: “{LATER}”", "italic"),
        framed(corrected.later or "nothing", "what that prompt gets", "green"),
        indented(f"“{OTHER}”  {corrected.other or '→ nothing: it does not matter there'}", "dim"),
    )


def _tell_graph(s: "Seasoned", played: "Sequence[Played]") -> None:
    """What the first of the hints hangs together with."""
    from seasoned.cli.demo_scenes import connected

    stats = s.graph.stats()
    if not stats.triples:
        return  # it was switched off on purpose
    about = f"{many(stats.triples, 'triple')} between {many(stats.nodes, 'node')}"
    _title("5. How it hangs together", f"a graph of {about}")
    for hint in [one.hint for one in played if one.hint][:1]:
        say(indented(hint.text, "bold"))
        rows = connected(s, hint.lesson)
        for (name, value), mark in zip(rows, "├" * (len(rows) - 1) + "└", strict=True):
            say(indented(f"{mark} {name:<13}{value}"))


def _tell_rest(
    s: "Seasoned", database: str, played: "Sequence[Played]", corrected: "Corrected"
) -> None:
    status, audit = s.status(), s.verify_audit()
    intact = "chain intact" if audit.intact else audit.reason
    _title("6. Where it is, and what to try next")
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
    here = shlex.quote(database)
    tries = [
        (f"seasoned learning history --db {here}", "all that was learned"),
        *(
            (f"seasoned learning why {hint.lesson} --db {here}", "why it is believed")
            for hint in hints[:1]
        ),
        *(
            (f"seasoned graph neighbours {hint.lesson} --depth 2 --db {here}", "what is near it")
            for hint in hints[:1]
        ),
        (f"seasoned rules list --db {here}", "what users want, and who said so"),
        ("seasoned learn ~/.claude/projects", "learn from your own Claude Code sessions"),
        ("seasoned learn ~/.codex/sessions --out AGENTS.md", "from Codex; lessons into a file"),
        ("seasoned --help", "everything else"),
    ]
    for line, about in tries:
        say(indented(f"{about}:", "dim"))
        typer.echo(f"    {line}")  # on one line however long, so that it can be copied
    if not hints or corrected.learned is None:
        note("warning: a hint or a rule is missing; the samples taught less than they should")


def _emit(
    s: "Seasoned",
    learned: "Learned",
    played: "Sequence[Played]",
    corrected: "Corrected",
    database: str,
) -> None:
    from seasoned.cli.demo_correction import corrected_shape
    from seasoned.cli.demo_scenes import played_shape
    from seasoned.cli.learned import learned_shape

    stats = s.graph.stats()
    emit(
        {
            "learned": learned_shape(learned),
            "scenes": [played_shape(one) for one in played],
            "correction": corrected_shape(corrected),
            "graph": {"triples": stats.triples, "nodes": stats.nodes},
            "database": database,
        }
    )
