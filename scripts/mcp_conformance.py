"""Run the official MCP conformance suite and inspector against our server; needs npm and a network.

    python scripts/mcp_conformance.py [FOLDER]

Their packages, and a Node of the version they need, are installed into FOLDER (default: a temporary
one). Ends with 1 if something that applies to this server fails.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PACKAGES = ("node@22", "@modelcontextprotocol/conformance", "@modelcontextprotocol/inspector")

# The other scenarios call tools, prompts and resources of the suite's own example server, or need
# what this server does not offer: logging, sampling, elicitation, subscriptions, streams.
SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "completion-complete",
    "dns-rebinding-protection",
    "server-sse-multiple-streams",
)
# For the inspector: a request, and a text that must be in the answer.
REQUESTS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("tools/list",), '"outputSchema"'),
    (("tools/call", "--tool-name", "recall", "--tool-arg", "task=book a table"), '"text"'),
    (
        *(("tools/call", "--tool-name", "teach", "--tool-arg", "kind=fact", "text=It rains."),),
        "It rains.",
    ),
    (("tools/call", "--tool-name", "why", "--tool-arg", "lesson=zzzz"), '"isError": true'),
    (("resources/list",), "seasoned://rules"),
    (("resources/templates/list",), "seasoned://lessons/{id}"),
    (("resources/read", "--uri", "seasoned://status"), "learning"),
    (("prompts/list",), '"reflect"'),
    (("prompts/get", "--prompt-name", "reflect"), "Look back on this session"),
)


def main() -> int:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else made).absolute()
        install(folder)
        with gateway(folder) as address:
            results = [*conformance(folder, address), *inspections(folder, address)]
    failed = [name for name, passed in results if not passed]
    sys.stdout.write(f"{len(results) - len(failed)} of {len(results)} passed\n")
    return 1 if failed else 0


def install(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "node_modules" / ".bin" / "conformance").exists():
        return
    for command in (["npm", "init", "-y"], ["npm", "install", "--silent", *PACKAGES]):
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def gateway(folder: Path) -> Generator[str]:
    """Start `seasoned serve` with an empty store; the suite cannot show a token."""
    command = [sys.executable, "-m", "seasoned", "serve", "--http", "127.0.0.1:0", "--no-token"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, env=environment(folder), text=True
    ) as process:
        assert process.stderr is not None
        found = re.search(r"http://[\d.:]+", process.stderr.readline())
        assert found, "the gateway did not start"
        try:
            yield f"{found[0]}/mcp"
        finally:
            process.terminate()


def environment(folder: Path) -> dict[str, str]:
    """Let the scripts of the packages find the Node beside them."""
    tools = str(folder / "node_modules" / ".bin")
    return {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "SEASONED_HOME": str(folder / "home"),
    }


def conformance(folder: Path, address: str) -> Generator[tuple[str, bool]]:
    for scenario in SCENARIOS:
        command = ["conformance", "server", "--url", address, "--scenario", scenario]
        done = run(folder, command)
        yield told(f"conformance {scenario}", done.returncode == 0, done.stdout)


def inspections(folder: Path, address: str) -> Generator[tuple[str, bool]]:
    pipe = [sys.executable, "-m", "seasoned", "mcp"]
    for way, target in (("stdio", pipe), ("http", [address, "--transport", "http"])):
        for request, wanted in REQUESTS:
            done = run(folder, ["mcp-inspector", "--cli", *target, "--method", *request])
            passed = wanted in done.stdout and is_json(done.stdout)
            yield told(f"inspector {way} {request[0]}", passed, done.stdout + done.stderr)


def run(folder: Path, command: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command,
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def is_json(text: str) -> bool:
    try:
        answer: Any = json.loads(text)
    except ValueError:
        return False
    return isinstance(answer, dict)


def told(name: str, passed: bool, output: str) -> tuple[str, bool]:
    sys.stdout.write(f"{'ok  ' if passed else 'FAIL'} {name}\n{'' if passed else output}")
    sys.stdout.flush()
    return name, passed


if __name__ == "__main__":
    sys.exit(main())
