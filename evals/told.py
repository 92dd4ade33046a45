"""How much recall tells an agent on real sessions: tokens for each message of a user.

    python evals/told.py --data DIR [--json] [--quick] [--show SOURCE]

Every `*.jsonl.gz` or `*.jsonl` file in DIR is a source (see sessions_data.py), with a store of its
own; each project and user has its own scope there. Sessions are learned from one after the other.
At each message of a user, recall answers before anything later is known.

    turns        messages of users
    told_share   share of them that are told anything
    mean, p95    tokens told, over all turns
    fix_share    share of the turns that are told a fix in the prompt
    rule_share   share of the turns that are told a standing rule
    notes        mean tokens of tool notes in a session, where the store has any tool notes
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from seasoned import Seasoned
from seasoned.core.text import estimate_tokens
from seasoned.recall.context import Context
from sessions_data import Event, sessions_of, sources

QUICK_SESSIONS = 25  # of each source
LONGEST_SHOWN = 160
AT_ONCE = {"SEASONED_BUFFER__FLUSH_SECONDS": "0.02"}


@dataclass
class Told:
    tokens: list[int] = field(default_factory=list[int])  # for each turn
    with_fix: int = 0
    with_standing: int = 0
    notes: list[int] = field(default_factory=list[int])  # tokens for each session
    shown: list[str] = field(default_factory=list[str])

    def add(self, message: str, context: Context) -> None:
        self.tokens.append(estimate_tokens(context.text) if context.text else 0)
        lessons = [one.lesson for one in context.entries if one.lesson is not None]
        self.with_fix += any(lesson.kind == "fix" for lesson in lessons)
        self.with_standing += bool(context.stable)
        if context.text:
            asked = " ".join(message.split())[:LONGEST_SHOWN]
            self.shown.append(f"> {asked}\n{context.text}\n")

    def plus(self, other: "Told") -> "Told":
        return Told(
            self.tokens + other.tokens,
            self.with_fix + other.with_fix,
            self.with_standing + other.with_standing,
            self.notes + other.notes,
        )

    def metrics(self) -> dict[str, float]:
        turns = max(1, len(self.tokens))
        in_order = sorted(self.tokens) or [0]
        return {
            "turns": len(self.tokens),
            "told_share": sum(one > 0 for one in self.tokens) / turns,
            "mean": sum(self.tokens) / turns,
            "p95": in_order[int(0.95 * (len(in_order) - 1))],
            "fix_share": self.with_fix / turns,
            "rule_share": self.with_standing / turns,
            "notes": sum(self.notes) / max(1, len(self.notes)),
        }


def played(database: Path, path: Path, limit: int | None) -> Told:
    told = Told()
    opened: dict[tuple[str, str], Seasoned] = {}
    for number, events in enumerate(sessions_of(path)):
        if limit is not None and number >= limit:
            break
        first = events[0]
        scope = (first.project, first.user)
        if scope not in opened:
            opened[scope] = Seasoned(
                database, project=first.project, user=first.user, environment=AT_ONCE
            )
        play(opened[scope], events, told)
    for one in opened.values():
        one.close()
    return told


def play(s: Seasoned, events: list[Event], told: Told) -> None:
    conversation = s.conversation(events[0].session)
    told.notes.append(notes_tokens(s, events[0].session))
    for event in events:
        if event.tool:
            conversation.tool(event.tool, event.params, event.result, event.error)
        elif event.role == "user" and event.text.strip():
            told.add(event.text, conversation.user(event.text))
        elif event.text.strip():
            conversation.assistant(event.text)
    s.corrections.learn()
    settle(s)


def settle(s: Seasoned) -> None:
    """Wait for the vectors, so that the outcome does not depend on the machine."""
    deadline = time.monotonic() + 60
    while s.status()["embedding"]["waiting"] and time.monotonic() < deadline:
        time.sleep(0.01)


def notes_tokens(s: Seasoned, session: str) -> int:
    if not hasattr(s, "tool_notes"):
        return 0
    return sum(estimate_tokens(note.text) for note in s.tool_notes(session=session))


def measured(data: Path, quick: bool, show: str) -> Iterator[tuple[str, Mapping[str, float]]]:
    everything = Told()
    for source, path in sources(data).items():
        with tempfile.TemporaryDirectory() as folder:
            told = played(Path(folder, "told.db"), path, QUICK_SESSIONS if quick else None)
        if show in (source, "all"):
            print(f"\n== {source}", *told.shown, sep="\n")
        everything = everything.plus(told)
        yield source, told.metrics()
    yield "all", everything.metrics()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of sessions")
    parser.add_argument("--json", action="store_true", help="rows as JSON, one per line")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_SESSIONS} sessions a source")
    parser.add_argument("--show", default="", help="print all that was told of a source, or of all")
    options = parser.parse_args()
    if not options.json:
        print(f"{'source':<19}" + "".join(f"{name:>11}" for name in Told().metrics()))
    for source, metrics in measured(options.data, options.quick, options.show):
        if options.json:
            for metric, value in metrics.items():
                row = {"set": source, "system": "seasoned", "metric": metric}
                print(json.dumps({**row, "value": round(value, 4)}), flush=True)
        else:
            print(f"{source:<19}" + "".join(f"{v:>11.2f}" for v in metrics.values()), flush=True)


if __name__ == "__main__":
    main()
