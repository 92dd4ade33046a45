"""`seasoned feedback …`: what is thought of answers, and how it adds up."""

from typing import Annotated, Any, cast

import typer

from seasoned.cli.commands import command
from seasoned.cli.options import Options
from seasoned.cli.render import emit, note, say

app = typer.Typer(no_args_is_help=True, help="Say and see what is thought of answers.")

Limit = Annotated[int, typer.Option(help="At most so many.", min=1, metavar="N")]
Dimension = Annotated[
    str | None,
    typer.Option(
        help="Only of this: correctness, helpfulness, safety, tone, plan_quality.",
        metavar="NAME",
        show_default=False,
    ),
]


def text(told: str, metavar: str = "TEXT") -> Any:
    return typer.Option(help=told, metavar=metavar, show_default=False)


@command(app, "add")
def add(
    options: Options,
    polarity: Annotated[
        str, typer.Argument(help="positive, negative, neutral or corrective.", metavar="POLARITY")
    ],
    prompt: Annotated[str, text("What was asked.")] = "",
    response: Annotated[str, text("What was answered.")] = "",
    correction: Annotated[str, text("The answer as it should be.")] = "",
    comment: Annotated[str, text("Why.")] = "",
    score: Annotated[
        float | None, text("From -1 to 1; the polarity says it otherwise.", "NUMBER")
    ] = None,
    dimension: Annotated[
        str, typer.Option(help="What aspect of the answer.", metavar="NAME")
    ] = "helpfulness",
    confidence: Annotated[
        float, typer.Option(help="How sure that is, 0 to 1.", metavar="NUMBER")
    ] = 1.0,
    source: Annotated[str, typer.Option(help="human, env or self.", metavar="NAME")] = "human",
    about: Annotated[str, text("A lesson, a session or a request, by its id.", "ID")] = "",
    session: Annotated[str, text("The session; its last exchange is meant.", "NAME")] = "",
    skill: Annotated[str, text("The skill that is judged.", "NAME")] = "",
    tool: Annotated[str, text("The tool that is judged.", "NAME")] = "",
    model: Annotated[str, text("The model that answered.", "NAME")] = "",
    annotator: Annotated[str, text("Who says so.", "NAME")] = "",
    name: Annotated[str | None, typer.Option("--id", help="So that it counts once.")] = None,
) -> None:
    """Say what is thought of an answer; a corrective one says what would be right.

    Without --prompt and --response the last exchange of the session is meant.
    """
    from seasoned.cli.feedback_shapes import recorded_shape
    from seasoned.core.ids import new_id

    name = name or new_id()
    with options.open() as s:
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
        note(f"feedback {name} was there already; nothing was changed")
        return
    for flag in (flag for flags in recorded.flagged.values() for flag in flags):
        note(f"note: {flag}")
    means = recorded.aggregate[dimension.strip().lower()]
    told = f"{means['mean_score']:+.2f} on average of {means['count']:,.0f}"
    say(f"Kept feedback {name}; {dimension.strip().lower()} is {told}.")


@command(app, "list")
def list_feedback(
    options: Options,
    polarity: Annotated[str | None, text("Only such.", "NAME")] = None,
    dimension: Dimension = None,
    source: Annotated[str | None, text("Only by these: human, env or self.", "NAME")] = None,
    skill: Annotated[str | None, text("Only of this skill.", "NAME")] = None,
    tool: Annotated[str | None, text("Only of this tool.", "NAME")] = None,
    since: Annotated[str | None, text("From then on, like 2025-03-07.", "TIME")] = None,
    until: Annotated[str | None, text("Before then.", "TIME")] = None,
    limit: Limit = 20,
) -> None:
    """Show the feedback there is, the latest first, and what it was put down to."""
    from seasoned.cli.feedback_shapes import feedback_table, kept_shape

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
        emit([kept_shape(one) for one in found])
    elif found:
        say(feedback_table(found, now))
    else:
        note("no such feedback; `seasoned feedback add` gives some")


@command(app, "stats")
def stats(
    options: Options,
    by: Annotated[
        str, typer.Option(help="dimension, skill, tool, source or lesson.", metavar="NAME")
    ] = "dimension",
    dimension: Dimension = None,
    limit: Limit = 50,
) -> None:
    """Show how feedback adds up."""
    from seasoned.cli.feedback_shapes import stats_table, tally_shape

    with options.open() as s:
        found = s.feedback.stats(cast("Any", by), dimension=dimension, limit=limit)
    if options.json:
        emit({name: tally_shape(tally) for name, tally in found.items()})
    elif found:
        say(stats_table(by, found))
    else:
        note("no feedback yet; `seasoned feedback add` gives some")
