"""The bandit's view: arms with what they earned, and how to start where there is nothing."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.server.desk.visiting import Visits
from tests.server.live.serving import LiveGateway

pytestmark = pytest.mark.sqlite_only


@pytest.fixture
def gateway(tmp_path: Path) -> Generator[LiveGateway]:
    one = LiveGateway(tmp_path / "home")
    yield one
    one.end()


def test_the_arms_of_a_decision_are_shown_with_what_they_earned(
    gateway: LiveGateway, visits: Visits
) -> None:
    person = visits.open(gateway.url).log_in()
    page = person.visit("/tools")
    page.get_by_role("link", name="What the bandit chooses").click()
    page.get_by_text("Nothing was chosen yet.").wait_for()
    assert page.get_by_text("seasoned adapt choose").is_visible()

    decision = {"name": "search", "arms": ["bm25", "vectors"], "strategy": "epsilon_greedy"}
    for number in range(8):
        assert gateway.post("/v1/adapt", decision).status_code == 200
        earned = {"name": "search", "arm": "bm25", "value": 1 - number % 2 / 10}
        assert gateway.post("/v1/reward", earned).status_code == 201
    gateway.post("/v1/reward", {"name": "search", "arm": "vectors", "value": 0.1})
    gateway.post("/v1/adapt", decision)

    page = person.visit("/choices")
    first, second = page.locator("table.arms tbody tr").all_inner_texts()
    assert first.split()[:2] == ["bm25", "95"]
    assert "0.95" in first
    assert "0.91 to 0.99" in first
    assert second.split()[0] == "vectors"
    assert "too few tries" in second
    panel = page.locator("main section.panel").inner_text()
    assert "9 choices" in panel
    assert "9 rewards" in panel
    assert "epsilon 0.1" in panel
