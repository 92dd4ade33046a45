"""Store schedules; due ones become jobs in the transaction that moves them on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seasoned.core.authority import Caller
from seasoned.core.errors import BadInput, NotFound, SeasonedError
from seasoned.core.ids import new_id
from seasoned.db.connection import Connection, Row
from seasoned.db.keyset import Place, following
from seasoned.db.scope_filter import contained
from seasoned.jobs.job import Schedule, Work
from seasoned.jobs.job_store import ANYBODY, WORK, JobStore, fields_of, listed_for, work_of
from seasoned.jobs.times import CatchUp, Rule, missed

COLUMNS = (
    "id, name, tenant, project, user_id, session, handler, input, deliver, retries, "
    "limit_seconds, is_system, kind, rule, timezone, made_at, catch_up, paused, next_at"
)
LONGEST_NAME = 100


class ScheduleStore:
    """Owns `job_schedules`."""

    def __init__(self, jobs: JobStore) -> None:
        self.jobs = jobs

    async def add(
        self, tx: Connection, work: Work, rule: Rule, now: int, catch_up: CatchUp = "once"
    ) -> Schedule:
        first = rule.check().after(now)
        if first is None:
            raise BadInput(f"{rule.kind} {rule.text!r} is over or never comes; name a time to come")
        name = new_id()
        added = await tx.execute(
            f"INSERT INTO job_schedules ({COLUMNS}) "
            f"VALUES ({', '.join('?' * 19)}) "
            "ON CONFLICT (tenant, project, user_id, name) DO NOTHING",
            (
                *(name, *fields_of(work), rule.kind, rule.text, rule.timezone, rule.made_at),
                *(catch_up, 0, first),
            ),
        )
        if not added:
            raise BadInput(f"a schedule {work.name!r} is there already; remove it, or name another")
        return await self.get(tx, name)

    async def count(self, tx: Connection, caller: Caller) -> int:
        """Count the schedules of a caller's own scope that will run again."""
        tenant, project, user, _ = caller.scope.fields()
        row = await tx.fetch_one(
            "SELECT count(*) FROM job_schedules WHERE tenant = ? AND project = ? AND user_id = ? "
            "AND is_system = 0 AND next_at > 0",
            (tenant, project, user),
        )
        return int(row[0]) if row else 0

    async def list(self, tx: Connection, caller: Caller = ANYBODY) -> Sequence[Schedule]:
        """List the caller's schedules, the next first, system ones last."""
        listed, values = listed_for(caller)
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM job_schedules WHERE {listed} "
            "ORDER BY is_system, next_at = 0, next_at, name",
            values,
        )
        return [_schedule(row) for row in rows]

    async def list_by_name(
        self, tx: Connection, caller: Caller, most: int, after: Place | None
    ) -> Sequence[Schedule]:
        """List the caller's schedules by name, those that follow a place in that order."""
        listed, values = listed_for(caller)
        rest, place = following("name, id", after)
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM job_schedules WHERE {listed} AND {rest} "
            "ORDER BY name, id LIMIT ?",
            (*values, *place, most),
        )
        return [_schedule(row) for row in rows]

    async def get(self, tx: Connection, name: str, caller: Caller = ANYBODY) -> Schedule:
        """Return a schedule of the caller by its id, its name, or the only id that begins so.

        One of the scope that the caller works on comes before others of the same name.
        """
        inside, values = contained(caller.realm)
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM job_schedules WHERE {inside} "
            "AND (name = ? OR substr(id, 1, ?) = ?) ORDER BY id",
            (*values, name, len(name), name),
        )
        found = [_schedule(row) for row in rows if name]
        if not found:
            raise NotFound(f"no schedule {name!r}; `seasoned cron list` shows those there are")
        named = [one for one in found if one.work.name == name]
        own = [one for one in named if one.work.scope.within("") == caller.scope.within("")]
        exact = [one for one in found if one.id == name]  # a name may look like another's id
        for meant in (exact, own, named, found):
            if len(meant) == 1:
                return meant[0]
        raise BadInput(f"several schedules are called {name!r} or begin so; give the whole id")

    async def pause(self, tx: Connection, found: Schedule, now: int, *, paused: bool) -> Schedule:
        """Pause or resume; what was due during a pause is not made up for."""
        upcoming = found.next_at if paused else found.rule.after(now) or 0
        await tx.execute(
            "UPDATE job_schedules SET paused = ?, next_at = ? WHERE id = ?",
            (int(paused), upcoming, found.id),
        )
        return await self.get(tx, found.id)

    async def remove(self, tx: Connection, found: Schedule) -> None:
        await tx.execute("DELETE FROM job_schedules WHERE id = ?", (found.id,))

    async def settle_system(
        self, tx: Connection, wanted: Sequence[tuple[Work, Rule]], now: int
    ) -> None:
        """Plan the system jobs as wanted: new ones, changed times, and none that are off now."""
        known = {one.work.name: one for one in await self.list(tx) if one.work.is_system}
        for work, rule in wanted:
            there = known.pop(work.name, None)
            same = there and there.work == work
            if there and same and (there.rule.kind, there.rule.text) == (rule.kind, rule.text):
                continue
            if there:
                await self.remove(tx, there)
            await tx.execute(
                f"INSERT INTO job_schedules ({COLUMNS}) VALUES ({', '.join('?' * 19)}) "
                "ON CONFLICT (tenant, project, user_id, name) DO NOTHING",  # another worker did
                (
                    *(new_id(), *fields_of(work), rule.kind, rule.text, rule.timezone),
                    *(rule.made_at, "skip", int(there is not None and there.paused)),
                    rule.check().after(now) or 0,
                ),
            )
        for gone in known.values():
            await self.remove(tx, gone)

    async def is_due(self, tx: Connection, now: int) -> bool:
        """Tell whether `start_due` would find something."""
        row = await tx.fetch_one(
            "SELECT 1 FROM job_schedules WHERE paused = 0 AND next_at BETWEEN 1 AND ? LIMIT 1",
            (now,),
        )
        return row is not None

    async def start_due(self, tx: Connection, now: int) -> Mapping[str, str]:
        """Turn due times into jobs, by each schedule's policy for missed ones.

        Returns why schedules could not be read, by their name: the others go on without them. A run
        that still waits stands for those that come due meanwhile, unless the policy is `all`.
        """
        rows = await tx.fetch(
            f"SELECT {COLUMNS} FROM job_schedules WHERE paused = 0 AND next_at BETWEEN 1 AND ? "
            "ORDER BY next_at LIMIT 100",
            (now,),
        )
        broken: dict[str, str] = {}
        for one in map(_schedule, rows):
            try:
                times, upcoming = missed(one.rule, one.next_at, now, one.catch_up)
            except SeasonedError as error:
                broken[one.work.name] = str(error)
                continue
            moved = await tx.execute(
                "UPDATE job_schedules SET next_at = ? WHERE id = ? AND next_at = ? AND paused = 0",
                (upcoming or 0, one.id, one.next_at),
            )
            if not moved or not times:
                continue
            if one.catch_up != "all" and await self.jobs.is_waiting(tx, one.id):
                continue
            for at in times:
                await self.jobs.add(tx, "cron", one.work, now, schedule=one.id, due=at)
        return broken


def _schedule(row: Row) -> Schedule:
    kind, text, zone, made_at, catch_up, paused, next_at = row[1 + WORK :]
    rule = Rule(kind, text, zone, made_at)
    work = work_of(tuple(row[1 : 1 + WORK]))
    return Schedule(row[0], work, rule, catch_up, bool(paused), next_at)
