"""Run a system under measurement in a process of its own, and talk to it."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import psutil

sys.path.append(str(Path(__file__).resolve().parent.parent))
from evals.peers.environment import PeerMissing, ask, python_of

PEERS = Path(__file__).resolve().parent / "peers"
__all__ = ["PEERS", "SYSTEMS", "Driven", "Failed", "PeerMissing", "System", "ask", "driven"]


class Failed(Exception):
    """The system answered with an error; the message is its own."""


@dataclass(frozen=True, slots=True)
class System:
    name: str
    script: str
    peer: str = ""  # the environment it runs in; ours when empty
    argument: str = ""
    most: int = 1_000_000_000  # lessons that it is tried with
    on_server: bool = False
    in_bulk: bool = True  # it has a way to add many at once
    quick_most: int = 10_000  # and in the quick run

    def command(self, *, build: bool) -> list[str]:
        python = python_of(self.peer, PEERS, build=build) if self.peer else Path(sys.executable)
        return [str(python), str(PEERS / self.script), *([self.argument] if self.argument else [])]


SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        System("seasoned", "seasoned_store.py"),
        System(
            "seasoned_postgres", "seasoned_store.py", most=100_000, on_server=True, quick_most=1000
        ),
        System("mem0", "mem0_store.py", "mem0", "qdrant", in_bulk=False),
        System("mem0_faiss", "mem0_store.py", "mem0", "faiss", in_bulk=False, quick_most=0),
        System("chromadb", "chromadb_store.py", "chromadb"),
    )
}


class Driven:
    """Talks to a system's process."""

    def __init__(self, process: "subprocess.Popen[str]", said: IO[str]) -> None:
        self._process = process
        self._said = said

    def ask(self, do: str, **question: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"do": do, **question}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise self._ended() from error
        line = self._process.stdout.readline()
        if not line:
            raise self._ended()
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer

    @property
    def rss_mb(self) -> float:
        return psutil.Process(self._process.pid).memory_info().rss / 2**20

    def _ended(self) -> Failed:
        self._process.wait()
        self._said.seek(0)
        return Failed(f"its process ended: {self._said.read().strip()[-400:]}")


@contextmanager
def driven(command: Sequence[str], path: str, tenant: str = "") -> Generator[Driven]:
    """Start a process of a system on a database; it ends with the `with` block."""
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            encoding="utf-8",
        ) as process,
    ):
        system = Driven(process, said)
        try:
            system.ask("open", path=path, tenant=tenant)
            yield system
            system.ask("close")
        except BaseException:
            process.kill()
            raise
