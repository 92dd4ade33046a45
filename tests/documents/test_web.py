"""Web pages: imported, updated with one request, removed when gone."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from seasoned import AsyncSeasoned, Seasoned

if TYPE_CHECKING:
    from tests.documents.conftest import Web

HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = "<title>The shop</title><nav>Menu</nav><h1>Opening hours</h1><p>Open until {} o'clock.</p>"


@pytest.fixture
def s(opened: Callable[..., Seasoned]) -> Seasoned:
    return opened(":memory:")


def contents(s: Seasoned) -> list[str]:
    return [
        passage.content
        for document in s.knowledge.list()
        for passage in s.knowledge.get(document.id)[1]
    ]


def test_a_page_is_imported_by_its_address(s: Seasoned, web: "Web") -> None:
    url = web.serve("/hours", PAGE.format(6), headers=HTML)
    assert s.knowledge.add(url + "#part").added == 1
    (document,) = s.knowledge.list()
    assert (document.name, document.title, document.format) == (url, "The shop", "html")
    _, (passage,) = s.knowledge.get(url)
    assert (passage.trigger, passage.content) == (
        "The shop › Opening hours",
        "Open until 6 o'clock.",
    )
    assert [hit.lesson.id for hit in s.knowledge.search("when is the shop open")] == [passage.id]


def test_an_unchanged_page_costs_one_request(s: Seasoned, web: "Web") -> None:
    url = web.serve("/hours", PAGE.format(6), headers=HTML | {"ETag": '"1"'})
    s.knowledge.add(url)
    assert s.knowledge.update().unchanged == 1
    assert s.knowledge.add(url).unchanged == 1
    assert [headers.get("If-None-Match") for _, headers in web.asked] == [None, '"1"', '"1"']
    web.serve("/hours", PAGE.format(8), headers=HTML | {"ETag": '"2"'})
    report = s.knowledge.update()
    assert (report.updated, report.passages_added, report.passages_removed) == (1, 1, 1)
    assert contents(s) == ["Open until 8 o'clock."]


def test_a_page_without_a_validator_is_compared_by_its_bytes(s: Seasoned, web: "Web") -> None:
    url = web.serve("/hours", PAGE.format(6), headers=HTML)
    s.knowledge.add(url)
    assert s.knowledge.update().unchanged == 1


def test_only_a_page_that_is_said_to_be_gone_is_pruned(s: Seasoned, web: "Web") -> None:
    for path in ("/gone", "/ill", "/closed"):
        s.knowledge.add(web.serve(path, PAGE.format(6), headers=HTML))
    web.serve("/gone", status=404)
    web.serve("/ill", status=503)
    web.serve("/closed", status=403)
    report = s.knowledge.update(prune=True)
    assert report.vanished == [web.url + "/gone"]
    assert report.removed == 1
    assert sorted(problem.name for problem in report.problems) == [
        web.url + "/closed",
        web.url + "/ill",
    ]
    assert len(s.knowledge.list()) == 2


def test_pages_that_cannot_be_had_are_reported_and_the_others_come(s: Seasoned, web: "Web") -> None:
    report = s.knowledge.add(
        web.serve("/good", "# Good\n\nWords.", headers={"Content-Type": "text/markdown"}),
        web.serve("/moved", status=302, headers={"Location": "/good"}),
        web.serve("/picture", b"\x89PNG\x00\x00", headers={"Content-Type": "image/png"}),
        web.serve("/data", b"{}", headers={"Content-Type": "application/json"}),
        web.serve("/empty", "<nav>menu</nav>", headers=HTML),
        web.url + "/nothing",
        "https://ana:secret@example.com/",
    )
    assert report.added == 2
    reasons = {problem.name.rpartition("/")[2]: problem.reason for problem in report.problems}
    assert "image/png" in reasons["picture"]
    assert "application/json" in reasons["data"]
    assert "no text" in reasons["empty"]
    assert "404" in reasons["nothing"]
    assert "password" in reasons[""]


def test_an_event_loop_goes_on_while_a_slow_page_is_fetched(web: "Web", home: Path) -> None:
    url = web.serve("/slow", PAGE.format(6), headers=HTML)
    web.answers["/slow"].pause_seconds = 0.5

    async def story() -> int:
        ticks = 0
        async with AsyncSeasoned(":memory:") as s:
            adding = asyncio.ensure_future(s.knowledge.add(url))
            while not adding.done():
                await asyncio.sleep(0.01)
                ticks += 1
            assert adding.result().added == 1
        return ticks

    assert asyncio.run(story()) > 5


def test_a_page_in_an_old_charset_is_read(s: Seasoned, web: "Web") -> None:
    page = "<title>案内</title><p>東京タワーは高い。".encode("shift_jis")
    s.knowledge.add(web.serve("/a", page, headers={"Content-Type": "text/html; charset=Shift_JIS"}))
    assert contents(s) == ["東京タワーは高い。"]
