"""Jobs and schedules as values, and what a handler of jobs gets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from seasoned.core.scope import Scope
from seasoned.jobs.times import CatchUp, Rule

Queue = Literal["cron", "background", "workflow"]
Status = Literal["waiting", "running", "done", "failed", "cancelled"]
QUEUES: tuple[Queue, ...] = ("cron", "background", "workflow")
OVER: tuple[Status, ...] = ("done", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done, by which handler; `limit_seconds` is for one try."""

    name: str
    handler: str
    input: Mapping[str, Any] = field(default_factory=dict[str, Any])
    scope: Scope = field(default_factory=Scope)
    deliver: str = "log"
    retries: int = 0
    limit_seconds: int = 1800
    is_system: bool = False  # looks after the installation


@dataclass(frozen=True, slots=True)
class Schedule:
    id: str
    work: Work
    rule: Rule
    catch_up: CatchUp
    paused: bool
    next_at: int  # 0: never again


@dataclass(frozen=True, slots=True)
class Job:
    id: str
    queue: Queue
    work: Work
    schedule: str
    due_at: int
    status: Status
    worker: str
    claims: int
    tries: int
    deaths: int  # of workers that ran it
    cancelling: bool
    made_at: int
    started_at: int
    ended_at: int
    result: str
    error: str
    deliveries: int
    delivered_at: int  # 0: not yet
    delivery_error: str


Handler = Callable[[Job], Awaitable[str]]  # returns the result
