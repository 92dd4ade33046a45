"""Measure what Seasoned adds to an agent's turn: time to first token, total time, prompt.

The same pydantic-ai agent with the same model, once alone (`pydantic_ai`, its history in memory)
and once as Seasoned's agent with 0, 1k and 100k lessons: durable sessions, corrections, recall and
a watched tool. The model answers at once from a script, so what is measured is everything else.
Each conversation has ten turns, every third with a tool call; both systems talk in one run. Users
pause between turns, if only for a tenth of a second: what is learned in the background is then.

    ttft_ms, turn_ms      medians over the turns (and _p95)
    added_ttft_ms, added_turn_ms   ours minus the bare agent's, medians
    prompt_tokens         of the last turn of a conversation, by characters / 4
    stable_prefix         the share of a request's bytes that stand unchanged at the beginning of
                          the next one (1: what was sent once is never sent differently)

    python benchmarks/turn.py [--quick] [--sizes 0,1000] [--json]
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage

from corpus import Corpus
from seasoned import AsyncSeasoned, Seasoned
from seasoned.core.scope import Scope
from seasoned.db.unit import Change
from seasoned.lessons.lesson import PRIORS, Draft, Evidence, Kind
from seasoned.llm.chat.scripted import Call, Say, Scripted, ScriptedRequest

SIZES = (0, 1000, 100_000)
TURNS = 10
PAUSE_SECONDS = 0.1
INSTRUCTIONS = "You are a careful assistant. Answer in a sentence."
Row = dict[str, str | float]


def lookup(word: str) -> str:
    """Looks a word up."""
    return f"{word}: known since long"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="0 and 1k lessons, under a minute")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    parser.add_argument("--sizes", help="how many lessons, as 0,1000")
    options = parser.parse_args()
    sizes = SIZES[:2] if options.quick else SIZES
    if options.sizes:
        sizes = tuple(int(each) for each in options.sizes.split(","))
    conversations = 4 if options.quick else 12
    rows: list[Row] = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            database = Path(folder) / "seasoned.db"
            fill(database, size)
            rows += asyncio.run(measured(database, size, conversations))
    if options.json:
        print(json.dumps(rows))
    else:
        show(rows)


def fill(database: Path, size: int) -> None:
    """Store so many lessons with their vectors."""
    corpus, prior = Corpus(), PRIORS["operator"]
    with Seasoned(database) as s:
        app = s.inner.app
        now = app.clock.now()
        said = (Evidence(now, "told by the operator", prior.worked, prior.failed),)

        async def loaded(numbers: range) -> None:
            async with app.db.write() as tx:
                for one in map(corpus.lesson, numbers):
                    kind, told = cast("Kind", one.kind), (one.trigger, one.content)
                    draft = Draft(kind, "active", Scope(), *told, prior, "operator")
                    await app.lessons.add(Change(tx, now), replace(draft, evidence=said))

        for start in range(0, size, 1000):
            app.db.run(loaded(range(start, min(size, start + 1000))))
        app.nudge("embedding")
        while s.status()["embedding"]["waiting"]:
            time.sleep(0.5)


async def measured(database: Path, size: int, conversations: int) -> list[Row]:
    queries = [
        one.text
        for one in Corpus().queries(TURNS * (conversations + 1), range(max(size, 1000)), seed=3)
    ]
    ours, bare = Timed(), Timed()
    model = Scripted()
    async with AsyncSeasoned(database) as s:
        agent = s.agent(model, tools=[lookup], built_in=[], instructions=INSTRUCTIONS)
        plain = Agent(model, instructions=INSTRUCTIONS, tools=[lookup])
        async with agent:
            for number in range(conversations + 1):
                said = queries[number * TURNS : (number + 1) * TURNS]
                if number == 1:  # the first conversation warms everything up
                    ours, bare = Timed(), Timed()
                await by_seasoned(agent, model, said, f"talk-{number}", ours)
                await by_agent(plain, model, said, bare)
    name = f"{size}_lessons"
    rows = [*ours.rows(name, "seasoned"), *bare.rows(name, "pydantic_ai")]
    for metric in ("ttft_ms", "turn_ms"):
        added = ours.median(metric) - bare.median(metric)
        rows.append(row(name, "seasoned", f"added_{metric}", added))
    return rows


class Timed:
    """The durations of turns, and the requests to the model."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {"ttft_ms": [], "turn_ms": []}
        self.tokens: list[float] = []
        self.kept: list[float] = []

    def add(self, start: float, first: float, end: float) -> None:
        self.times["ttft_ms"].append((first - start) * 1000)
        self.times["turn_ms"].append((end - start) * 1000)

    def talked(self, asked: Sequence[ScriptedRequest]) -> None:
        """Report how the requests of a conversation grew."""
        sent = [as_sent(one) for one in asked]
        self.tokens.append(len(sent[-1]) / 4)
        for before, after in pairwise(sent):
            self.kept.append(shared(before, after) / len(before))

    def median(self, metric: str) -> float:
        return statistics.median(self.times[metric])

    def rows(self, name: str, system: str) -> list[Row]:
        rows: list[Row] = []
        for metric, times in self.times.items():
            rows.append(row(name, system, metric, statistics.median(times)))
            rows.append(row(name, system, f"{metric}_p95", statistics.quantiles(times, n=20)[-1]))
        rows.append(row(name, system, "prompt_tokens", statistics.median(self.tokens)))
        rows.append(row(name, system, "stable_prefix", statistics.mean(self.kept)))
        return rows


def shared(before: str, after: str) -> int:
    """Return the length of the common prefix."""
    same = (place for place, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
    return next(same, min(len(before), len(after)))


def as_sent(asked: ScriptedRequest) -> str:
    """Render a request as a provider sees it: tools and instructions first, then messages."""
    parameters = asked.parameters
    tools = [(one.name, one.description) for one in parameters.function_tools]
    instructions = [part.content for part in parameters.instruction_parts or []]
    said = [
        (part.part_kind, str(getattr(part, "content", "") or getattr(part, "args", "")))
        for message in asked.messages
        for part in message.parts
    ]
    return json.dumps([tools, instructions])[:-1] + "".join(map(json.dumps, said))


def answers(number: int) -> list[Say]:
    """Script the model's answers; in every third turn it calls a tool first."""
    reply = Say("That is so, and it has been so for as long as anybody can remember.")
    if number % 3:
        return [reply]
    return [Say(calls=(Call("lookup", {"word": f"w{number}"}),)), reply]


async def by_seasoned(
    agent: Any, model: Scripted, said: Sequence[str], session: str, timed: Timed
) -> None:
    model.asked.clear()
    for number, message in enumerate(said):
        model.add(*answers(number))
        await asyncio.sleep(PAUSE_SECONDS)
        start = time.perf_counter()
        first = 0.0
        async for event in agent.turn(message, session=session):
            if event.kind in ("chunk", "tool") and not first:
                first = time.perf_counter()
        timed.add(start, first, time.perf_counter())
    timed.talked(model.asked)


async def by_agent(
    agent: Agent[None, str], model: Scripted, said: Sequence[str], timed: Timed
) -> None:
    model.asked.clear()
    history: list[ModelMessage] = []
    for number, message in enumerate(said):
        model.add(*answers(number))
        await asyncio.sleep(PAUSE_SECONDS)
        start = time.perf_counter()
        first = 0.0
        async with agent.iter(message, message_history=history) as run:
            async for node in run:
                if Agent.is_model_request_node(node) or Agent.is_call_tools_node(node):
                    async with node.stream(run.ctx) as stream:  # pyright: ignore
                        async for _ in stream:  # pyright: ignore
                            first = first or time.perf_counter()
        timed.add(start, first, time.perf_counter())
        history = run.result.all_messages() if run.result else history
    timed.talked(model.asked)


def row(name: str, system: str, metric: str, value: float) -> Row:
    return {"set": name, "system": system, "metric": metric, "value": round(value, 3)}


def show(rows: Sequence[Row]) -> None:
    print(f"{'set':<18}{'system':<14}{'metric':<18}{'value':>12}")
    for one in rows:
        name, system, metric, value = one["set"], one["system"], one["metric"], one["value"]
        print(f"{name:<18}{system:<14}{metric:<18}{value:>12,.3f}")


if __name__ == "__main__":
    main()
