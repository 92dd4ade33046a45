"""Several processes share a queue, some are killed: nothing is lost or done twice."""

import json
import signal
import subprocess
import sys

import pytest

from seasoned.db.queue.queue import QueueDepth

from .conftest import Place
from .test_queue import LEASE, NOW, body, fill, ids, listed

OPEN = """
import json, sys, time
from seasoned.db.opening import open_database
from seasoned.db.queue.opening import open_queue
database_url, queue_url, cap, own, first = sys.argv[1:]
db = open_database(database_url, busy_seconds=30)
db.run(db.open())
queue = open_queue(queue_url, db, int(cap))
now = 1_700_000_000_000_000
"""
PUSH = """
evicted = 0
for n in range(25):
    name = f"{own}-{n}"
    evicted += db.run(queue.push(name, json.dumps({"id": name}), now))
print(evicted, flush=True)
"""
PUSH_FOREVER = """
n = int(first)
while True:
    n += 1
    name = f"{own}-{n}"
    evicted = db.run(queue.push(name, json.dumps({"id": name}), now))
    print(json.dumps([name, evicted]), flush=True)
"""
WORK_FOREVER = """
while True:
    for item in db.run(queue.claim(2, now, 60_000_000)):
        print(json.dumps(["claimed", item.id]), flush=True)
        db.run(queue.finish(item.id))
        print(json.dumps(["finished", item.id]), flush=True)
        time.sleep(0.05)  # it must not be through before it is killed
"""


def started(
    place: Place, code: str, cap: int, own: str = "p", first: int = 0
) -> "subprocess.Popen[str]":
    arguments = [*place.addresses, str(cap), own, str(first)]
    return subprocess.Popen(
        [sys.executable, "-c", OPEN + code, *arguments], stdout=subprocess.PIPE, text=True
    )


def until_killed(process: "subprocess.Popen[str]", lines: int) -> list[list[str]]:
    """Return the output of a process that is killed after so many lines."""
    with process:
        assert process.stdout is not None
        said = [json.loads(process.stdout.readline()) for _ in range(lines)]
        process.send_signal(signal.SIGKILL)
        process.wait()
        return said + [json.loads(line) for line in process.stdout if line.endswith("\n")]


def test_processes_that_push_at_once_keep_the_cap_and_count_each_eviction(place: Place) -> None:
    processes = [started(place, PUSH, 10, f"p{n}") for n in range(3)]
    evicted = [int(process.communicate(timeout=60)[0]) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    queue = place.queue(cap=10)
    assert sum(evicted) == 65
    assert place.run(queue.depth(NOW)) == QueueDepth(10, 0, 0, 65, NOW, 65)
    kept = listed(place, queue) + listed(place, queue, archived=True)
    assert sorted(kept) == sorted(f"p{p}-{n}" for p in range(3) for n in range(25))


def test_what_a_killed_process_has_pushed_is_there_once(place: Place) -> None:
    queue, n, all_evicted = place.queue(cap=20), 0, 0
    for lines in (7, 33, 50):
        said = until_killed(started(place, PUSH_FOREVER, 20, first=n), lines)
        n += len(said)
        all_evicted += sum(int(evicted) for _, evicted in said)
        # The last push may be stored but not printed.
        depth = place.run(queue.depth(NOW))
        kept = listed(place, queue) + listed(place, queue, archived=True)
        assert len(kept) == depth.pending + depth.archived
        assert len(kept) in (n, n + 1)
        all_evicted += (len(kept) - n) * (n >= 20)
        n = len(kept)
        assert kept == [f"p-{number}" for number in range(n, 0, -1)]
        assert (depth.pending, depth.evicted) == (min(n, 20), all_evicted)


@pytest.mark.parametrize("lines", [1, 2, 5, 12])
def test_the_item_of_a_killed_worker_is_claimed_again_after_its_lease(
    place: Place, lines: int
) -> None:
    queue = place.queue(cap=100)
    names = [f"c{n:02}" for n in range(40)]
    fill(place, queue, *names, now=NOW - 100)
    said = until_killed(started(place, WORK_FOREVER, 100), lines)
    finished = [name for what, name in said if what == "finished"]
    later = ids(place.run(queue.claim(100, NOW + LEASE, LEASE)))
    assert not set(finished) & set(later)
    assert len(later) == len(set(later))
    # One item may be finished but not printed.
    silent = set(names) - set(finished) - set(later)
    assert len(silent) <= 1
    assert listed(place, queue) == later[::-1]
    assert place.run(queue.get(later[0])).body == body(later[0])
