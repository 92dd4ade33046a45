"""Store jobs and their finished steps; a claim with a fence lets only one worker run a job."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from seasoned.core.authority import Caller
from seasoned.core.clock import SECOND
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.ids import canonical, digest, new_id
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.db.connection import Connection, Row
from seasoned.db.keyset import Place, following
from seasoned.db.scope_filter import Condition, contained
from seasoned.jobs.job import QUEUES, Job, Queue, Status, Work
from seasoned.security.redact import cut, redact

COLUMNS = (
    "id, queue, name, tenant, project, user_id, session, handler, input, deliver, retries, "
    "limit_seconds, is_system, schedule, due_at, status, worker, claims, tries, deaths, "
    "cancelling, made_at, started_at, ended_at, result, error, deliveries, delivered_at, "
    "delivery_error"
)
WORK = 11  # columns that are the work's
NEWEST = "made_at DESC, due_at DESC, id"
LONGEST_RESULT = 20_000
LONGEST_ERROR = 1000
FREE = "(status = 'waiting' OR (status = 'running' AND claimed_until <= ?))"
MINE = "id = ? AND status = 'running' AND worker = ? AND claims = ?"
FIRST_RETRY = 5 * SECOND
FIRST_DELIVERY_RETRY = 30 * SECOND  # doubled each time: the last try comes after an hour
MOST_DELIVERIES = 8
UNDELIVERED = (
    "delivered_at = 0 AND status IN ('done', 'failed') AND claimed_until <= ? AND deliveries < ?"
)
ANYBODY = Caller(Scope())  # the engine works for everybody


class JobStore:
    """Owns `jobs` and `job_steps`."""

    async def add(
        self,
        tx: Connection,
        queue: Queue,
        work: Work,
        now: int,
        *,
        schedule: str = "",
        due: int = 0,
    ) -> str:
        """Add a job that is due now; the run of a schedule for one time is added only once."""
        name = digest(schedule, str(due))[:12] if schedule else new_id()
        await tx.execute(
            "INSERT INTO jobs (id, queue, name, tenant, project, user_id, session, handler, input, "
            "deliver, retries, limit_seconds, is_system, schedule, due_at, status, made_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?) "
            "ON CONFLICT (id) DO NOTHING",
            (name, queue, *fields_of(work), schedule, due or now, now),
        )
        return name

    async def is_due(self, tx: Connection, handlers: Sequence[str], now: int) -> bool:
        """Tell whether `claim` may find something; spares idle workers a lock."""
        queues, marks = ", ".join("?" * len(QUEUES)), ", ".join("?" * len(handlers))
        row = await tx.fetch_one(
            f"SELECT 1 FROM jobs WHERE queue IN ({queues}) AND due_at <= ? AND {FREE} "
            f"AND handler IN ({marks}) LIMIT 1",
            (*QUEUES, now, now, *handlers),
        )
        return row is not None

    async def claim(
        self,
        tx: Connection,
        queue: Queue,
        worker: str,
        handlers: Sequence[str],
        now: int,
        until: int,
        most: int,
        running: Sequence[str] = (),
    ) -> Sequence[Job]:
        """Claim due jobs that nobody runs, or whose worker stopped renewing its claim.

        Those that the worker itself is `running` are not free, whatever the clock says: it jumps
        when a laptop wakes up. The update repeats the condition: of two workers that read the same
        row, one wins.
        """
        marks, own = ", ".join("?" * len(handlers)), ", ".join("?" * len(running))
        others = f"AND id NOT IN ({own}) " if running else ""
        rows = await tx.fetch(
            f"SELECT id FROM jobs WHERE queue = ? AND due_at <= ? AND {FREE} {others}"
            f"AND handler IN ({marks}) ORDER BY due_at, id LIMIT ?",
            (queue, now, now, *running, *handlers, most),
        )
        claimed: list[Job] = []
        for (name,) in rows:
            row = await tx.fetch_one(
                "UPDATE jobs SET deaths = deaths + CASE WHEN status = 'running' THEN 1 ELSE 0 END, "
                "status = 'running', worker = ?, claims = claims + 1, "
                "claimed_until = ?, started_at = ? "
                f"WHERE id = ? AND due_at <= ? AND {FREE} RETURNING {COLUMNS}",
                (worker, until, now, name, now, now),
            )
            if row is not None:
                claimed.append(_job(row))
        return claimed

    async def renew(self, tx: Connection, job: Job, until: int) -> str:
        """Hold a claim for longer; return "held", "cancelling" or "lost"."""
        row = await tx.fetch_one(
            f"UPDATE jobs SET claimed_until = ? WHERE {MINE} RETURNING cancelling",
            (until, job.id, job.worker, job.claims),
        )
        if row is None:
            return "lost"
        return "cancelling" if row[0] else "held"

    async def end(
        self,
        tx: Connection,
        job: Job,
        status: Status,
        now: int,
        until: int,
        *,
        result: str = "",
        error: str = "",
    ) -> Job | None:
        """Store how a job ended, and return it; None if another worker has claimed it since.

        Until `until` its worker alone delivers the result; after that, any worker does. With 0,
        the worker leaves the delivery to others at once.
        """
        values = (cut(storable(result), LONGEST_RESULT), cut(storable(error), LONGEST_ERROR))
        sql = (
            "UPDATE jobs SET status = ?, ended_at = ?, claimed_until = ?, deliveries = ?, "
            "delivered_at = 0, delivery_error = '', result = ?, error = ? "
            f"WHERE {MINE} RETURNING {COLUMNS}"
        )
        claim = (job.id, job.worker, job.claims)
        row = await tx.fetch_one(sql, (status, now, until, int(until > 0), *values, *claim))
        return None if row is None else _job(row)

    async def is_undelivered(self, tx: Connection, names: Sequence[str], now: int) -> bool:
        """Tell whether `undelivered` would find something."""
        reached, targets = _reached(names)
        row = await tx.fetch_one(
            f"SELECT 1 FROM jobs WHERE {UNDELIVERED} AND ({reached}) LIMIT 1",
            (now, MOST_DELIVERIES, *targets),
        )
        return row is not None

    async def undelivered(
        self, tx: Connection, names: Sequence[str], now: int, until: int, most: int = 10
    ) -> Sequence[Job]:
        """Claim results that nobody has delivered yet, such as those of a worker that died.

        `names` are the targets that the worker delivers to: what stands before their colon.
        """
        reached, targets = _reached(names)
        rows = await tx.fetch(
            f"SELECT id FROM jobs WHERE {UNDELIVERED} AND ({reached}) "
            "ORDER BY claimed_until, id LIMIT ?",
            (now, MOST_DELIVERIES, *targets, most),
        )
        claimed: list[Job] = []
        for (name,) in rows:
            row = await tx.fetch_one(
                "UPDATE jobs SET claimed_until = ?, deliveries = deliveries + 1 "
                f"WHERE id = ? AND {UNDELIVERED} RETURNING {COLUMNS}",
                (until, name, now, MOST_DELIVERIES),
            )
            if row is not None:
                claimed.append(_job(row))
        return claimed

    async def delivered(self, tx: Connection, name: str, now: int) -> None:
        await tx.execute(
            "UPDATE jobs SET delivered_at = ?, delivery_error = '' WHERE id = ?", (now, name)
        )

    async def not_delivered(
        self, tx: Connection, name: str, tried: int, error: str, now: int
    ) -> None:
        """Note why a result did not arrive, and when it is tried again."""
        await tx.execute(
            "UPDATE jobs SET claimed_until = ?, delivery_error = ? "
            "WHERE id = ? AND delivered_at = 0 AND status IN ('done', 'failed')",
            (
                now + FIRST_DELIVERY_RETRY * 2 ** max(0, tried - 1),
                *(cut(storable(error), LONGEST_ERROR), name),
            ),
        )

    async def retry(self, tx: Connection, job: Job, now: int, error: str) -> bool:
        """Let a failed job wait, twice as long each time."""
        return bool(
            await tx.execute(
                "UPDATE jobs SET status = 'waiting', tries = tries + 1, due_at = ?, error = ? "
                f"WHERE {MINE}",
                (
                    now + FIRST_RETRY * 2**job.tries,
                    cut(storable(error), LONGEST_ERROR),
                    *(job.id, job.worker, job.claims),
                ),
            )
        )

    async def release(self, tx: Connection, job: Job) -> None:
        """Give a job back that this worker cannot finish before it stops."""
        await tx.execute(
            f"UPDATE jobs SET status = 'waiting', claimed_until = 0 WHERE {MINE}",
            (job.id, job.worker, job.claims),
        )

    async def cancel(self, tx: Connection, name: str, now: int, caller: Caller = ANYBODY) -> Job:
        """Cancel a job at once that waits, or whose worker is gone; else when that hears of it."""
        job = await self.get(tx, name, caller)
        await tx.execute(
            "UPDATE jobs SET cancelling = 1, "
            f"ended_at = CASE WHEN {FREE} THEN ? ELSE ended_at END, "
            f"status = CASE WHEN {FREE} THEN 'cancelled' ELSE status END "
            "WHERE id = ? AND status IN ('waiting', 'running')",
            (now, now, now, job.id),
        )
        return await self.get(tx, job.id)

    async def again(self, tx: Connection, name: str, now: int, caller: Caller = ANYBODY) -> Job:
        """Let a failed or cancelled job run once more; finished steps stay finished."""
        job = await self.get(tx, name, caller)
        changed = await tx.execute(
            "UPDATE jobs SET status = 'waiting', cancelling = 0, tries = 0, deaths = 0, "
            "due_at = ?, ended_at = 0, error = '' "
            "WHERE id = ? AND status IN ('failed', 'cancelled')",
            (now, job.id),
        )
        after = await self.get(tx, job.id)
        if not changed:
            raise BadInput(
                f"job {job.id} is {after.status}; only failed and cancelled ones run again"
            )
        return after

    async def get(self, tx: Connection, name: str, caller: Caller = ANYBODY) -> Job:
        """Return the caller's job with this id, or with the only id that begins so."""
        inside, values = contained(caller.realm)
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM jobs WHERE {inside} AND substr(id, 1, ?) = ? "
            "ORDER BY id LIMIT 2",
            (*values, len(name), name),
        )
        if not rows or not name:
            raise NotFound(f"no job {name!r}; `seasoned jobs list` shows those there are")
        if len(rows) > 1:
            raise BadInput(f"several jobs begin with {name!r}; give more of the id")
        return _job(rows[0])

    async def list(
        self,
        tx: Connection,
        caller: Caller = ANYBODY,
        *,
        queue: str = "",
        status: str = "",
        schedule: str = "",
        is_system: bool | None = None,
        most: int = 50,
        after: Place | None = None,
    ) -> Sequence[Job]:
        """List the caller's jobs, newest first; `after` is a place in that order."""
        listed, values = listed_for(caller)
        rest, place = following(NEWEST, after)
        of_system = -1 if is_system is None else int(is_system)
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM jobs WHERE {listed} AND (? = '' OR queue = ?) "
            "AND (? = '' OR status = ?) AND (? = '' OR schedule = ?) "
            f"AND (? < 0 OR is_system = ?) AND {rest} ORDER BY {NEWEST} LIMIT ?",
            (
                *(*values, queue, queue, status, status, schedule, schedule),
                *(of_system, of_system, *place, most),
            ),
        )
        return [_job(row) for row in rows]

    async def remove_ended(self, tx: Connection, before: int) -> int:
        """Delete jobs that ended before a time, with their steps."""
        ended = "ended_at BETWEEN 1 AND ? AND status IN ('done', 'failed', 'cancelled')"
        await tx.execute(
            f"DELETE FROM job_steps WHERE job IN (SELECT id FROM jobs WHERE {ended})", (before,)
        )
        return await tx.execute(f"DELETE FROM jobs WHERE {ended}", (before,))

    async def is_waiting(self, tx: Connection, schedule: str) -> bool:
        """Tell whether a run of a schedule waits for a worker."""
        row = await tx.fetch_one(
            "SELECT 1 FROM jobs WHERE queue = 'cron' AND status = 'waiting' AND schedule = ? "
            "LIMIT 1",
            (schedule,),
        )
        return row is not None

    async def finish_step(
        self, tx: Connection, job: Job, step: str, result: str, now: int, until: int
    ) -> bool:
        """Store a finished step while the claim holds; the lock on the job's row is the fence.

        `result` is as `kept_result` returns it: what a later step gets is what is stored.
        """
        if await self.renew(tx, job, until) == "lost":
            return False
        # What gets on is not what kills its workers.
        await tx.execute("UPDATE jobs SET deaths = 0 WHERE id = ? AND deaths > 0", (job.id,))
        await tx.execute(
            "INSERT INTO job_steps (job, step, result, ended_at) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (job, step) DO NOTHING",
            (job.id, step, result, now),
        )
        return True

    async def steps(self, tx: Connection, job: str) -> Mapping[str, str]:
        """Return the results of a job's finished steps."""
        sql = "SELECT step, result FROM job_steps WHERE job = ? ORDER BY ended_at, step"
        return {str(step): str(result) for step, result in await tx.fetch(sql, (job,))}


def kept_result(result: str) -> str:
    """Return a step's result as it is stored: without secrets.

    >>> kept_result("a\\x00b")
    'a\ufffdb'
    """
    return redact(storable(result))


def listed_for(caller: Caller) -> Condition:
    """Return the condition for a caller's list: inside its realm, and of the project and user
    it works on, if it names them.

    >>> listed_for(Caller(Scope("acme", "web"), Scope("acme")))
    ("tenant = ? AND project IN ('', ?)", ('acme', 'web'))
    """
    inside, values = contained(caller.realm)
    _, project, user, _ = caller.scope.fields()
    for column, value in (("project", project), ("user_id", user)):
        if value:
            inside, values = f"{inside} AND {column} IN ('', ?)", (*values, value)
    return inside, values


def _reached(names: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the condition for results whose targets have these names."""
    reached = " OR ".join("deliver = ? OR deliver LIKE ?" for _ in names)
    return reached, [target for name in names for target in (name, f"{name}:%")]


def fields_of(work: Work) -> tuple[str | int, ...]:
    """Return a work's columns, from the name on."""
    return (
        *(storable(work.name), *work.scope.fields(), work.handler, canonical(dict(work.input))),
        *(work.deliver, work.retries, work.limit_seconds, int(work.is_system)),
    )


def work_of(row: Row) -> Work:
    name, tenant, project, user, session, handler, given, deliver, retries, limit, system = row
    scope = Scope(tenant, project, user, session)
    return Work(name, handler, json.loads(given), scope, deliver, retries, limit, bool(system))


def _job(row: Row) -> Job:
    name, queue, *rest = row
    schedule, due_at, status, worker, claims, tries, deaths, *times = rest[WORK:]
    cancelling, *times = times
    work = work_of(tuple(rest[:WORK]))
    return Job(
        *(name, queue, work, schedule, due_at, status, worker, claims, tries),
        *(deaths, bool(cancelling), *times),
    )
