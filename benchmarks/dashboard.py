"""Measure the desk in a real browser: on a large store, beside an empty one in the same run.

    first_ms     from the navigation to the first row or figure that is shown, the median
    whole_ms     until every answer that the page asked for is there, the median
    search_ms    from the last key of a word to the rows that fit, with the 120 ms it waits for more
    scroll_ms    until the rows of the 20th page are there (of the 4th with `--quick`), per page
    answer_ms    the slowest answer that the page waited for, and which one it was

Large is 100,000 lessons, with a million observed calls in the audit and a million observations in
the memory of their sessions; with `--quick` 5,000 and 20,000. `--keep DIR` keeps the large store
there and uses it again. Needs Playwright and Chromium.

    python benchmarks/dashboard.py [--quick] [--json] [--keep DIR] [--lessons N] [--observations N]
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from dashboard_load import Size, load

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

Row = dict[str, str | float]
OURS = "seasoned"

CHROMIUM = which("chromium") or "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
SETTINGS = {
    "SEASONED_EMBEDDING__PROVIDER": "none",  # what a page shows does not depend on it
    "SEASONED_GRAPH__ENABLED": "true",
    "SEASONED_SERVER__CANARY_MINUTES": "0",
}
SHOWN = (
    "main .list li, main .tile b, main .empty, main .notice, main table tbody td, "
    "main section.panel h2, main svg.graph circle, main form.filters button, main .bubble"
)
OF_TOOL = "graph of a tool"
PAGES = {
    "overview": "/",
    "inbox": "/inbox",
    "lessons": "/lessons",
    "rules": "/behavioral-rules",
    "sessions": "/sessions",
    "tools": "/tools",
    "choices": "/choices",
    "memory": "/memory",
    "graph": "/graph",
    OF_TOOL: "/graph?node=tool:tool7",
    "health": "/health",
    "audit": "/audit",
    "a lesson": "/lessons/l00000000007",
    "a session": "/sessions/session%207",
}
OF_SOMETHING = (OF_TOOL, "a lesson", "a session")  # an empty store has none
SEARCHED = ("lessons", "rules")
SCROLLED = ("lessons", "rules", "sessions", "memory", "audit")
PER_PAGE, LAST_PAGE, QUICK_PAGE = 50, 20, 4
WORD = "voucher"
SCROLL = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  await frame(); await frame();  // the list notices that its end went out of sight
  window.scrollTo(0, document.body.scrollHeight);
}"""
PATIENCE = 30_000  # milliseconds
# The desk's policy lets nobody evaluate an expression again and again: the page itself counts.
COUNT_REQUESTS = """
let waiting = 0;
const original = window.fetch;
const count = (change) => document.documentElement.setAttribute("waiting", waiting += change);
window.fetch = (...given) => { count(1); return original(...given).finally(() => count(-1)); };
"""


@dataclass(frozen=True, slots=True)
class Desk:
    """A gateway that serves a store."""

    url: str
    token: str


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="5k lessons, under a minute")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    parser.add_argument("--keep", metavar="DIR", help="keep the large store, and use it again")
    parser.add_argument("--lessons", type=int, default=0, metavar="N")
    parser.add_argument("--observations", type=int, default=0, metavar="N")
    options = parser.parse_args()
    large = Size(
        options.lessons or (5_000 if options.quick else 100_000),
        options.observations or (20_000 if options.quick else 1_000_000),
    )
    rounds, last = (1, QUICK_PAGE) if options.quick else (3, LAST_PAGE)
    rows = measured(Size(0, 0), rounds, last) + measured(large, rounds, last, options.keep)
    if options.json:
        print(json.dumps(rows))
    else:
        show(rows)


@contextmanager
def place(keep: str | None) -> Generator[str]:
    if keep is None:
        with tempfile.TemporaryDirectory() as folder:
            yield folder
    else:
        Path(keep).mkdir(parents=True, exist_ok=True)
        yield keep


def measured(size: Size, rounds: int, last: int, keep: str | None = None) -> list[Row]:
    name = f"{size.lessons:,} lessons" if size.lessons else "empty"
    with place(keep) as folder:
        environment = {**os.environ, **SETTINGS, "SEASONED_HOME": folder}
        path = Path(folder) / "seasoned.db"
        spent = 0.0 if path.exists() else load(path, size, environment)
        rows = [row(name, "store", "load_s", spent)]
        rows.append(row(name, "store", "disk_mb", path.stat().st_size / 2**20))
        with serving(folder, environment) as desk, logged_in(desk) as browser:
            for page, address in PAGES.items():
                if page in OF_SOMETHING and not size.lessons:
                    continue
                print(f"{name}: {page}", file=sys.stderr)
                rows += seen(browser, desk, name, page, address, rounds)
                if size.lessons and page in SEARCHED:
                    rows.append(searched(browser, desk, name, page, address, rounds))
                if size.lessons and page in SCROLLED:
                    rows += scrolled(browser, desk, name, page, address, last)
    return rows


@contextmanager
def serving(folder: str, environment: dict[str, str]) -> Generator[Desk]:
    command = [sys.executable, "-m", "seasoned", "serve", "--http", "127.0.0.1:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://[\d.:]+", line)
        if found is None:
            raise SystemExit(line + process.stderr.read())
        try:
            yield Desk(found[0], (Path(folder) / "token").read_text("ascii").strip())
        finally:
            process.terminate()


@contextmanager
def logged_in(desk: Desk) -> "Generator[BrowserContext]":
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.set_default_timeout(PATIENCE)
        context.add_init_script(COUNT_REQUESTS)
        page = context.new_page()
        page.goto(f"{desk.url}/#key={desk.token}")
        page.wait_for_selector("nav")
        page.close()
        yield context
        browser.close()


def seen(
    browser: "BrowserContext", desk: Desk, name: str, which_page: str, address: str, rounds: int
) -> list[Row]:
    """Open a page as often as asked; where it is opened more than once, the first is to warm up."""
    times: list[float] = []
    wholes: list[float] = []
    slowest: tuple[float, str] = (0.0, "")
    for number in range(rounds + 1) if rounds > 1 else (1,):
        page = browser.new_page()
        began = time.perf_counter()
        opened(page, desk.url + address)
        if number:
            times.append(1e3 * (time.perf_counter() - began))
        page.locator("html[waiting='0']").wait_for(state="attached")
        if number:
            wholes.append(1e3 * (time.perf_counter() - began))
        slowest = slowest_answer(page)
        page.close()
    answer = row(name, which_page, "answer_ms", slowest[0])
    answer["answer"] = slowest[1]
    first = row(name, which_page, "first_ms", statistics.median(times))
    whole = row(name, which_page, "whole_ms", statistics.median(wholes))
    return [first, whole, answer]


def opened(page: "Page", address: str) -> None:
    page.goto(address, wait_until="commit")
    page.wait_for_selector(SHOWN, state="attached")


def slowest_answer(page: "Page") -> tuple[float, str]:
    found = page.evaluate(
        """() => performance.getEntriesByType("resource")
        .map((one) => [one.duration, new URL(one.name).pathname])
        .filter(([_, path]) => path.startsWith("/v1/") || path === "/health")"""
    )
    return max(((float(ms), str(path)) for ms, path in found), default=(0.0, ""))


def searched(
    browser: "BrowserContext", desk: Desk, name: str, which_page: str, address: str, rounds: int
) -> Row:
    times: list[float] = []
    for _ in range(rounds):
        page = browser.new_page()
        opened(page, desk.url + address)
        field = page.locator("input[type=search]").first
        field.press_sequentially(WORD[:-1])
        began = time.perf_counter()
        field.press(WORD[-1])
        page.wait_for_function(
            """(word) => [...document.querySelectorAll("main ul.list li")]
            .every((one) => one.textContent.toLowerCase().includes(word))""",
            arg=WORD,
            polling=5,
        )
        times.append(1e3 * (time.perf_counter() - began))
        page.close()
    return row(name, which_page, "search_ms", statistics.median(times))


def scrolled(
    browser: "BrowserContext", desk: Desk, name: str, which_page: str, address: str, last: int
) -> list[Row]:
    page = browser.new_page()
    opened(page, desk.url + address)
    began, pages = time.perf_counter(), 1
    while pages < last:
        page.evaluate(SCROLL)
        pages += 1
        rows = (pages - 1) * PER_PAGE
        page.wait_for_function(
            "(many) => document.querySelectorAll('main ul.list > li').length > many"
            " || !document.querySelector('main .more button')",
            arg=rows,
            polling=5,
        )
        if page.locator("main ul.list > li").count() <= rows:
            break  # the list is shorter
    spent = 1e3 * (time.perf_counter() - began) / max(1, pages - 1)
    page.close()
    return [row(name, which_page, "scroll_ms", spent), row(name, which_page, "pages", pages)]


def row(name: str, page: str, metric: str, value: float) -> Row:
    return {"set": name, "system": OURS, "metric": f"{page}: {metric}", "value": round(value, 1)}


def show(rows: Iterable[Row]) -> None:
    """Print a line for each page, with both stores beside each other."""
    rows = list(rows)
    sets = list(dict.fromkeys(str(one["set"]) for one in rows))
    found = {(one["metric"], one["set"]): one for one in rows}
    print(f"{'page':<18}{'metric':<12}" + "".join(f"{name:>18}" for name in sets))
    for measure in dict.fromkeys(str(one["metric"]) for one in rows):
        there = [found.get((measure, name)) for name in sets]
        page, _, metric = measure.rpartition(": ")
        cells = "".join(f"{one['value'] if one else '':>18}" for one in there)
        slow = there[-1]
        which_one = f"  {slow['answer']}" if slow and "answer" in slow else ""
        print(f"{page:<18}{metric:<12}{cells}{which_one}")


if __name__ == "__main__":
    main()
