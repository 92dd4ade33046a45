"""Generalise similar procedures: keep the values they share, turn the others into parameters."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from seasoned.core.ids import canonical
from seasoned.core.text import one_line
from seasoned.core.words import stem, telling_words
from seasoned.security.pii import without_pii
from seasoned.skills.procedure import Procedure
from seasoned.skills.skill import LONGEST_DESCRIPTION, Skill, name_from

SHOWN = 3  # requests and values shown as examples
LONGEST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a step: a constant, or a name for values that differ, with examples."""

    name: str
    value: Any = None
    differs: bool = False
    examples: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        return f"{{{self.name}}}" if self.differs else one_line(_text(self.value), 300)


@dataclass(frozen=True, slots=True)
class GeneralStep:
    tool: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True)
class GeneralProcedure:
    """A procedure made from several: their requests and their common steps."""

    about: str  # the word that the requests share
    requests: tuple[str, ...]
    steps: tuple[GeneralStep, ...]
    times: int


def find_cluster(
    procedures: Sequence[Procedure], least: int, known: Collection[str] = ()
) -> tuple[str, list[Procedure]] | None:
    """Return the word that at least `least` requests share, and their procedures.

    Using the same tools is not enough to be similar. Requests with a `known` word are left out,
    because a skill exists for them.
    """
    stemmed = [(one, {stem(word) for word in telling_words(one.request)}) for one in procedures]
    rest = [(one, words) for one, words in stemmed if not words & set(known)]
    often = Counter(word for _, words in rest for word in words if not word.isdigit())
    shared = [word for word, many in often.items() if many >= least]
    if not shared:
        return None
    about = max(shared, key=lambda word: (often[word], len(word), word))
    return about, [one for one, words in rest if about in words]


def generalise(about: str, procedures: Sequence[Procedure]) -> GeneralProcedure:
    """Merge procedures with the same tool sequence."""
    steps: list[GeneralStep] = []
    taken: Counter[str] = Counter()
    for place, step in enumerate(procedures[0].steps):
        given = [one.steps[place].params for one in procedures]
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
    requests = tuple(dict.fromkeys(without_pii(one.request) for one in procedures))[:SHOWN]
    return GeneralProcedure(about, requests, tuple(steps), len(procedures))


def plain_skill(procedure: GeneralProcedure) -> Skill:
    """Write the procedure as a skill, without a model."""
    common = _common(procedure.requests)
    tools = list(dict.fromkeys(step.tool for step in procedure.steps))
    title = common or f"{procedure.about} with {' and '.join(tools)}"
    examples = ", ".join(f"“{one_line(one, LONGEST_SHOWN)}”" for one in procedure.requests)
    description = f"Use for requests like {examples}: {', then '.join(tools)}."
    return Skill(
        name_from(title),
        one_line(description, LONGEST_DESCRIPTION),
        skill_body(procedure, title),
        {"metadata": {"made-by": "plain"}},
    )


def skill_body(procedure: GeneralProcedure, title: str, descriptions: Sequence[str] = ()) -> str:
    """Write the steps as Markdown; `descriptions` are a model's words for each step."""
    lines = [
        f"# {one_line(title, 100)}",
        "",
        f"Worked {procedure.times} times, for requests like:",
        "",
    ]
    lines += [f"- “{one_line(one, 200)}”" for one in procedure.requests]
    lines += ["", "## Steps", ""]
    for place, step in enumerate(procedure.steps, 1):
        words = one_line(descriptions[place - 1], 300) if place <= len(descriptions) else ""
        lines.append(f"{place}. {words + ' ' if words else ''}Call `{step.tool}`{_given(step)}.")
    named = [one for step in procedure.steps for one in step.parameters if one.differs]
    if named:
        lines += ["", "## What differs each time", ""]
        lines += [
            f"- `{one.shown}`: for example {', '.join(f'`{_code(text)}`' for text in one.examples)}"
            for one in named
        ]
    return "\n".join(lines)


def _given(step: GeneralStep) -> str:
    given = ", ".join(f"`{one.name}` = `{_code(one.shown)}`" for one in step.parameters)
    return f" with {given}" if given else ""


def _code(text: str) -> str:
    return text.replace("`", "'")


def _common(requests: Sequence[str]) -> str:
    """Return the significant words that all requests share, in the order of the first."""
    sets = [{stem(word) for word in telling_words(one)} for one in requests]
    shared = set[str].intersection(*sets) if sets else set[str]()
    first = [word for word in telling_words(requests[0]) if stem(word) in shared] if sets else []
    return " ".join(word for word in first if not re.fullmatch(r"\d+", word))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else canonical(value)
