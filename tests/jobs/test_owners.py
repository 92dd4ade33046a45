"""A job works for whoever made it: it knows their lessons, changes theirs, and tells them."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from seasoned import AsyncSeasoned
from seasoned.api.agent import AgentOptions, build_agent
from seasoned.api.worker.job_worker import JobWorker
from seasoned.core.clock import FixedClock
from seasoned.core.scope import Scope
from seasoned.llm.chat.scripted import Call, Say, Scripted
from seasoned.tools.run import ALLOW, ApprovalDecision, ApprovalRequest

ANA, BOB = Scope("acme", "web", "ana"), Scope("evil", "web", "bob")


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    return {"SEASONED_HOME": str(tmp_path), "SEASONED_APPROVAL__EXEMPT": "remember"}


def worker_with(s: AsyncSeasoned, model: Scripted) -> JobWorker:
    return JobWorker(s, agent=build_agent(s.app, AgentOptions(model=model)))


def test_the_turn_of_a_job_knows_the_lessons_of_its_owner_alone(
    url: str, settings: dict[str, str]
) -> None:
    seen = list[str]()

    def answer(asked: Any) -> str:
        seen.append(repr(asked))
        return "done"

    async def run() -> list[str]:
        async with AsyncSeasoned(url, environment=settings) as s:
            ana, bob = s.acting_for(ANA), s.acting_for(BOB)
            await ana.teach(rule="Write zebra reports in French.")
            worker = worker_with(s, Scripted(answer, answer))
            for one in (ana, bob):
                await one.jobs.start("Write the zebra report", deliver="none")
                await worker.engine.idle()
            return [one.scope.session for one in await bob.sessions.list()]

    sessions = asyncio.run(run())
    assert ["French" in one for one in seen] == [True, False]
    assert all(one.startswith("job-") for one in sessions)


def test_what_a_job_changes_is_its_deed(url: str, settings: dict[str, str]) -> None:
    learns = Say(calls=(Call("remember", {"text": "The zebra report is due on Mondays."}),))

    async def run() -> tuple[str, list[str]]:
        async with AsyncSeasoned(url, environment=settings) as s:
            job = await s.acting_for(ANA).jobs.start("Learn something", deliver="none")
            await worker_with(s, Scripted(learns, "done")).engine.idle()
            events = await s.audit.list(kind="lesson.")
            return job.id, [json.loads(one.detail).get("actor", "") for one in events]

    name, actors = asyncio.run(run())
    assert set(actors) == {f"job:{name}"}


def test_what_the_agent_planned_is_told_in_the_conversation_that_asked(
    url: str, settings: dict[str, str]
) -> None:
    clock = FixedClock()
    plan = Call("schedule", {"what": "Count the zebras", "every": "1h"})

    async def allow(request: ApprovalRequest) -> ApprovalDecision:
        return ALLOW

    async def run() -> tuple[list[str], list[str]]:
        async with AsyncSeasoned(url, environment=settings, clock=clock) as s:
            ana = s.acting_for(ANA)
            model = Scripted(Say(calls=(plan,)), "I will.", "There are three zebras.")
            asked = ana.agent(model)
            await asked.ask("Count the zebras every hour", session="monday", ask=allow)
            clock.advance(seconds=3601)
            await worker_with(s, model).engine.idle()
            (run,) = await ana.jobs.history()
            assert (run.status, bool(run.delivered_at)) == ("done", True), run
            told = [one.text for one in await ana.sessions.messages("monday")]
            return told, [one.work.name for one in await s.acting_for(BOB).jobs.history()]

    told, others = asyncio.run(run())
    assert told[-1] == "There are three zebras."
    assert others == []
