"""How a gateway ends: SIGTERM loses nothing in flight, kill -9 nothing that was acknowledged."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.server.live.scripts import wait_until
from tests.server.serving import Gateway

from seasoned import Seasoned
from seasoned.core.errors import BadInput, SeasonedError
from seasoned.protocol import LearnAPI, connect

Gateways = Callable[..., Gateway]
CHATTERS, ENOUGH = 3, 12

pytestmark = pytest.mark.sqlite_only


def scripted(folder: Path, *steps: Any) -> dict[str, str]:
    script = folder / "script.json"
    script.write_text(json.dumps(list(steps)), "utf-8")
    return {
        "SEASONED_AGENT__MODEL": f"scripted:{script}",
        "SEASONED_EMBEDDING__PROVIDER": "none",
    }


class Load:
    """Clients that talk and send feedback until the server is gone; `kept` is what it promised."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.replies: list[tuple[str, str]] = []  # session and message
        self.feedback: list[str] = []
        self._over = False
        self._threads = [
            threading.Thread(target=self._chat, args=(number,)) for number in range(CHATTERS)
        ]
        self._threads.append(threading.Thread(target=self._rate))
        for one in self._threads:
            one.start()

    def __enter__(self) -> "Load":
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        for one in self._threads:
            one.join(60)

    def _chat(self, number: int) -> None:
        headers = {"Authorization": f"Bearer {self.gateway.token}"}
        with httpx.Client(base_url=self.gateway.url, headers=headers, timeout=60) as client:
            for count in takewhile(lambda _: not self._over, range(10_000)):
                body = {"message": f"message {count}", "session": f"chat{number}"}
                try:
                    answer = client.post("/v1/chat", json=body)
                except httpx.HTTPError:
                    return
                if answer.status_code != 200:
                    assert answer.status_code == 503, answer.text
                    return
                self.replies.append((body["session"], body["message"]))

    def _rate(self) -> None:
        with connect(self.gateway.url, token=self.gateway.token, tries=1) as client:
            learn = LearnAPI(client)
            for count in takewhile(lambda _: not self._over, range(10_000)):
                name = f"feedback-{count}"
                given = {"feedback_id": name, "polarity": "positive", "score": 0.9, "prompt": name}
                try:
                    recorded = learn.feedback([given]).recorded
                except BadInput:
                    raise
                except (SeasonedError, httpx.HTTPError, OSError):
                    return  # the server is gone
                if recorded:
                    self.feedback.append(name)

    def is_busy(self) -> bool:
        return len(self.replies) >= ENOUGH and len(self.feedback) >= ENOUGH


def check_kept(gateway: Gateway, load: Load) -> None:
    with Seasoned(gateway.home / "seasoned.db") as s:
        for session in {name for name, _ in load.replies}:
            stored = [(one.role, one.text) for one in s.sessions.messages(session)]
            for one in (message for name, message in load.replies if name == session):
                place = stored.index(("user", one))
                assert stored[place + 1] == ("assistant", "A reply.")
        rated = {one.feedback.id for one in s.feedback.list(limit=100_000)}
        assert set(load.feedback) <= rated


def test_kill_under_load_loses_nothing_that_was_acknowledged(
    gateways: Gateways, tmp_path: Path
) -> None:
    gateway = gateways(**scripted(tmp_path, *["A reply."] * 5000))
    with Load(gateway) as load:
        wait_until(load.is_busy)
        gateway.end(signal.SIGKILL)
    check_kept(gateway, load)


def test_sigterm_under_load_finishes_what_was_begun(gateways: Gateways, tmp_path: Path) -> None:
    gateway = gateways(**scripted(tmp_path, *["A reply."] * 5000))
    with Load(gateway) as load:
        wait_until(load.is_busy)
        code, said = gateway.end(signal.SIGTERM)
    assert (code, said) == (0, "")
    check_kept(gateway, load)
    with Seasoned(gateway.home / "seasoned.db") as s:
        turns = [one for number in range(CHATTERS) for one in s.sessions.turns(f"chat{number}")]
    assert {one.status for one in turns} == {"done"}  # none was cut off


def test_a_turn_in_progress_ends_and_new_ones_are_refused(
    gateways: Gateways, tmp_path: Path
) -> None:
    slow = {"say": "word " * 40, "pause_seconds": 0.1}
    gateway = gateways(**scripted(tmp_path, slow, "Never."))
    headers = {"Authorization": f"Bearer {gateway.token}"}
    body = {"message": "hi", "session": "s1", "stream": True}
    with (
        httpx.Client(base_url=gateway.url, headers=headers, timeout=60) as client,
        client.stream("POST", "/v1/chat", json=body) as answer,
    ):
        lines = answer.iter_lines()
        next(one for one in lines if one == "event: chunk")
        gateway.process.send_signal(signal.SIGTERM)
        wait_until(lambda: gateway.get("/health/ready", token=None).status_code == 503)
        refused = gateway.post("/v1/chat", {"message": "Me, too.", "session": "s2"})
        assert (refused.status_code, refused.json()["error"]["type"]) == (503, "Stopping")
        assert refused.headers["retry-after"] == "1"
        assert gateway.post("/session", token=None).status_code == 503
        assert [one for one in lines if one.startswith("event: ")][-1] == "event: done"
    gateway.process.wait(30)  # another signal would end it at once
    assert gateway.end() == (0, "")


def test_a_turn_that_a_kill_cut_off_is_resumed(gateways: Gateways, tmp_path: Path) -> None:
    slow = {"say": "word " * 400, "pause_seconds": 0.1}
    gateway = gateways(**scripted(tmp_path, slow))
    headers = {"Authorization": f"Bearer {gateway.token}"}
    body = {"message": "hi", "session": "s1", "stream": True}
    with (
        httpx.Client(base_url=gateway.url, headers=headers, timeout=60) as client,
        client.stream("POST", "/v1/chat", json=body) as answer,
    ):
        next(one for one in answer.iter_lines() if one == "event: chunk")
        gateway.end(signal.SIGKILL)
        answer.close()
    again = gateways(**scripted(tmp_path, "Here is your answer."))
    resumed = again.post("/v1/chat", {"session": "s1", "resume": True})
    assert resumed.json()["reply"] == "Here is your answer."
    assert again.post("/v1/chat", {"session": "s1", "resume": True}).status_code == 502


def test_health_says_stopping_and_a_second_signal_ends_at_once(
    gateways: Gateways, tmp_path: Path
) -> None:
    slow = {"say": "word " * 400, "pause_seconds": 0.1}
    gateway = gateways(**scripted(tmp_path, slow))
    headers = {"Authorization": f"Bearer {gateway.token}"}
    body = {"message": "hi", "session": "s1", "stream": True}
    with (
        httpx.Client(base_url=gateway.url, headers=headers, timeout=60) as client,
        client.stream("POST", "/v1/chat", json=body) as answer,
    ):
        next(one for one in answer.iter_lines() if one == "event: chunk")
        gateway.process.send_signal(signal.SIGTERM)
        wait_until(lambda: gateway.get("/health/ready", token=None).status_code == 503)
        health = gateway.get("/health").json()
        assert health["parts"]["gateway"]["state"] == "stopping"
        assert "stopping" in health["reasons"]
        start = time.monotonic()
        gateway.process.send_signal(signal.SIGTERM)
        assert gateway.process.wait(10) == 128 + signal.SIGTERM
        assert time.monotonic() - start < 2
        answer.close()
    with Seasoned(gateway.home / "seasoned.db") as s:
        assert [one.text for one in s.sessions.messages("s1") if one.role == "user"] == ["hi"]
        assert s.verify_audit().intact


def test_a_worker_ends_in_order_and_keeps_what_it_was_given(tmp_path: Path) -> None:
    home = tmp_path / "home"
    variables = {"SEASONED_HOME": str(home), "SEASONED_EMBEDDING__PROVIDER": "none"}
    with subprocess.Popen(
        [sys.executable, "-m", "seasoned", "worker"],
        stderr=subprocess.PIPE,
        env={**os.environ, **variables},
        text=True,
    ) as process:
        assert process.stderr is not None
        assert "worker on" in process.stderr.readline()
        with Seasoned(home / "seasoned.db", environment=variables) as s:
            s.correct("No, never touch the archive.", request="Tidy.", reply="Done.", session="s")
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert process.stderr.read() == ""
    with Seasoned(home / "seasoned.db", environment=variables) as s:
        waiting = len(s.corrections.pending(limit=10))
        assert waiting + len(s.corrections.history(limit=10)) == 1
        assert s.verify_audit().intact
