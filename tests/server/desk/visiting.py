"""Visitors of the desk: each has a window, cookies and a log of what went wrong in it."""

import shutil
from typing import Any

from tests.server.live.serving import PATIENCE, TOKEN

from seasoned.server.desk.pages import PAGES

CHROMIUM = shutil.which("chromium")
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1440, "height": 900}

# Counts the requests that have no answer yet, so that a test can wait for the last one. The count
# stands in the page, because the desk's policy lets nobody evaluate an expression again and again.
COUNT_REQUESTS = """
let waiting = 0;
const original = window.fetch;
const count = (change) => document.documentElement.setAttribute("waiting", waiting += change);
window.fetch = (...given) => {
  count(1);
  return original(...given).finally(() => count(-1));
};
"""


class Visitor:
    """A window on the desk of a gateway; further tabs share its cookies."""

    def __init__(self, browser: Any, url: str, size: dict[str, int], theme: str) -> None:
        self.url = url
        self.failures: list[str] = []
        self.asked: list[str] = []
        self.refused: list[str] = []
        self._context: Any = browser.new_context(viewport=size, color_scheme=theme)
        self._context.set_default_timeout(PATIENCE * 1000)
        self._context.add_init_script(COUNT_REQUESTS)
        self.page = self.tab()

    def tab(self) -> Any:
        page = self._context.new_page()
        page.on("pageerror", self._failed)
        page.on("dialog", self._dismiss)
        page.on("response", self._answered)
        return page

    def _failed(self, error: Any) -> None:
        self.failures.append(f"error: {error}")

    def _dismiss(self, dialog: Any) -> None:
        self.failures.append(f"a dialog of learned text: {dialog.message}")
        dialog.dismiss()

    def _answered(self, response: Any) -> None:
        self.asked.append(response.url)
        if response.status == 403:
            self.refused.append(f"{response.request.method} {response.url}")

    def log_in(self, key: str = TOKEN) -> "Visitor":
        self.page.goto(f"{self.url}/#key={key}")
        self.settle()
        self.page.locator("nav").wait_for(state="attached")
        return self

    def visit(self, path: str, page: Any = None) -> Any:
        """Open a page and wait until it shows everything."""
        page = page or self.page
        page.goto(self.url + path)
        self.settle(page)
        return page

    def settle(self, page: Any = None) -> None:
        """Wait until a page is there and no request is without its answer."""
        page = page or self.page
        page.locator("main h1").first.wait_for()
        page.locator("html[waiting='0']").wait_for()

    def close(self) -> None:
        self._context.close()
        assert self.failures == []


class Visits:
    """The visitors of one test."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._there: list[Visitor] = []

    def open(self, url: str, size: dict[str, int] = DESKTOP, theme: str = "light") -> Visitor:
        self._there.append(Visitor(self._browser, url, size, theme))
        return self._there[-1]

    def close(self) -> None:
        for one in self._there:
            one.close()


def all_pages(lesson: str, session: str) -> tuple[str, ...]:
    """Return the address of every page, with one lesson and one session."""
    return (*PAGES, f"/lessons/{lesson}", f"/sessions/{session}")
