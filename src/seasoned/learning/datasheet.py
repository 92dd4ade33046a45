"""The page beside an export: what it holds, where that comes from, and what was left out."""

from collections.abc import Mapping

from seasoned.core.clock import iso
from seasoned.learning.export_report import ExportReport

WHAT = {
    "dpo": "pairs of answers, the better one as `chosen` (DPO and kin)",
    "kto": "single answers with a label, good or bad (KTO)",
    "reward": "pairs of answers for a reward model",
    "samples": "single answers with their worth from -1 to 1, for a reward model",
    "sft": "good conversations (supervised fine-tuning)",
}


def datasheet(report: ExportReport) -> str:
    """As Markdown."""
    order = report.order
    kind = "samples" if order.samples else order.kind
    parts = [
        f"# {report.path.name}",
        f"{report.rows:,} rows: {WHAT[kind]}.",
        "## Origin",
        _table(
            ("", ""),
            {
                "made": iso(report.at),
                "by": f"Seasoned {report.version}",
                "format": f"{report.format}, {'chat messages' if order.chat else 'plain texts'}",
                "tenant": report.scope.tenant or "(none)",
                "project": report.scope.project or "(none)",
                "user": report.scope.user or "(all)",
                "corrections and examples": "with them" if order.with_corrections else "without",
            },
        ),
        "## Filters",
        _table(("filter", "value"), report.filters) if report.filters else "None: everything.",
        "## Columns",
        _table(("column", "type"), report.columns),
        "## Rows",
    ]
    for name, counts in (
        ("dimension", report.by_dimension),
        ("source", report.by_source),
        ("origin", report.by_origin),
    ):
        parts.append(_table((name, "rows"), {key or "(none)": n for key, n in counts.items()}))
    parts += [
        "## Left out",
        _table(("why", "number"), report.left_out) if report.left_out else "Nothing.",
        "## Personal data",
        _privacy(report),
        "## Licence",
        "Not stated. Whoever shares this file says here under which licence, and sees to it that "
        "those whose words it holds agree.",
        "## Integrity",
        f"`{report.path.name}`: {report.size:,} bytes, SHA-256 `{report.sha256}`.",
    ]
    return "\n\n".join(parts) + "\n"


def _privacy(report: ExportReport) -> str:
    secrets = "Keys, tokens and passwords were taken out before anything was stored."
    if report.order.keep_pii:
        return f"{secrets} Personal data was left in, as asked: handle this file accordingly."
    taken = ", ".join(f"{number:,} × {name}" for name, number in report.masked.items())
    return (
        f"{secrets} E-mail addresses, phone, card and account numbers were replaced "
        f"({taken or 'none was found'}). Names and addresses are not recognised: look before "
        "you share."
    )


def _table(head: tuple[str, str], rows: Mapping[str, object]) -> str:
    lines = [f"| {head[0]} | {head[1]} |", "|---|---|"]
    lines += [f"| {_cell(name)} | {_cell(value)} |" for name, value in rows.items()]
    return "\n".join(lines)


def _cell(value: object) -> str:
    text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    return " ".join(text.replace("|", "\\|").split())
