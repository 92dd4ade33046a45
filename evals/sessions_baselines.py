"""Plain ways to learn from the same sessions, to compare with.

Errors are the same if their first informative line is, with quoted text, paths and digits masked.
"""

import difflib
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial

from sessions_data import Event, difference, repair_of, texts_of, tokens_of
from sessions_score import Advice
from sessions_system import System

MOST_TOKENS = 12  # of a change that is remembered whole
LEAST_SHARE = 1 / 3  # of an error's repairs that must have made the change
SHORTEST_VALUE = 3
CEREMONY = re.compile(
    r"(exit code|chunk id:|wall time:|process exited|original token count:|output:|command:|[$>])",
    re.IGNORECASE,
)
MASKED = re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`|\S*[/\\]\S*|\d+")

Repair = tuple[frozenset[str], frozenset[str]] | tuple[str, str]  # tokens, or a step: tool, name


def line_of(error: str) -> str:
    """The first line of an error that is not ceremony, masked."""
    lines = (line.strip() for line in error.replace("<tool_use_error>", "").splitlines())
    return MASKED.sub("*", next((one for one in lines if one and not CEREMONY.match(one)), ""))


class Witnesses:
    """Suggest what repaired an error line in `needed` sessions and in a third of its repairs."""

    def __init__(self, needed: int) -> None:
        self.needed = needed
        self.repairs: dict[tuple[str, str], list[tuple[str, set[Repair]]]] = defaultdict(list)

    def observe(self, event: Event) -> Advice | None:
        if not event.judged:
            return None
        known = self.repairs[event.tool, line_of(event.error or "")]
        sessions: dict[Repair, set[str]] = defaultdict(set)
        for session, repairs in known:
            for repair in repairs:
                sessions[repair].add(session)
        times = {one: sum(one in repairs for _, repairs in known) for one in sessions}
        fit = [
            one
            for one in sessions
            if len(sessions[one]) >= self.needed and times[one] >= LEAST_SHARE * len(known)
        ]
        fit.sort(key=lambda one: (-len(sessions[one]), repr(one)))
        return next((advice for one in fit if (advice := advice_from(one, event))), None)

    def end_session(self, events: Sequence[Event]) -> None:
        for at, event in enumerate(events):
            if event.judged and (repair := repair_of(events, at)) is not None:
                made = {*changes_of(event, events[repair]), *steps_of(events, at, repair)}
                self.repairs[event.tool, line_of(event.error or "")].append((event.session, made))

    def close(self) -> None:
        """Nothing is open."""


def changes_of(failed: Event, repair: Event) -> set[Repair]:
    """The whole change if it is small, or its only token on either side."""
    removed, added = map(frozenset, difference(tokens_of(failed.params), tokens_of(repair.params)))
    if not removed and not added:
        return set()
    whole = len(removed) + len(added) <= MOST_TOKENS
    changes: set[Repair] = {(removed, added)} if whole else set()
    changes |= {(removed, frozenset())} if len(removed) == 1 else set()
    changes |= {(frozenset(), added)} if len(added) == 1 else set()
    return changes


def steps_of(events: Sequence[Event], at: int, repair: int) -> set[Repair]:
    """Calls of other tools in between with the same value of the same parameter."""
    failed = events[at].params
    return {
        (event.tool, name)
        for event in events[at + 1 : repair]
        if event.tool and event.tool != events[at].tool and not event.failed
        for name, value in event.params.items()
        if failed.get(name) == value and len(str(value)) >= SHORTEST_VALUE
    }


def advice_from(repair: Repair, event: Event) -> Advice | None:
    first, second = repair
    if isinstance(first, str) and isinstance(second, str):
        if second not in event.params:
            return None
        step = (first, {second: event.params[second]})
        return Advice(f"First {first} with the same {second}.", steps=[step])
    assert isinstance(first, frozenset)
    assert isinstance(second, frozenset)
    if not first <= set(tokens_of(event.params)):
        return None
    return Advice(f"- {sorted(first)} + {sorted(second)}", removed=first, added=second)


class Nearest:
    """Replay the change that repaired the most similar earlier failure of the tool."""

    def __init__(self) -> None:
        self.known: dict[str, list[tuple[str, Repair]]] = defaultdict(list)

    def observe(self, event: Event) -> Advice | None:
        if not event.judged:
            return None
        text = said_by(event)
        best, best_likeness = None, 0.0
        for other, repair in self.known[event.tool]:
            matcher = difflib.SequenceMatcher(None, text.split(), other.split(), autojunk=False)
            if matcher.quick_ratio() > best_likeness and matcher.ratio() > best_likeness:
                best, best_likeness = repair, matcher.ratio()
        return advice_from(best, event) if best is not None else None

    def end_session(self, events: Sequence[Event]) -> None:
        for at, event in enumerate(events):
            if event.judged and (repair := repair_of(events, at)) is not None:
                before, after = tokens_of(event.params), tokens_of(events[repair].params)
                removed, added = map(frozenset, difference(before, after))
                if removed or added:
                    self.known[event.tool].append((said_by(event), (removed, added)))

    def close(self) -> None:
        """Nothing is open."""


def said_by(event: Event) -> str:
    return " ".join([line_of(event.error or ""), *texts_of(dict(event.params))])[:500]


BASELINES: dict[str, Callable[[], System]] = {
    "nearest": Nearest,
    **{f"witnesses_{needed}": partial(Witnesses, needed) for needed in (1, 2, 3)},
}
