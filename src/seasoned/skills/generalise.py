"""Makes one procedure of several alike: what stays the same is kept, what differs gets a name."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from seasoned.core.ids import canonical
from seasoned.core.similarity import telling_words
from seasoned.core.stems import stem
from seasoned.core.text import one_line
from seasoned.security.pii import without_pii
from seasoned.skills.procedure import Procedure
from seasoned.skills.skill import LONGEST_DESCRIPTION, Skill, name_from

SHOWN = 3  # requests, and values, that are shown as examples
LONGEST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Parameter:
    """Of a step: the value that it always had, or a name for what differs, with examples."""

    name: str
    value: Any = None
    differs: bool = False
    examples: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        return f"{{{self.name}}}" if self.differs else one_line(_text(self.value), 300)


@dataclass(frozen=True, slots=True)
class GeneralStep:
    tool: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True)
class General:
    """A procedure, generalised: what its requests have in common, and its steps."""

    about: str  # the word by which its requests were found to be alike
    requests: tuple[str, ...]
    steps: tuple[GeneralStep, ...]
    times: int


def clustered(
    made: Sequence[Procedure], least: int, told_before: Collection[str] = ()
) -> tuple[str, list[Procedure]] | None:
    """The procedures whose requests share a word, if they are enough; and that word.

    What merely uses the same tools has nothing in common. Requests that share a word which was
    told before stand in a skill already.
    """
    said = [(one, {stem(word) for word in telling_words(one.request)}) for one in made]
    rest = [(one, words) for one, words in said if not words & set(told_before)]
    often = Counter(word for _, words in rest for word in words if not word.isdigit())
    shared = [word for word, many in often.items() if many >= least]
    if not shared:
        return None
    about = max(shared, key=lambda word: (often[word], len(word), word))
    return about, [one for one, words in rest if about in words]


def general(about: str, made: Sequence[Procedure]) -> General:
    """What procedures of one shape have in common."""
    steps: list[GeneralStep] = []
    taken: Counter[str] = Counter()
    for place, step in enumerate(made[0].steps):
        given = [one.steps[place].params for one in made]
        names = list(dict.fromkeys(name for params in given for name in params))
        parameters: list[Parameter] = []
        for name in names:
            values = [params[name] for params in given if name in params]
            same = len(values) == len(given) and len({canonical(value) for value in values}) == 1
            taken[name] += not same
            called = name if taken[name] < 2 else f"{name}_{taken[name]}"
            shown = dict.fromkeys(
                one_line(without_pii(_text(value)), LONGEST_SHOWN) for value in values
            )
            parameters.append(
                Parameter(name, values[0])
                if same
                else Parameter(called, differs=True, examples=tuple(shown)[:SHOWN])
            )
        steps.append(GeneralStep(step.tool, tuple(parameters)))
    requests = tuple(dict.fromkeys(without_pii(one.request) for one in made))[:SHOWN]
    return General(about, requests, tuple(steps), len(made))


def plain_skill(made: General) -> Skill:
    """The procedure as a skill, in words that need no model."""
    common = _common(made.requests)
    tools = list(dict.fromkeys(step.tool for step in made.steps))
    title = common or f"{made.about} with {' and '.join(tools)}"
    examples = ", ".join(f"“{one_line(one, LONGEST_SHOWN)}”" for one in made.requests)
    description = f"Use for requests like {examples}: {', then '.join(tools)}."
    return Skill(
        name_from(title),
        one_line(description, LONGEST_DESCRIPTION),
        body_of(made, title),
        {"metadata": {"made-by": "plain"}},
    )


def body_of(made: General, title: str, told: Sequence[str] = ()) -> str:
    """The steps as Markdown; `told` are a model's words for each."""
    lines = [f"# {one_line(title, 100)}", "", f"Worked {made.times} times, for requests like:", ""]
    lines += [f"- “{one_line(one, 200)}”" for one in made.requests]
    lines += ["", "## Steps", ""]
    for place, step in enumerate(made.steps, 1):
        words = one_line(told[place - 1], 300) if place <= len(told) else ""
        lines.append(f"{place}. {words + ' ' if words else ''}Call `{step.tool}`{_given(step)}.")
    named = [one for step in made.steps for one in step.parameters if one.differs]
    if named:
        lines += ["", "## What differs each time", ""]
        lines += [
            f"- `{one.told}`: for example {', '.join(f'`{_code(text)}`' for text in one.examples)}"
            for one in named
        ]
    return "\n".join(lines)


def _given(step: GeneralStep) -> str:
    told = (f"`{one.name}` = `{_code(one.told)}`" for one in step.parameters)
    given = ", ".join(told)
    return f" with {given}" if given else ""


def _code(text: str) -> str:
    return text.replace("`", "'")


def _common(requests: Sequence[str]) -> str:
    """The telling words that all requests share, in the order of the first."""
    sets = [{stem(word) for word in telling_words(one)} for one in requests]
    shared = set[str].intersection(*sets) if sets else set[str]()
    first = [word for word in telling_words(requests[0]) if stem(word) in shared] if sets else []
    return " ".join(word for word in first if not re.fullmatch(r"\d+", word))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else canonical(value)
