"""Every acknowledged observation survives a killed process."""

import signal
import subprocess
import sys
from collections.abc import Callable

from seasoned import Seasoned

# Prints a number once that observation is acknowledged; every fifth call fails.
STREAM = """
import sys
from seasoned import Seasoned
s = Seasoned(sys.argv[1])
number = 0
while True:
    number += 1
    error = f"disk {number} is full" if number % 5 == 0 else None
    s.observe("write", {"n": number}, result="ok", error=error, session=f"s{number % 7}")
    print(number, flush=True)
"""


def test_every_acknowledged_observation_survives_sigkill(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    known = 0
    for wanted in (40, 90):
        acknowledged = stream_until_killed(database_url, wanted)
        s = opened(database_url)
        calls = s.status()["calls"] - known
        assert acknowledged <= calls <= acknowledged + 1  # one may be stored but not printed
        report = s.verify_audit()
        assert report.intact, report.reason
        s.observe("write", {"n": 0}, result="ok")  # learning continues
        known += calls + 1


def stream_until_killed(database_url: str, wanted: int) -> int:
    """Kill a process after so many acknowledgements; return how many there were."""
    with subprocess.Popen(
        [sys.executable, "-c", STREAM, database_url], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= wanted:
                break
        process.send_signal(signal.SIGKILL)
        process.wait()
        return wanted + sum(1 for _ in process.stdout)
