"""Steps that call tools: what they hand on, and when they have failed."""

import asyncio
import sys
from pathlib import Path

import pytest

from seasoned import AsyncSeasoned
from seasoned.api.worker.job_worker import JobWorker
from seasoned.jobs.job import Job

pytestmark = pytest.mark.sqlite_only


def ran(sqlite_url: str, folder: Path, step: str) -> Job:
    settings = {
        "SEASONED_HOME": str(folder / "home"),
        "SEASONED_AGENT__ROOT": str(folder),
        "SEASONED_AGENT__TOOLS": "files,shell",
        "SEASONED_APPROVAL__EXEMPT": "run_program",
    }

    async def run() -> Job:
        async with AsyncSeasoned(sqlite_url, environment=settings) as s:
            text = f"deliver: none\nsteps:\n  a: {step}\n"
            made = await s.jobs.start_workflow(text, where="flow.yaml")
            await JobWorker(s).engine.idle()
            return await s.jobs.get(made.id)

    return asyncio.run(run())


def program(script: str, retries: int = 0) -> str:
    argv = [sys.executable, "-c", script]
    return f"{{tool: run_program, retries: {retries}, with: {{argv: {argv}}}}}"


def test_a_structured_result_is_handed_on_as_json(sqlite_url: str, tmp_path: Path) -> None:
    found = ran(sqlite_url, tmp_path, program("print(1)"))
    assert (found.status, found.result) == ("done", '{"exit_code":0,"stdout":"1\\n"}')


def test_a_program_that_fails_fails_its_step_which_is_tried_again(
    sqlite_url: str, tmp_path: Path
) -> None:
    script = (
        "open(chr(120), chr(97)).write(chr(46)); raise SystemExit(len(open(chr(120)).read()) < 2)"
    )
    assert ran(sqlite_url, tmp_path, program(script, retries=1)).status == "done"
    found = ran(sqlite_url, tmp_path, program("raise SystemExit(3)"))
    assert found.status == "failed"
    assert "step 'a' failed: tool run_program failed" in found.error


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("{tool: read_file, with: {path: nowhere.txt}}", "nowhere.txt"),
        ("{tool: read_file, with: {paths: x}}", "tool read_file cannot be called so: "),
        ("{tool: run_script, with: {script: 'true'}}", "add it to approval.exempt"),
        ("{tool: nonsense}", "no tool 'nonsense'; agent.tools offers"),
    ],
)
def test_what_is_wrong_with_a_call_is_told(
    sqlite_url: str, tmp_path: Path, step: str, said: str
) -> None:
    found = ran(sqlite_url, tmp_path, step)
    assert (found.status, said in found.error) == ("failed", True), found.error
    assert "seasoned workflow resume" in found.error
