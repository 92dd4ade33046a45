"""Find the fix to answer a failure with: believed enough, and applicable to this call."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from seasoned.changes.named_by_error import stated_changes
from seasoned.changes.power import power_between
from seasoned.changes.relatedness import Step
from seasoned.changes.repair import Edit, Repair, apply_repair, steps_for
from seasoned.changes.single import fits, is_open
from seasoned.core.ids import canonical
from seasoned.core.scope import Scope
from seasoned.core.words import words
from seasoned.db.database import Connection
from seasoned.errors.error_store import KnownError
from seasoned.errors.likeness import SIMILAR, TOLD, by_words
from seasoned.errors.pattern import pattern_of
from seasoned.fixes.hint import Hint
from seasoned.fixes.taught import TaughtFixes
from seasoned.lessons.lesson import ACTIVE_FROM, USABLE, Lesson
from seasoned.lessons.lesson_store import LessonStore, repair_of
from seasoned.security.redact import SECRET

Results = Callable[[str, str], Any]  # what a tool last returned in a field

LONGEST_NAMING = 200  # characters; a longer fix mentions many things
ASKS_FOR_A_STEP = re.compile(r"\b(?:first|before|again|prior)\b", re.IGNORECASE)
HOME = re.compile(r"(?:/Users/|/home/|[A-Za-z]:\\\\+Users\\\\+)[^\s\"'`,;:)]+")
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
        results: Results | None = None,
    ) -> Hint | None:
        """Return the best fix of this error, taught ones first; else one of a similar error.

        Without `inferred`, only what a person taught is considered. `results` finds the value that
        a tool returned earlier in the session.
        """
        fixes = [
            *await self.taught.matching(tx, error.tool, message),
            *await self.lessons.fixes_of(tx, (error.id, *error.wider)),
        ]
        # Of fixes taught for errors that differ in a name, the one with this name goes first.
        for lesson in sorted(fixes, key=lambda fix: (not fix.explicit, fix.trigger not in message)):
            if lesson.id not in without and self._usable(lesson, scope, message, inferred):
                hint = hint_from(lesson, message, params, 1.0, results)
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
                hint = hint_from(lesson, message, params, alike, results)
                if hint is not None:
                    return hint
        return (
            await self._stated_step(tx, error, message, params, scope, without)
            if inferred
            else None
        )

    async def _stated_step(
        self,
        tx: Connection,
        error: KnownError,
        message: str,
        params: Mapping[str, Any],
        scope: Scope,
        without: Collection[str],
    ) -> Hint | None:
        """Find a step that repaired other errors of this tool, and that this error asks for."""
        if not ASKS_FOR_A_STEP.search(message):
            return None  # looking for fixes takes longer
        for lesson in await self.lessons.list(
            tx, scope, kind="fix", status="active", tool=error.tool
        ):
            repair = repair_of(lesson)
            if repair is None or repair.edits or lesson.id in without:
                continue
            asked = len(stated_changes([repair], message)) == 1
            hint = hint_from(lesson, message, params, 1.0) if asked else None
            if hint is not None and self._usable(lesson, scope, message, True):
                return hint
        return None

    def _usable(self, lesson: Lesson, scope: Scope, message: str, inferred: bool) -> bool:
        return (
            lesson.status in USABLE
            and (inferred or lesson.explicit)
            and lesson.confidence >= self.config.confidence
            and not (lesson.fix and lesson.fix.waits)
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
    lesson: Lesson,
    message: str,
    params: Mapping[str, Any],
    similarity: float,
    results: Results | None = None,
) -> Hint | None:
    """Turn a lesson into a hint for this call; None if its repair does not fit."""
    suggested, steps = None, ()
    repair = repair_of(lesson)
    if repair is not None:
        if not fits(repair, params, message) or _says_nothing(repair):
            return None
        suggested = apply_repair(_resolved(repair, results), params, message)
        steps = steps_for(repair, params, message) or ()
        if not lesson.explicit and _is_dangerous(params, suggested, steps):
            return None  # it takes words from this error that give the call more power
        if suggested is not None and not _is_known(suggested, params, message):
            suggested = None  # give the words alone
    return Hint(
        lesson=lesson.id,
        text=lesson.content,
        confidence=lesson.confidence,
        params=suggested,
        steps=tuple((step.tool, dict(step.params)) for step in steps),
        swaps=_swaps(repair) if repair is not None else (),
        source=lesson.source,
        trigger=lesson.trigger,
        similarity=similarity,
    )


def _says_nothing(repair: Repair) -> bool:
    """Tell whether a repair only says that a parameter must change, as the error does."""
    return not repair.steps and bool(repair.edits) and all(map(is_open, repair.edits))


def _resolved(repair: Repair, results: Results | None) -> Repair:
    """Fill in values that a tool returned in this session, where it did."""

    def filled(edit: Edit) -> Edit:
        value: Mapping[str, Any] = edit.detail.get("value") or {}
        found = results(*value["result"]) if results and "result" in value else None
        return edit if found is None else replace(edit, detail={"value": {"is": found}})

    return replace(repair, edits=tuple(filled(edit) for edit in repair.edits))


def _is_dangerous(
    params: Mapping[str, Any], suggested: Mapping[str, Any] | None, steps: Sequence[Step]
) -> bool:
    if suggested is not None and power_between(params, suggested):
        return True
    return any(power_between({}, step.params) for step in steps if "command" in step.params)


def _is_known(suggested: Mapping[str, Any], params: Mapping[str, Any], message: str) -> bool:
    """Tell whether a call holds no redacted secret and no place that nobody has named yet."""
    text = canonical(suggested)
    if SECRET in text:
        return False
    seen = f"{canonical(params)}\n{message}"
    return all(place in seen for place in HOME.findall(text))


def _swaps(repair: Repair) -> tuple[tuple[str, str], ...]:
    """Return the words to replace, and by what."""
    swapped = (edit.detail for edit in repair.edits if edit.kind == "swapped")
    return tuple((one.get("old", ""), one.get("new", one.get("front", ""))) for one in swapped)
