"""What the audit says about jobs: whose, which, and how it ended; neither prompts nor results."""

from __future__ import annotations

from typing import Any

from seasoned.core.text import one_line
from seasoned.db.unit import Change
from seasoned.jobs.delivery import name_of
from seasoned.jobs.job import Job, Schedule

LONGEST_ERROR = 200


def record_schedule(change: Change, kind: str, one: Schedule) -> None:
    rule = f"{one.rule.kind} {one.rule.text} {one.rule.timezone}"
    detail = {"name": one.work.name, "does": one.work.handler, "rule": rule}
    target = name_of(one.work.deliver)  # the rest may be an address that lets anybody in
    change.record(
        kind, one.id, {**detail, "deliver": target, "scope": list(one.work.scope.fields())}
    )


def record_job(change: Change, kind: str, one: Job, error: str = "") -> None:
    detail: dict[str, Any] = {"name": one.work.name, "queue": one.queue}
    detail |= {"scope": list(one.work.scope.fields())}
    detail |= {"schedule": one.schedule} if one.schedule else {}
    detail |= {"error": one_line(error, LONGEST_ERROR)} if error else {}
    change.record(kind, one.id, detail)
