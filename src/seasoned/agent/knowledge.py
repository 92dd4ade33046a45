"""What an agent's knowledge tools work on: the lessons, with as much trust as is due.

What the user said in these very words is taken as said by the user. What only the model says stays
a candidate: it is found by whoever looks, and enters no prompt until something speaks for it.
"""

from collections.abc import Sequence
from dataclasses import replace

from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.learning.confidence import PRIORS
from seasoned.learning.journal import Journal
from seasoned.learning.lesson import Draft, Evidence, Kind, Lesson
from seasoned.learning.teaching import Teacher, teaching_from
from seasoned.protocol.work import Work
from seasoned.recall.search import Search
from seasoned.security.redact import redact
from seasoned.tools.knowledge import Remembered

REASON = "an agent wanted to remember it"


class LearnedKnowledge:
    def __init__(self, db: Database, teacher: Teacher, search: Search) -> None:
        self.db = db
        self.teacher = teacher
        self.search = search
        self._run = Work(db, teacher.bus)

    async def remember(self, text: str, scope: Scope, *, by_user: bool) -> str:
        if not by_user:
            return await self._proposed("fact", "", text, scope)
        told = teaching_from("", fact=text, source="user")
        return (await self._run(self.teacher.teach(told, scope.within("")))).id

    async def recall(self, query: str, scope: Scope, most: int) -> Sequence[Remembered]:
        found = await self._run(self.search.find(query, scope, most=most))
        return [_told(hit.lesson) for hit in found.hits]

    async def teach(self, situation: str, rule: str, scope: Scope, *, by_user: bool) -> str:
        if not by_user:
            return await self._proposed("pattern", situation, rule, scope)
        told = teaching_from(situation, rule=rule, source="user")
        return (await self._run(self.teacher.teach(told, scope.within("")))).id

    async def forget(self, name: str, scope: Scope) -> Remembered:
        return _told(await self._run(self.teacher.forget(name, scope)))

    async def _proposed(self, kind: Kind, situation: str, text: str, scope: Scope) -> str:
        content, trigger = redact(storable(text)), redact(storable(situation))
        teacher, belief = self.teacher, PRIORS["model_low"]

        async def kept() -> str:
            now = teacher.clock.now()
            said = Evidence(now, REASON, belief.worked, belief.failed, scope.session, "")

            async def added(tx: Connection) -> tuple[Journal, Lesson]:
                journal = Journal(now)
                whose = replace(scope, session="")
                draft = Draft(kind, "candidate", whose, trigger, content, belief, "model")
                lesson, is_new = await teacher.lessons.add(
                    tx, replace(draft, evidence=(said,)), now
                )
                if is_new:
                    journal.learned(lesson)
                await teacher.audit.add(tx, now, journal.entries)
                return journal, lesson

            journal, lesson = await transact(self.db, added)
            journal.publish(teacher.bus)
            return lesson.id

        return await self._run(kept())


def _told(lesson: Lesson) -> Remembered:
    return Remembered(lesson.id, lesson.kind, lesson.content)
