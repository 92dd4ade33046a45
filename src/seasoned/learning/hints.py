"""Finds the fix to answer a failure with: believed enough, and fitting this very call."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from seasoned.core.ids import canonical
from seasoned.core.scope import Scope
from seasoned.core.similarity import words
from seasoned.db.database import Connection
from seasoned.learning.change import Change
from seasoned.learning.change_applied import applied, prepared
from seasoned.learning.error_likeness import SIMILAR, TOLD, by_words
from seasoned.learning.error_pattern import pattern_of
from seasoned.learning.error_store import KnownError
from seasoned.learning.hint import Hint
from seasoned.learning.lesson import Lesson
from seasoned.learning.lessons import LessonStore, change_of
from seasoned.security.redact import SECRET

LONGEST_NAMING = 200  # characters of a fix: a longer text speaks of many things
PLACE = re.compile(r"[/\\@]")  # in a path or an address, whose parts are no names


@dataclass(frozen=True, slots=True)
class HintConfig:
    confidence: float = 0.7  # agent.autoApplyConfidence
    similar_confidence: float = 0.5  # of a similar error's fix: its confidence times the likeness
    meant_confidence: float = 0.75  # the same for a change of a call, where few words are shared
    similar_told: float = TOLD  # likeness for a fix in words, which no call can be checked against


class Hints:
    def __init__(self, lessons: LessonStore, config: HintConfig) -> None:
        self.lessons = lessons
        self.config = config

    async def best(
        self,
        tx: Connection,
        error: KnownError,
        message: str,
        params: Mapping[str, Any],
        scope: Scope,
        *,
        without: Collection[str] = (),
    ) -> Hint | None:
        """This very error's fixes first, what a person told ahead; else those of similar errors."""
        fixes = await self.lessons.fixes_of(tx, (error.id, *error.wider))
        # Of those told for errors that differ in a name, the one that says this name goes first.
        for lesson in sorted(fixes, key=lambda fix: (not fix.explicit, fix.trigger not in message)):
            if lesson.id not in without and self._usable(lesson, scope, message):
                hint = hint_from(lesson, message, params, 1.0)
                if hint is not None:
                    return hint
        for lesson, alike in await self.lessons.fixes_of_similar(tx, error.id):
            told = lesson.fix is None or lesson.fix.change is None
            if told and alike < self.config.similar_told:
                continue
            said = told or alike < TOLD or by_words(error.template, lesson.trigger) >= SIMILAR
            least = self.config.similar_confidence if said else self.config.meant_confidence
            sure = lesson.confidence * alike >= least
            if sure and lesson.id not in without and self._usable(lesson, scope, message):
                hint = hint_from(lesson, message, params, alike)
                if hint is not None:
                    return hint
        return None

    def _usable(self, lesson: Lesson, scope: Scope, message: str) -> bool:
        return (
            lesson.status in ("active", "candidate")
            and lesson.confidence >= self.config.confidence
            and lesson.scope.reaches(scope)
            and not (lesson.explicit and about_another(lesson.trigger, lesson.content, message))
        )


def about_another(trigger: str, fix: str, message: str) -> bool:
    """Whether a fix speaks of the very thing that it was told for, and this error of another.

    >>> told = "No module named 'yaml'"
    >>> about_another(told, "pip install pyyaml", "No module named 'requests'")
    True
    >>> about_another(told, "Activate the environment.", "No module named 'requests'")
    False
    """
    if len(fix) > LONGEST_NAMING:
        return False
    plain = " ".join(word for word in trigger.split() if not PLACE.search(word))
    names = set(words(plain)) - set(words(pattern_of(trigger))) - set(words(message))
    spoken_of = words(fix)
    return any(
        name == word or (len(name) > 3 and name in word)
        for name in names
        if name[0].isalpha()
        for word in spoken_of
    )


def hint_from(
    lesson: Lesson, message: str, params: Mapping[str, Any], similarity: float
) -> Hint | None:
    """The lesson as a hint for this call; None when its change does not fit the call."""
    suggested, steps = None, ()
    change = change_of(lesson)
    if change is not None:
        suggested = applied(change, params, message)
        if suggested is None and change.edits and not _says_enough(change, params):
            return None
        if suggested is not None and SECRET in canonical(suggested):
            suggested = None  # the value is not kept: the words must do
        steps = prepared(change, params, message) or ()
    return Hint(
        lesson=lesson.id,
        text=lesson.content,
        confidence=lesson.confidence,
        params=suggested,
        steps=tuple((step.tool, dict(step.params)) for step in steps),
        source=lesson.source,
        trigger=lesson.trigger,
        similarity=similarity,
    )


def _says_enough(change: Change, params: Mapping[str, Any]) -> bool:
    """What to do is clear though not the value: a parameter to add, a date to write otherwise."""
    return all(
        (edit.kind == "added" and not edit.detail.get("value") and edit.path[0] not in params)
        or (edit.kind == "retyped" and edit.detail["to"] == "iso_date" and edit.path[0] in params)
        for edit in change.edits
    )
