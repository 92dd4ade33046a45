"""What is shown of documents: as JSON for machines, and their names for people."""

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from seasoned.core.clock import iso

if TYPE_CHECKING:
    from seasoned.learning.document_store import KnownDocument
    from seasoned.learning.library_report import LibraryReport


def document_shape(document: "KnownDocument") -> dict[str, Any]:
    tenant, project, user, _ = document.scope.fields()
    return {
        "id": document.id,
        "name": document.name,
        "title": document.title,
        "format": document.format,
        "passages": document.passages,
        "scope": {"tenant": tenant, "project": project, "user": user},
        "added": iso(document.added_at),
        "updated": iso(document.updated_at),
    }


def report_shape(report: "LibraryReport") -> dict[str, Any]:
    return {
        "documents": {
            "added": report.added,
            "updated": report.updated,
            "unchanged": report.unchanged,
            "removed": report.removed,
            "failed": len(report.problems),
        },
        "passages": {
            "added": report.passages_added,
            "kept": report.passages_kept,
            "removed": report.passages_removed,
        },
        "vanished": report.vanished,
        "problems": [asdict(problem) for problem in report.problems],
    }


def shown_name(name: str) -> str:
    """A path as it is seen from here, if that is shorter; an address as it is."""
    if not os.path.isabs(name):
        return name
    near = os.path.relpath(name)
    return name if near.startswith("..") else near
