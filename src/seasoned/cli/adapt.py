"""`seasoned adapt …` and `seasoned stats`: choose by reward, and show the figures."""

import json
from enum import StrEnum
from typing import Annotated, Any

import typer

from seasoned.cli.command import Options, command
from seasoned.cli.show.render import emit, indented, many, note, say, visible, words
from seasoned.core.errors import BadInput

app = typer.Typer(no_args_is_help=True, help="Choose between variants by their rewards.")

stats_app = typer.Typer()


class KindOption(StrEnum):
    SKILL = "skill"
    TOOL = "tool"


class IntervalOption(StrEnum):
    NORMAL = "normal"
    BOOTSTRAP = "bootstrap"


Param = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        help="Parameter of the strategy, e.g. epsilon=0.2; may be repeated.",
        metavar="KEY=VALUE",
        show_default=False,
    ),
]


@command(app, "choose")
def choose(
    options: Options,
    name: Annotated[
        str,
        typer.Argument(
            help="Decision to make, usually a skill; default: between all skills.", metavar="NAME"
        ),
    ] = "",
    strategy: Annotated[
        str,
        typer.Option(
            help="ucb1, epsilon_greedy, softmax, thompson, or a registered one.",
            metavar="STRATEGY",
        ),
    ] = "ucb1",
    arm: Annotated[
        list[str] | None,
        typer.Option(
            "--arm",
            help="Arm to choose from; may be repeated; default: known arms.",
            metavar="ARM",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Make the choice reproducible.", show_default=False)
    ] = None,
    param: Param = None,
) -> None:
    """Choose between variants by their rewards, and explain the choice."""
    from seasoned.cli.show.adaptation import adapted_shape, records_table

    with options.open(create=True) as s:
        adapted = s.adapt(name, strategy, arms=arm or None, seed=seed, params=_params(param))
    if options.json:
        emit(adapted_shape(adapted))
        return
    if adapted.choice is None:
        note(adapted.reasons[0])
        return
    typer.echo(visible(adapted.choice.arm))
    for reason in adapted.reasons:
        say(indented(reason, "dim"))
    if adapted.records:
        say("", records_table(adapted.records))


@command(app, "reward")
def reward(
    options: Options,
    name: Annotated[str, typer.Argument(help="Decision.", metavar="NAME")],
    arm: Annotated[str, typer.Argument(help="Arm that was chosen.", metavar="ARM")],
    value: Annotated[float, typer.Argument(help="Its reward.", metavar="VALUE")],
    named: Annotated[
        str | None,
        typer.Option("--id", help="Count this id once.", metavar="ID", show_default=False),
    ] = None,
) -> None:
    """Record a reward; every strategy learns from it."""
    with options.open(create=True) as s:
        new = s.reward(name, arm, value, id=named)
    if options.json:
        emit({"name": name, "arm": arm, "value": value, "new": new})
    elif new:
        say(f"Recorded {value:g} for {arm}.")
    else:
        note(f"reward {named} was recorded before and is not counted again")


@command(stats_app, "stats")
def stats(
    options: Options,
    name: Annotated[
        str | None,
        typer.Argument(help="Skill or tool; default: all.", metavar="NAME", show_default=False),
    ] = None,
    kind: Annotated[
        KindOption | None, typer.Option(help="Only skills, or only tools.", show_default=False)
    ] = None,
    days: Annotated[
        int | None,
        typer.Option(
            help="Only the last N days, including today.", metavar="N", show_default=False
        ),
    ] = None,
) -> None:
    """Show how skills and tools perform: calls, failures, durations, scores."""
    from seasoned.cli.show.adaptation import record_shape, records_table

    with options.open() as s:
        records = s.stats(name, kind=kind.value if kind else None, days=days)
    if options.json:
        emit([record_shape(one) for one in records])
    elif records:
        say(records_table(records))
    else:
        note("no such calls yet; observed tool calls and experiences count")


@command(app, "evaluate")
def evaluate(
    options: Options,
    strategy: Annotated[
        str, typer.Argument(help="Strategy to evaluate, as in `adapt choose`.", metavar="STRATEGY")
    ],
    name: Annotated[
        str, typer.Option(help="Decision; default: choices between skills.", metavar="NAME")
    ] = "",
    param: Param = None,
    clip: Annotated[
        float | None,
        typer.Option(help="Maximum importance weight of a step.", metavar="W", show_default=False),
    ] = None,
    confidence: Annotated[float, typer.Option(help="Confidence level.", metavar="P")] = 0.95,
    interval: Annotated[
        IntervalOption, typer.Option(help="Method for intervals.")
    ] = IntervalOption.NORMAL,
    limit: Annotated[
        int, typer.Option(help="Use at most N of the newest experiences.", min=1, metavar="N")
    ] = 20_000,
) -> None:
    """Estimate what a strategy would have earned on the stored experiences."""
    from seasoned.cli.show.adaptation import estimates_table, evaluated_shape

    with options.open() as s:
        evaluated = s.evaluate(
            strategy,
            name=name,
            params=_params(param),
            clip=clip,
            confidence=confidence,
            interval=interval.value,
            limit=limit,
        )
    if options.json:
        emit(evaluated_shape(evaluated))
        return
    say(
        f"{strategy} over {many(evaluated.steps, 'logged step')} between "
        f"{many(evaluated.arms, 'arm')}; the mean reward was {evaluated.earned:.4g}."
    )
    say("", estimates_table(evaluated, confidence))
    if evaluated.guessed:
        steps = many(evaluated.guessed, "step")
        say("", words(f"{steps} without a propensity: the arm's share is used.", "dim"))


def _params(given: list[str] | None) -> dict[str, Any] | None:
    """Parse KEY=VALUE parameters; a value that is not JSON is text."""
    if not given:
        return None
    params: dict[str, Any] = {}
    for one in given:
        key, separator, text = one.partition("=")
        if not separator or not key:
            raise BadInput(f"--param {one!r} is not KEY=VALUE, e.g. epsilon=0.2")
        try:
            params[key.strip()] = json.loads(text)
        except ValueError:
            params[key.strip()] = text.strip()
    return params
