"""A JSON server on the loopback that answers like a model or a webhook.

Each request gets the next of the `replies`; after the last one, the last one again.
"""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Asked:
    path: str
    headers: dict[str, str]
    raw: bytes
    body: Any = field(default=None)


@dataclass(frozen=True)
class Reply:
    """A reply; a `body` that is not bytes is sent as JSON."""

    body: Any = field(default_factory=dict[str, Any])
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    delay_seconds: float = 0.0


class JsonService:
    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies) or [Reply()]
        self.asked: list[Asked] = []
        self._turn = threading.Lock()
        self._release = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def stop(self) -> None:
        self._release.set()
        self._server.shutdown()
        self._server.server_close()

    def _reply(self, asked: Asked) -> Reply:
        with self._turn:
            self.asked.append(asked)
            reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        if reply.delay_seconds:
            self._release.wait(reply.delay_seconds)
        return reply

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                reply = service._reply(
                    Asked(self.path, dict(self.headers), raw, json.loads(raw or b"null"))
                )
                whole = isinstance(reply.body, bytes)
                content = reply.body if whole else json.dumps(reply.body).encode()
                try:
                    self.send_response(reply.status)
                    usual = {"Content-Length": str(len(content))}
                    usual |= {} if whole else {"Content-Type": "application/json"}
                    for name, value in {**usual, **reply.headers}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(content)
                except OSError:  # the client gave up
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Log nothing; tests read `asked`."""

        return Handler


def openai(data: Any, tokens: tuple[int, int] = (120, 30), *, ended: str = "stop") -> Any:
    message = {"role": "assistant", "content": said(data), "refusal": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m-1",
        "choices": [{"index": 0, "message": message, "finish_reason": ended}],
        "usage": {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
        },
    }


def anthropic(data: Any, tokens: tuple[int, int] = (120, 30), *, ended: str = "tool_use") -> Any:
    block = (
        {"type": "text", "text": data}
        if isinstance(data, str)
        else {"type": "tool_use", "id": "toolu_1", "name": "colour", "input": data}
    )
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m-1",
        "stop_sequence": None,
        "content": [{"type": "thinking", "thinking": "", "signature": "x"}, block],
        "stop_reason": ended,
        "usage": {
            "input_tokens": tokens[0] - 20,
            "cache_creation_input_tokens": 20,
            "cache_read_input_tokens": 0,
            "output_tokens": tokens[1],
        },
    }


def gemini(data: Any, tokens: tuple[int, int] = (120, 30), *, ended: str = "STOP") -> Any:
    parts = [{"text": "thinking", "thought": True}, {"text": said(data)}]
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": ended}],
        "usageMetadata": {
            "promptTokenCount": tokens[0],
            "candidatesTokenCount": tokens[1] - 10,
            "thoughtsTokenCount": 10,
            "totalTokenCount": sum(tokens),
        },
        "modelVersion": "m-1",
        "responseId": "r-1",
    }


def said(data: Any) -> str:
    return data if isinstance(data, str) else json.dumps(data)


SPOKEN: dict[str, Callable[..., Any]] = {
    "openai": openai,
    "anthropic": anthropic,
    "gemini": gemini,
    "ollama": openai,  # Ollama serves the same format
}
CUT_OFF = {
    "openai": "length",
    "anthropic": "max_tokens",
    "gemini": "MAX_TOKENS",
    "ollama": "length",
}
