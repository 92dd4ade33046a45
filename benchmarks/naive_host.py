"""A learn host written in an afternoon: a row and a commit per item, nothing batched.

Speaks the same HTTP, keeps a message's pieces as JSON in one table with Python's own sqlite3 and
the same durability as ours, and knows its sessions as long as it runs. It attributes nothing, adds
nothing up and deduplicates by a primary key: the least that any host must do.

    python benchmarks/naive_host.py DATABASE
"""

import asyncio
import json
import sqlite3
import sys
import uuid
from collections.abc import AsyncIterator

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

KINDS = {
    "learn/feedback/req": ("feedbacks", "feedback_id", "recorded"),
    "learn/experience/req": ("experiences", "experience_id", "stored"),
}


def opened(path: str) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("CREATE TABLE IF NOT EXISTS pieces (id TEXT PRIMARY KEY, kind TEXT, body TEXT)")
    return db


class NaiveHost:
    def __init__(self, path: str) -> None:
        self.db = opened(path)
        self.outboxes: dict[str, asyncio.Queue[str]] = {}

    async def session(self, request: Request) -> Response:
        name = uuid.uuid4().hex
        self.outboxes[name] = asyncio.Queue()
        return JSONResponse({"session_id": name})

    async def send(self, request: Request) -> Response:
        message = json.loads(await request.body())
        reply = {"type": "pong", "id": uuid.uuid4().hex, "req_id": message["id"]}
        if message["type"] == "handshake/req":
            reply |= {"type": "handshake/resp", "ok": True}
        elif message["type"] in KINDS:
            many, name, counted = KINDS[message["type"]]
            for piece in message[many]:
                self.db.execute(
                    "INSERT OR IGNORE INTO pieces VALUES (?, ?, ?)",
                    (piece[name], many, json.dumps(piece)),
                )
            reply |= {"type": f"learn/{many[:-1]}/resp", counted: len(message[many])}
        self.outboxes[request.headers["x-session-id"]].put_nowait(json.dumps(reply))
        return JSONResponse({"ok": True})

    async def stream(self, request: Request) -> Response:
        outbox = self.outboxes[request.headers["x-session-id"]]

        async def lines() -> AsyncIterator[str]:
            while True:
                yield f"data: {await outbox.get()}\n\n"

        return StreamingResponse(lines(), media_type="text/event-stream")


def main() -> None:
    from seasoned.protocol.host.http_server import listening

    host = NaiveHost(sys.argv[1])
    app = Starlette(
        routes=[
            Route("/session", host.session, methods=["POST"]),
            Route("/send", host.send, methods=["POST"]),
            Route("/stream", host.stream),
        ]
    )
    bound = listening("127.0.0.1", 0)
    bound.listen()
    print(f"on http://127.0.0.1:{bound.getsockname()[1]}", file=sys.stderr, flush=True)
    config = uvicorn.Config(
        app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=1
    )
    uvicorn.Server(config).run(sockets=[bound])


if __name__ == "__main__":
    main()
