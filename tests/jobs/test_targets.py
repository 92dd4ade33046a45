"""Results reach whom they are for, and nobody else."""

import asyncio

import pytest
from tests.jobs.engines import engine_on, job, start

from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.jobs.delivery import Deliverers
from seasoned.jobs.job import Job, Work


async def quick(job: Job) -> str:
    return "done"


@pytest.mark.parametrize(
    ("tenant", "arrives"), [("acme", True), ("", True), ("evil", False), ("acme2", False)]
)
def test_a_channel_takes_no_results_of_other_tenants(
    db: Database, tenant: str, arrives: bool
) -> None:
    told = list[str]()

    async def hear(address: str, text: str) -> None:
        told.append(f"{address}: {text}")

    one = engine_on(db, quick=quick)
    one.deliver.register("telegram", hear, tenant="acme")
    name = start(one, Work("report", "quick", {}, Scope(tenant, "web", "ana"), "telegram:42"))
    asyncio.run(one.idle())
    assert told == (["42: done"] if arrives else [])
    found = job(one, name)
    assert ("does not belong to tenant" in found.delivery_error) == (not arrives)


@pytest.mark.parametrize(
    ("user", "session", "target"),
    [
        ("telegram-7", "telegram:42", "telegram:42"),
        ("telegram-7", "slack:C1", "session:slack:C1"),
        ("ana", "telegram:42", "session:telegram:42"),  # a name that anybody may choose
        ("", "telegram:42", "session:telegram:42"),
        ("webhook-7", "webhook:https://example.com", "session:webhook:https://example.com"),
        ("telegram-7", "monday", "session:monday"),
    ],
)
def test_only_a_session_of_a_channels_guest_is_a_chat(user: str, session: str, target: str) -> None:
    assert Deliverers().home_of(Scope("acme", "web", user, session)) == target


@pytest.mark.parametrize(
    "target",
    [
        *("webhook:", "webhook:example.com", "webhook:ftp://example.com/x", "webhook:https://"),
        *("telegram:", "session:", "pigeon:home", "log\x00", "telegram:4\n2", "", "x" * 3000),
        "webhook:https://example.com/a b",
    ],
)
def test_a_target_that_cannot_be_reached_is_refused(target: str) -> None:
    with pytest.raises(BadInput):
        Deliverers().check(target)
