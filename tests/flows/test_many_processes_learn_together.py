"""Several agents on one database: nothing is lost, doubled or stuck."""

import subprocess
import sys
from collections.abc import Callable

from seasoned import Seasoned

# Each agent makes the same three mistakes repeatedly, in its own order.
AGENT = """
import random, sys
from seasoned import Seasoned
worker, rounds = int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(worker)
stories = [
    ("docker run {0}", "podman run {0}", "bash: docker: command not found"),
    ("cat logs/{0}", "zcat logs/{0}", "cat: logs/{0}: binary file, try another tool"),
    ("mount /dev/{0}", "udisksctl mount /dev/{0}", "mount: not for you on this machine"),
]
with Seasoned(sys.argv[1]) as s:
    for number in range(rounds):
        for bad, good, error in rng.sample(stories, 3):
            name, session = f"n{worker}x{number}", f"{worker}-{number}-{bad[:3]}"
            failed, worked = {"command": bad.format(name)}, {"command": good.format(name)}
            s.observe("shell", failed, error=error.format(name), session=session)
            s.observe("shell", worked, result="ok", session=session)
"""
WORKERS, ROUNDS = 4, 12


def test_agents_in_several_processes_share_what_they_learn(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    s = opened(database_url)
    agents = [
        subprocess.Popen([sys.executable, "-c", AGENT, database_url, str(worker), str(ROUNDS)])
        for worker in range(WORKERS)
    ]
    assert [agent.wait(100) for agent in agents] == [0] * WORKERS
    status = s.status()
    assert status["calls"] == WORKERS * ROUNDS * 3 * 2
    assert status["failures"] == WORKERS * ROUNDS * 3
    assert status["episodes"] == {"resolved": WORKERS * ROUNDS * 3}
    assert {error.seen for error in s.errors()} == {WORKERS * ROUNDS}
    assert s.verify_audit().intact
    fixes = s.lessons(kind="fix")
    assert {lesson.status for lesson in fixes} == {"active"}
    for lesson in fixes:
        evidence = s.why(lesson.id).evidence
        assert sum(one.worked for one in evidence) == lesson.belief.worked
        assert sum(one.failed for one in evidence) == lesson.belief.failed
