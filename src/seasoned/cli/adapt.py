"""`seasoned adapt | reward | stats | evaluate`: choosing by what was earned, and the figures."""

import json
from enum import StrEnum
from typing import Annotated, Any

import typer

from seasoned.cli.commands import command
from seasoned.cli.options import Options
from seasoned.cli.render import emit, indented, many, note, say, words
from seasoned.core.errors import BadInput

app = typer.Typer()


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
        help="A setting of the strategy, such as epsilon=0.2; may be repeated.",
        metavar="KEY=VALUE",
        show_default=False,
    ),
]


@command(app, "adapt")
def adapt(
    options: Options,
    name: Annotated[
        str,
        typer.Argument(
            help="The decision, usually a skill; none means all skills.", metavar="NAME"
        ),
    ] = "",
    strategy: Annotated[
        str,
        typer.Option(
            help="ucb1, epsilon_greedy, softmax, thompson, or one that is registered.",
            metavar="STRATEGY",
        ),
    ] = "ucb1",
    arm: Annotated[
        list[str] | None,
        typer.Option(
            "--arm",
            help="An arm to choose from; may be repeated. Those known otherwise.",
            metavar="ARM",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Makes the choice repeatable.", show_default=False)
    ] = None,
    param: Param = None,
) -> None:
    """Choose between variants by what they earned, and say why."""
    from seasoned.cli.adapt_tables import adapted_shape, records_table

    with options.open() as s:
        adapted = s.adapt(name, strategy, arms=arm or None, seed=seed, params=_params(param))
    if options.json:
        emit(adapted_shape(adapted))
        return
    if adapted.choice is None:
        note(adapted.reasons[0])
        return
    typer.echo(adapted.choice.arm)
    for reason in adapted.reasons:
        say(indented(reason, "dim"))
    if adapted.records:
        say("", records_table(adapted.records))


@command(app, "reward")
def reward(
    options: Options,
    name: Annotated[str, typer.Argument(help="The decision.", metavar="NAME")],
    arm: Annotated[str, typer.Argument(help="The arm that earned it.", metavar="ARM")],
    value: Annotated[float, typer.Argument(help="What it earned.", metavar="VALUE")],
    named: Annotated[
        str | None,
        typer.Option("--id", help="So that it counts once.", metavar="ID", show_default=False),
    ] = None,
) -> None:
    """Say what an arm earned; every strategy learns from it."""
    with options.open() as s:
        new = s.reward(name, arm, value, id=named)
    if options.json:
        emit({"name": name, "arm": arm, "value": value, "new": new})
    elif new:
        say(f"{arm} earned {value:g}.")
    else:
        note(f"a reward with the id {named} was told before; it counts once")


@command(app, "stats")
def stats(
    options: Options,
    name: Annotated[
        str | None,
        typer.Argument(help="A skill or tool; all otherwise.", metavar="NAME", show_default=False),
    ] = None,
    kind: Annotated[
        KindOption | None, typer.Option(help="Only skills, or only tools.", show_default=False)
    ] = None,
    days: Annotated[
        int | None,
        typer.Option(
            help="Of the last days only, today included.", metavar="N", show_default=False
        ),
    ] = None,
) -> None:
    """Show how skills and tools perform: calls, failures, durations, scores."""
    from seasoned.cli.adapt_tables import record_shape, records_table

    with options.open() as s:
        records = s.stats(name, kind=kind.value if kind else None, days=days)
    if options.json:
        emit([record_shape(one) for one in records])
    elif records:
        say(records_table(records))
    else:
        note("no calls of that kind were seen; observed tool calls and experiences count")


@command(app, "evaluate")
def evaluate(
    options: Options,
    strategy: Annotated[
        str, typer.Argument(help="The strategy to judge, as in `adapt`.", metavar="STRATEGY")
    ],
    name: Annotated[
        str, typer.Option(help="The decision; choices between skills otherwise.", metavar="NAME")
    ] = "",
    param: Param = None,
    clip: Annotated[
        float | None,
        typer.Option(help="The largest weight a step may have.", metavar="W", show_default=False),
    ] = None,
    confidence: Annotated[float, typer.Option(help="Of the intervals.", metavar="P")] = 0.95,
    interval: Annotated[
        IntervalOption, typer.Option(help="How intervals are found.")
    ] = IntervalOption.NORMAL,
    limit: Annotated[
        int, typer.Option(help="At most so many of the newest experiences.", min=1, metavar="N")
    ] = 20_000,
) -> None:
    """Say what a strategy would have earned on the experiences that are stored."""
    from seasoned.cli.adapt_tables import estimates_table, evaluated_shape

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
        f"{many(evaluated.arms, 'arm')}; {evaluated.earned:.4g} a step was earned."
    )
    say("", estimates_table(evaluated, confidence))
    if evaluated.guessed:
        told = f"{many(evaluated.guessed, 'step')} had no propensity: the arm's share stood for it."
        say("", words(told, "dim"))


def _params(given: list[str] | None) -> dict[str, Any] | None:
    """Settings as they were typed: what is JSON is taken as such, the rest as text."""
    if not given:
        return None
    params: dict[str, Any] = {}
    for one in given:
        key, separator, text = one.partition("=")
        if not separator or not key:
            raise BadInput(f"--param {one!r} is no setting; say KEY=VALUE, such as epsilon=0.2")
        try:
            params[key.strip()] = json.loads(text)
        except ValueError:
            params[key.strip()] = text.strip()
    return params
