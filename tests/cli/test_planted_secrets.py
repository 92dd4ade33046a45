"""Secrets planted in the vault are in no output, no log at its most talkative, and no file."""

import gzip
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.llm.wire_formats import EVENTS, JSON, openai_events

PASSPHRASE = "several words of a passphrase"
REQUESTS = re.compile(r"(?m)^([A-Z]+:(httpx2|openai\._base_client):)?HTTP Re(quest|sponse): .*$")
LOGGING = """
import logging
logging.basicConfig(level=logging.DEBUG)
logging.debug("everything is logged")
"""


class Provider(BaseHTTPRequestHandler):
    """A provider's server; it takes any address, as one whose address is a secret does."""

    asked: list[tuple[str, str]]

    def do_GET(self) -> None:
        self._answer(JSON, json.dumps({"data": [{"id": "m"}]}).encode())

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(EVENTS, b"".join(openai_events("Hello.")))

    def _answer(self, headers: dict[str, str], body: bytes) -> None:
        self.asked.append((self.path, self.headers.get("Authorization", "")))
        self.send_response(200)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log nothing."""


@pytest.fixture
def provider() -> Generator[Any]:
    made: Any = type("Bound", (Provider,), {"asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), made)
    made.url = f"http://127.0.0.1:{server.server_port}"
    serving = threading.Thread(target=server.serve_forever, args=(0.01,))
    serving.start()
    yield made
    server.shutdown()
    serving.join()
    server.server_close()


def test_planted_secrets_are_found_nowhere(
    home: Path,
    process: Callable[..., Any],
    provider: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    monkeypatch.setenv("SEASONED_PASSPHRASE", PASSPHRASE)
    assert process("config", "init").returncode == 0
    planted = {
        "llm.key": "plantedllm7Qx",
        "payment.key": "plantedpayment7Qx",
        "address": f"{provider.url}/plantedaddress7Qx/v1",
        "hook": "https://127.0.0.1:1/plantedhook7Qx",
        "queue": "redis://:plantedqueue7Qx@127.0.0.1:1/0",
    }
    for name, value in planted.items():
        done = _with_input(value, "secrets", "set", name, "--stdin")
        assert done.returncode == 0, done.stderr
    for key, value in (
        ("notify.url", "secret:hook"),
        ("queue.url", "secret:queue"),
        ("llm.url", "secret:address"),
        ("agent.model", "openai:m"),
    ):
        assert process("config", "set", key, value).returncode == 0, key
    assert process("teach", "--rule", "Be brief.").returncode == 0
    (tmp_path / "talkative").mkdir()
    (tmp_path / "talkative" / "sitecustomize.py").write_text(LOGGING)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "talkative"))
    told = ""
    for code, *args in (
        (0, "config", "show"),
        (0, "config", "show", "--json"),
        (1, "doctor"),  # the queue cannot be reached, and all else is fine
        (0, "config", "export"),
        (0, "config", "export", tmp_path / "out.toml"),
        (0, "secrets", "list"),
        (0, "audit", "verify"),
        (0, "payments", "status"),
        (0, "backup", tmp_path / "all.tar.gz"),
        (0, "chat", "hello", "--session", "s", "--root", tmp_path / "talkative"),
        (3, "config", "set", "queue.url", "secret:nothing"),
        (3, "secrets", "remove", "nothing"),
    ):
        done = process(*args, "--debug")
        assert done.returncode == code, f"{args}\n{done.stdout[-3000:]}\n{done.stderr[-2500:]}"
        assert "everything is logged" in done.stderr, args
        told += done.stdout + _without_requests(done.stderr)
    assert "Hello." in told
    assert "2 problems" in told
    assert all("plantedaddress7Qx" in path for path, _ in provider.asked)
    assert {key for _, key in provider.asked} == {"Bearer plantedllm7Qx"}
    files = [one for one in tmp_path.rglob("*") if one.is_file()]
    assert {home / "seasoned.db", tmp_path / "out.toml", tmp_path / "all.tar.gz"} <= set(files)
    everything = told.encode() + b"".join(_content(one) for one in files)
    assert b"Be brief." in everything  # so the scan does find what is there
    for secret in (*planted.values(), PASSPHRASE, "7Qx"):
        assert secret.encode() not in everything, _around(everything, secret)


def _with_input(text: str, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "seasoned", *args]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=False)


def _without_requests(log: str) -> str:
    """Leave out the HTTP library's own lines, which name the address they go to (docs/vault.md)."""
    return REQUESTS.sub("", log)


def _content(path: Path) -> bytes:
    if path.name.endswith(".gz"):
        with gzip.open(path) as packed:
            return packed.read()
    return path.read_bytes()


def _around(everything: bytes, secret: str) -> bytes:
    at = everything.find(secret.encode())
    return everything[max(at - 200, 0) : at + 100]
