"""Workflows are checked before they run, and run as far in parallel as their needs allow."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import pytest
from tests.jobs.engines import engine_on

from seasoned.core.authority import Caller
from seasoned.core.errors import BadInput, DatabaseUnavailable
from seasoned.core.scope import Scope
from seasoned.db.connection import Connection
from seasoned.db.database import Database
from seasoned.jobs.engine import EngineConfig
from seasoned.jobs.job import Job, Work
from seasoned.jobs.jobs import Jobs
from seasoned.jobs.workflow import Step, parse_workflow
from seasoned.jobs.workflow_run import WorkflowRunner

DIAMOND = """
inputs: [who]
steps:
  a: {tool: echo, with: {text: "{{input.who}}"}}
  b: {tool: echo, with: {text: "b {{a.result}}"}, retries: 1}
  c: {tool: echo, with: {text: "c {{a.result}}"}}
  d: {agent: "join {{b.result}} and {{c.result}}"}
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("steps: {a: {tool: t, needs: [b]}, b: {tool: t, needs: [a]}}", "wait for one another"),
        ("steps: {a: {tool: t, needs: [x]}}", "needs step 'x'"),
        ("steps: {a: {tool: nope}}", "calls tool 'nope'"),
        ("steps: {a: {agent: 'say {{b.result}}'}}", "{{b.result}}, which is unknown"),
        ("steps: {a: {agent: 'say {{input.x}}'}}", "{{input.x}}, which is unknown"),
        ("steps: {a: {agent: x, tool: t}}", "either `agent: PROMPT` or `tool: NAME`"),
        ("steps: {a: {tool: t, timeout: never}}", "`timeout`"),
        ("steps: []", "must be a mapping"),
        ("", "it is empty"),
        ("# to be written\n", "it is empty"),
        ("steps: {a: {tool: t}, a: {tool: t}}", "step 'a' is there twice"),
        ("steps: {on: {tool: t}}", "quote it"),
        ("steps: {1: {tool: t}}", "quote it"),
        ("steps: {? [a] : {tool: t}}", "quote it"),
        ("steps: {a: {tool: [t]}}", "`tool` must be text"),
        ("steps: {a: {agent: 5}}", "`agent` must be text"),
        ("steps: {a: {tool: t, retries: 1.5}}", "whole number"),
        ("steps: {a: {agent: x, model: y}}", "unknown model"),
        ("steps: {a: {agent: '{{a.result}}'}}", "wait for one another"),
        ("steps: {a: {agent: '{{ }}'}}", "which is unknown"),
        ("steps: {a: !!python/object/apply:os.system ['true']}", "no YAML that is read here"),
        ("steps: {a: {tool: t}}\n---\nsteps: {}", "another document"),
        ("steps: {a: {agent: x\0}}", "unacceptable character"),
        ("steps: {a: {tool: t, with: {day: 2026-13-41}}}", "month must be in 1..12"),
        ("steps: " + "[" * 5000, "too deep"),
        ("steps: {a: {tool: t, with: {x: &x [*x]}}}", "more than 5000 values"),
        ("steps: {a: {agent: x}}" + " " * 100_000, "at most 20000"),
        ("name: [x]\nsteps: {a: {agent: x}}", "`name` must be text"),
    ],
)
def test_a_wrong_workflow_names_the_file_and_the_remedy(text: str, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_workflow(text, "flow.yaml", tools=["t"])
    assert said in str(refused.value)
    assert re.match(r"flow.yaml(:[12])?: ", str(refused.value))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("link", ["[*{0}, *{0}]", "{{<<: [*{0}, *{0}]}}"])
def test_aliases_that_multiply_are_refused_at_once(link: str) -> None:
    lines = ["steps:", "  s:", "    tool: t", "    with:", "      n0: &n0 {k: 1}"]
    lines += [f"      n{n + 1}: &n{n + 1} {link.format(f'n{n}')}" for n in range(60)]
    with pytest.raises(BadInput, match="with its aliases"):
        parse_workflow("\n".join(lines), "flow.yaml")


def test_an_alias_may_spare_repetition_and_steps_may_have_any_word_as_name() -> None:
    flow = parse_workflow(
        "steps:\n  class: {tool: t, with: &w {p: 1}}\n  None: {tool: t, with: *w}\n"
        "  lambda: {agent: '{{\n class.result }}{{None.result}}'}\n",
        "flow.yaml",
    )
    assert flow.steps["None"].arguments == {"p": 1}
    assert flow.steps["lambda"].needs == {"class", "None"}


def test_text_full_of_braces_is_read_at_once() -> None:
    for odd in ("{{" * 9_000, "{{" + " " * 19_000, "}}{" * 6_000):
        flow = parse_workflow(f"steps: {{a: {{agent: '{odd}'}}}}", "flow.yaml")
        assert flow.steps["a"].text == odd


def test_a_wrong_step_is_told_with_its_line() -> None:
    flow = "name: x\nsteps:\n  a: {tool: t}\n\n  b:\n    agent: 'say {{c.result}}'\n"
    with pytest.raises(BadInput, match=r"^flow.yaml:5: step 'b' uses \{\{c.result\}\}"):
        parse_workflow(flow, "flow.yaml")
    circle = "steps:\n  a: {tool: t}\n  b: {tool: t, needs: [c]}\n  c: {tool: t, needs: [b]}\n"
    with pytest.raises(BadInput, match=r"^flow.yaml:[34]: the steps"):
        parse_workflow(circle, "flow.yaml")


def test_branches_run_at_once_and_a_failed_step_is_tried_again(db: Database) -> None:
    seen, together = list[str](), asyncio.Barrier(2)

    async def step(one: Step, text: str, given: Mapping[str, Any], scope: Scope) -> str:
        seen.append(one.name)
        if one.name in "bc" and seen.count(one.name) == 1:
            async with asyncio.timeout(5):
                await together.wait()
        if one.name == "b" and seen.count("b") == 1:
            raise BadInput("not yet")
        return text if one.kind == "agent" else str(given["text"])

    engine = engine_on(db)
    engine.handlers["workflow"] = WorkflowRunner(engine, step)
    work = Work("diamond", "workflow", {"text": DIAMOND, "values": {"who": "Ada"}})
    name = db.run(
        engine.write(lambda tx: engine.jobs.add(tx, "workflow", work, engine.clock.now()))
    )
    asyncio.run(engine.idle())
    found = db.run(engine.write(lambda tx: engine.jobs.get(tx, name)))
    assert (found.status, found.result) == ("done", "join b Ada and c Ada")
    assert sorted(seen) == ["a", "b", "b", "c", "d"]


def run_flow(db: Database, text: str, run_step: Any) -> Job:
    engine = engine_on(db)
    engine.handlers["workflow"] = WorkflowRunner(engine, run_step)
    jobs = Jobs(engine.unit, engine.deliver)
    made = db.run(jobs.start_workflow(text, "flow.yaml", {}, Caller(Scope())))
    asyncio.run(engine.idle())
    return db.run(jobs.get(made.id, Caller(Scope())))


def test_a_later_step_gets_what_was_stored_of_an_earlier_one_without_secrets(db: Database) -> None:
    told = list[str]()

    async def step(one: Step, text: str, given: Mapping[str, Any], scope: Scope) -> str:
        told.append(text)
        return "password=hunter2hunter2 and\x00more"

    flow = "deliver: none\nsteps: {a: {agent: first}, b: {agent: '{{a.result}}'}}"
    found = run_flow(db, flow, step)
    assert found.status == "done"
    assert "hunter2" not in told[1] + found.result
    assert told[1].endswith("and\ufffdmore")


def test_a_result_too_long_to_hand_on_fails_its_step_once(db: Database) -> None:
    tried = list[str]()

    async def step(one: Step, text: str, given: Mapping[str, Any], scope: Scope) -> str:
        tried.append(one.name)
        return "x " * 200_000

    found = run_flow(db, "deliver: none\nsteps: {a: {agent: x, retries: 3}}", step)
    assert (found.status, tried) == ("failed", ["a"])
    assert "400000 characters" in found.error


def test_a_workflow_may_take_as_long_as_its_steps_may(db: Database) -> None:
    engine = engine_on(db)
    jobs, me = Jobs(engine.unit, engine.deliver), Caller(Scope())
    long = "steps: {a: {agent: x, timeout: 7200, retries: 1}, b: {agent: x, timeout: 60}}"
    made = db.run(jobs.start_workflow(long, "flow.yaml", {}, me))
    assert made.work.limit_seconds >= 2 * 7200 + 60
    short = db.run(jobs.start_workflow("steps: {a: {agent: x}}", "flow.yaml", {}, me))
    assert short.work.limit_seconds == 1800


def test_a_step_that_is_done_is_stored_when_the_database_is_back(db: Database) -> None:
    ran, failures = list[str](), [1, 1]

    async def step(one: Step, text: str, given: Mapping[str, Any], scope: Scope) -> str:
        ran.append(one.name)
        return one.name

    engine = engine_on(db, config=EngineConfig(lease_seconds=10))
    engine.handlers["workflow"] = WorkflowRunner(engine, step)
    jobs, finish = Jobs(engine.unit, engine.deliver), engine.jobs.finish_step

    async def away(tx: Connection, job: Job, step: str, result: str, now: int, until: int) -> bool:
        if failures:
            failures.pop()
            raise DatabaseUnavailable("the database is away")
        return await finish(tx, job, step, result, now, until)

    engine.jobs.finish_step = away
    flow = "deliver: none\nsteps: {a: {agent: x}, b: {agent: '{{a.result}}'}}"
    made = db.run(jobs.start_workflow(flow, "flow.yaml", {}, Caller(Scope())))
    asyncio.run(engine.idle())
    assert ran == ["a", "b"]
    assert db.run(jobs.get(made.id, Caller(Scope()))).status == "done"
