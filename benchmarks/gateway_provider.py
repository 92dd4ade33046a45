"""A provider for the gateway benchmark: streams a short answer at a steady pace, in any format.

    python benchmarks/gateway_provider.py [FIRST_MS [CHUNKS [EVERY_MS]]]

It prints its address, and serves until it is ended.
"""

import asyncio
import json
import sys
from contextlib import suppress
from typing import Any

import httptools

WORD = "forty two "
CHUNKS = 20
RULE = b"Always answer in German."  # that a gateway has learned


def chunks_for(path: str, count: int) -> list[bytes]:
    """Return the events of an answer, as the provider of this path writes them."""
    if path.endswith("/messages"):
        head: dict[str, Any] = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [],
        }
        usage = {"input_tokens": 1, "output_tokens": 1}
        head |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
        block = {"type": "text", "text": ""}
        events: list[dict[str, Any]] = [{"type": "message_start", "message": head}]
        events += [{"type": "content_block_start", "index": 0, "content_block": block}]
        piece = {"type": "text_delta", "text": WORD}
        events += [{"type": "content_block_delta", "index": 0, "delta": piece}] * count
        events += [{"type": "content_block_stop", "index": 0}]
        done = {"stop_reason": "end_turn", "stop_sequence": None}
        events += [{"type": "message_delta", "delta": done, "usage": {"output_tokens": 9}}]
        events += [{"type": "message_stop"}]
        return [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events]
    if "enerateContent" in path:
        content = {"role": "model", "parts": [{"text": WORD}]}
        pieces: list[dict[str, Any]] = [{"candidates": [{"content": content}]}] * count
        pieces += [{"candidates": [{"content": content, "finishReason": "STOP"}]}]
        return [f"data: {json.dumps(one)}\n\n".encode() for one in pieces]
    common: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
    }
    delta: Any = {
        "index": 0,
        "delta": {"role": "assistant", "content": WORD},
        "finish_reason": None,
    }
    last: Any = {"index": 0, "delta": {}, "finish_reason": "stop"}
    events = [{**common, "choices": [delta]}] * count + [{**common, "choices": [last]}]
    return [f"data: {json.dumps(one)}\n\n".encode() for one in events] + [b"data: [DONE]\n\n"]


class Connection(asyncio.Protocol):
    """Answers one request after the other."""

    first, count, every = 0.2, CHUNKS, 0.01  # seconds, chunks, seconds

    def __init__(self) -> None:
        self.parser: Any = None
        self.transport: Any = None
        self.path = ""
        self.told = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.parser = httptools.HttpRequestParser(self)

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def on_url(self, url: bytes) -> None:
        self.path = url.decode().partition("?")[0]

    def on_body(self, body: bytes) -> None:
        self.told = self.told or RULE in body

    def on_message_complete(self) -> None:
        loop = asyncio.get_running_loop()
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
        head += b"x-told: %d\r\ntransfer-encoding: chunked\r\n\r\n" % self.told
        self.told = False
        loop.call_later(self.first, self.write, head, chunks_for(self.path, self.count), 0)

    def write(self, head: bytes, chunks: list[bytes], place: int) -> None:
        if self.transport.is_closing():
            return
        piece = chunks[place]
        framed = b"%x\r\n%b\r\n" % (len(piece), piece)
        if place + 1 == len(chunks):
            self.transport.write(head + framed + b"0\r\n\r\n")
            return
        self.transport.write(head + framed)
        asyncio.get_running_loop().call_later(self.every, self.write, b"", chunks, place + 1)


async def serve() -> None:
    given = [float(one) for one in sys.argv[1:]]
    if given:
        Connection.first = given[0] / 1000
    if len(given) > 2:
        Connection.count, Connection.every = int(given[1]), given[2] / 1000
    server = await asyncio.get_running_loop().create_server(
        Connection, "127.0.0.1", 0, backlog=1024
    )
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(serve())
