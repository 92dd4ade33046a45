"""A provider on loopback that speaks the wire formats, says what it is told, and records bytes."""

import gzip
import itertools
import json
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Call:
    """A tool call that the model makes."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Reply:
    """What the model says next."""

    text: str = ""
    calls: Sequence[Call] = ()


@dataclass(frozen=True)
class Raw:
    """A response given word for word; `breaks` ends the connection before the response does."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    breaks: bool = False
    chunks: Sequence[bytes] | None = None


@dataclass(frozen=True)
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Provider:
    """Answers with what `say` queued; without that, with a short text."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.left = threading.Event()  # a client went away before it had everything
        self.going = threading.Event()  # lets a held stream go on
        self._answers: deque[Reply | Raw] = deque()
        self._ids = itertools.count(1)
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def handle_any(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                given = {name.lower(): value for name, value in self.headers.items()}
                seen = Seen(self.command, self.path, given, self.rfile.read(size))
                provider.seen.append(seen)
                provider.answer(self, seen)

            do_GET = do_POST = do_DELETE = do_PUT = handle_any  # noqa: N815

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, request: Any, client_address: Any) -> None:
                provider.left.set()

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def say(self, *answers: Reply | Raw | str) -> None:
        self._answers.extend(Reply(one) if isinstance(one, str) else one for one in answers)

    def close(self) -> None:
        self.going.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, handler: BaseHTTPRequestHandler, seen: Seen) -> None:
        given = self._answers.popleft() if self._answers else Reply("Fine.")
        if isinstance(given, Raw):
            self._raw(handler, given)
            return
        body, streamed = self.written(seen, given)
        kind = "text/event-stream" if streamed else "application/json"
        headers = {"content-type": kind, "x-request-id": f"req_{next(self._ids)}"}
        if "gzip" in seen.headers.get("accept-encoding", "") and not streamed:
            whole = gzip.compress(b"".join(body))
            self._raw(handler, Raw(body=whole, headers={**headers, "content-encoding": "gzip"}))
            return
        self._raw(handler, Raw(headers=headers, chunks=list(body)))

    def _raw(self, handler: BaseHTTPRequestHandler, raw: Raw) -> None:
        handler.send_response(raw.status)
        for name, value in raw.headers.items():
            handler.send_header(name, value)
        if raw.chunks is None:
            size = len(raw.body) + (100 if raw.breaks else 0)
            handler.send_header("content-length", str(size))
            handler.end_headers()
            handler.wfile.write(raw.body)
        else:
            handler.send_header("transfer-encoding", "chunked")
            handler.end_headers()
            for chunk in raw.chunks:
                if chunk == HOLD:
                    self._hold(handler)
                    continue
                handler.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
            if not raw.breaks:
                handler.wfile.write(b"0\r\n\r\n")
        if raw.breaks:
            handler.wfile.flush()
            handler.close_connection = True

    def _hold(self, handler: BaseHTTPRequestHandler) -> None:
        """Send nothing until told to go on; notice a client that leaves meanwhile."""
        handler.connection.settimeout(0.05)
        while not self.going.is_set():
            try:
                if handler.connection.recv(1) == b"":
                    self.left.set()
                    handler.close_connection = True
                    raise ConnectionResetError
            except TimeoutError:
                continue
        handler.connection.settimeout(None)

    def written(self, seen: Seen, reply: Reply) -> tuple[Iterator[bytes], bool]:
        """Write a reply in the format of the request."""
        path = seen.path.partition("?")[0]
        number = next(self._ids)
        if path.endswith("/chat/completions"):
            return openai_chat(seen.json, reply, number)
        if path.endswith("/responses"):
            return openai_responses(seen.json, reply, number)
        if path.endswith("/messages"):
            return anthropic(seen.json, reply, number)
        if "enerateContent" in path:
            return gemini(seen, reply, number)
        return iter([b'{"object":"list","data":[]}']), False


HOLD = b"(hold)"


def sse(event: Mapping[str, Any], name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(event)}\n\n".encode()


def pieces(text: str) -> list[str]:
    return [text[at : at + 7] for at in range(0, len(text), 7)]


def openai_chat(asked: Any, reply: Reply, number: int) -> tuple[Iterator[bytes], bool]:
    name = f"chatcmpl-{number}"
    calls: list[Any] = [
        {
            "id": f"call_{number}{at}Qx7Lk2Pz9Tr4Ws8V",
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
        }
        for at, call in enumerate(reply.calls)
    ]
    common = {"id": name, "created": 1, "model": asked.get("model", "m")}
    ending = "tool_calls" if calls else "stop"
    if not asked.get("stream"):
        message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
        if calls:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "finish_reason": ending}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        answer = {**common, "object": "chat.completion", "choices": [choice], "usage": usage}
        return iter([json.dumps(answer).encode()]), False

    def chunk(delta: Any, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return sse({**common, "object": "chat.completion.chunk", "choices": [choice]})

    def stream() -> Iterator[bytes]:
        yield chunk({"role": "assistant", "content": ""})
        for piece in pieces(reply.text):
            yield chunk({"content": piece})
        for at, call in enumerate(calls):
            function = call["function"]
            start = {**call, "index": at, "function": {"name": function["name"], "arguments": ""}}
            yield chunk({"tool_calls": [start]})
            for piece in pieces(function["arguments"]):
                yield chunk({"tool_calls": [{"index": at, "function": {"arguments": piece}}]})
        yield chunk({}, ending)
        yield b"data: [DONE]\n\n"

    return stream(), True


def openai_responses(asked: Any, reply: Reply, number: int) -> tuple[Iterator[bytes], bool]:
    output: list[dict[str, Any]] = []
    if reply.text:
        part: Any = {"type": "output_text", "text": reply.text, "annotations": []}
        message = {"type": "message", "id": f"msg_{number}", "role": "assistant"}
        output.append({**message, "status": "completed", "content": [part]})
    output += [
        {
            "type": "function_call",
            "id": f"fc_{number}{at}",
            "call_id": f"call_{number}{at}Qx7Lk2Pz9Tr4Ws8V",
            "name": call.name,
            "arguments": json.dumps(call.arguments),
            "status": "completed",
        }
        for at, call in enumerate(reply.calls)
    ]
    answer = {
        "id": f"resp_{number:04}Jq8Nw3Xv5Bm1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": asked.get("model", "m"),
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    if not asked.get("stream"):
        return iter([json.dumps(answer).encode()]), False

    def stream() -> Iterator[bytes]:
        order = itertools.count()

        def event(kind: str, **more: Any) -> bytes:
            return sse({"type": kind, "sequence_number": next(order), **more}, kind)

        begun = {**answer, "status": "in_progress", "output": []}
        yield event("response.created", response=begun)
        for at, item in enumerate(output):
            yield event("response.output_item.added", output_index=at, item=item)
            if item["type"] == "message":
                for piece in pieces(reply.text):
                    yield event(
                        "response.output_text.delta",
                        item_id=item["id"],
                        output_index=at,
                        content_index=0,
                        delta=piece,
                        logprobs=[],
                    )
            yield event("response.output_item.done", output_index=at, item=item)
        yield event("response.completed", response=answer)

    return stream(), True


def anthropic(asked: Any, reply: Reply, number: int) -> tuple[Iterator[bytes], bool]:
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    content += [
        {
            "type": "tool_use",
            "id": f"toolu_{number}{at}Qx7Lk2Pz9Tr4Ws8V",
            "name": call.name,
            "input": dict(call.arguments),
        }
        for at, call in enumerate(reply.calls)
    ]
    ending = "tool_use" if reply.calls else "end_turn"
    message = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": asked.get("model", "m"),
        "content": content,
        "stop_reason": ending,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    if not asked.get("stream"):
        return iter([json.dumps(message).encode()]), False

    def stream() -> Iterator[bytes]:
        begun = {**message, "content": [], "stop_reason": None}
        yield sse({"type": "message_start", "message": begun}, "message_start")
        yield sse({"type": "ping"}, "ping")
        for at, block in enumerate(content):
            empty: Any = (
                {**block, "text": ""} if block["type"] == "text" else {**block, "input": {}}
            )
            yield sse(
                {"type": "content_block_start", "index": at, "content_block": empty},
                "content_block_start",
            )
            is_text = block["type"] == "text"
            for piece in pieces(block["text"] if is_text else json.dumps(block["input"])):
                delta = (
                    {"type": "text_delta", "text": piece}
                    if is_text
                    else {"type": "input_json_delta", "partial_json": piece}
                )
                yield sse(
                    {"type": "content_block_delta", "index": at, "delta": delta},
                    "content_block_delta",
                )
            yield sse({"type": "content_block_stop", "index": at}, "content_block_stop")
        done = {"stop_reason": ending, "stop_sequence": None}
        usage = {"output_tokens": 1}
        yield sse({"type": "message_delta", "delta": done, "usage": usage}, "message_delta")
        yield sse({"type": "message_stop"}, "message_stop")

    return stream(), True


def gemini(seen: Seen, reply: Reply, number: int) -> tuple[Iterator[bytes], bool]:
    parts: list[dict[str, Any]] = [{"text": reply.text}] if reply.text else []
    parts += [{"functionCall": {"name": one.name, "args": one.arguments}} for one in reply.calls]

    def response(held: Any, finish: bool) -> dict[str, Any]:
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": held}, "index": 0}
        if finish:
            candidate["finishReason"] = "STOP"
        return {"candidates": [candidate], "responseId": f"r{number}", "modelVersion": "m"}

    if "streamGenerateContent" not in seen.path:
        return iter([json.dumps(response(parts, True)).encode()]), False
    said = [response([{"text": piece}], False) for piece in pieces(reply.text)]
    said.append(response([part for part in parts if "text" not in part], True))
    if "alt=sse" in seen.path:
        return iter([sse(one) for one in said]), True
    return iter([("[" if at == 0 else ",\n").encode() + json.dumps(one).encode()
                 for at, one in enumerate(said)] + [b"]"]), False  # fmt: skip
