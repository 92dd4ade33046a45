"""A headless Chromium, and the desk in it."""

from collections.abc import Generator
from typing import Any

import pytest
from tests.server.desk.visiting import CHROMIUM, Visits


@pytest.fixture(scope="module")
def browser() -> Generator[Any]:
    """One Chromium for the tests of a file: Playwright keeps an event loop in this thread.

    If it lived longer, later tests on this worker could start no loop of their own.
    """
    if CHROMIUM is None:
        pytest.skip("chromium is not on the PATH; `make browser` installs it")
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        one = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield one
        one.close()


@pytest.fixture
def visits(browser: Any) -> Generator[Visits]:
    """Open the desk for visitors; afterwards nothing may have gone wrong in their pages."""
    one = Visits(browser)
    yield one
    one.close()
