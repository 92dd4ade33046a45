"""Take the pictures of docs/dashboard.md: every page of the desk, on the data of the demonstration.

    python scripts/desk_pictures.py             # all of them
    python scripts/desk_pictures.py overview    # those whose names begin so

Needs Playwright and Chromium (`make browser`), and Pillow, which makes the files small.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Literal

from PIL import Image
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOUSE = Path(__file__).resolve().parents[1]
PICTURES = HOUSE / "docs" / "pictures"
CHROMIUM = which("chromium") or "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
COLOURS = 160  # of a picture: a small file is read soon
SETTLED = 600  # milliseconds for the last figures to arrive


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture: its name, its page, and an act before it is taken."""

    name: str
    path: str
    width: int = 1440
    theme: Literal["light", "dark"] = "light"
    act: str = ""


PAGES = {
    "overview": "/",
    "inbox": "/inbox",
    "lessons": "/lessons",
    "rules": "/behavioral-rules",
    "sessions": "/sessions",
    "chat": "/chat",
    "tools": "/tools",
    "choices": "/choices",
    "memory": "/memory",
    "graph": "/graph?node=tool:book_table",
    "health": "/health",
    "audit": "/audit",
    "settings": "/settings",
    "keys": "/keys",
}
SHOTS = (
    *(Shot(name, path, act=name) for name, path in PAGES.items()),
    Shot("lesson", "/lessons?kind=fix&status=active", act="lesson"),
    Shot("session", "/sessions", act="session"),
    Shot("overview-dark", "/", theme="dark"),
    Shot("inbox-dark", "/inbox", theme="dark"),
    Shot("overview-phone", "/", width=390),
    Shot("inbox-phone", "/inbox", width=390),
)


@contextmanager
def demonstration() -> Generator[str]:
    """Yield the address of a desk with the demonstration's data."""
    command = [sys.executable, "-m", "seasoned", "demo", "--serve", "--no-browser", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ, text=True) as serving:
        assert serving.stdout is not None
        lines: list[str] = []
        while not lines or lines[-1] != "}\n":
            line = serving.stdout.readline()
            if not line:
                raise SystemExit("the demonstration did not start")
            lines.append(line)
        try:
            yield json.loads("".join(lines))["address"]
        finally:
            serving.send_signal(signal.SIGTERM)


def main() -> None:
    wanted = tuple(sys.argv[1:]) or ("",)
    PICTURES.mkdir(exist_ok=True)
    with demonstration() as address, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for shot in SHOTS:
            if shot.name.startswith(wanted):
                taken = small(picture(browser, address, shot))
                (PICTURES / f"{shot.name}.png").write_bytes(taken)
                told(shot.name, len(taken))
        browser.close()
    total = sum(path.stat().st_size for path in PICTURES.glob("*.png"))
    told("all", total)


def told(name: str, size: int) -> None:
    sys.stdout.write(f"{name:<16}{size / 1024:>6.0f} kB\n")


def picture(browser: "Browser", address: str, shot: Shot) -> bytes:
    height = 900 if shot.width > 800 else 780
    context = browser.new_context(
        viewport={"width": shot.width, "height": height}, color_scheme=shot.theme
    )
    page = context.new_page()
    home, _, fragment = address.partition("#")
    page.goto(f"{home}#{fragment}")
    page.wait_for_selector("nav", state="attached")
    page.goto(home.rstrip("/") + shot.path)
    page.wait_for_selector("h1")
    act(page, shot.act)
    page.wait_for_timeout(SETTLED)
    taken = page.screenshot()
    context.close()
    return taken


def act(page: "Page", name: str) -> None:
    if name == "lesson":
        page.locator("ul.list a", has_text="Pass `day` as a date").first.click()
        page.wait_for_url("**/lessons/*")
    elif name == "chat":
        for words in ("Please book a table for 5 on 1 April 2027.", "No. Always answer in German."):
            said = page.locator(".bubble.assistant").count()
            page.get_by_label("Message").fill(words)
            page.get_by_label("Message").press("Enter")
            page.locator(".bubble.assistant").nth(said).wait_for()
            page.get_by_role("button", name="Stop").wait_for(state="hidden")
    elif name == "session":
        page.locator("ul.list a", has_text="table").first.click()
        page.wait_for_url("**/sessions/*")
        page.locator("details summary").first.click()


def small(png: bytes) -> bytes:
    """Return the picture with few colours: a third of the size, and hardly a difference."""
    image = Image.open(BytesIO(png)).convert("RGB")
    reduced = image.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    held = BytesIO()
    reduced.save(held, "PNG", optimize=True)
    return held.getvalue()


if __name__ == "__main__":
    main()
