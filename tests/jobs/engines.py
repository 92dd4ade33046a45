"""Engines on a database, with an audit as real ones have it."""

from seasoned.core.clock import Clock, SystemClock
from seasoned.core.events import Bus
from seasoned.db.database import Database
from seasoned.db.unit import Unit
from seasoned.jobs.delivery import Deliverers
from seasoned.jobs.engine import EngineConfig, JobEngine
from seasoned.jobs.job import Handler, Job, Queue, Work
from seasoned.security.audit import AuditStore

QUICK = EngineConfig(lease_seconds=0.3, poll_seconds=0.02, drain_seconds=0.1)


def engine_on(
    db: Database,
    clock: Clock | None = None,
    deliver: Deliverers | None = None,
    config: EngineConfig = QUICK,
    **handlers: Handler,
) -> JobEngine:
    unit = Unit(db, AuditStore(db), Bus(), clock or SystemClock())
    return JobEngine(unit, handlers, deliver or Deliverers(), config)


def start(one: JobEngine, work: Work, queue: Queue = "background") -> str:
    now = one.clock.now()
    return one.unit.drive(one.unit.change(lambda tx: one.jobs.add(tx, queue, work, now)))


def job(one: JobEngine, name: str) -> Job:
    return one.unit.drive(one.unit.change(lambda tx: one.jobs.get(tx, name)))
