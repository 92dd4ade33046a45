"""Run one program and end everything that it started, also what left its session or its parent.

This file is a program of its own, for Linux: `python -I -S reaper.py STATUS_FD PROGRAM ARGS…`. It
adopts the orphans among its descendants, so no process can get out of its reach. When the program
ends, or when the reaper gets SIGTERM or its own parent dies, all of them are killed. It imports
little, because it starts before each program.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
GRACE_SECONDS = 2  # between SIGTERM and SIGKILL
KILL_SECONDS = 5.0  # for programs that start others faster than they are killed


def main(status: int, argv: list[str]) -> None:
    os.set_inheritable(status, False)
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    # What Python ignores, the program must not ignore.
    restored = [signal.SIGPIPE, signal.SIGXFSZ]
    try:
        program = os.posix_spawnp(argv[0], argv, os.environ, setsid=True, setsigdef=restored)
    except OSError as error:
        os.write(status, f"error {error.errno}\n".encode())
        return
    os.write(status, f"started {program}\n".encode())
    signal.signal(signal.SIGTERM, lambda number, frame: _stop(program))
    signal.signal(signal.SIGALRM, lambda number, frame: _signal_group(program, signal.SIGKILL))
    code = _wait_for(program)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.alarm(0)
    _kill_descendants()
    os.write(status, f"ended {code}\n".encode())


def _stop(program: int) -> None:
    _signal_group(program, signal.SIGTERM)
    signal.alarm(GRACE_SECONDS)


def _wait_for(program: int) -> int:
    while True:
        ended, status = os.wait()
        if ended == program:
            return os.waitstatus_to_exitcode(status)


def _kill_descendants() -> None:
    until = time.monotonic() + KILL_SECONDS
    while time.monotonic() < until:
        for process in list(_descendants(os.getpid())):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            time.sleep(0.005)
        except ChildProcessError:
            return  # nobody is left


def _descendants(parent: int) -> Iterator[int]:
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                above = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue  # it ended meanwhile
        children.setdefault(above, []).append(int(name))
    waiting = [parent]
    while waiting:
        found = children.get(waiting.pop(), [])
        yield from found
        waiting += found


def _signal_group(program: int, number: int) -> None:
    try:
        os.killpg(program, number)
    except ProcessLookupError:
        return


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
