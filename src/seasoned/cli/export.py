"""`seasoned export KIND PATH`: what was judged, as a file to train models with."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seasoned.cli.commands import command
from seasoned.cli.options import Options
from seasoned.cli.render import emit, many, note, pairs, say

if TYPE_CHECKING:
    from seasoned.learning.export_report import ExportReport

app = typer.Typer()


def text(told: str, metavar: str = "NAME") -> Any:
    return typer.Option(help=told, metavar=metavar, show_default=False)


@command(app, "export")
def export(
    options: Options,
    kind: Annotated[str, typer.Argument(help="dpo, kto, reward or sft.", metavar="KIND")],
    path: Annotated[Path, typer.Argument(help="The file: .jsonl or .parquet.", metavar="PATH")],
    format: Annotated[  # noqa: A002 - the option's name
        str | None, text("jsonl or parquet, whatever the file is called.")
    ] = None,
    dimension: Annotated[
        str | None, text("Only this: correctness, helpfulness, safety, tone, plan_quality.")
    ] = None,
    source: Annotated[str | None, text("Only by these: human, env or self.")] = None,
    model: Annotated[str | None, text("Only answers of this model.")] = None,
    least_confidence: Annotated[
        float | None, text("Only what is at least so sure, 0 to 1.", "NUMBER")
    ] = None,
    since: Annotated[str | None, text("From then on, like 2025-03-07.", "TIME")] = None,
    until: Annotated[str | None, text("Before then.", "TIME")] = None,
    samples: Annotated[
        bool, typer.Option("--samples", help="For reward: single answers with their worth.")
    ] = False,
    chat: Annotated[
        bool, typer.Option("--chat", help="Messages with roles instead of plain texts.")
    ] = False,
    keep_pii: Annotated[
        bool, typer.Option("--keep-pii", help="Leave e-mail addresses, phone numbers… in.")
    ] = False,
    with_corrections: Annotated[
        bool,
        typer.Option("--with-corrections", help="With what users corrected, and the examples."),
    ] = False,
) -> None:
    """Write what was judged as data to train models with, and a datasheet beside it.

    dpo: pairs of answers; kto: answers with a label; reward: pairs, or single answers with their
    worth; sft: good conversations. The file is there whole, or as it was.
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
        emit(report_shape(report))
        return
    say(f"Wrote {many(report.rows, 'row')} to {report.path}; {report.datasheet.name} tells of it.")
    left = [(f"{number:,}", why) for why, number in report.left_out.items()]
    if left:
        say("Left out:", pairs(left))
    if not report.rows:
        note("nothing could be exported; `seasoned feedback list` shows what there is")


def report_shape(report: "ExportReport") -> dict[str, Any]:
    return {
        "kind": report.order.kind,
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
        "personal_data_replaced": None if report.order.keep_pii else dict(report.masked),
        "bytes": report.size,
        "sha256": report.sha256,
    }
