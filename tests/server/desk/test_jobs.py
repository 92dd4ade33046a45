"""Schedules and runs on the desk: run now, pause, remove, and what came of it."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.server.desk.visiting import Visits
from tests.server.live.serving import LiveGateway

pytestmark = pytest.mark.sqlite_only

DIGEST = {"name": "digest", "prompt": "Summarise the tickets.", "every": "24h", "deliver": "none"}


@pytest.fixture
def gateway(tmp_path: Path) -> Generator[LiveGateway]:
    one = LiveGateway(tmp_path / "home", "Two tickets, both about invoices.")
    yield one
    one.end()


def test_a_schedule_is_run_paused_and_removed_and_its_result_is_there(
    gateway: LiveGateway, visits: Visits
) -> None:
    page = visits.open(gateway.url).log_in().visit("/jobs")
    assert page.get_by_text("Nothing is planned.").is_visible()

    assert gateway.post("/v1/schedules", DIGEST).status_code == 201
    page.reload()
    planned = page.get_by_role("list", name="Schedules").get_by_role("listitem")
    planned = planned.filter(has_text="digest")  # beside those of the installation
    planned.get_by_text("every 24h").wait_for()
    planned.get_by_role("button", name="Run now").click()
    page.get_by_text("Started: a worker runs it now.").wait_for()
    page.get_by_role("heading", level=1).click()  # away from the button: the page looks again
    with gateway.worker():
        run = page.get_by_role("list", name="Jobs").get_by_role("listitem")
        run = run.filter(has_text="digest")
        run.get_by_text("done").wait_for()
    run.get_by_text("result", exact=True).click()
    run.get_by_text("Two tickets, both about invoices.").wait_for()

    planned.get_by_role("button", name="Pause").click()
    planned.get_by_text("paused").wait_for()
    planned.get_by_role("button", name="Resume").click()
    planned.get_by_role("button", name="Pause").wait_for()
    planned.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    planned.wait_for(state="detached")
    names = [one["name"] for one in gateway.get("/v1/schedules").json()["items"]]
    assert "digest" not in names
