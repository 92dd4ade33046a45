"""What feedback is put down to: the skill, the tool, the lesson that it speaks of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seasoned.learning.feedback import Feedback
from seasoned.learning.feedback_kept import name_of


@dataclass(frozen=True, slots=True)
class Attribution:
    skill: str = ""
    tool: str = ""
    lesson: str = ""

    @property
    def names_work(self) -> bool:
        return bool(self.skill or self.tool)


NOTHING = Attribution()


def attribution_of(given: Feedback, correlated: Attribution = NOTHING) -> Attribution:
    """By what its correlation id stands for; else by the turn's environment, else its version.

    >>> from seasoned.learning.feedback import RatedTurn
    >>> turn = RatedTurn("q", "a", environment={"tool": "shell"}, version="summarise")
    >>> attribution_of(Feedback("f1", "positive", turn=turn)).tool
    'shell'
    >>> attribution_of(Feedback("f1", "positive", turn=turn), Attribution(skill="plan")).skill
    'plan'
    """
    if correlated.names_work or given.turn is None:
        return correlated
    found = by_environment(given.turn.environment or {})
    if not found.names_work:
        found = Attribution(name_of(given.turn.version or ""))
    return Attribution(found.skill, found.tool, correlated.lesson)


def by_environment(environment: Mapping[str, Any]) -> Attribution:
    """By its keys skill and tool; an experience's action has the same."""
    return Attribution(_named(environment, "skill"), _named(environment, "tool"))


def _named(environment: Mapping[str, Any], key: str) -> str:
    name = environment.get(key)
    return name_of(name.strip()) if isinstance(name, str) else ""


def used(tool_calls: Sequence[Mapping[str, Any]]) -> str:
    """The tool that an exchange used, when it used one alone: else it is not known which.

    >>> used([{"tool": "shell"}, {"tool": "shell"}]), used([{"tool": "a"}, {"tool": "b"}])
    ('shell', '')
    """
    names = {str(call.get("tool", "")) for call in tool_calls}
    return name_of(names.pop()) if len(names) == 1 else ""
