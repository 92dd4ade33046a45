"""Measure what a hook costs the assistant that runs it: CPU and wall time of one call.

Five sets, beside a bare interpreter in the same run: the client with the service up (`up`), as the
installed command (`up_command`), for a failed call that gets a hint (`hint`), with a service that
has to start first (`cold`), and with one that cannot start (`absent`). CPU is that of the client's
own process; the service's is in `service_cpu_ms`, per event.

    python benchmarks/hooks.py [--quick] [--json]
"""

import argparse
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from seasoned import Seasoned
from seasoned.assistants import client

BARE = [sys.executable, "-c", "pass"]
ISOLATED = [sys.executable, "-I", "-S", "-c", "pass"]
CLIENT = [sys.executable, "-I", "-S", client.__file__, "--host", "claude-code"]
COMMAND = [
    *(sys.executable, "-c", "from seasoned.assistants.client import run; run()"),
    *("--host", "claude-code"),
]
SERVICE = [sys.executable, "-m", "seasoned.assistants.service"]
ERROR = "unknown flag: --stat"
Row = dict[str, str | float]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few calls, under a minute")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    options = parser.parse_args()
    calls, cold = (30, 3) if options.quick else (300, 15)
    with tempfile.TemporaryDirectory() as folder:
        rows = measured(Path(folder), calls, cold)
    if options.json:
        print(json.dumps(rows))
    else:
        show(rows)


def measured(folder: Path, calls: int, cold: int) -> list[Row]:
    home = folder / "home"
    environment = {**os.environ, "SEASONED_HOME": str(home), "SEASONED_HOOK_SECONDS": "30"}
    home.mkdir()
    with Seasoned(home / "seasoned.db", project="/w") as s:
        s.teach(ERROR, fix="Pass `--name-only`.", tool="Bash")
    rows = [
        timed("bare python", BARE, calls, lambda _: b"", environment),
        timed("bare python -I -S", ISOLATED, calls, lambda _: b"", environment),
    ]
    service = subprocess.Popen(SERVICE, env=environment, stderr=subprocess.DEVNULL)
    try:
        wait_for(home)
        timed("warm-up", CLIENT, 5, success, environment)
        before = cpu_of(service.pid)
        rows.append(timed("up", CLIENT, calls, success, environment))
        rows[-1]["service_cpu_ms"] = (cpu_of(service.pid) - before) * 1000 / calls
        rows.append(timed("up_command", COMMAND, calls, success, environment))
        before = cpu_of(service.pid)
        rows.append(timed("hint", CLIENT, calls, failure, environment))
        rows[-1]["service_cpu_ms"] = (cpu_of(service.pid) - before) * 1000 / calls
    finally:
        service.terminate()
        service.wait()
    rows.append(timed("cold", CLIENT, cold, success, environment, after=lambda: stop(home)))
    (home / "run" / client.FAILED).write_text("no")
    rows.append(timed("absent", CLIENT, calls, success, environment))
    return rows


def timed(
    name: str,
    command: Sequence[str],
    calls: int,
    event: Callable[[int], bytes],
    environment: dict[str, str],
    after: Callable[[], None] = lambda: None,
) -> Row:
    """Run a command so many times; return its median and worst times in milliseconds."""
    wall: list[float] = []
    cpu: list[float] = []
    for number in range(calls):
        payload = event(number)
        used, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(
            command, input=payload, env=environment, capture_output=True, check=False
        )
        wall.append((time.perf_counter() - start) * 1000)
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append((now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime) * 1000)
        if done.returncode or done.stderr or (name == "hint") != (b"name-only" in done.stdout):
            raise SystemExit(f"{name}: {done}")
        after()
    return {
        "set": name,
        "calls": calls,
        "cpu_ms": statistics.median(cpu),
        "wall_ms": statistics.median(wall),
        "wall_p95_ms": sorted(wall)[int(0.95 * (len(wall) - 1))],
    }


def success(number: int) -> bytes:
    response = {"stdout": "ok\n" * 100, "stderr": "", "interrupted": False, "isImage": False}
    return payload("PostToolUse", number, "ls -la", tool_response=response)


def failure(number: int) -> bytes:
    error = f"Exit code 1\n{ERROR}"
    return payload("PostToolUseFailure", number, f"gh pr diff {number} --stat", error=error)


def payload(event: str, number: int, command: str, **more: Any) -> bytes:
    session = f"session-{number}"
    call = f"c-{time.monotonic_ns()}"  # another call each time: the same one would count once
    use = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": call}
    told = {"hook_event_name": event, "session_id": session, "cwd": "/w", **use, **more}
    return json.dumps(told).encode()


def wait_for(home: Path) -> None:
    while not is_up(home):
        time.sleep(0.02)


def is_up(home: Path) -> bool:
    before = os.getcwd()
    try:
        line, _ = client.connect(str(home), time.monotonic() + 5)
    except (client.NoService, OSError):
        return False
    finally:
        os.chdir(before)
    line.close()
    return True


def stop(home: Path) -> None:
    """End the service that a client started, and wait until it is gone."""
    import socket

    before = os.getcwd()
    line, _ = client.connect(str(home), time.monotonic() + 5)
    os.chdir(before)
    with line:
        peer = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    service = int.from_bytes(peer[:4], sys.byteorder)
    os.kill(service, signal.SIGTERM)
    while is_alive(service):
        time.sleep(0.02)


def is_alive(process: int) -> bool:
    """Tell whether a process runs; one that has ended may wait for its parent as a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def cpu_of(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def show(rows: Sequence[Row]) -> None:
    print(f"{'':20}{'CPU ms':>8}{'wall ms':>9}{'p95 ms':>8}{'service CPU ms':>16}")
    for row in rows:
        figures = (row["cpu_ms"], row["wall_ms"], row["wall_p95_ms"])
        cpu, wall, worst = (f"{float(one):.1f}" for one in figures)
        service = f"{float(row['service_cpu_ms']):.2f}" if "service_cpu_ms" in row else ""
        print(f"{row['set']:20}{cpu:>8}{wall:>9}{worst:>8}{service:>16}")


if __name__ == "__main__":
    main()
