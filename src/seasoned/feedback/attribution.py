"""Attribute feedback to the skill, tool or lesson that it is about.

The correlation id of feedback may name a lesson, earlier feedback, an experience or a session.
Without one that is known, the rated turn's environment names the skill or tool, else its version.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from seasoned.bandit.experience_store import ExperienceStore
from seasoned.core.authority import Caller
from seasoned.core.ids import ALPHABET, LENGTH
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.feedback.feedback import Attribution, Feedback, RatedTurn, StoredFeedback
from seasoned.feedback.feedback_store import FeedbackStore
from seasoned.lessons.lesson import Lesson
from seasoned.lessons.lesson_store import LessonStore
from seasoned.rules.exchanges import Exchange, ExchangeStore
from seasoned.security.stored import stored_name

NOTHING = Attribution()
ID_CHARACTERS = frozenset(ALPHABET)


class Attributions:
    def __init__(
        self, store: FeedbackStore, lessons: LessonStore, exchanges: ExchangeStore
    ) -> None:
        self.store = store
        self.lessons = lessons
        self.exchanges = exchanges
        self.experiences = ExperienceStore()

    async def find(
        self, tx: Connection, items: Sequence[Feedback], caller: Caller
    ) -> tuple[Sequence[StoredFeedback], Mapping[str, Lesson]]:
        """Return each piece with its attribution, and the lessons among them by id."""
        scope = caller.scope
        ids = {item.correlation_id for item in items} - {""}
        lessons = await self._lessons(tx, ids, caller)
        rest = ids - lessons.keys()
        known = await self._known(tx, rest, scope) if rest else {}
        last = await self._exchanges(tx, (rest - known.keys()) | _unnamed_sessions(items), scope)
        meanings = {
            **{name: Attribution(tool=only_tool(one.tool_calls)) for name, one in last.items()},
            **known,
            **{name: _of_lesson(lesson) for name, lesson in lessons.items()},
        }
        return [_attribute(item, meanings, last, scope) for item in items], lessons

    async def _known(
        self, tx: Connection, ids: AbstractSet[str], scope: Scope
    ) -> dict[str, Attribution]:
        """Look ids up in earlier feedback and in experiences."""
        known = await self.store.about(tx, scope, ids)
        done = await self.experiences.named(tx, scope, sorted(ids - known.keys()))
        return known | {name: by_environment(one.action) for name, one in done.items()}

    async def _lessons(
        self, tx: Connection, ids: Iterable[str], caller: Caller
    ) -> dict[str, Lesson]:
        found: dict[str, Lesson] = {}
        for name in sorted(ids):
            if len(name) == LENGTH and ID_CHARACTERS.issuperset(name):
                lesson = await self.lessons.find(tx, name)
                if lesson and caller.may("see", lesson.scope):
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


def attribution_of(given: Feedback, correlated: Attribution = NOTHING) -> Attribution:
    """Attribute feedback by its correlation id, else by the turn's environment or version.

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
        found = Attribution(stored_name(given.turn.version or ""))
    return Attribution(found.skill, found.tool, correlated.lesson)


def by_environment(environment: Mapping[str, Any]) -> Attribution:
    """Read the keys `skill` and `tool`; the action of an experience has the same."""
    return Attribution(_name_in(environment, "skill"), _name_in(environment, "tool"))


def _name_in(environment: Mapping[str, Any], key: str) -> str:
    name = environment.get(key)
    return stored_name(name.strip()) if isinstance(name, str) else ""


def only_tool(tool_calls: Sequence[Mapping[str, Any]]) -> str:
    """Return the tool of an exchange that used exactly one; with several, none is known.

    >>> only_tool([{"tool": "shell"}, {"tool": "shell"}]), only_tool([{"tool": "a"}, {"tool": "b"}])
    ('shell', '')
    """
    names = {str(call.get("tool", "")) for call in tool_calls}
    return stored_name(names.pop()) if len(names) == 1 else ""


def _unnamed_sessions(items: Sequence[Feedback]) -> set[str]:
    """Return the sessions whose last exchange is meant, because the feedback names no turn."""
    return {item.session_id for item in items if _means_the_last(item)} - {""}


def _means_the_last(item: Feedback) -> bool:
    names_turn = item.turn is not None and (item.turn.prompt or item.turn.response)
    return item.source == "human" and not names_turn


def _of_lesson(lesson: Lesson) -> Attribution:
    return Attribution(tool=lesson.fix.tool if lesson.fix else "", lesson=lesson.id)


def _attribute(
    item: Feedback,
    meanings: Mapping[str, Attribution],
    exchanges: Mapping[str, Exchange],
    scope: Scope,
) -> StoredFeedback:
    last = exchanges.get(item.correlation_id) or exchanges.get(item.session_id)
    if last is not None and _means_the_last(item):
        turn = item.turn or RatedTurn("", "")
        item = replace(item, turn=replace(turn, prompt=last.request, response=last.reply))
    about = attribution_of(item, meanings.get(item.correlation_id, NOTHING))
    return StoredFeedback(item, about, scope.user)
