"""Many lessons are switched off or forgotten at once, and taken back as one."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.server.desk.visiting import Visits
from tests.server.live.scripts import wait_until
from tests.server.live.serving import LiveGateway

pytestmark = pytest.mark.sqlite_only

RULES = ("Answer in German.", "Sign with initials.", "Never send drafts.")


@pytest.fixture
def gateway(tmp_path: Path) -> Generator[LiveGateway]:
    one = LiveGateway(tmp_path / "home")
    for words in RULES:
        assert one.post("/v1/rules", {"description": words}).status_code == 201
    yield one
    one.end()


def statuses(gateway: LiveGateway) -> dict[str, str]:
    items: list[dict[str, Any]] = gateway.get("/v1/rules").json()["items"]
    return {one["content"]: one["status"] for one in items}


def mark(page: Any, *rules: str) -> None:
    for words in rules:
        page.get_by_role("checkbox", name=f"Choose: {words}").check()


@pytest.mark.parametrize("path", ["/lessons", "/behavioral-rules"])
def test_what_was_forgotten_together_comes_back_together_by_one_key(
    gateway: LiveGateway, visits: Visits, path: str
) -> None:
    page = visits.open(gateway.url).log_in().visit(path)
    mark(page, *RULES[:2])
    page.get_by_role("button", name="Forget").click()
    page.get_by_text("forgotten.").wait_for()
    assert statuses(gateway) == dict(zip(RULES, ("retired", "retired", "active"), strict=True))
    page.locator(".badge.retired").nth(1).wait_for()

    page.keyboard.press("u")
    page.get_by_text("Taken back").wait_for()
    assert set(statuses(gateway).values()) == {"active"}
    page.locator(".badge.retired").first.wait_for(state="detached")


def test_rules_that_were_switched_off_together_come_back_from_the_message(
    gateway: LiveGateway, visits: Visits
) -> None:
    page = visits.open(gateway.url).log_in().visit("/behavioral-rules")
    mark(page, *RULES)
    page.get_by_role("button", name="Switch off").click()
    page.get_by_text("3 rules switched off.").wait_for()
    assert set(statuses(gateway).values()) == {"suspended"}
    page.get_by_role("button", name="Undo").click()
    wait_until(lambda: set(statuses(gateway).values()) == {"active"})
    events = gateway.get("/v1/audit?kind=lesson.").json()["items"]
    assert sum("took a decision back" in str(one) for one in events) == len(RULES)
