"""Tools for using what was learned: remember, recall, teach, forget, read a skill.

A model may claim that the user said something that a web page told it. So each tool checks whether
the words occur in the user's message and passes that on as `by_user`; the knowledge base decides
how far to trust them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic_ai import RunContext

from seasoned.core.authority import Caller
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope
from seasoned.skills.procedure import READ
from seasoned.skills.skills import Skills
from seasoned.tools.run import ToolRun
from seasoned.tools.tool import tool

MOST_RECALLED = 20


@dataclass(frozen=True, slots=True)
class KnownLesson:
    """A lesson as the model sees it."""

    id: str
    kind: str
    text: str


class Knowledge(Protocol):
    """The knowledge base behind the tools; `by_user`: the user wrote exactly these words."""

    async def remember(self, text: str, scope: Scope, *, by_user: bool) -> str:
        """Store a fact and return its id."""
        ...

    async def recall(self, query: str, scope: Scope, most: int) -> Sequence[KnownLesson]: ...

    async def teach(self, situation: str, rule: str, scope: Scope, *, by_user: bool) -> str:
        """Store a rule for how to behave and return its id."""
        ...

    async def forget(self, name: str, scope: Scope) -> KnownLesson:
        """Retire a lesson, by its id or the beginning of it."""
        ...


def knowledge_tools(knowledge: Knowledge) -> Sequence[Callable[..., Any]]:
    tools = KnowledgeTools(knowledge)
    return (tools.remember, tools.recall, tools.teach, tools.forget)


def skill_tools(skills: Skills) -> Sequence[Callable[..., Any]]:
    return (SkillTools(skills).read_skill,)


class KnowledgeTools:
    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge

    @tool(examples=[{"text": "Our staging server is called heron."}])
    async def remember(self, ctx: RunContext[ToolRun], text: str) -> str:
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
    async def recall(self, ctx: RunContext[ToolRun], query: str, most: int = 5) -> str:
        """Looks up what was learned in earlier conversations.

        Args:
            query: What to look for, as a question or in a few words.
            most: How many results at most.
        """
        wanted = min(max(most, 1), MOST_RECALLED)
        found = await self.knowledge.recall(_given("query", query), ctx.deps.scope, wanted)
        return "\n".join(_line(one) for one in found) or "nothing is known about that"

    @tool(dangerous=True)
    async def teach(self, ctx: RunContext[ToolRun], rule: str, situation: str = "") -> str:
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
    async def forget(self, ctx: RunContext[ToolRun], lesson: str) -> str:
        """Forgets something that was learned; `recall` shows the ids.

        Args:
            lesson: The id of what to forget.
        """
        gone = await self.knowledge.forget(_given("lesson", lesson), ctx.deps.scope)
        return f"forgotten: {_line(gone)}"


class SkillTools:
    def __init__(self, skills: Skills) -> None:
        self.skills = skills

    @tool(name=READ, examples=[{"name": "release-notes"}])
    async def read_skill(self, ctx: RunContext[ToolRun], name: str) -> str:
        """Reads how to do something that was worth writing down; then follow it.

        Args:
            name: The skill's name, as it stands in the notes beside the user's message.
        """
        if not name.strip():
            raise BadInput("name is empty; give the name of a skill")
        wanted = self.skills.get(name.strip(), Caller(ctx.deps.scope))
        stored = await self.skills.unit.db.run_async(wanted)
        if stored.status != "active":
            raise NotFound(f"the skill {stored.name!r} is {stored.status}; do without it")
        return f"# Skill {stored.name}\n{stored.skill.description}\n\n{stored.skill.body}"


def is_said_by_user(text: str, run: ToolRun) -> bool:
    """Tell whether the user wrote these words in this turn.

    >>> run = ToolRun(request="By the way, we deploy on Mondays!")
    >>> is_said_by_user("we deploy on Mondays", run), is_said_by_user("we deploy on Fridays", run)
    (True, False)
    """
    words = _folded(text)
    return bool(words.strip()) and words in _folded(run.request)


def _folded(text: str) -> str:
    """Return the words, lower-case, with a blank on each side so that only whole words match."""
    words = "".join(sign if sign.isalnum() else " " for sign in text.casefold()).split()
    return f" {' '.join(words)} "


def _given(name: str, text: str) -> str:
    if not text.strip():
        raise BadInput(f"{name} is empty; say it in words")
    return text.strip()


def _line(one: KnownLesson) -> str:
    return f"[{one.id}] {one.kind}: {one.text}"
