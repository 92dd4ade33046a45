"""Measure how tidy the source tree is, so that a reorganisation shows its effect in numbers.

    python scripts/house.py                     # this checkout
    python scripts/house.py --against ../old    # a column for the old checkout, one for this
    python scripts/house.py --verbose           # and the names behind the counts

The static figures come from the syntax trees of `src/seasoned`:

- A room is a directory with modules in it; `protocol/host` is a room beside `protocol`. Empty
  files (most `__init__.py`) are not counted. `cli` may be large: each command is a file.
- A function's length runs from `def` to its last line, without decorators. Methods and nested
  functions count.
- A collaborator is an `__init__` parameter whose annotation names a class of the package; for a
  dataclass, a field without default. Values are not collaborators: frozen dataclasses without
  async methods, enums, named tuples, typed dicts, and classes called `…Config` or `…Settings`.
- Only public top-level names count as defined twice.
- An importer is another module of the package that imports this one, anywhere in its text. An
  `__init__.py` is not listed as a short file, because it cannot move into its importer.
- A late import is an import statement inside a function, of a module of the package.

The traces run five everyday requests, each in a fresh process, and record the files in which a
function is called. Each request runs once before, in other words, so that imports and first-use
construction are not recorded. A tree's own `.venv` is used if it has one.
"""

import argparse
import ast
import http.client
import json
import math
import os
import re
import runpy
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.util import resolve_name
from pathlib import Path
from types import FrameType
from typing import Any

MANY_FILES = 20
MANY_COLLABORATORS = 6
SHORT_LINES = 60
TRACE_SECONDS = 120
SETTLE_SECONDS = 0.5  # for work that a request hands to another thread, as a notice to the log
HERE = Path(__file__).resolve()
VALUE_BASES = {"Enum", "IntEnum", "StrEnum", "Flag", "NamedTuple", "TypedDict"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

Imports = set[tuple[str, str, str]]  # local name, the module it comes from, its name there
Figures = dict[str, "Figure"]


@dataclass(frozen=True)
class Module:
    path: str  # within the package: learning/lesson.py
    name: str  # seasoned.learning.lesson
    lines: int
    tree: ast.Module
    imports: Imports
    late_imports: int


@dataclass(frozen=True)
class Figure:
    value: float | str
    names: Sequence[str] = ()  # the things that were counted


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure how tidy the source tree is.")
    parser.add_argument("--root", type=Path, default=HERE.parent.parent, help="a checkout")
    parser.add_argument("--against", type=Path, help="the checkout before, for a second column")
    parser.add_argument("--json", action="store_true", help="print figures and names as JSON")
    parser.add_argument("--no-traces", action="store_true", help="only read the code")
    parser.add_argument("--verbose", action="store_true", help="list the names behind the counts")
    parser.add_argument("--trace", choices=TRACES, help=argparse.SUPPRESS)  # in the child process
    args = parser.parse_args()
    if args.trace:
        show(json.dumps(run_trace(args.trace, package_of(args.root))))
        return 0
    trees = {"before": args.against, "after": args.root} if args.against else {"now": args.root}
    columns = {title: figures_of(root, not args.no_traces) for title, root in trees.items()}
    if args.json:
        show(json.dumps(columns, indent=2, default=vars))
        return 0
    show(table(columns))
    if args.verbose:
        show(names_behind(columns))
    return 0


def show(text: str) -> None:
    print(text)  # noqa: T201 - the command's answer


def package_of(root: Path) -> Path:
    package = root.resolve() / "src" / "seasoned"
    if not package.is_dir():
        raise SystemExit(f"{package} does not exist; give the root of a checkout")
    return package


def figures_of(root: Path, with_traces: bool) -> Figures:
    modules = [parsed(package_of(root), path) for path in sorted(package_of(root).rglob("*.py"))]
    figures = static_figures([one for one in modules if one.tree.body])
    for name in TRACES if with_traces else ():
        files = traced(name, root)
        rooms = {room_of(file) for file in files}
        figures[f"{name}: files / rooms"] = Figure(f"{len(files)} / {len(rooms)}", files)
    return figures


# Static figures


def static_figures(modules: Sequence[Module]) -> Figures:
    longest = max(modules, key=lambda one: one.lines)
    lengths = sorted(length(node) for one in modules for node in functions_in(one.tree))
    p95 = lengths[math.ceil(0.95 * len(lengths)) - 1]
    rooms = Counter(room_of(one.path) for one in modules).most_common()
    large = [f"{room} {n}" for room, n in rooms if n > MANY_FILES and room != "cli"]
    return {
        "files, without empty ones": Figure(len(modules)),
        "lines": Figure(sum(one.lines for one in modules)),
        "rooms": Figure(len(rooms), [f"{room} {n}" for room, n in rooms]),
        "largest rooms": Figure(", ".join(f"{room} {n}" for room, n in rooms[:5])),
        f"rooms of more than {MANY_FILES} files, cli aside": Figure(len(large), large),
        "median file, lines": Figure(statistics.median_low(one.lines for one in modules)),
        "longest file, lines": Figure(f"{longest.lines}, {longest.path}"),
        "functions": Figure(len(lengths)),
        "function length, median / p95": Figure(f"{statistics.median_low(lengths)} / {p95}"),
        f"classes with more than {MANY_COLLABORATORS} collaborators": burdened_classes(modules),
        "public class names defined twice": defined_twice(modules, (ast.ClassDef,)),
        "public function names defined twice": defined_twice(modules, FUNCTIONS),
        f"files of at most {SHORT_LINES} lines, one importer": with_one_importer(modules),
        "late imports": Figure(sum(one.late_imports for one in modules)),
    }


def parsed(package: Path, path: Path) -> Module:
    text = path.read_text("utf-8")
    inner = path.relative_to(package)
    parts = (package.name, *inner.with_suffix("").parts)
    parent = ".".join(parts[:-1])
    name = parent if parts[-1] == "__init__" else ".".join(parts)
    tree = ast.parse(text, str(path))
    imports = {one for node in ast.walk(tree) for one in own_imports(node, parent)}
    inside = {node for function in functions_in(tree) for node in ast.walk(function)}
    late = sum(bool(own_imports(node, parent)) for node in inside)
    return Module(inner.as_posix(), name, len(text.splitlines()), tree, imports, late)


def own_imports(node: ast.AST, parent: str) -> Imports:
    """The names that a statement imports from the package; relative ones start at the parent."""
    if isinstance(node, ast.ImportFrom):
        source = resolve_name("." * node.level + (node.module or ""), parent)
        found = {(one.asname or one.name, source, one.name) for one in node.names}
    elif isinstance(node, ast.Import):
        found = {(one.asname or one.name, one.name, "") for one in node.names}
    else:
        return set()
    own = parent.partition(".")[0]
    return {one for one in found if one[1].partition(".")[0] == own}


def functions_in(tree: ast.AST) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def room_of(path: str) -> str:
    return path.rpartition("/")[0] or "(top)"


def defined_twice(modules: Sequence[Module], kinds: tuple[type, ...]) -> Figure:
    homes: dict[str, list[str]] = defaultdict(list)
    for one in modules:
        for name in {node.name for node in one.tree.body if isinstance(node, kinds)}:
            homes[name].append(one.path)
    public = ((name, paths) for name, paths in sorted(homes.items()) if not name.startswith("_"))
    names = [f"{name}: {', '.join(paths)}" for name, paths in public if len(paths) > 1]
    return Figure(len(names), names)


def with_one_importer(modules: Sequence[Module]) -> Figure:
    known = {one.name for one in modules}
    importers: dict[str, set[str]] = defaultdict(set)
    for one in modules:
        for _, source, name in one.imports:
            target = f"{source}.{name}" if f"{source}.{name}" in known else source
            if target != one.name:
                importers[target].add(one.path)
    short = (one for one in modules if one.lines <= SHORT_LINES and "__init__" not in one.path)
    alone = (one for one in short if len(importers[one.name]) == 1)
    names = [f"{one.path}: {min(importers[one.name])}" for one in alone]
    return Figure(len(names), names)


def burdened_classes(modules: Sequence[Module]) -> Figure:
    by_name = {one.name: one for one in modules}
    counts: dict[str, int] = {}
    for one in modules:
        for node in ast.walk(one.tree):
            if isinstance(node, ast.ClassDef):
                words = [re.findall(r"\w+", text) for text in constructor_annotations(node)]
                services = [any(is_service(by_name, one, word) for word in each) for each in words]
                counts[f"{one.path}: {node.name}"] = sum(services)
    largest = sorted(counts.items(), key=lambda item: -item[1])
    names = [f"{name} {count}" for name, count in largest if count > MANY_COLLABORATORS]
    return Figure(len(names), names)


def constructor_annotations(node: ast.ClassDef) -> list[str]:
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and one.name == "__init__":
            args = [*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs][1:]
            return [ast.unparse(arg.annotation) for arg in args if arg.annotation]
    if not dataclass_decorator(node):
        return []
    fields = (one for one in node.body if isinstance(one, ast.AnnAssign) and one.value is None)
    return [ast.unparse(one.annotation) for one in fields]


def dataclass_decorator(node: ast.ClassDef) -> str:
    texts = (ast.unparse(one) for one in node.decorator_list)
    return next((text for text in texts if re.match(r"(dataclasses\.)?dataclass\b", text)), "")


def is_value(node: ast.ClassDef) -> bool:
    bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
    acts = any(isinstance(one, ast.AsyncFunctionDef) for one in node.body)
    frozen = "frozen=True" in dataclass_decorator(node)
    named = node.name.endswith(("Config", "Settings"))
    return named or bool(bases & VALUE_BASES) or (frozen and not acts)


def is_service(by_name: dict[str, Module], module: Module, word: str) -> bool:
    """Whether a word in this module names a class that is not a value; follows re-exports."""
    for node in module.tree.body:
        if isinstance(node, ast.ClassDef) and node.name == word:
            return not is_value(node)
    homes = ((by_name.get(source), name) for local, source, name in module.imports if local == word)
    return any(home and home is not module and is_service(by_name, home, n) for home, n in homes)


# Traces


class Recorder:
    """A profile function that notes which files of the package run inside `with recorder`.

    It is installed first of all, because a thread keeps the profile function it started with.
    """

    def __init__(self, package: Path) -> None:
        self.prefix = f"{package}{os.sep}"
        self.on = False
        self.files: set[str] = set()

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        if not self.on or event != "call":
            return
        file = frame.f_code.co_filename
        new = file.startswith(self.prefix) and file not in self.files
        if new and not is_importing(frame):
            self.files.add(file)

    def __enter__(self) -> None:
        self.on = True

    def __exit__(self, *raised: object) -> None:
        time.sleep(SETTLE_SECONDS)
        self.on = False


def is_importing(frame: FrameType | None) -> bool:
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame is not None


def traced(name: str, root: Path) -> list[str]:
    """Run a request in a process of its own; the files of the package that took part."""
    own = root.resolve() / ".venv" / "bin" / "python"
    command = [str(own) if own.exists() else sys.executable, str(HERE), "--trace", name, "--root"]
    with tempfile.TemporaryDirectory() as home:
        env = {"HOME": home, "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
        env["PYTHONPATH"] = str(package_of(root).parent)
        done = subprocess.run(
            [*command, str(root.resolve())],
            check=False,
            capture_output=True,
            cwd=home,
            env=env,
            text=True,
            timeout=TRACE_SECONDS,
        )
    if done.returncode:
        raise SystemExit(f"trace {name!r} of {root} failed; --no-traces omits it\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def run_trace(name: str, package: Path) -> list[str]:
    recorder = Recorder(package)
    threading.setprofile(recorder)
    sys.setprofile(recorder)
    TRACES[name](recorder)
    sys.setprofile(None)
    expect(recorder.files, f"no file of {package} ran")
    return sorted(Path(file).relative_to(package).as_posix() for file in recorder.files)


def expect(held: object, otherwise: str) -> None:
    """Refuse to report a request that did not do what it is there to show."""
    if not held:
        raise SystemExit(otherwise)


def observe_to_hint(recorder: Recorder) -> None:
    from seasoned import Seasoned

    def fail_then_succeed(tool: str, wrong: str, session: str) -> object:
        error = f"unknown city {wrong}; names are written as on the map"
        hint = s.observe(tool, {"city": wrong}, error=error, session=session)
        s.observe(tool, {"city": wrong.title()}, "found", session=session)
        return hint

    with Seasoned(":memory:") as s:
        for session in ("1", "2", "3"):
            fail_then_succeed("route", "bergen", session)
        for session in ("4", "5"):
            fail_then_succeed("weather", "oslo", session)
        with recorder:
            hint = fail_then_succeed("weather", "oslo", "6")
    expect(hint, "the known fix was not suggested")


def recall(recorder: Recorder) -> None:
    from seasoned import Seasoned

    with Seasoned(":memory:") as s:
        s.teach("deploying a new version", rule="Deploy to staging before production.")
        s.teach("deploy fails with exit code 3", fix="Log in to the registry.", tool="shell")
        s.teach("release", fact="The new version is deployed from the release branch.")
        s.recall("roll the database back", tool="sql")
        with recorder:
            context = s.recall("deploy the new version", tool="shell")
    expect("staging" in context.text, "the rule is not in the prompt")


def correction_to_prompt(recorder: Recorder) -> None:
    from seasoned import Seasoned

    def correct(session: str, request: str, reply: str, correction: str) -> str:
        chat = s.conversation(session)
        chat.user(request)
        chat.assistant(reply)
        with recorder if session == "traced" else nullcontext():
            chat.user(correction)
            s.corrections.learn()
            return s.recall(request, session=f"after {session}").text

    with Seasoned(":memory:") as s:
        correct("first", "Indent the file.", "I used spaces.", "No, use tabs, not spaces.")
        said = ("List the containers.", "I ran docker ps.", "No, use podman, not docker.")
        prompt = correct("traced", *said)
    expect("podman" in prompt, "the rule is not in the next session's prompt")


def post_feedback(recorder: Recorder) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    replies: list[dict[str, Any]] = []
    agent = threading.Thread(target=teach_host, args=(port, recorder, replies), daemon=True)
    agent.start()
    sys.argv = ["seasoned", "host", "--http", f"127.0.0.1:{port}", "--no-token"]
    try:
        runpy.run_module("seasoned", run_name="__main__")  # needs the main thread, for signals
    except SystemExit as ended:
        expect(not ended.code, f"the host ended with {ended.code}")
    agent.join()
    expect(replies and replies[-1].get("recorded") == 1, f"the host replied {replies}")


def teach_host(port: int, recorder: Recorder, replies: list[dict[str, Any]]) -> None:
    """Send feedback in plain HTTP, so that only the host's code is recorded; stop the host."""
    try:
        wait_for_host(port)
        session = json.load(http_request(port, "POST", "/session"))["session_id"]
        stream = http_request(port, "GET", "/stream", session)
        incoming = (json.loads(line[6:]) for line in stream if line.startswith(b"data: "))
        hello = {"type": "handshake/req", "id": "1", "version": "1.0", "agent_id": "house"}
        for message in (hello, feedback("2"), feedback("3")):
            with recorder if message["id"] == "3" else nullcontext():
                http_request(port, "POST", "/send", session, json.dumps(message)).read()
                replies.append(next(incoming))
    finally:
        os.kill(os.getpid(), signal.SIGTERM)


def wait_for_host(port: int) -> None:
    for _ in range(TRACE_SECONDS * 5):
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"no host listens on port {port}")


def http_request(
    port: int, method: str, path: str, session: str = "", body: str = ""
) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, body, {"X-Session-Id": session} if session else {})
    return connection.getresponse()


def feedback(name: str) -> dict[str, Any]:
    turn = {"prompt": f"Question {name}?", "response": "4", "environment": {"skill": "sums"}}
    piece = {"feedback_id": f"f{name}", "polarity": "positive", "rated_turn": turn}
    return {"type": "learn/feedback/req", "id": name, "version": "1.0", "feedbacks": [piece]}


def agent_turn(recorder: Recorder) -> None:
    from seasoned import Seasoned

    def weather(city: str) -> str:
        """The weather in a city."""
        return f"rain in {city}"

    calls = [{"calls": [{"tool": "weather", "args": {"city": city}}]} for city in ("Bonn", "Oslo")]
    script = Path.home() / "script.json"
    script.write_text(json.dumps([calls[0], "Rain.", calls[1], "Rain, too."]), "utf-8")
    with Seasoned(":memory:") as s, s.agent(f"scripted:{script}", tools=[weather]) as agent:
        agent.ask("What is the weather in Bonn?", session="first")
        with recorder:
            reply = agent.ask("How is it in Oslo?", session="traced")
    expect("too" in str(reply), f"the agent replied {reply}")


TRACES: dict[str, Callable[[Recorder], None]] = {
    "observe to hint": observe_to_hint,
    "recall": recall,
    "correction to prompt": correction_to_prompt,
    "POST feedback": post_feedback,
    "agent turn": agent_turn,
}


# Output


def table(columns: dict[str, Figures]) -> str:
    labels = next(iter(columns.values()))
    rows = [[label, *(str(one[label].value) for one in columns.values())] for label in labels]
    rows.insert(0, ["", *columns])
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    rows.insert(1, ["-" * width for width in widths])
    padded = ([c.ljust(w) for c, w in zip(row, widths, strict=True)] for row in rows)
    return "\n".join(f"| {' | '.join(row)} |" for row in padded)


def names_behind(columns: dict[str, Figures]) -> str:
    def lines() -> Iterator[str]:
        for title, figures in columns.items():
            for label, figure in figures.items():
                if figure.names:
                    yield f"\n{title}, {label}: {figure.value}"
                    yield from (f"  {name}" for name in figure.names)

    return "\n".join(lines())


if __name__ == "__main__":
    sys.exit(main())
