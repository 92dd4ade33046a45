"""A script that runs each turn in a fork, and kills it after a number of transactions.

Read a line of JSON per turn: the database, the model's script, the message (empty: resume), and
after how many transactions to kill it; write the exit code and the last event. Slow imports happen
once, before the first fork.
"""

import json
import os
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

from seasoned import Seasoned
from seasoned.llm.chat.script import step_from
from seasoned.llm.chat.scripted import Scripted


def weather(city: str) -> str:
    """The weather in a city."""
    if city != "Oslo":
        raise ValueError(f"unknown city {city}; names are written as on the map")
    return "rain, 4 degrees"


def turn(database: str, script: list[Any], message: str, after: int) -> str:
    # Nothing is learned in the background meanwhile: that is another test's.
    s = Seasoned(database, environment={**os.environ, "SEASONED_BEHAVIORAL__DELAY_SECONDS": "120"})
    s.status()  # open now, so that its transactions are not counted
    kill_after(s, after)
    model = Scripted(*map(step_from, script))
    with s.agent(model, tools=[weather], built_in=[], session="chat") as agent:
        last = list(agent.events(message) if message else agent.resumed())[-1]
    return f"{last.kind} {last.text}"


def kill_after(s: Seasoned, transactions: int) -> None:
    db: Any = s.inner.app.db
    write, seen = db.write, 0

    @asynccontextmanager
    async def counted() -> AsyncGenerator[Any]:
        nonlocal seen
        async with write() as tx:
            yield tx
        seen += 1
        if seen == transactions:
            os._exit(9)

    db.write = counted


def forked(order: list[Any]) -> tuple[int, str]:
    with tempfile.NamedTemporaryFile("w+") as out:
        child = os.fork()
        if not child:
            try:
                out.write(turn(*order))
                out.flush()
                os._exit(0)  # background work belongs to other tests
            finally:
                os._exit(1)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        return code, out.read()


if __name__ == "__main__":
    import_module("seasoned.agent.agent")  # before the first fork
    for line in sys.stdin:
        sys.stdout.write(json.dumps(forked(json.loads(line))) + "\n")
        sys.stdout.flush()
