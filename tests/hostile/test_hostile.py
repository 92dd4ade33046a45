"""A good agent works while a thousand hostile and slow connections are made to its host.

The attackers are a process of their own; the host is the real command. Everything is on loopback,
and bounded in number and time.
"""

import subprocess
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest
from tests.protocol.serving import Agent, Process

from seasoned import Seasoned
from seasoned.protocol import LearnAPI, connect

pytestmark = pytest.mark.sqlite_only

CONNECTIONS = 1400  # a hundred of each kind
AT_ONCE = 400
LONGEST_WAIT = 1.0  # seconds, for any call of the good agent
MOST_GROWTH = 60 * 2**20  # bytes of the host's memory
LEAST_CALLS = 20
ATTACKERS = Path(__file__).with_name("attackers.py")


@dataclass(slots=True)
class GoodAgent:
    """Sends feedback and experiences, asks for statistics, and notes how long each call took."""

    learn: LearnAPI
    acknowledged: int = 0
    steps: int = 0
    waits: list[float] = field(default_factory=list[float])

    def work(self) -> None:
        number = len(self.waits)
        began = time.monotonic()
        if number % 3 == 0:
            self.acknowledged += self.learn.feedback("positive", skill_name="sums").recorded
        elif number % 3 == 1:
            step = {"action": {"skill": "sums", "duration_ms": 5, "success": True}, "reward": 1.0}
            self.steps += self.learn.experience([step])
        else:
            (record,), _ = self.learn.stats("sums")
            assert record.calls_total == self.steps
        self.waits.append(time.monotonic() - began)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Process]:
    monkeypatch.setenv("SEASONED_HOME", str(tmp_path))
    process = Process(tmp_path)
    yield process
    process.end()


@pytest.mark.timeout(120)
def test_a_good_agent_never_waits_for_hostile_ones(host: Process, tmp_path: Path) -> None:
    with connect(host.url, tries=1, timeout_seconds=10) as client:
        agent = GoodAgent(LearnAPI(client))
        calm = _calm_wait(agent)
        memory = psutil.Process(host.process.pid).memory_info
        before = memory().rss
        highest = before
        command = [sys.executable, str(ATTACKERS), str(host.port), str(CONNECTIONS), str(AT_ONCE)]
        attackers = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        agent.waits.clear()
        noise = calm
        while attackers.poll() is None:
            agent.work()
            highest = max(highest, memory().rss)
            noise = max(noise, _overslept(0.01))
            if len(agent.waits) == LEAST_CALLS:  # in the thick of it
                agent.acknowledged += _newcomer(host.url)
        told, _ = attackers.communicate(timeout=10)
        assert int(told) == CONNECTIONS
        assert len(agent.waits) >= LEAST_CALLS
        # A call needs several turns of two processes; on a busy machine each may come late.
        assert max(agent.waits) < LONGEST_WAIT + 4 * noise
        assert highest - before < MOST_GROWTH
        for _ in range(3):
            agent.work()
        asker = Agent(host.port, reads=False)
        status, health = asker.get("/health")
        asker.close()
        assert (status, health["status"], health["database"]) == (200, "ok", "ok")
        assert health["refused"]["callers"] >= CONNECTIONS // 14
        assert health["refused"]["headers"] >= 1
    assert host.end() == (0, "")
    with Seasoned(tmp_path / "seasoned.db") as s:
        assert s.feedback.stats()["helpfulness"].count == agent.acknowledged
        assert s.experiences.count() == agent.steps
        assert s.rules.list() == []  # nobody without the token taught anything


def _newcomer(url: str) -> int:
    """Let another agent connect and send feedback; return how much was recorded."""
    with connect(url, timeout_seconds=20) as client:
        return LearnAPI(client).feedback("positive").recorded


def _overslept(seconds: float) -> float:
    """Sleep; return how much later than asked for the machine went on with this process."""
    began = time.monotonic()
    time.sleep(seconds)
    return time.monotonic() - began - seconds


def _calm_wait(agent: GoodAgent) -> float:
    """Return the longest wait without attackers, after the first calls."""
    for _ in range(33):
        agent.work()
    return max(agent.waits[3:])
