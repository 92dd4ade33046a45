"""The request for an export, the report on it, and the datasheet beside the file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from seasoned.core.clock import iso
from seasoned.core.scope import Scope
from seasoned.feedback.export.rows import Kind
from seasoned.feedback.feedback_store import FeedbackFilter

CONTENTS = {
    "dpo": "pairs of answers, the better one as `chosen` (DPO and kin)",
    "kto": "single answers with a label, good or bad (KTO)",
    "reward": "pairs of answers for a reward model",
    "samples": "single answers with their worth from -1 to 1, for a reward model",
    "sft": "good conversations (supervised fine-tuning)",
}


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """`samples`: single answers with scores in a reward export; `chat`: messages, not texts."""

    kind: Kind
    path: Path
    format: str | None = None
    chosen: FeedbackFilter = field(default_factory=FeedbackFilter)
    samples: bool = False
    chat: bool = False
    keep_pii: bool = False
    with_corrections: bool = False


@dataclass(frozen=True, slots=True)
class ExportReport:
    request: ExportRequest
    path: Path
    datasheet: Path
    format: str
    scope: Scope
    at: int
    version: str
    columns: Mapping[str, str]
    filters: Mapping[str, object]
    rows: int
    by_dimension: Mapping[str, int]
    by_source: Mapping[str, int]
    by_origin: Mapping[str, int]
    left_out: Mapping[str, int]
    masked: Mapping[str, int]
    size: int
    sha256: str


def datasheet(report: ExportReport) -> str:
    """Describe the exported file in Markdown."""
    request = report.request
    kind = "samples" if request.samples else request.kind
    parts = [
        f"# {report.path.name}",
        f"{report.rows:,} rows: {CONTENTS[kind]}.",
        "## Origin",
        _table(
            ("", ""),
            {
                "made": iso(report.at),
                "by": f"Seasoned {report.version}",
                "format": f"{report.format}, {'chat messages' if request.chat else 'plain texts'}",
                "tenant": report.scope.tenant or "(none)",
                "project": report.scope.project or "(none)",
                "user": report.scope.user or "(all)",
                "corrections and examples": "with them" if request.with_corrections else "without",
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
    if report.request.keep_pii:
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
