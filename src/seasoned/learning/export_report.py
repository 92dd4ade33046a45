"""What is to be exported, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from seasoned.core.scope import Scope
from seasoned.learning.export_rows import Kind
from seasoned.learning.feedback_store import Wanted


@dataclass(frozen=True, slots=True)
class ExportOrder:
    """`samples` makes single answers of a reward export, `chat` messages of texts."""

    kind: Kind
    path: Path
    format: str | None = None
    wanted: Wanted = field(default_factory=Wanted)
    samples: bool = False
    chat: bool = False
    keep_pii: bool = False
    with_corrections: bool = False


@dataclass(frozen=True, slots=True)
class ExportReport:
    order: ExportOrder
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
