"""`seasoned feedback …` and `seasoned export`: judge answers, and export training data."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from seasoned.cli.command import Limit, Options, command
from seasoned.cli.show.render import emit, many, note, pairs, say

if TYPE_CHECKING:
    from seasoned.feedback.export.report import ExportReport


app = typer.Typer(no_args_is_help=True, help="Record and show feedback on answers.")

export_app = typer.Typer()

Dimension = Annotated[
    str | None,
    typer.Option(
        help="Only this dimension: correctness, helpfulness, safety, tone, plan_quality.",
        metavar="NAME",
        show_default=False,
    ),
]


def text(help: str, metavar: str = "TEXT") -> Any:  # noqa: A002 - as typer calls it
    return typer.Option(help=help, metavar=metavar, show_default=False)


@command(app, "add")
def add(
    options: Options,
    polarity: Annotated[
        str, typer.Argument(help="positive, negative, neutral or corrective.", metavar="POLARITY")
    ],
    prompt: Annotated[str, text("The request.")] = "",
    response: Annotated[str, text("The answer.")] = "",
    correction: Annotated[str, text("The right answer.")] = "",
    comment: Annotated[str, text("Reason.")] = "",
    score: Annotated[float | None, text("-1 to 1; default: from the polarity.", "NUMBER")] = None,
    dimension: Annotated[
        str, typer.Option(help="Aspect of the answer.", metavar="NAME")
    ] = "helpfulness",
    confidence: Annotated[float, typer.Option(help="Confidence, 0 to 1.", metavar="NUMBER")] = 1.0,
    source: Annotated[str, typer.Option(help="human, env or self.", metavar="NAME")] = "human",
    about: Annotated[str, text("Id of the lesson, session or request it is about.", "ID")] = "",
    session: Annotated[str, text("Session; its last exchange is meant.", "NAME")] = "",
    skill: Annotated[str, text("Skill that is judged.", "NAME")] = "",
    tool: Annotated[str, text("Tool that is judged.", "NAME")] = "",
    model: Annotated[str, text("Model that answered.", "NAME")] = "",
    annotator: Annotated[str, text("Who gives the feedback.", "NAME")] = "",
    name: Annotated[str | None, typer.Option("--id", help="Count this id once.")] = None,
) -> None:
    """Record feedback on an answer; corrective feedback gives the right answer.

    Default for --prompt and --response: the last exchange of the session.
    """
    from seasoned.cli.show.feedback import recorded_shape
    from seasoned.core.ids import new_id

    name = name or new_id()
    with options.open(create=True) as s:
        recorded = s.feedback.add(
            polarity,
            score=score,
            dimension=dimension,
            confidence=confidence,
            comment=comment,
            correction=correction,
            source=source,
            annotator=annotator,
            about=about,
            session=session,
            prompt=prompt,
            response=response,
            model=model,
            skill=skill,
            tool=tool,
            id=name,
        )
    if options.json:
        emit(recorded_shape(name, recorded))
        return
    if recorded.duplicates:
        note(f"feedback {name} exists already; nothing changed")
        return
    for flag in (flag for flags in recorded.flagged.values() for flag in flags):
        note(f"note: {flag}")
    means = recorded.aggregate[dimension.strip().lower()]
    mean = f"{means['mean_score']:+.2f} on average of {means['count']:,.0f}"
    say(f"Recorded feedback {name}; {dimension.strip().lower()} is {mean}.")


@command(app, "list")
def list_feedback(
    options: Options,
    polarity: Annotated[str | None, text("Only this polarity.", "NAME")] = None,
    dimension: Dimension = None,
    source: Annotated[str | None, text("Only this source: human, env or self.", "NAME")] = None,
    skill: Annotated[str | None, text("Only for this skill.", "NAME")] = None,
    tool: Annotated[str | None, text("Only for this tool.", "NAME")] = None,
    since: Annotated[str | None, text("From this time on, e.g. 2025-03-07.", "TIME")] = None,
    until: Annotated[str | None, text("Before this time.", "TIME")] = None,
    limit: Limit = 20,
) -> None:
    """List feedback with its attribution, newest first."""
    from seasoned.cli.show.feedback import feedback_shape, feedback_table

    with options.open() as s:
        found = s.feedback.list(
            polarity=polarity,
            dimension=dimension,
            source=source,
            skill=skill,
            tool=tool,
            since=since,
            until=until,
            limit=limit,
        )
        now = s.inner.app.clock.now()
    if options.json:
        emit([feedback_shape(one) for one in found])
    elif found:
        say(feedback_table(found, now))
    else:
        note("no such feedback; `seasoned feedback add` records some")


@command(app, "stats")
def stats(
    options: Options,
    by: Annotated[
        str, typer.Option(help="Group by dimension, skill, tool, source or lesson.", metavar="NAME")
    ] = "dimension",
    dimension: Dimension = None,
    limit: Limit = 50,
) -> None:
    """Summarise feedback."""
    from seasoned.cli.show.feedback import stats_table, tally_shape

    with options.open() as s:
        found = s.feedback.stats(cast("Any", by), dimension=dimension, limit=limit)
    if options.json:
        emit({name: tally_shape(tally) for name, tally in found.items()})
    elif found:
        say(stats_table(by, found))
    else:
        note("no feedback yet; `seasoned feedback add` records some")


@command(export_app, "export")
def export(
    options: Options,
    kind: Annotated[str, typer.Argument(help="dpo, kto, reward or sft.", metavar="KIND")],
    path: Annotated[Path, typer.Argument(help="Output file: .jsonl or .parquet.", metavar="PATH")],
    format: Annotated[  # noqa: A002 - the option's name
        str | None, text("jsonl or parquet; default: by the file's name.", "NAME")
    ] = None,
    dimension: Annotated[
        str | None,
        text("Only this dimension: correctness, helpfulness, safety, tone, plan_quality.", "NAME"),
    ] = None,
    source: Annotated[str | None, text("Only this source: human, env or self.", "NAME")] = None,
    model: Annotated[str | None, text("Only answers of this model.", "NAME")] = None,
    least_confidence: Annotated[float | None, text("Minimum confidence, 0 to 1.", "NUMBER")] = None,
    since: Annotated[str | None, text("From this time on, e.g. 2025-03-07.", "TIME")] = None,
    until: Annotated[str | None, text("Before this time.", "TIME")] = None,
    samples: Annotated[
        bool, typer.Option("--samples", help="For reward: scored single answers.")
    ] = False,
    chat: Annotated[
        bool, typer.Option("--chat", help="Messages with roles instead of plain text.")
    ] = False,
    keep_pii: Annotated[
        bool, typer.Option("--keep-pii", help="Keep e-mail addresses, phone numbers…")
    ] = False,
    with_corrections: Annotated[
        bool,
        typer.Option("--with-corrections", help="Include corrections and examples."),
    ] = False,
) -> None:
    """Export feedback as training data, with a datasheet beside it.

    dpo: pairs of answers; kto: labelled answers; reward: pairs, or scored single answers; sft:
    good conversations. The file is written completely or not at all.
    """
    with options.open() as s:
        report = s.export(
            kind,
            path,
            format=format,
            dimension=dimension,
            source=source,
            model=model,
            least_confidence=least_confidence,
            since=since,
            until=until,
            samples=samples,
            chat=chat,
            keep_pii=keep_pii,
            with_corrections=with_corrections,
        )
    if options.json:
        emit(export_shape(report))
        return
    say(f"Wrote {many(report.rows, 'row')} to {report.path}; {report.datasheet.name} describes it.")
    left = [(f"{number:,}", why) for why, number in report.left_out.items()]
    if left:
        say("Left out:", pairs(left))
    if not report.rows:
        note("nothing to export; `seasoned feedback list` shows the feedback")


def export_shape(report: "ExportReport") -> dict[str, Any]:
    return {
        "kind": report.request.kind,
        "path": str(report.path),
        "datasheet": str(report.datasheet),
        "format": report.format,
        "rows": report.rows,
        "columns": dict(report.columns),
        "filters": dict(report.filters),
        "dimensions": dict(report.by_dimension),
        "sources": dict(report.by_source),
        "origins": dict(report.by_origin),
        "left_out": dict(report.left_out),
        "personal_data_replaced": None if report.request.keep_pii else dict(report.masked),
        "bytes": report.size,
        "sha256": report.sha256,
    }
