"""Changes that recur when an error is repaired, found by contrast: a reference to build towards.

For each repaired failure, remember its changes one by one: a run of words replaced, a parameter set
or dropped, a step of another tool with the same value. When the same error comes again, a change is
suggested if it fits the call and repaired the error in two sessions (one, if the error names the
tool of the step), and if it was made nearly always when it could have been:

    (1 + made) / (2 + could have been made) >= 0.7

Errors are the same if they complain of the same word of the call, or if their first informative
line is the same, as it stands or masked.
"""

import difflib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sessions_baselines import CEREMONY, line_of, steps_of
from sessions_data import TOKEN, UNCOUNTED, Event, repair_of, tokens_of
from sessions_score import Advice

SURE = 0.7
SESSIONS = 2
LONGEST_RUN = 6  # tokens
LONGEST_NAMED_RUN = 3
LONGEST_VALUE = 40  # characters
LINES_WITH_NAMES = 3
WORD = re.compile(r"\w")
QUOTED = re.compile(r"'([^'\n]{1,80})'|\"([^\"\n]{1,80})\"|`([^`\n]{1,80})`")

Words = tuple[str, ...]
Key = tuple[str, ...]


@dataclass(frozen=True)
class Swap:
    """Words replaced by others in a text parameter; no old words: put in front."""

    param: Words
    old: Words  # lower case
    new: Words
    inserted: bool = False  # `old` is only the word before it

    def fits(self, params: Mapping[str, Any]) -> bool:
        text = dict(leaves(params)).get(self.param)
        if not isinstance(text, str):
            return False
        tokens = TOKEN.findall(text)
        if not self.old:
            return tuple(tokens[: len(self.new)]) != self.new
        return holds(tokens, self.old) and not (self.inserted and holds(tokens, self.new))

    def advice(self, params: Mapping[str, Any]) -> Advice:
        text = cast("str", dict(leaves(params))[self.param])
        spelled = {token.lower(): token for token in TOKEN.findall(text)}
        old = Counter(spelled.get(word, word) for word in self.old)
        removed, added = old - Counter(self.new), Counter(self.new) - old
        say = f"In {'.'.join(self.param)}: {' '.join(self.old)!r} → {' '.join(self.new)!r}"
        return Advice(say, removed=frozenset(removed), added=frozenset(added))


@dataclass(frozen=True)
class Set:
    param: Words
    value: str  # JSON

    def fits(self, params: Mapping[str, Any]) -> bool:
        return dict(leaves(params)).get(self.param) != json.loads(self.value)

    def advice(self, params: Mapping[str, Any]) -> Advice:
        before = dict(leaves(params)).get(self.param, "")
        return Advice(
            f"Set {'.'.join(self.param)} to {self.value}",
            removed=frozenset(TOKEN.findall(str(before))),
            added=frozenset(TOKEN.findall(str(json.loads(self.value)))),
        )


@dataclass(frozen=True)
class Drop:
    param: Words

    def fits(self, params: Mapping[str, Any]) -> bool:
        return self.param in dict(leaves(params))

    def advice(self, params: Mapping[str, Any]) -> Advice:
        before = str(dict(leaves(params))[self.param])
        return Advice(f"Drop {'.'.join(self.param)}", removed=frozenset(TOKEN.findall(before)))


@dataclass(frozen=True)
class Do:
    tool: str
    param: str

    def fits(self, params: Mapping[str, Any]) -> bool:
        return self.param in params

    def advice(self, params: Mapping[str, Any]) -> Advice:
        step = (self.tool, {self.param: params[self.param]})
        return Advice(f"First {self.tool} with the same {self.param}", steps=[step])


Change = Swap | Set | Drop | Do


@dataclass(frozen=True)
class Repaired:
    session: str
    params: Mapping[str, Any]
    changes: frozenset[Change]


class Contrast:
    def __init__(self) -> None:
        self.repaired: dict[Key, list[Repaired]] = defaultdict(list)

    def observe(self, event: Event) -> Advice | None:
        if not event.judged:
            return None
        best: tuple[tuple[float, int, int], Change] | None = None
        for rank, key in enumerate(reversed(keys_of(event))):
            for sure, sessions, change in self._fitting(key, event):
                if best is None or (sure, rank, sessions) > best[0]:
                    best = (sure, rank, sessions), change
        return best[1].advice(event.params) if best else None

    def _fitting(self, key: Key, event: Event) -> Iterator[tuple[float, int, Change]]:
        known = self.repaired[key]
        for change in {change for one in known for change in one.changes}:
            made = [one for one in known if change in one.changes]
            sessions = len({one.session for one in made})
            stated = isinstance(change, Do) and says(event.error or "", change.tool)
            if sessions < SESSIONS and not stated:
                continue
            if (key[0] == "word" and not is_about(change, key[-1])) or not change.fits(
                event.params
            ):
                continue
            could = sum(change.fits(one.params) for one in known)
            sure = (1 + len(made) + stated) / (2 + max(could, len(made)) + stated)
            if sure >= SURE:
                yield sure, sessions, change

    def end_session(self, events: Sequence[Event]) -> None:
        for at, event in enumerate(events):
            if event.judged and (repair := repair_of(events, at)) is not None:
                changes = {*changes_between(event.params, events[repair].params)}
                changes |= {Do(str(tool), str(name)) for tool, name in steps_of(events, at, repair)}
                one = Repaired(event.session, event.params, frozenset(changes))
                for key in keys_of(event):
                    self.repaired[key].append(one)

    def close(self) -> None:
        """Nothing is open."""


def keys_of(event: Event) -> list[Key]:
    """Return the keys that identify an error, the most specific first."""
    error = event.error or ""
    line, place = line_of(error), (event.project, event.tool)
    if not re.search(r"[a-z]{3}", line):
        return []
    words = sorted(named_words(error, event.params))
    as_it_stands = lines_of(error)[0][:200]
    return [
        *(("word", *place, line, word) for word in words),
        ("line", *place, as_it_stands),
        ("masked", *place, line),
    ]


def lines_of(error: str) -> list[str]:
    plain = re.sub(r"</?tool_use_error>", "", error)
    lines = (line.strip() for line in plain.splitlines())
    return [line for line in lines if line and not CEREMONY.match(line)] or [""]


def named_words(error: str, params: Mapping[str, Any]) -> set[str]:
    """The words of the call that the error quotes; of a dotted name the last part."""
    text = " ".join(lines_of(error)[:LINES_WITH_NAMES])[:600]
    called = {token.lower() for token in tokens_of(params)}
    named: set[str] = set()
    for match in QUOTED.finditer(text):
        words = [word.lower() for word in TOKEN.findall(match[0]) if WORD.search(word)]
        named |= set(words[-1:] if words[-1:] and words[-1] in called else words[:1])
    return named & called


def is_about(change: Change, word: str) -> bool:
    return (
        isinstance(change, Swap)
        and word in change.old
        and max(len(change.old), len(change.new)) <= LONGEST_NAMED_RUN
    )


def says(error: str, word: str) -> bool:
    return re.search(rf"\b{re.escape(word)}\b", error, re.IGNORECASE) is not None


def changes_between(failed: Mapping[str, Any], worked: Mapping[str, Any]) -> Iterator[Change]:
    before, after = dict(leaves(failed)), dict(leaves(worked))
    for name in before.keys() | after.keys():
        old, new = before.get(name), after.get(name)
        if name not in after:
            yield Drop(name)
        elif isinstance(old, str) and isinstance(new, str):
            yield from swaps_between(name, TOKEN.findall(old), TOKEN.findall(new))
        elif old != new and len(str(new)) <= LONGEST_VALUE:
            yield Set(name, json.dumps(new))


def swaps_between(name: Words, old: list[str], new: list[str]) -> Iterator[Swap]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        gone, come = tuple(old[start:end]), tuple(new[new_start:new_end])
        short = max(len(gone), len(come)) <= LONGEST_RUN
        if kind == "equal" or not short or not any(map(WORD.search, gone + come)):
            continue
        before = tuple(old[max(0, start - 1) : start]) if kind == "insert" else ()
        lowered = tuple(word.lower() for word in (before or gone))
        yield Swap(name, lowered, before + come, inserted=bool(before))


def leaves(params: Mapping[str, Any], above: Words = ()) -> Iterator[tuple[Words, Any]]:
    for name, value in params.items():
        if isinstance(value, Mapping):
            yield from leaves(cast("Mapping[str, Any]", value), (*above, name))
        elif above or name not in UNCOUNTED:
            yield (*above, name), value


def holds(tokens: Sequence[str], run: Words) -> bool:
    lowered = tuple(token.lower() for token in tokens)
    return any(
        lowered[at : at + len(run)] == tuple(w.lower() for w in run) for at in range(len(tokens))
    )
