"""Workflows are checked before they run, and run as far in parallel as their needs allow."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import pytest
from tests.jobs.engines import engine_on

from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.db.database import Database
from seasoned.jobs.job import Work
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
    ],
)
def test_a_wrong_workflow_names_the_file_and_the_remedy(text: str, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_workflow(text, "flow.yaml", tools=["t"])
    assert said in str(refused.value)
    assert re.match(r"flow.yaml(:1)?: ", str(refused.value))


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
