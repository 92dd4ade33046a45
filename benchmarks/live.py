"""Measure what idle WebSockets cost the gateway, and how soon many of them hear an event.

The gateway is a process of its own, with a scripted model. `idle`: memory of the process (resident,
in MB) before any WebSocket, with 100, with 1,000, and per WebSocket; the agent is loaded first,
since a server that is used has loaded it. `fan_out`: all of them follow one session, and a turn is
taken in it: seconds from its message to the `done` of the last one. The limit is 200 MB at 1,000.

    python benchmarks/live.py [--quick] [--sockets 1000] [--json]
"""

import argparse
import asyncio
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

LIMIT_MB = 200
AT_ONCE = 50  # connections opened at the same time
SPARE_FILES = 200
Row = dict[str, str | float]


@dataclass(frozen=True, slots=True)
class Running:
    """A gateway: its process, address and token."""

    process: int
    url: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def resident_mb(self) -> float:
        status = Path(f"/proc/{self.process}/status").read_text("ascii")
        return int(re.findall(r"VmRSS:\s+(\d+) kB", status)[0]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="200 WebSockets")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    parser.add_argument("--sockets", type=int, help="how many")
    options = parser.parse_args()
    sockets = options.sockets or (200 if options.quick else 1000)
    _allow_files(sockets + SPARE_FILES)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as gateway:
        rows = asyncio.run(measured(gateway, sockets))
    if options.json:
        print(json.dumps(rows))
    else:
        show(rows)


@contextmanager
def serving(folder: Path) -> Generator[Running]:
    script = folder / "script.json"
    script.write_text(json.dumps(["Hello."] + ["A reply of a few words."] * 10), "utf-8")
    command = [sys.executable, "-m", "seasoned", "serve", "--http", "127.0.0.1:0"]
    settings = {"SEASONED_HOME": str(folder), "SEASONED_AGENT__MODEL": f"scripted:{script}"}
    environment = {**os.environ, **settings}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://[\d.:]+", line)
        if found is None:
            raise SystemExit(f"the gateway did not start: {line}{process.stderr.read()}")
        try:
            token = (folder / "token").read_text("utf-8").strip()
            yield Running(process.pid, found[0], token)
        finally:
            process.terminate()
            process.wait()


async def measured(gateway: Running, most: int) -> list[Row]:
    rows = [_row("idle", 0, "resident_mb_at_start", gateway.resident_mb())]
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(
            httpx.AsyncClient(base_url=gateway.url, headers=gateway.headers, timeout=60)
        )
        (await client.post("/v1/chat", json={"message": "hi"})).raise_for_status()
        before = gateway.resident_mb()
        rows.append(_row("idle", 0, "resident_mb", before))
        opened: list[ClientConnection] = []
        for size in (most // 10, most):
            opened += await _opened(stack, gateway, size - len(opened))
            await client.get("/health/ready")
            rows.append(_row("idle", size, "resident_mb", gateway.resident_mb()))
        each = (gateway.resident_mb() - before) * 1024 / most
        rows.append(_row("idle", most, "kb_per_websocket", each))
        rows.append(_row("idle", most, "under_the_limit", float(gateway.resident_mb() < LIMIT_MB)))
        rows.append(_row("fan_out", most, "seconds", await _fan_out(opened)))
        rows.append(_row("fan_out", most, "resident_mb", gateway.resident_mb()))
    return rows


async def _opened(stack: AsyncExitStack, gateway: Running, sockets: int) -> list[ClientConnection]:
    opened: list[ClientConnection] = []
    address = gateway.url.replace("http", "ws") + "/ws"
    for first in range(0, sockets, AT_ONCE):
        count = min(AT_ONCE, sockets - first)
        connecting = (
            connect(
                address,
                additional_headers=gateway.headers,
                compression=None,
                ping_interval=None,
                open_timeout=60,
            )
            for _ in range(count)
        )
        batch = await asyncio.gather(*connecting)
        for one in batch:
            stack.push_async_callback(one.close)
        opened += batch
    await asyncio.gather(*(_answered(one, {"type": "ping"}, "pong") for one in opened))
    return opened


async def _fan_out(sockets: Sequence[ClientConnection]) -> float:
    asking = {"type": "subscribe", "session": "all"}
    await asyncio.gather(*(_answered(one, asking, "subscribed") for one in sockets))
    start = time.perf_counter()
    message = {"type": "message", "session": "all", "text": "Say something."}
    await sockets[0].send(json.dumps(message))
    await asyncio.gather(*(_until(one, "done") for one in sockets))
    return time.perf_counter() - start


async def _answered(socket: ClientConnection, frame: dict[str, Any], kind: str) -> None:
    await socket.send(json.dumps(frame))
    await _until(socket, kind)


async def _until(socket: ClientConnection, kind: str) -> None:
    while json.loads(await socket.recv())["type"] != kind:
        pass


def _allow_files(wanted: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(wanted, 1024), most), most))


def _row(name: str, sockets: int, metric: str, value: float) -> Row:
    return {"set": name, "websockets": sockets, "metric": metric, "value": round(value, 2)}


def show(rows: Sequence[Row]) -> None:
    print(f"{'set':<10}{'websockets':>12}  {'metric':<22}{'value':>10}")
    for one in rows:
        print(
            f"{one['set']:<10}{one['websockets']:>12,}  {one['metric']:<22}{one['value']:>10,.2f}"
        )


if __name__ == "__main__":
    main()
