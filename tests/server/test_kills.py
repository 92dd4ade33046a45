"""Writes over REST while the gateway is killed or told to stop: what it acknowledged is kept.

Clients observe, correct, rate and teach as fast as they can. A kill may cut an answer off, but
each write that was answered is found again; a server that stops answers each request it read.
"""

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from itertools import count, takewhile
from typing import Any

import httpx
import pytest
from tests.server.live.scripts import wait_until
from tests.server.serving import Gateway

from seasoned import Seasoned
from seasoned.rules.pending import case_from

Gateways = Callable[..., Gateway]
Write = tuple[str, Mapping[str, Any]]  # a path and a body

KILLS, STOPS = 3, 2
CLIENTS_OF_EACH = 2
ENOUGH = 15  # acknowledged writes of each kind, before a round ends
ALL = 100_000

pytestmark = pytest.mark.sqlite_only


def observation(name: str) -> Write:
    """Report a call; every other one failed, for a reason of its own."""
    failed = int(name.rpartition("-")[2]) % 2 == 0
    outcome = {"error": f"no table {name}"} if failed else {"result": "ok"}
    return "/v1/observe", {"tool": name, "params": {"n": name}, "session": name[:4], **outcome}


def correction(name: str) -> Write:
    body = {"message": f"No, never touch {name}.", "request": "Measure.", "reply": "Guessed."}
    return "/v1/correct", {**body, "session": name}


def rating(name: str) -> Write:
    return "/v1/feedback", {"polarity": "positive", "score": 0.9, "prompt": name, "id": name}


def teaching(name: str) -> Write:
    return "/v1/teach", {"fact": f"The shelf {name} is full."}


KINDS: Mapping[str, Callable[[str], Write]] = {
    "observed": observation,
    "corrected": correction,
    "rated": rating,
    "taught": teaching,
}


class Load:
    """Clients that write until the server is gone; `kept` has what it acknowledged."""

    def __init__(self, gateway: Gateway, label: str) -> None:
        self.gateway = gateway
        self.kept: dict[str, list[str]] = {kind: [] for kind in KINDS}
        self.statuses: set[int] = set()
        self.refusals: list[dict[str, Any]] = []
        self.cut_off: list[str] = []
        self._over = False
        self._threads = [
            threading.Thread(target=self._write, args=(kind, f"{label}{number}"))
            for kind in KINDS
            for number in range(CLIENTS_OF_EACH)
        ]

    def __enter__(self) -> "Load":
        for one in self._threads:
            one.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        for one in self._threads:
            one.join(60)
            assert not one.is_alive()

    def _write(self, kind: str, label: str) -> None:
        headers = {"Authorization": f"Bearer {self.gateway.token}"}
        with httpx.Client(base_url=self.gateway.url, headers=headers, timeout=60) as client:
            for number in takewhile(lambda _: not self._over, count()):
                name = f"{kind}-{label}-{number}"
                path, body = KINDS[kind](name)
                try:
                    answer = client.post(path, json=body)
                except httpx.ConnectError:
                    return  # nobody listens any more
                except httpx.HTTPError as error:
                    self.cut_off.append(f"{path}: {error!r}")
                    return
                self.statuses.add(answer.status_code)
                if not answer.is_success:
                    self.refusals.append({**answer.json()["error"], **answer.headers})
                    return
                self.kept[kind].append(name)

    def is_busy(self) -> bool:
        return all(len(kept) >= ENOUGH for kept in self.kept.values())


def check_kept(gateway: Gateway, loads: list[Load]) -> None:
    """Look for every acknowledged write in what the ended server left behind."""
    kept = {kind: {one for load in loads for one in load.kept[kind]} for kind in KINDS}
    clients = len(loads) * CLIENTS_OF_EACH
    with Seasoned(gateway.home / "seasoned.db") as s:
        calls = s.status()["calls"]
        # Each client may have had one more stored, whose answer did not arrive.
        assert len(kept["observed"]) <= calls <= len(kept["observed"]) + clients
        errors = {one.tool for one in s.errors(limit=ALL)}
        failed = {one for one in kept["observed"] if int(one.rpartition("-")[2]) % 2 == 0}
        assert failed <= errors
        assert kept["corrected"] <= set(corrected_sessions(s))
        assert kept["rated"] <= {one.feedback.id for one in s.feedback.list(limit=ALL)}
        taught = {one.content for one in s.lessons(limit=ALL)}
        assert {f"The shelf {one} is full." for one in kept["taught"]} <= taught
        report = s.verify_audit()
        assert report.intact, report.reason


def corrected_sessions(s: Seasoned) -> Iterator[str]:
    """Find corrections wherever they may be: waiting, over the cap, or learned from."""
    for archived in (False, True):
        for item in s.corrections.pending(archived=archived, limit=ALL):
            yield case_from(item).scope.session
    for one in s.corrections.history(limit=ALL):
        yield one.scope.session


def test_kill_under_load_loses_no_write_that_was_acknowledged(gateways: Gateways) -> None:
    loads: list[Load] = []
    for number in range(KILLS):
        gateway = gateways(SEASONED_EMBEDDING__PROVIDER="none")
        with Load(gateway, f"r{number}") as load:
            wait_until(load.is_busy)
            gateway.end(signal.SIGKILL)
        assert load.statuses <= {200, 201}, load.refusals
        loads.append(load)
        check_kept(gateway, loads)


def test_sigterm_under_load_answers_every_write_or_says_that_it_stops(gateways: Gateways) -> None:
    loads: list[Load] = []
    for number in range(STOPS):
        gateway = gateways(SEASONED_EMBEDDING__PROVIDER="none")
        with Load(gateway, f"r{number}") as load:
            wait_until(load.is_busy)
            code, said = gateway.end(signal.SIGTERM)
        assert (code, said) == (0, "")
        assert load.statuses <= {200, 201, 503}, load.refusals
        assert load.cut_off == []
        for one in load.refusals:
            assert (one["type"], one["connection"]) == ("Stopping", "close")
        loads.append(load)
        check_kept(gateway, loads)
