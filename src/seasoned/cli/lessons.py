"""`seasoned lessons …`: list, explain, teach and forget lessons."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seasoned.cli.command import Limit, Options, Yes, command
from seasoned.cli.show.render import emit, heading, note, pairs, say, table, visible, words
from seasoned.cli.teach import teach
from seasoned.cli.terminal import confirmed
from seasoned.core.clock import SystemClock, ago, iso
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from seasoned.api import Seasoned
    from seasoned.lessons.lesson import Lesson

app = typer.Typer(no_args_is_help=True, help="List, explain, teach and forget lessons.")

Id = Annotated[str, typer.Argument(help="Id of the lesson, or a prefix of it.", metavar="ID")]


@command(app, "status")
def status(options: Options) -> None:
    """Show the state of learning, in numbers."""
    from seasoned.cli.place import place_of
    from seasoned.cli.show.corrections import depth

    missing = place_of(options.database, create=False).missing
    with options.open() as s:
        found = s.status()
        settings = s.inner.app.config.settings
    found["database"] = missing or found["database"]
    found["corrections"] |= {
        "enabled": settings.behavioral.enabled,
        "by": settings.llm.model or "grammar",
    }
    if options.json:
        emit(found)
        return
    corrections = found["corrections"]
    on = {True: "on", False: "off"}
    say(
        words("Learning", "bold"),
        pairs(
            [
                (
                    "database",
                    f"{found['database']} ({'not there yet' if missing else found['dialect']})",
                ),
                ("learning", on[found["learning"]]),
                ("hints", f"{on[found['hints']]}, from confidence {found['hint_confidence']:.2f}"),
                ("recall", _recall(found["embedding"])),
                ("graph", on[found["graph"]["enabled"]]),
            ]
        ),
        heading("Experience"),
        pairs(
            [
                (name.replace("_", " "), f"{found[name]:,}")
                for name in ("tools", "calls", "failures", "errors", "audit_events")
            ]
            + [
                (f"episodes {outcome}", f"{number:,}")
                for outcome, number in sorted(found["episodes"].items())
            ]
        ),
        *_wording(found["fixes"]),
        heading("Corrections"),
        pairs(
            [
                ("detection", on[corrections["enabled"]]),
                ("analysed by", corrections["by"]),
                ("queue", depth(corrections["queue"])),
                ("analysed", _outcomes(corrections["analysed"])),
                ("conflicts open", f"{corrections['conflicts']:,}"),
            ]
        ),
        heading("Conversations"),
        pairs(
            [
                ("read by", found["conversations"]["by"]),
                ("waiting", f"{found['conversations']['sessions_waiting']:,} sessions"),
                ("observations", f"{found['memory']['observations']:,}"),
                ("inquiries open", f"{found['librarian']['pending']:,}"),
                *_spending(found["models"]),
            ]
        ),
        heading("Lessons"),
    )
    if corrections["queue"]["error"]:
        note(f"warning: the queue is unreachable: {corrections['queue']['error']}")
    lessons: dict[str, dict[str, int]] = found["lessons"]
    statuses = sorted({name for counts in lessons.values() for name in counts})
    if not lessons:
        say("  none yet: `seasoned learn PATH…` learns from your transcripts")
        return
    say(
        table(
            ("kind", *(f">{name}" for name in statuses), ">all"),
            [
                (
                    kind,
                    *(f"{counts.get(name, 0):,}" for name in statuses),
                    f"{sum(counts.values()):,}",
                )
                for kind, counts in sorted(lessons.items())
            ],
        )
    )
    for listener, times in found["listener_failures"].items():
        note(f"warning: {listener} failed {times} times")


def _wording(fixes: dict[str, Any]) -> list["RenderableType"]:
    """Say which model words fixes and how many wait; nothing without a model."""
    if fixes["by"] == "plain":
        return []
    rows = [("worded by", fixes["by"]), ("waiting", f"{fixes['waiting']:,}")]
    rows += [("last error", fixes["last_error"])] if fixes.get("last_error") else []
    return [heading("Fixes"), pairs(rows)]


def _spending(models: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return calls and cost of models on the last day with any."""
    if not models:
        return []
    usd, calls = sum(one["usd"] for one in models), sum(one["calls"] for one in models)
    return [(f"models, {models[0]['day']}", f"${usd:,.4f} for {calls:,} calls")]


def _outcomes(analysed: dict[str, int]) -> str:
    """Count analysed corrections by outcome."""
    each = ", ".join(f"{number:,} {outcome}" for outcome, number in sorted(analysed.items()))
    return f"{sum(analysed.values()):,}" + (f" ({each})" if each else "")


def _recall(embedding: dict[str, Any]) -> str:
    """Say how recall searches, and how far embedding has got."""
    if embedding["note"]:
        return f"by words only: {embedding['note']}"
    state = f"by words and meaning ({embedding['model']}), {embedding['embedded']:,} embedded"
    return state + (f", {embedding['waiting']:,} waiting" if embedding["waiting"] else "")


@command(app, "history", hidden=True)  # the name that `learning` had for it
@command(app, "list")
def list_lessons(
    options: Options,
    kind: Annotated[
        str | None, typer.Option(help="Only fix, rule, fact, preference, …", metavar="KIND")
    ] = None,
    status: Annotated[
        str | None, typer.Option(help="Only active, candidate, retired, …", metavar="STATUS")
    ] = None,
    tool: Annotated[
        str | None, typer.Option(help="Only fixes of this tool.", metavar="TOOL")
    ] = None,
    limit: Limit = 20,
) -> None:
    """List lessons, newest first."""
    from seasoned.cli.show.shapes import kind_of, lesson_shape

    with options.open() as s:
        lessons = s.lessons(kind=kind, status=status, tool=tool, limit=limit)
        projects = [] if s.inner.scope.project else _project_names(s)
    if options.json:
        emit([lesson_shape(lesson) for lesson in lessons])
    elif lessons:
        now = SystemClock().now()
        columns = ("id", "kind", ">conf.", "created", "status", "trigger → lesson")
        say(table(columns, [_row(lesson, kind_of(lesson), now) for lesson in lessons]))
    else:
        wanted = kind or status or tool
        note(
            "no such lessons; `seasoned lessons list` shows all"
            if wanted
            else "no lessons yet; `seasoned learn PATH…` learns from your transcripts"
        )
    if projects and not options.json:
        note(
            f"projects have lessons of their own; --project NAME shows them: {', '.join(projects)}"
        )


def _project_names(s: "Seasoned") -> list[str]:
    from seasoned.transcripts.projects import short_names

    return sorted(short_names(s.known_scopes().projects).values())


def _row(lesson: "Lesson", kind: str, now: int) -> tuple["str | Text", ...]:
    told = words(one_line(lesson.trigger, 100), "dim")
    told.append_text(words(f"\n→ {one_line(lesson.content, 140)}", "not dim"))
    return (
        lesson.id,
        kind,
        f"{lesson.confidence:.2f}",
        ago(lesson.created_at, now),
        lesson.status,
        told,
    )


@command(app, "show")
def show(options: Options, name: Id) -> None:
    """Show one lesson in full."""
    from seasoned.cli.show.shapes import lesson_shape

    with options.open(about=name) as s:
        lesson = s.lesson(name)
    if options.json:
        emit(lesson_shape(lesson))
        return
    scope = [f"{n} {v}" for n, v in lesson_shape(lesson)["scope"].items() if v]
    confidence = f"{lesson.confidence:.2f} ({lesson.belief.worked:g} : {lesson.belief.failed:g})"
    rows = [
        ("kind", lesson.kind),
        ("status", lesson.status),
        ("when", lesson.trigger or "always"),
        ("lesson", lesson.content or "(erased)"),
        ("tool", (lesson.fix.tool or "any") if lesson.fix else ""),
        ("confidence", confidence),
        ("source", f"{lesson.source} (trust: {lesson.trust})"),
        ("scope", ", ".join(scope) or "everybody"),
        ("created", iso(lesson.created_at)),
        ("updated", iso(lesson.updated_at)),
        ("used", f"{lesson.times_given:,} times"),
        ("superseded by", lesson.superseded_by or ""),
    ]
    say(words(lesson.id, "bold"), pairs([(key, value) for key, value in rows if value]))


@command(app, "why")
def why(options: Options, name: Id) -> None:
    """Explain a lesson: its evidence and history."""
    from seasoned.cli.show.shapes import error_shape, evidence_shape, lesson_shape

    with options.open(about=name) as s:
        found = s.why(name)
    if not options.json:
        typer.echo(visible(found.text))
        return
    emit(
        {
            "lesson": lesson_shape(found.lesson),
            "evidence": [evidence_shape(one) for one in found.evidence],
            "error": error_shape(found.error) if found.error else None,
            "samples": [
                {"at": iso(one.at), "session": one.session, "message": one.message}
                for one in found.samples
            ],
            "episodes": [
                {"session": one.session, "opened": iso(one.opened_at), "outcome": one.outcome}
                for one in found.episodes
            ],
            "events": [
                {"seq": one.seq, "at": iso(one.at), "kind": one.kind} for one in found.events
            ],
        }
    )


command(app, "teach")(teach)


@command(app, "distill")
def distill(options: Options) -> None:
    """Let the model word fixes, or find that there is nothing to learn."""
    from seasoned.cli.show.distilled import distilled_shape, distilled_text

    with options.open() as s:
        done = s.distill()
    if options.json:
        emit([distilled_shape(one) for one in done])
        return
    for one in done:
        say(distilled_text(one))
    if not done:
        note("nothing to distill: the model has read every fix that agents are given")
    elif any(one.outcome == "vetoed" for one in done):
        say("`seasoned review` shows what waits, to accept or reject it.")


@command(app, "forget")
def forget(
    options: Options,
    name: Id,
    erase: Annotated[bool, typer.Option("--erase", help="Also delete its text.")] = False,
    yes: Yes = False,
) -> None:
    """Retire a lesson, so that it is never used again."""
    from seasoned.cli.show.shapes import lesson_shape

    with options.open(about=name) as s:
        lesson = s.lesson(name)
        asked = erase and not yes and sys.stdin.isatty()
        question = f"Erase {lesson.kind} {lesson.id}: {one_line(lesson.content, 60)}?"
        if asked and not confirmed(question):
            note("nothing changed")
            return
        lesson = s.forget(lesson.id, erase=erase)
    if options.json:
        emit(lesson_shape(lesson))
    elif erase:
        say(f"Erased {lesson.kind} {lesson.id} and its text; the audit records it.")
    else:
        say(f"Forgot {lesson.kind} {lesson.id}: it is retired and never used again.")
