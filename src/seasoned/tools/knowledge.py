"""Tools with which an agent uses what was learned: remember, recall, teach, forget.

What a model says it was told need not have been said: a page that it read may have talked it into
it. So each tool hands on whether the words stand in a message of the user; whoever stores them
decides how far to trust them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic_ai import RunContext

from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.tools.run import Run
from seasoned.tools.tool import tool

MOST_RECALLED = 20


@dataclass(frozen=True, slots=True)
class Remembered:
    """A lesson as a model is told it."""

    id: str
    kind: str
    text: str


class Knowledge(Protocol):
    """What the tools ask of a memory; `by_user`: the user said it in these very words."""

    async def remember(self, text: str, scope: Scope, *, by_user: bool) -> str:
        """Keeps a fact, and returns its id."""
        ...

    async def recall(self, query: str, scope: Scope, most: int) -> Sequence[Remembered]: ...

    async def teach(self, situation: str, rule: str, scope: Scope, *, by_user: bool) -> str:
        """Keeps a rule for how to behave, and returns its id."""
        ...

    async def forget(self, name: str, scope: Scope) -> Remembered:
        """Retires a lesson, by its id or the beginning of it."""
        ...


def knowledge_tools(knowledge: Knowledge) -> Sequence[Callable[..., Any]]:
    tools = KnowledgeTools(knowledge)
    return (tools.remember, tools.recall, tools.teach, tools.forget)


class KnowledgeTools:
    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge

    @tool(examples=[{"text": "Our staging server is called heron."}])
    async def remember(self, ctx: RunContext[Run], text: str) -> str:
        """Remembers a fact beyond this conversation.

        Args:
            text: The fact, in one sentence that can be understood alone. If the user said it, use
                the user's own words.
        """
        fact = _given("text", text)
        by_user = is_said_by_user(fact, ctx.deps)
        name = await self.knowledge.remember(fact, ctx.deps.scope, by_user=by_user)
        return f"remembered as {name}"

    @tool
    async def recall(self, ctx: RunContext[Run], query: str, most: int = 5) -> str:
        """Looks up what was learned in earlier conversations.

        Args:
            query: What to look for, as a question or in a few words.
            most: How many results at most.
        """
        wanted = min(max(most, 1), MOST_RECALLED)
        found = await self.knowledge.recall(_given("query", query), ctx.deps.scope, wanted)
        return "\n".join(_line(one) for one in found) or "nothing is known about that"

    @tool(dangerous=True)
    async def teach(self, ctx: RunContext[Run], rule: str, situation: str = "") -> str:
        """Keeps a rule for how to behave from now on; only when the user asks for one.

        Args:
            rule: What to do or not to do, in the user's own words where possible.
            situation: When the rule applies; empty for always.
        """
        told = _given("rule", rule)
        by_user = is_said_by_user(told, ctx.deps)
        scope = ctx.deps.scope
        name = await self.knowledge.teach(situation.strip(), told, scope, by_user=by_user)
        return f"taught as {name}"

    @tool(dangerous=True)
    async def forget(self, ctx: RunContext[Run], lesson: str) -> str:
        """Forgets something that was learned; `recall` shows the ids.

        Args:
            lesson: The id of what to forget.
        """
        gone = await self.knowledge.forget(_given("lesson", lesson), ctx.deps.scope)
        return f"forgotten: {_line(gone)}"


def is_said_by_user(text: str, run: Run) -> bool:
    """Whether these words stand in what the user wrote.

    >>> is_said_by_user("we deploy on Mondays", Run(request="By the way, we deploy on Mondays!"))
    True
    >>> is_said_by_user("we deploy on Fridays", Run(request="By the way, we deploy on Mondays!"))
    False
    """
    words = _folded(text)
    return bool(words.strip()) and words in _folded(run.request)


def _folded(text: str) -> str:
    """Its words alone, with a blank on each side, so that no half word counts as one."""
    words = "".join(sign if sign.isalnum() else " " for sign in text.casefold()).split()
    return f" {' '.join(words)} "


def _given(name: str, text: str) -> str:
    if not text.strip():
        raise BadInput(f"{name} is empty; say it in words")
    return text.strip()


def _line(one: Remembered) -> str:
    return f"[{one.id}] {one.kind}: {one.text}"
