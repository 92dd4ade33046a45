"""Are first calls right once a quirk of a tool was learned? With a real model on this machine.

    python evals/first_call.py [--model local:PATH.gguf] [--json] [--quick] [--sessions N]

Sixteen simulated tools have quirks that their descriptions do not mention (first_call_tools.py). In
each session every tool is needed once, for a request in other words. The model makes the call; if
it fails, it reads the error and tries again, twice at most. Every call is reported to Seasoned.
Arms that learn nothing need no second try.

    without    nothing is learned
    seasoned   notes in the description, hints beside the error, and the prompt block
    notes      only the notes; hints: only the hints; prompt: only the prompt block
    perfect    notes written by hand: the limit

    first_call_failures   share of the tools whose first call fails, by session
    unsolved              share of the tasks that no try solved
    gain                  from session 3 on: of the first calls that perfect notes save, the share
                          that this arm saves

`--quick` asks a scripted reader instead of a model: it makes the naive call unless the prompt says
the quirk in telling words. `--cache FILE` keeps answers, so that a later run asks new prompts only.
The weights come from `python scripts/fetch_weights.py qwen`.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from first_call_models import Caller, ModelCaller, ScriptedCaller
from first_call_tools import TOOLS, SimulatedTool, Task
from seasoned import Seasoned

WEIGHTS = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
TRIES = 3
SESSIONS = 4
SETTLED = 3  # the session from which on the gain counts
NO_HINTS = {"SEASONED_AGENT__ERROR_CORRECTION_ENABLED": "false"}


@dataclass(frozen=True)
class Arm:
    """One way to tell what was learned."""

    notes: bool = False
    hints: bool = False
    prompt: bool = False
    perfect: bool = False

    @property
    def learns(self) -> bool:
        return self.notes or self.hints or self.prompt


ARMS = {
    "without": Arm(),
    "perfect": Arm(perfect=True),
    "notes": Arm(notes=True),
    "seasoned": Arm(notes=True, hints=True, prompt=True),
    "prompt": Arm(prompt=True),
    "hints": Arm(hints=True),
}


@dataclass
class Outcome:
    """For each session, the tools whose first call failed and the tasks that stayed open."""

    failed: list[list[str]] = field(default_factory=list[list[str]])
    unsolved: list[list[str]] = field(default_factory=list[list[str]])


class Learner:
    """The knowledge of one arm: a real object with a store of its own, or nothing."""

    def __init__(self, arm: Arm) -> None:
        self.arm = arm
        environment = None if arm.hints else NO_HINTS
        self.seasoned = Seasoned(":memory:", environment=environment) if arm.learns else None

    def description(self, tool: SimulatedTool, session: str) -> str:
        if self.arm.perfect:
            return f"{tool.line}\n\nNotes from experience:\n- {tool.note}"
        if self.seasoned is None or not self.arm.notes:
            return tool.line
        return self.seasoned.tool_notes(tool.name, session=session).describe(tool.name, tool.line)

    def told(self, request: str, session: str) -> str:
        if self.seasoned is None or not self.arm.prompt:
            return ""
        return self.seasoned.recall(request, session=session).text

    def observe(self, tool: str, args: dict[str, object], error: str | None, session: str) -> str:
        if self.seasoned is None:
            return ""
        result = None if error else "done"
        hint = self.seasoned.observe(tool, args, result, error, session=session)
        return str(hint) if hint is not None else ""

    def notes(self) -> list[str]:
        if self.seasoned is None:
            return []
        return [f"{one.tool}: {one.text}" for one in self.seasoned.tool_notes(session="end")]

    def close(self) -> None:
        if self.seasoned is not None:
            self.seasoned.close()


def play(
    arm: Arm,
    caller: Caller,
    tools: tuple[SimulatedTool, ...],
    sessions: int,
    log: Callable[[str], None],
) -> Outcome:
    learner, outcome = Learner(arm), Outcome()
    for number in range(sessions):
        failed: list[str] = []
        unsolved: list[str] = []
        for tool in tools:
            errors = work(learner, caller, tool, tool.tasks[number], f"session-{number + 1}", log)
            failed += [tool.name] if errors else []
            unsolved += [tool.name] if errors == TRIES else []
        outcome.failed.append(failed)
        outcome.unsolved.append(unsolved)
    for note in learner.notes():
        log(f"   note  {note}")
    learner.close()
    return outcome


def work(
    learner: Learner,
    caller: Caller,
    tool: SimulatedTool,
    task: Task,
    session: str,
    log: Callable[[str], None],
) -> int:
    """Let the model work on a task; return how many calls failed."""
    parts = [f"Tool: {learner.description(tool, session)}", learner.told(task.words, session)]
    asked = "\n\n".join([*filter(None, parts), f"Request: {task.words}"])
    trouble = ""
    for tries in range(TRIES if learner.arm.learns else 1):
        args = caller.arguments(f"{asked}{trouble}", tool, task)
        error = tool.call(args, task)
        hint = learner.observe(tool.name, args, error, session)
        log(f"   {session} {tool.name} {json.dumps(args)} {error or 'ok'} {hint}")
        if error is None:
            return tries
        said = f"{error}\n{hint}".strip()
        trouble += f"\n\nThe last call failed: {said}\nCorrect the arguments."
    return TRIES if learner.arm.learns else 1


def measured(
    caller: Caller,
    tools: tuple[SimulatedTool, ...],
    sessions: int,
    arms: list[str],
    log: Callable[[str], None],
) -> Iterator[tuple[str, str, str, float]]:
    late: dict[str, float] = {}
    for name in arms:
        log(f"== {name}")
        outcome = play(ARMS[name], caller, tools, sessions, log)
        many = len(tools)
        for number, failed in enumerate(outcome.failed, 1):
            yield f"session_{number}", name, "first_call_failures", len(failed) / many
        settled = outcome.failed[SETTLED - 1 :]
        if settled:
            late[name] = sum(map(len, settled)) / (many * len(settled))
            yield f"from_{SETTLED}", name, "first_call_failures", late[name]
        if ARMS[name].learns:
            yield "all", name, "unsolved", sum(map(len, outcome.unsolved)) / (many * sessions)
    if {"without", "perfect"} <= late.keys():
        possible = late["without"] - late["perfect"]
        for name, failures in late.items():
            gained = (late["without"] - failures) / possible if possible else 0.0
            yield f"from_{SETTLED}", name, "gain", gained


def default_model() -> str:
    """Name the weights that scripts/fetch_weights.py gets; say how, if they are missing."""
    folder = Path(os.environ.get("SEASONED_WEIGHTS") or "~/.cache/seasoned/weights").expanduser()
    if not (folder / WEIGHTS).exists():
        sys.exit(
            f"there are no weights at {folder / WEIGHTS}; get them (1 GB) with\n"
            "  python scripts/fetch_weights.py qwen\n"
            "or name another model with --model, or use --quick, which needs none"
        )
    return f"local:{folder / WEIGHTS}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="", help="another model, as local:PATH.gguf")
    parser.add_argument("--threads", type=int, default=0, help="of a local model")
    parser.add_argument("--cache", type=Path, help="file of answers to prompts asked before")
    parser.add_argument("--sessions", type=int, default=SESSIONS, choices=range(1, 7))
    parser.add_argument("--tools", type=int, default=len(TOOLS), help="the first so many")
    parser.add_argument("--only", nargs="*", default=list(ARMS), choices=list(ARMS))
    parser.add_argument("--json", action="store_true", help="rows as JSON, one per line")
    parser.add_argument("--quick", action="store_true", help="a scripted reader, no model")
    parser.add_argument("--verbose", action="store_true", help="show each call")
    options = parser.parse_args()
    if options.quick:
        caller: Caller = ScriptedCaller()
    else:
        name = options.model or default_model()
        caller = ModelCaller(name, options.threads, options.cache)

    def log(line: str) -> None:
        if options.verbose:
            print(line, file=sys.stderr, flush=True)

    tools = TOOLS[: options.tools]
    for row in measured(caller, tools, options.sessions, options.only, log):
        which, system, metric, value = row
        if options.json:
            shown = {"set": which, "system": system, "metric": metric, "value": round(value, 4)}
            print(json.dumps(shown), flush=True)
        else:
            print(f"{which:<10} {system:<9} {metric:<20} {value:>6.3f}", flush=True)
    log(f"{caller.asked} questions to the model")


if __name__ == "__main__":
    main()
