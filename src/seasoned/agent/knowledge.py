"""The lessons behind an agent's knowledge tools, with as much trust as is due.

Exactly what the user wrote counts as the user's word. What only the model says stays a candidate:
search finds it, but it enters no prompt until there is evidence for it. An agent acts for its user:
it forgets what is the user's to forget, and nothing that an operator said.
"""

from collections.abc import Sequence
from dataclasses import replace

from seasoned.core.authority import Caller
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.db.unit import Change
from seasoned.lessons.lesson import PRIORS, Draft, Evidence, Kind, Lesson
from seasoned.recall.search import Search
from seasoned.rules.teaching import Teacher, Teaching, teaching_from
from seasoned.security.redact import redact
from seasoned.tools.builtin.knowledge import KnownLesson

REASON = "an agent wanted to remember it"


class LearnedKnowledge:
    def __init__(self, teacher: Teacher, search: Search) -> None:
        self.teacher = teacher
        self.search = search
        self.unit = teacher.unit

    async def remember(self, text: str, scope: Scope, *, by_user: bool) -> str:
        if not by_user:
            return await self._propose("fact", "", text, scope)
        teaching = teaching_from("", fact=text, source="user")
        return await self._teach(teaching, scope)

    async def recall(self, query: str, scope: Scope, most: int) -> Sequence[KnownLesson]:
        found = await self.unit.run(self.search.find(query, scope, most=most))
        return [_known(hit.lesson) for hit in found.hits]

    async def teach(self, situation: str, rule: str, scope: Scope, *, by_user: bool) -> str:
        if not by_user:
            return await self._propose("pattern", situation, rule, scope)
        teaching = teaching_from(situation, rule=rule, source="user")
        return await self._teach(teaching, scope)

    async def forget(self, name: str, scope: Scope) -> KnownLesson:
        return _known(await self.unit.run(self.teacher.forget(name, Caller(scope), by="user")))

    async def _teach(self, teaching: Teaching, scope: Scope) -> str:
        taught = self.teacher.teach(teaching, scope.within(""), Caller(scope))
        return (await self.unit.run(taught)).id

    async def _propose(self, kind: Kind, situation: str, text: str, scope: Scope) -> str:
        content, trigger = redact(storable(text)), redact(storable(situation))
        belief = PRIORS["model_low"]
        owner = replace(scope, session="")
        draft = Draft(kind, "candidate", owner, trigger, content, belief, "model")

        async def add(change: Change) -> str:
            evidence = Evidence(change.at, REASON, belief.worked, belief.failed, scope.session, "")
            lesson, _ = await self.teacher.lessons.add(change, replace(draft, evidence=(evidence,)))
            return lesson.id

        return await self.unit.run(self.unit.change(add))


def _known(lesson: Lesson) -> KnownLesson:
    return KnownLesson(lesson.id, lesson.kind, lesson.content)
