"""Find the fix to answer a failure with: believed enough, and applicable to this call."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from seasoned.changes.repair import Repair, apply_repair, steps_for
from seasoned.core.ids import canonical
from seasoned.core.scope import Scope
from seasoned.core.words import words
from seasoned.db.database import Connection
from seasoned.errors.error_store import KnownError
from seasoned.errors.likeness import SIMILAR, TOLD, by_words
from seasoned.errors.pattern import pattern_of
from seasoned.fixes.hint import Hint
from seasoned.fixes.taught import TaughtFixes
from seasoned.lessons.lesson import ACTIVE_FROM, Lesson
from seasoned.lessons.lesson_store import LessonStore, repair_of
from seasoned.security.redact import SECRET

LONGEST_NAMING = 200  # characters; a longer fix mentions many things
PLACE = re.compile(r"[/\\@]")  # marks paths and addresses, whose parts are no names


@dataclass(frozen=True, slots=True)
class HintConfig:
    confidence: float = ACTIVE_FROM  # agent.autoApplyConfidence
    similar_confidence: float = 0.5  # for fixes of similar errors: confidence times similarity
    meant_confidence: float = 0.75  # the same for a repair if the errors share few words
    similar_told: float = TOLD  # similarity required of a fix in words, which no call can verify


class Hints:
    def __init__(self, lessons: LessonStore, config: HintConfig) -> None:
        self.lessons = lessons
        self.config = config
        self.taught = TaughtFixes(lessons)

    async def best(
        self,
        tx: Connection,
        error: KnownError,
        message: str,
        params: Mapping[str, Any],
        scope: Scope,
        *,
        without: Collection[str] = (),
        inferred: bool = True,
    ) -> Hint | None:
        """Return the best fix of this error, taught ones first; else one of a similar error.

        Without `inferred`, only what a person taught is considered.
        """
        fixes = [
            *await self.taught.matching(tx, error.tool, message),
            *await self.lessons.fixes_of(tx, (error.id, *error.wider)),
        ]
        # Of fixes taught for errors that differ in a name, the one with this name goes first.
        for lesson in sorted(fixes, key=lambda fix: (not fix.explicit, fix.trigger not in message)):
            if lesson.id not in without and self._usable(lesson, scope, message, inferred):
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
            if sure and lesson.id not in without and self._usable(lesson, scope, message, inferred):
                hint = hint_from(lesson, message, params, alike)
                if hint is not None:
                    return hint
        return None

    def _usable(self, lesson: Lesson, scope: Scope, message: str, inferred: bool) -> bool:
        return (
            lesson.status in ("active", "candidate")
            and (inferred or lesson.explicit)
            and lesson.confidence >= self.config.confidence
            and lesson.scope.reaches(scope)
            and not (lesson.explicit and about_another(lesson.trigger, lesson.content, message))
        )


def about_another(trigger: str, fix: str, message: str) -> bool:
    """Tell whether a fix names the thing it was taught for, and this error is about another.

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
    """Turn a lesson into a hint for this call; None if its repair does not fit."""
    suggested, steps = None, ()
    repair = repair_of(lesson)
    if repair is not None:
        suggested = apply_repair(repair, params, message)
        if suggested is None and repair.edits and not _says_enough(repair, params):
            return None
        if suggested is not None and SECRET in canonical(suggested):
            suggested = None  # the value was redacted: give the words alone
        steps = steps_for(repair, params, message) or ()
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


def _says_enough(repair: Repair, params: Mapping[str, Any]) -> bool:
    """Tell whether the words help without a value: a parameter to add, a date to reformat."""
    return all(
        (edit.kind == "added" and not edit.detail.get("value") and edit.path[0] not in params)
        or (edit.kind == "retyped" and edit.detail["to"] == "iso_date" and edit.path[0] in params)
        for edit in repair.edits
    )
