"""A script that runs a call in a fork, and kills it at one of its writes.

Read a line of JSON per run: the deed, the database, the address of the queue, and before which
write (or after which commit; they count as well) to kill it; write whether it was acknowledged.
"""

import json
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

from seasoned import Seasoned
from seasoned.core.clock import FixedClock

WRITES = ("execute", "send", "script", "execute_many", "insert")


def feedback(s: Seasoned) -> None:
    s.feedback.add(
        "corrective",
        prompt="List the containers",
        response="Run docker ps.",
        correction="No, use podman, not docker.",
        session="chat",
        skill="plan",
        id="f1",
    )


def correct(s: Seasoned) -> None:
    s.correct("No, use podman, not docker.", request="List them", reply="docker ps", session="chat")


def teach(s: Seasoned) -> None:
    s.teach("podman: command not found", fix="Use docker.", tool="shell")


def teach_rule(s: Seasoned) -> None:
    s.teach("starting containers", rule="Use podman, not docker.")


DEEDS: dict[str, Callable[[Seasoned], None]] = {
    "feedback": feedback,
    "correct": correct,
    "teach": teach,
    "teach a rule": teach_rule,
}


class Killer:
    """Ends this process at its n-th write or commit."""

    def __init__(self, number: int) -> None:
        self.left = number

    def tick(self) -> None:
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)


class Counted:
    """A connection whose writes are counted."""

    def __init__(self, tx: Any, killer: Killer) -> None:
        self._tx = tx
        self._killer = killer

    def __getattr__(self, name: str) -> Any:
        if name in WRITES:
            self._killer.tick()
        return getattr(self._tx, name)


def kill_at(s: Seasoned, number: int) -> None:
    db: Any = s.inner.app.db
    write, killer = db.write, Killer(number)

    @asynccontextmanager
    async def counted() -> AsyncGenerator[Any]:
        async with write() as tx:
            yield Counted(tx, killer)
        killer.tick()

    db.write = counted


def run(deed: str, database: str, queue: str, number: int) -> None:
    s = Seasoned(database, clock=FixedClock(), environment={"SEASONED_QUEUE__URL": queue})
    kill_at(s, number)
    DEEDS[deed](s)
    sys.stdout.write("done")
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)  # right after its acknowledgement


def forked(deed: str, database: str, queue: str, number: int) -> str:
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(writer, 1)
        try:
            run(deed, database, queue, number)
        finally:
            os._exit(70)  # it raised
    os.close(writer)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with os.fdopen(reader) as told:
        done = told.read() or "killed"
    return done if status == -signal.SIGKILL else f"failed {status}"


def main() -> None:
    with Seasoned(":memory:") as s:  # slow imports happen once, before the first fork
        for deed in DEEDS.values():
            deed(s)
    for line in sys.stdin:
        sys.stdout.write(forked(*json.loads(line)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
