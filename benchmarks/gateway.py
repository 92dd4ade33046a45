"""Measure what the proxies add to a provider's latency, beside LiteLLM's proxy in the same run.

A provider on this machine streams an answer: the first chunk after 200 ms, then twenty more, every
10 ms. Agents hold conversations with it, at 1, 16 and 128 at once: directly (`bare`), through the
gateway (`seasoned`, which learns from each request and adds to it) and through LiteLLM's proxy
(`litellm`, which does neither). Each request is a new turn with a message of its own, five tools
and the whole history. `first` is the time to the first chunk, `whole` to the last; `added` is what
a proxy adds to the same percentile of the bare provider, `cpu` the processor time of its process.
`told` is the share of requests that the gateway added to: under too much load, learning comes too
late (`proxy.deadlineSeconds`) and requests pass as they are.

    python benchmarks/gateway.py [--quick] [--streams 1,16,128] [--formats openai,gemini]
                                 [--only bare,seasoned] [--json]
"""

import argparse
import asyncio
import json
import os
import re
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import psutil

from corpus import Corpus
from driven import PEERS, PeerMissing, python_of
from gateway_provider import CHUNKS, RULE, WORD
from seasoned import Seasoned
from seasoned.server.proxies.upstream import Origin, Upstream

HERE = Path(__file__).resolve().parent
STREAMS = (1, 16, 128)
TURNS = 8  # of a conversation
SECONDS = 0.4  # that an answer takes
LEAST = 3  # requests of each agent
QUESTIONS = 400
LESSONS = 300  # that the gateway has learned before
SYSTEMS = ("bare", "seasoned", "litellm")
FORMATS = ("openai", "anthropic", "gemini")
PATHS = {
    "openai": "/v1/chat/completions",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m:streamGenerateContent?alt=sse",
}
SYSTEM = "You are an operator of many machines. Answer briefly, and name the machine. " * 30
Row = dict[str, str | float]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="1 and 16 streams, under a minute")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    parser.add_argument("--streams", help="how many at once, as 1,16")
    parser.add_argument("--formats", default=",".join(FORMATS), help="as openai,gemini")
    parser.add_argument("--only", default=",".join(SYSTEMS), help="systems, as bare,seasoned")
    options = parser.parse_args()
    streams = STREAMS[:2] if options.quick else STREAMS
    if options.streams:
        streams = tuple(int(one) for one in options.streams.split(","))
    seconds = 2.0 if options.quick else 12.0
    systems = [one for one in SYSTEMS if one in options.only.split(",")]
    formats = [one for one in FORMATS if one in options.formats.split(",")]
    rows = [*measured(systems, formats, streams, seconds)]
    if options.json:
        print(json.dumps(rows))
    else:
        show(rows)


def measured(
    systems: Sequence[str], formats: Sequence[str], streams: Sequence[int], seconds: float
) -> Iterable[Row]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        provider = stack.enter_context(serving("bare", [str(HERE / "gateway_provider.py")]))
        bases: dict[str, dict[str, str]] = {"bare": dict.fromkeys(FORMATS, provider)}
        if "seasoned" in systems:
            gateway = stack.enter_context(seasoned_gateway(folder, provider))
            bases["seasoned"] = {
                "openai": f"{gateway}/openai",
                "anthropic": f"{gateway}/anthropic",
                "gemini": f"{gateway}/gemini",
            }
        key = f"sk-{secrets.token_hex(24)}"
        if "litellm" in systems:
            try:
                proxy = stack.enter_context(litellm_proxy(folder, provider, key))
                bases["litellm"] = {"openai": proxy, "anthropic": proxy}
            except PeerMissing as error:
                print(f"litellm is left out: {error}", file=sys.stderr)
        for wire in formats:
            for number in streams:
                yield from compared(bases, wire, number, seconds, key)


def compared(
    bases: dict[str, dict[str, str]], wire: str, number: int, seconds: float, key: str
) -> Iterable[Row]:
    """Measure all systems one after the other, and compare them with the bare provider."""
    bare: Times | None = None
    for system, addresses in bases.items():
        if wire not in addresses:
            continue
        before = cpu_seconds(system)
        times = asyncio.run(load(addresses[wire], wire, number, seconds, key))
        spent = cpu_seconds(system) - before
        bare = bare or times
        place = {"set": f"{wire}, {number} streams", "system": system}
        cost = {"metric": "cpu_ms_per_request", "value": round(1000 * spent / times.all, 2)}
        yield {**place, **cost}
        if system == "seasoned":
            yield {**place, "metric": "told_share", "value": round(times.told / times.all, 3)}
        yield {**place, "metric": "requests_per_s", "value": round(times.per_second, 1)}
        for name in ("first", "whole"):
            for percent in (50, 95):
                value, base = times.percentile(name, percent), bare.percentile(name, percent)
                yield {**place, "metric": f"{name}_ms_p{percent}", "value": round(value, 2)}
                if system == "bare":
                    continue
                added = {"metric": f"added_{name}_ms_p{percent}", "value": round(value - base, 2)}
                yield {**place, **added}
                ratio = {"metric": f"ratio_{name}_p{percent}", "value": round(value / base, 3)}
                yield {**place, **ratio}


PROCESSES: dict[str, psutil.Process] = {}


def cpu_seconds(system: str) -> float:
    """Return the processor time that a system has used; it depends little on what else runs."""
    process = PROCESSES[system]
    used = [one.cpu_times() for one in (process, *process.children(recursive=True))]
    return sum(one.user + one.system for one in used)


@dataclass(slots=True)
class Times:
    """The times of the requests that count, in milliseconds; `all` counts the others, too."""

    seconds: float
    all: int = 0
    told: int = 0  # requests that the gateway added a rule to; the others passed as they came
    first: list[float] = field(default_factory=list[float])
    whole: list[float] = field(default_factory=list[float])

    @property
    def per_second(self) -> float:
        return len(self.whole) / self.seconds

    def percentile(self, name: str, percent: int) -> float:
        values = sorted(getattr(self, name))
        if percent == 50:
            return statistics.median(values)
        return values[min(len(values) - 1, len(values) * percent // 100)]


async def load(base: str, wire: str, number: int, seconds: float, key: str) -> Times:
    """Let agents talk for so long; the first requests warm everything up and do not count."""
    upstream = Upstream(Origin.of(base, "the address"), 60)
    begins = time.perf_counter() + 0.25 * seconds
    times = Times(seconds)
    agents = [
        talk(upstream, wire, one / number, begins, begins + seconds, times, key)
        for one in range(number)
    ]
    try:
        await asyncio.gather(*agents)
    finally:
        upstream.close()
    times.seconds = time.perf_counter() - begins
    return times


async def talk(
    upstream: Upstream, wire: str, offset: float, begins: float, ends: float, times: Times, key: str
) -> None:
    """Hold one conversation after the other until the time is over.

    Agents know nothing of one another and do not ask at the same moment: `offset` spreads them.
    """
    name = f"{time.time_ns()}-{offset}"
    await asyncio.sleep(offset * SECONDS)
    headers = [
        (b"host", upstream.origin.name.encode()),
        (b"content-type", b"application/json"),
        (b"authorization", f"Bearer {key}".encode()),
        (b"x-api-key", key.encode()),
        (b"anthropic-version", b"2023-06-01"),
    ]
    target = (upstream.origin.path + PATHS[wire]).encode()
    turn = counted = 0
    while time.perf_counter() < ends or counted < LEAST:
        body = json.dumps(request(wire, f"{name}-{turn // TURNS}", turn % TURNS + 1)).encode()
        length = [(b"content-length", str(len(body)).encode())]
        start = time.perf_counter()
        connection = await upstream.request("POST", target, [*headers, *length], body)
        first = 0.0
        size = 0
        async for chunk in connection.chunks(60):
            first = first or time.perf_counter()
            size += len(chunk)
        done = time.perf_counter()
        if connection.status != 200 or size < 500:
            raise SystemExit(f"{target.decode()} answered {connection.status}, {size} bytes")
        upstream.release(connection)
        times.all += 1
        times.told += (b"x-told", b"1") in connection.headers
        if start >= begins:
            counted += 1
            times.first.append((first - start) * 1000)
            times.whole.append((done - start) * 1000)
        turn += 1


@cache
def questions() -> list[str]:
    """Return what users ask about the lessons, in their words."""
    return [one.text for one in Corpus().queries(QUESTIONS, range(LESSONS))]


def request(wire: str, conversation: str, turns: int) -> dict[str, Any]:
    """Return the request of a turn, with the history before it."""
    start = hash(conversation)
    asked = [questions()[(start + turn) % QUESTIONS] for turn in range(turns)]
    asked[0] = f"{conversation}: {asked[0]}"
    reply = WORD * (CHUNKS + (wire == "gemini"))
    names = [f"machine_{one}" for one in ("load", "disk", "start", "stop", "log")]
    schema = {"type": "object", "properties": {"machine": {"type": "string"}}}
    about = "Tell the state of one machine; give its name as it stands in the register."
    if wire == "gemini":
        contents: list[Any] = []
        for one in asked:
            contents += [{"role": "user", "parts": [{"text": one}]}]
            contents += [{"role": "model", "parts": [{"text": reply}]}]
        declared = [{"name": one, "description": about, "parameters": schema} for one in names]
        return {
            "systemInstruction": {"parts": [{"text": SYSTEM}]},
            "contents": contents[:-1],
            "tools": [{"functionDeclarations": declared}],
        }
    messages: list[Any] = []
    for one in asked:
        messages += [{"role": "user", "content": one}, {"role": "assistant", "content": reply}]
    if wire == "anthropic":
        tools = [{"name": one, "description": about, "input_schema": schema} for one in names]
        given = {"model": "claude", "max_tokens": 500, "system": SYSTEM, "tools": tools}
        return {**given, "stream": True, "messages": messages[:-1]}
    functions = [{"name": one, "description": about, "parameters": schema} for one in names]
    return {
        "model": "gpt",
        "stream": True,
        "messages": [{"role": "system", "content": SYSTEM}, *messages[:-1]],
        "tools": [{"type": "function", "function": one} for one in functions],
    }


@contextmanager
def seasoned_gateway(folder: Path, provider: str) -> Generator[str]:
    """Serve a gateway that has learned something."""
    home = folder / "home"
    variables = {
        "SEASONED_HOME": str(home),
        "SEASONED_PROXY__OPENAI": f"{provider}/v1",
        "SEASONED_PROXY__ANTHROPIC": provider,
        "SEASONED_PROXY__GEMINI": provider,
    }
    with Seasoned(home / "seasoned.db") as s:
        for rule in (RULE.decode(), "Never name a customer."):
            s.teach(rule=rule)
        s.teach("unknown machine", fix="Take the name from the register.", tool="machine_load")
        for lesson in Corpus().lessons(0, LESSONS):
            s.teach(lesson.trigger, fact=lesson.content)
    command = ["-m", "seasoned", "serve", "--http", "127.0.0.1:0"]
    with serving("seasoned", command, {**os.environ, **variables}, errors=True) as address:
        yield address


@contextmanager
def litellm_proxy(folder: Path, provider: str, key: str) -> Generator[str]:
    """Serve LiteLLM's proxy from an environment of its own; it fetches nothing at its start."""
    python = python_of("litellm", PEERS)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = folder / "litellm.yaml"
    config.write_text(
        f"""
model_list:
  - model_name: gpt
    litellm_params: {{model: openai/gpt, api_base: {provider}/v1, api_key: sk-x}}
  - model_name: claude
    litellm_params: {{model: anthropic/claude, api_base: {provider}, api_key: sk-x}}
""",
        encoding="utf-8",
    )
    variables = {
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MASTER_KEY": key,
        "LITELLM_LOG": "ERROR",
        "NO_DOCS": "True",
    }
    command = [str(python.parent / "litellm"), "--config", str(config), "--host", "127.0.0.1"]
    command += ["--port", str(port), "--telemetry", "False"]
    log = (folder / "litellm.log").open("w", encoding="utf-8")
    process = subprocess.Popen(
        command, stdout=log, stderr=log, env={**os.environ, **variables}, cwd=folder
    )
    PROCESSES["litellm"] = psutil.Process(process.pid)
    address = f"http://127.0.0.1:{port}"
    try:
        ends = time.monotonic() + 120
        while not _is_alive(address):
            if process.poll() is not None or time.monotonic() > ends:
                said = (folder / "litellm.log").read_text(encoding="utf-8")[-400:]
                raise PeerMissing(f"it did not start: {said}")
            time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait()
        log.close()


def _is_alive(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health/liveliness", timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


@contextmanager
def serving(
    system: str,
    command: Sequence[str],
    variables: dict[str, str] | None = None,
    *,
    errors: bool = False,
) -> Generator[str]:
    """Run a server that prints its address."""
    out, err = (None, subprocess.PIPE) if errors else (subprocess.PIPE, None)
    with subprocess.Popen(
        [sys.executable, *command], env=variables, text=True, stdout=out, stderr=err
    ) as process:
        PROCESSES[system] = psutil.Process(process.pid)
        told = process.stderr if errors else process.stdout
        assert told is not None
        line = told.readline()
        found = re.search(r"http://[\d.:]+", line)
        if found is None:
            raise SystemExit(f"the server did not start: {line}")
        try:
            yield found[0]
        finally:
            process.terminate()
            process.wait()


def show(rows: Sequence[Row]) -> None:
    columns = ("requests_per_s", "cpu_ms_per_request", "told_share", "first_ms_p50", "first_ms_p95")
    columns += ("whole_ms_p50", "whole_ms_p95", "added_first_ms_p50", "added_first_ms_p95")
    columns += ("added_whole_ms_p95", "ratio_whole_p95")
    print(f"{'set':24}{'system':10}" + "".join(f"{one.replace('_ms', ''):>19}" for one in columns))
    lines: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        line = lines.setdefault((str(row["set"]), str(row["system"])), {})
        line[str(row["metric"])] = float(row["value"])
    for (name, system), line in lines.items():
        cells = "".join(f"{line[one]:>19.2f}" if one in line else f"{'':>19}" for one in columns)
        print(f"{name:24}{system:10}{cells}")


if __name__ == "__main__":
    main()
