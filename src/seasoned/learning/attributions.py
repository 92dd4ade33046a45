"""Finds out what feedback speaks of: its correlation id may name a lesson, a session, a request."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from seasoned.bandit.experience_store import ExperienceStore
from seasoned.core.ids import ALPHABET, LENGTH
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.learning.attribution import Attribution, attribution_of, by_environment, used
from seasoned.learning.exchanges import Exchange, ExchangeStore
from seasoned.learning.feedback import Feedback, RatedTurn
from seasoned.learning.feedback_store import FeedbackStore, Kept
from seasoned.learning.lesson import Lesson
from seasoned.learning.lessons import LessonStore

DIGITS = frozenset(ALPHABET)


class Attributions:
    def __init__(
        self, store: FeedbackStore, lessons: LessonStore, exchanges: ExchangeStore
    ) -> None:
        self.store = store
        self.lessons = lessons
        self.exchanges = exchanges
        self.experiences = ExperienceStore()

    async def find(
        self, tx: Connection, items: Sequence[Feedback], scope: Scope
    ) -> tuple[Sequence[Kept], Mapping[str, Lesson]]:
        """Each with what it speaks of, and the lessons that are among that."""
        ids = {item.correlation_id for item in items} - {""}
        lessons = await self._lessons(tx, ids, scope)
        rest = ids - lessons.keys()
        known = await self._known(tx, rest, scope) if rest else {}
        last = await self._exchanges(tx, (rest - known.keys()) | _unsaid(items), scope)
        meanings = {
            **{name: Attribution(tool=used(one.tool_calls)) for name, one in last.items()},
            **known,
            **{name: _of_lesson(lesson) for name, lesson in lessons.items()},
        }
        return [_kept(item, meanings, last, scope) for item in items], lessons

    async def _known(
        self, tx: Connection, ids: AbstractSet[str], scope: Scope
    ) -> dict[str, Attribution]:
        """What earlier feedback, or an experience, says that these ids stand for."""
        known = await self.store.about(tx, scope, ids)
        done = await self.experiences.named(tx, scope, sorted(ids - known.keys()))
        return known | {name: by_environment(one.action) for name, one in done.items()}

    async def _lessons(self, tx: Connection, ids: Iterable[str], scope: Scope) -> dict[str, Lesson]:
        found: dict[str, Lesson] = {}
        for name in sorted(ids):
            if len(name) == LENGTH and DIGITS.issuperset(name):
                lesson = await self.lessons.find(tx, name)
                if lesson and replace(lesson.scope, session="").reaches(scope):
                    found[name] = lesson
        return found

    async def _exchanges(
        self, tx: Connection, sessions: Iterable[str], scope: Scope
    ) -> dict[str, Exchange]:
        found: dict[str, Exchange] = {}
        for name in sorted(sessions):
            last = await self.exchanges.last(tx, scope.within(name))
            if last.at:
                found[name] = last
        return found


def _unsaid(items: Sequence[Feedback]) -> set[str]:
    """The sessions whose last exchange is what a person means who names none."""
    return {item.session_id for item in items if _means_the_last(item)} - {""}


def _means_the_last(item: Feedback) -> bool:
    said = item.turn is not None and (item.turn.prompt or item.turn.response)
    return item.source == "human" and not said


def _of_lesson(lesson: Lesson) -> Attribution:
    return Attribution(tool=lesson.fix.tool if lesson.fix else "", lesson=lesson.id)


def _kept(
    item: Feedback,
    meanings: Mapping[str, Attribution],
    exchanges: Mapping[str, Exchange],
    scope: Scope,
) -> Kept:
    last = exchanges.get(item.correlation_id) or exchanges.get(item.session_id)
    if last is not None and _means_the_last(item):
        turn = item.turn or RatedTurn("", "")
        item = replace(item, turn=replace(turn, prompt=last.request, response=last.reply))
    about = attribution_of(item, meanings.get(item.correlation_id, Attribution()))
    return Kept(item, about, scope.user)
