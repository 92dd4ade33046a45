"""Schedules, background tasks and workflows: list, plan, start, pause, cancel, remove."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from seasoned.core.errors import NotAllowed
from seasoned.jobs.delivery import name_of
from seasoned.jobs.job import Job, Queue, Schedule, Status
from seasoned.jobs.jobs import LONGEST_PROMPT, LONGEST_TITLE
from seasoned.jobs.schedule_store import LONGEST_NAME
from seasoned.jobs.times import CatchUp, Kind
from seasoned.jobs.workflow import parse_workflow
from seasoned.jobs.workflow_text import LONGEST_TEXT
from seasoned.server.rest.paging import After, Cursor, Limit, Page
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.views import Body, GivenObject, ScopeView, Time, View

resource = Resource("jobs")
SCHEDULES = Cursor("schedules", (str, str))
JOBS = Cursor("jobs", (int, int, str))
INSIDE = ("", "log", "none", "session")  # targets that leave the installation by no door

Deliver = Annotated[
    str,
    Field(
        max_length=2000,
        description="Where the result goes: `log`, `none`, `session:ID`, `webhook:URL` or a "
        "channel, such as `telegram:CHAT`; empty: `jobs.deliver` of the settings.",
    ),
]
Prompt = Annotated[str, Field(min_length=1, max_length=LONGEST_PROMPT)]


class ScheduleView(View):
    """What runs at which times; `next_at` is null if it never runs again."""

    id: str
    name: str
    scope: ScopeView
    kind: Kind
    rule: str
    timezone: str
    catch_up: CatchUp
    prompt: str | None
    deliver: str
    retries: int
    system: bool
    paused: bool
    next_at: Time | None


class SchedulePage(Page[ScheduleView]):
    """Some schedules, by name."""


class JobView(View):
    """One run: of a schedule, in the background, or of a workflow."""

    id: str
    queue: Queue
    name: str
    scope: ScopeView
    schedule: str | None
    system: bool
    status: Status
    cancelling: bool
    prompt: str | None
    due_at: Time
    made_at: Time
    started_at: Time | None
    ended_at: Time | None
    tries: int
    result: str
    error: str
    deliver: str
    delivered_at: Time | None
    delivery_error: str


class JobPage(Page[JobView]):
    """Some jobs, newest first."""


class Steps(View):
    """The results of a workflow's finished steps, by their names."""

    steps: dict[str, str]


def _schedule(one: Schedule) -> Mapping[str, Any]:
    work = one.work
    return {
        "id": one.id,
        "name": work.name,
        "scope": work.scope,
        "kind": one.rule.kind,
        "rule": one.rule.text,
        "timezone": one.rule.timezone,
        "catch_up": one.catch_up,
        "prompt": work.input.get("prompt"),
        "deliver": _shown(work.deliver),
        "retries": work.retries,
        "system": work.is_system,
        "paused": one.paused,
        "next_at": one.next_at or None,
    }


def _job(one: Job) -> Mapping[str, Any]:
    work = one.work
    plain = ("id", "queue", "status", "cancelling", "due_at", "made_at", "tries", "result")
    return {
        **{name: getattr(one, name) for name in (*plain, "error", "delivery_error")},
        **{name: getattr(one, name) or None for name in ("started_at", "ended_at")},
        "name": work.name,
        "scope": work.scope,
        "schedule": one.schedule or None,
        "system": work.is_system,
        "prompt": work.input.get("prompt"),
        "deliver": _shown(work.deliver),
        "delivered_at": one.delivered_at or None,
    }


def _shown(target: str) -> str:
    """Show a webhook's host alone: the rest may be an address that lets anybody in.

    >>> _shown("webhook:https://hooks.example.com/secret"), _shown("telegram:42")
    ('webhook:https://hooks.example.com/…', 'telegram:42')
    """
    if name_of(target) != "webhook":
        return target
    scheme, slashes, rest = target.partition("://")
    host = rest.partition("/")[0].partition("?")[0].rpartition("@")[2]
    return f"{scheme}{slashes}{host}/…" if rest else target


def _check_target(s: CallersSeasoned, target: str) -> None:
    """Refuse to send to the world on behalf of somebody who does not run this installation."""
    if target:
        s.app.deliverers.check(target)
    realm = s.caller.realm
    if name_of(target) not in INSIDE and (realm.tenant or realm.user):
        raise NotAllowed(
            f"deliver is {name_of(target)}, which only a key without tenant and user may choose; "
            "use log, none or session:ID"
        )


@resource.operation("GET", "/schedules", "read", SchedulePage)
async def list_schedules(
    s: CallersSeasoned, limit: Limit = 50, cursor: After = None
) -> Mapping[str, Any]:
    """List schedules by name, system jobs among them if the caller looks after everything."""
    rows = await s.jobs.schedules(by_name=True, limit=limit + 1, after=SCHEDULES.read(cursor))
    page = SCHEDULES.page(rows, limit, lambda one: (one.work.name, one.id))
    return page | {"items": [_schedule(one) for one in page["items"]]}


class NewSchedule(Body):
    """What the agent is asked, by one of `cron`, `every` and `at`."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    prompt: Prompt
    cron: Annotated[str, Field(max_length=200, description="Five fields: `30 7 * * 1-5`.")] = ""
    every: Annotated[str, Field(max_length=100, description="A rhythm: `15m`, `2h 30m`.")] = ""
    at: Annotated[str, Field(max_length=100, description="Once: `2030-01-31T09:00`.")] = ""
    timezone: Annotated[str, Field(max_length=100, description="Such as `Europe/Berlin`.")] = ""
    catch_up: Annotated[CatchUp, Field(description="What to do about missed runs.")] = "once"
    deliver: Deliver = ""
    retries: Annotated[int, Field(ge=0, le=20)] | None = None


@resource.operation("POST", "/schedules", "operate", ScheduleView, status=201)
async def add_schedule(s: CallersSeasoned, body: NewSchedule) -> Mapping[str, Any]:
    """Plan what the agent is asked, for the scope of the request."""
    _check_target(s, body.deliver)
    given = body.model_dump(exclude={"name", "prompt"})
    return _schedule(await s.jobs.schedule(body.name, body.prompt, **given))


@resource.operation("GET", "/schedules/{schedule}", "read", ScheduleView)
async def get_schedule(s: CallersSeasoned, schedule: str) -> Mapping[str, Any]:
    """Read a schedule by its name or id."""
    return _schedule(await s.jobs.get_schedule(schedule))


@resource.operation("POST", "/schedules/{schedule}/pause", "operate", ScheduleView)
async def pause_schedule(s: CallersSeasoned, schedule: str) -> Mapping[str, Any]:
    """Pause a schedule; what is due meanwhile is left out."""
    return _schedule(await s.jobs.pause(schedule))


@resource.operation("POST", "/schedules/{schedule}/resume", "operate", ScheduleView)
async def resume_schedule(s: CallersSeasoned, schedule: str) -> Mapping[str, Any]:
    """Resume a paused schedule."""
    return _schedule(await s.jobs.resume(schedule))


@resource.operation("POST", "/schedules/{schedule}/run", "operate", JobView, status=202)
async def run_schedule(s: CallersSeasoned, schedule: str) -> Mapping[str, Any]:
    """Let a schedule run now, beside its plan."""
    return _job(await s.jobs.run_now(schedule))


@resource.operation("DELETE", "/schedules/{schedule}", "operate", ScheduleView)
async def remove_schedule(s: CallersSeasoned, schedule: str) -> Mapping[str, Any]:
    """Remove a schedule; its runs stay in the list of jobs."""
    return _schedule(await s.jobs.unschedule(schedule))


@resource.operation("GET", "/jobs", "read", JobPage)
async def list_jobs(
    s: CallersSeasoned,
    queue: Annotated[Queue | None, Query()] = None,
    status: Annotated[Status | None, Query()] = None,
    schedule: Annotated[str, Query(max_length=100, description="The id of a schedule.")] = "",
    system: Annotated[bool, Query(description="Those that look after the installation.")] = False,
    limit: Limit = 50,
    cursor: After = None,
) -> Mapping[str, Any]:
    """List jobs of all kinds, newest first."""
    rows = await s.jobs.list(
        queue=queue or "",
        status=status or "",
        schedule=schedule,
        system=system,
        limit=limit + 1,
        after=JOBS.read(cursor),
    )
    page = JOBS.page(rows, limit, lambda one: (one.made_at, one.due_at, one.id))
    return page | {"items": [_job(one) for one in page["items"]]}


class NewJob(Body):
    """What the agent is asked in the background."""

    prompt: Prompt
    deliver: Deliver = ""


@resource.operation("POST", "/jobs", "operate", JobView, status=202)
async def start_job(s: CallersSeasoned, body: NewJob) -> Mapping[str, Any]:
    """Ask the agent in the background; a worker does it."""
    _check_target(s, body.deliver)
    return _job(await s.jobs.start(body.prompt, deliver=body.deliver))


class NewWorkflow(Body):
    """A workflow as YAML, and the values of its inputs."""

    text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
    values: GivenObject
    name: Annotated[
        str, Field(min_length=1, max_length=LONGEST_TITLE, description="Names it in errors.")
    ] = "workflow"


@resource.operation("POST", "/workflows", "operate", JobView, status=202)
async def start_workflow(s: CallersSeasoned, body: NewWorkflow) -> Mapping[str, Any]:
    """Start a workflow; a worker runs its steps."""
    flow = await asyncio.to_thread(parse_workflow, body.text, body.name)  # it takes a while
    _check_target(s, flow.deliver)
    return _job(await s.jobs.start_workflow(body.text, body.values, where=body.name))


@resource.operation("GET", "/jobs/{job}", "read", JobView)
async def get_job(s: CallersSeasoned, job: str) -> Mapping[str, Any]:
    """Read a job with its result, by its id or the beginning of it."""
    return _job(await s.jobs.get(job))


@resource.operation("GET", "/jobs/{job}/steps", "read", Steps)
async def get_job_steps(s: CallersSeasoned, job: str) -> Mapping[str, Any]:
    """Read the results of a workflow's finished steps."""
    return {"steps": await s.jobs.steps(job)}


@resource.operation("POST", "/jobs/{job}/cancel", "operate", JobView)
async def cancel_job(s: CallersSeasoned, job: str) -> Mapping[str, Any]:
    """Cancel a job; one that runs stops within seconds."""
    return _job(await s.jobs.cancel(job))


@resource.operation("POST", "/jobs/{job}/restart", "operate", JobView)
async def restart_job(s: CallersSeasoned, job: str) -> Mapping[str, Any]:
    """Let a failed or cancelled job run again; finished steps of a workflow stay finished."""
    return _job(await s.jobs.restart(job))
