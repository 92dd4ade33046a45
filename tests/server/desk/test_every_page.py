"""Every page for a reader, on a phone, with hostile text, and for people who use aids."""

from collections.abc import Generator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.server.desk import store
from tests.server.desk.visiting import PHONE, Visits, all_pages
from tests.server.live.serving import LiveGateway

pytestmark = pytest.mark.sqlite_only

# What changes something; each needs a role above `read`.
ACTS = (
    *("Accept", "Edit", "Reject", "Keep the later", "Keep the earlier", "Both hold", "Answer"),
    *("Dismiss", "Add a rule", "Switch off", "Switch on", "Delete", "Forget", "Adopt", "Retire"),
    *("Share with the project", "Make a key", "Rotate", "Revoke", "Send", "Correct"),
    *("Good reply", "Bad reply", "Run now", "Pause", "Resume", "Remove", "Cancel", "Run again"),
)
OFFERED = """
acts => [...document.querySelectorAll("button, [role=switch], input[type=checkbox]")]
  .filter(one => one.matches("[role=switch], input[type=checkbox], .danger")
    || acts.includes(one.getAttribute("aria-label") ?? one.textContent.trim()))
  .map(one => one.outerHTML)
"""
MARKUP = "document.querySelectorAll('main script, main img, main b[onclick], [onerror]').length"
WIDTH = "document.documentElement.scrollWidth"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("filled") / "home"


@pytest.fixture(scope="module")
def pages(home: Path) -> tuple[str, ...]:
    lesson, session = store.fill(home)
    return all_pages(lesson, quote(session, safe=""))


@pytest.fixture(scope="module")
def gateway(home: Path, pages: tuple[str, ...]) -> Generator[LiveGateway]:
    failing = {"fail": 400, "message": store.ERROR}
    one = LiveGateway(home, failing, **store.SETTINGS)
    yield one
    one.end()


@pytest.fixture(scope="module")
def reader_key(gateway: LiveGateway) -> str:
    return gateway.post("/v1/keys", {"name": "reader", "role": "read"}).json()["key"]


def test_a_reader_is_offered_nothing_that_would_fail(
    gateway: LiveGateway, pages: tuple[str, ...], reader_key: str, visits: Visits
) -> None:
    reader = visits.open(gateway.url).log_in(reader_key)
    links: list[str] = reader.page.locator("nav a").evaluate_all(
        "all => all.map(one => one.getAttribute('href'))"
    )
    assert len(links) > 8
    assert not {"/chat", "/keys", "/settings"} & {*links}
    for path in (*links, *(one for one in pages if one.count("/") == 2)):
        page = reader.visit(path)
        assert page.locator("main .notice.bad").count() == 0, path
        assert page.evaluate(OFFERED, list(ACTS)) == [], path
    assert reader.refused == []


def test_pages_above_a_readers_role_say_so(
    gateway: LiveGateway, reader_key: str, visits: Visits
) -> None:
    reader = visits.open(gateway.url).log_in(reader_key)
    for path in ("/chat", "/keys", "/settings"):
        page = reader.visit(path)
        assert "read" in page.get_by_role("alert").inner_text()
        assert page.evaluate(OFFERED, list(ACTS)) == []
    assert reader.refused == []


def test_an_operator_is_offered_the_acts(
    gateway: LiveGateway, pages: tuple[str, ...], visits: Visits
) -> None:
    """The check above would find them."""
    operator = visits.open(gateway.url).log_in()
    for path in ("/inbox", "/lessons", "/behavioral-rules", "/chat", "/jobs", "/keys", *pages[-2:]):
        assert operator.visit(path).evaluate(OFFERED, list(ACTS)), path


def test_no_page_scrolls_sideways_on_a_phone_and_the_menu_opens(
    gateway: LiveGateway, pages: tuple[str, ...], visits: Visits
) -> None:
    person = visits.open(gateway.url, PHONE).log_in()
    wide = {path: person.visit(path).evaluate(WIDTH) for path in pages}
    assert {path: width for path, width in wide.items() if width > PHONE["width"]} == {}

    page = person.visit("/")
    inbox = page.locator("nav").get_by_role("link", name="Inbox")
    menu = page.get_by_role("button", name="Menu")
    assert not inbox.is_visible()
    menu.click()
    assert menu.get_attribute("aria-expanded") == "true"
    assert page.evaluate(WIDTH) <= PHONE["width"]
    inbox.click()
    page.get_by_role("heading", level=1, name="Inbox").wait_for()
    assert not inbox.is_visible()
    assert menu.get_attribute("aria-expanded") == "false"


def test_learned_markup_is_text_everywhere(
    gateway: LiveGateway, pages: tuple[str, ...], visits: Visits
) -> None:
    person = visits.open(gateway.url).log_in()
    shown: dict[str, str] = {}
    for path in pages:
        page = person.visit(path)
        assert page.evaluate(MARKUP) == 0, path
        shown[path] = page.locator("main").inner_text()
    assert store.RULE in shown["/behavioral-rules"]
    assert store.RULE in shown[pages[-2]]
    assert store.TITLE in shown["/sessions"]
    assert store.TITLE in shown["/jobs"]
    assert store.REPLY in shown[pages[-1]]
    assert store.TOOL in shown["/tools"]
    assert store.ERROR in shown["/inbox"]

    page = person.visit("/chat")
    page.get_by_label("Message").fill(store.RULE)
    page.get_by_label("Message").press("Enter")
    page.locator(".bubble.assistant .badge.failed").wait_for()
    person.settle()
    assert page.evaluate(MARKUP) == 0
    assert store.RULE in page.locator(".bubble.user").inner_text()


def test_only_the_gateways_own_files_are_loaded_and_nobody_frames_the_desk(
    gateway: LiveGateway, visits: Visits
) -> None:
    person = visits.open(gateway.url)
    answer: Any = person.page.goto(gateway.url)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    person.log_in()
    assert len(person.asked) > 5
    assert all(one.startswith(gateway.url) for one in person.asked)

    stranger = person.tab()
    stranger.set_content(f'<iframe src="{gateway.url}/"></iframe>')
    stranger.wait_for_function("frames.length === 1")
    stranger.frames[1].wait_for_load_state()
    assert stranger.frames[1].url.startswith("chrome-error:")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    gateway: LiveGateway, pages: tuple[str, ...], visits: Visits, theme: str
) -> None:
    """All of its rules in the light; in the dark those of colours, the rest is the same page."""
    from axe_playwright_python.sync_playwright import Axe

    rules = {} if theme == "light" else {"runOnly": ["color-contrast", "link-in-text-block"]}
    person = visits.open(gateway.url, theme=theme)
    axe: Any = Axe()
    found: dict[str, list[str]] = {}

    def look(name: str) -> None:
        result: Any = axe.run(person.page, options={"resultTypes": ["violations"]} | rules)
        serious = [
            f"{one['id']}: {node['html'][:200]}: {node['failureSummary']}"
            for one in result.response["violations"]
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"][:3]
        ]
        if serious:
            found[name] = serious

    person.visit("/")
    look("login")
    person.log_in()
    assert person.page.evaluate("document.documentElement.dataset.theme") == theme
    for path in pages:
        person.visit(path)
        look(path)
    for key, name in (("/", "search"), ("?", "keys")):
        person.page.keyboard.press(key)
        person.page.get_by_role("dialog").wait_for()
        look(name)
        person.page.keyboard.press("Escape")
        person.page.get_by_role("dialog").wait_for(state="detached")
    assert found == {}
