"""Measure repairs of calls: rows of a failing call, its error and the calls that repair it."""

import random
import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from fixes_baselines import BASELINES, Nearest, Row
from seasoned import Seasoned

_SESSIONS = count()
GROUPS = 12
LEFT_OUT = 0.2  # share of the rules that are not taught, for the false hints


@dataclass
class Tally:
    """Counts of questions, hints and right hints."""

    asked: int = 0
    hinted: int = 0
    right: int = 0

    def add(self, answer: str | None, row: Row, hinted: bool | None = None) -> None:
        self.asked += 1
        self.hinted += answer is not None if hinted is None else hinted
        self.right += answer in row["accepted"]


@dataclass
class Score:
    """The result of one system under one protocol; false hints by kind of question."""

    repairs: Tally = field(default_factory=Tally)
    false: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))


class Store:
    """Plays episodes and asks errors through Seasoned's public face."""

    def __init__(self, rows: Sequence[Row], where: str = ":memory:") -> None:
        self.seasoned = Seasoned(where)
        self.play(rows)

    def play(self, rows: Sequence[Row]) -> None:
        for row in rows:
            session = _session()
            self.seasoned.observe(
                tool=row["tool"], params=row["params"], error=row["error"], session=session
            )
            self.seasoned.observe(
                tool=row["tool"], params=row["fixed"], result="done", session=session
            )

    def ask(self, row: Row, tool: str | None = None) -> tuple[bool, str | None]:
        """Return whether there was a hint, and the command it suggests."""
        hint = self.seasoned.observe(
            tool=tool or row["tool"],
            params=row["params"],
            error=row["error"],
            session=_session(),
        )
        if hint is None:
            return False, None
        return True, hint.params.get("command") if hint.params else None

    def close(self) -> None:
        self.seasoned.close()


def _session() -> str:
    return f"s{next(_SESSIONS)}"


def by_rule(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["rule"]].append(row)
    return found


def after_episodes(
    rows: Sequence[Row], k: int, draws: int, strangers: Sequence[str]
) -> dict[str, Score]:
    """Play k episodes of each rule that has more, all in one store; then ask the other rows."""
    scores = {name: Score() for name in ("seasoned", *BASELINES)}
    rules = by_rule(rows)
    for seed in range(draws):
        rng = random.Random(seed)
        out = {rule for rule in sorted(rules) if rng.random() < LEFT_OUT}
        taught: list[Row] = []
        asked: list[Row] = []
        for rule, members in sorted(rules.items()):
            if rule not in out and len(members) > k:
                drawn = rng.sample(members, len(members))
                taught += drawn[:k]
                asked += drawn[k:]
        rng.shuffle(taught)
        unknown = [row for row in rows if row["rule"] in out]
        _ours(scores["seasoned"], taught, asked, unknown, strangers)
        _baselines(scores, taught, asked)
    return scores


def _ours(
    score: Score,
    taught: Sequence[Row],
    asked: Sequence[Row],
    unknown: Sequence[Row],
    strangers: Sequence[str],
) -> None:
    store = Store(taught)
    for row in asked:
        hinted, command = store.ask(row)
        score.repairs.add(command, row, hinted)
    for row in unknown:
        hinted, command = store.ask(row)
        score.false["rule_not_taught"].add(command, row, hinted)
    for error in strangers:
        for kind, tool in (("other_tool", "checker"), ("same_tool", "shell")):
            row: Row = {
                "tool": tool,
                "params": {"command": "check a.py"},
                "error": error,
                "accepted": [],
            }
            hinted, command = store.ask(row)
            score.false[f"other_set_{kind}"].add(command, row, hinted)
    store.close()


def _baselines(scores: dict[str, Score], taught: Sequence[Row], asked: Sequence[Row]) -> None:
    nearest = Nearest(taught)
    for row in asked:
        known = nearest(row)
        for name, repair in BASELINES.items():
            scores[name].repairs.add(None if known is None else repair(known, row), row)


def leave_one_out(rows: Sequence[Row], most: int) -> dict[str, Tally]:
    """Ask each row whose rule occurs twice of a store with all the other rows."""
    tallies = {name: Tally() for name in ("seasoned", *BASELINES)}
    rules = by_rule(rows)
    asked = [row for row in rows if len(rules[row["rule"]]) > 1]
    random.Random(0).shuffle(asked)
    asked = asked[:most]
    names = sorted({row["rule"] for row in asked})
    for group in range(min(GROUPS, len(names))):
        _leave_out_each(rows, asked, set(names[group::GROUPS]), tallies["seasoned"])
    nearest = Nearest(rows)
    for row in asked:
        known = nearest(row, without=row)
        for name, repair in BASELINES.items():
            tallies[name].add(None if known is None else repair(known, row), row)
    return tallies


def _leave_out_each(
    rows: Sequence[Row], asked: Sequence[Row], group: set[str], tally: Tally
) -> None:
    """Play the rows that a group of rules shares once, and copy the store for each row left out."""
    with TemporaryDirectory() as folder:
        base, copy = Path(folder, "base.db"), Path(folder, "copy.db")
        Store([row for row in rows if row["rule"] not in group], str(base)).close()
        for row in (row for row in asked if row["rule"] in group):
            shutil.copyfile(base, copy)
            store = Store([o for o in rows if o["rule"] in group and o is not row], str(copy))
            hinted, command = store.ask(row)
            tally.add(command, row, hinted)
            store.close()
            for file in Path(folder).glob("copy.db*"):
                file.unlink()


def repairs(
    rows: Sequence[Row], strangers: Sequence[str], quick: bool
) -> Iterator[tuple[str, str, float]]:
    """Return (system, metric, value) for every protocol."""
    for k in (1, 2, 3):
        for system, score in after_episodes(rows, k, 1 if quick else 5, strangers).items():
            yield from _shares(system, score.repairs, f"after_{k}")
            for kind, tally in score.false.items():
                wrong = tally.hinted - tally.right
                yield system, f"false_hint_rate_{kind}_after_{k}", wrong / max(1, tally.asked)
    for system, tally in leave_one_out(rows, 120 if quick else len(rows)).items():
        yield from _shares(system, tally, "leave_one_out")


def _shares(system: str, tally: Tally, protocol: str) -> Iterator[tuple[str, str, float]]:
    yield system, f"fix@1_{protocol}", tally.right / max(1, tally.asked)
    yield system, f"hint_rate_{protocol}", tally.hinted / max(1, tally.asked)
    yield system, f"hint_precision_{protocol}", tally.right / max(1, tally.hinted)
