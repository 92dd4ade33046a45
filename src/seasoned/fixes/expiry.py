"""Let fixes go when the world has changed, and take them back when the error returns.

A fix says that a call of some kind fails as it is. When such a plain call works, without the change
and without a failure before it, that speaks against the fix; enough of it, and the fix is told to
nobody any more. If the error comes again after all, the fix is believed as before.
"""

import json
from collections.abc import Mapping
from typing import Any

from seasoned.changes.relatedness import are_related
from seasoned.changes.repair import Repair
from seasoned.changes.single import still_fits
from seasoned.core.messages import ToolResult
from seasoned.core.scope import Scope
from seasoned.db.unit import Change
from seasoned.errors.error_store import ErrorStore
from seasoned.fixes.fixes import Fixes
from seasoned.lessons.lesson import Evidence, Lesson
from seasoned.lessons.lesson_store import repair_of

PLAIN = "the plain call worked without it"
BACK = "its error came back"
LEAST_WEIGHT = 1.0
SHARE = 0.2  # of what speaks for a fix: some sessions with plain calls outweigh any past
MOST_FIXES = 20  # of one tool
SAMPLES = 3  # failed calls that a plain one is compared with
KNOWN_SECONDS = 60  # for which it is remembered that a tool has no fixes

Key = tuple[str, str, str]


class Expiry:
    def __init__(self, fixes: Fixes, errors: ErrorStore) -> None:
        self.fixes = fixes
        self.errors = errors
        self._without: dict[Key, int] = {}  # tools that had no active fix, and when

    def forget(self) -> None:
        """Look again for fixes of every tool, because one was learned."""
        self._without.clear()

    async def on_success(
        self, change: Change, call: ToolResult, scope: Scope, params: Mapping[str, Any]
    ) -> None:
        """Count a success of a plain call against the fixes that expect it to fail."""
        key = (scope.tenant, scope.project, call.tool)
        seen = self._without.get(key)
        if seen is not None and 0 <= change.at - seen < KNOWN_SECONDS * 1_000_000:
            return
        lessons = self.fixes.lessons
        found = await lessons.list(
            change, scope, kind="fix", status="active", tool=call.tool, limit=MOST_FIXES
        )
        derived = [(one, repair) for one in found if (repair := _edits_of(one)) is not None]
        if not derived:
            self._without[key] = change.at
            return
        for lesson, repair in derived:
            if still_fits(repair, params) and await self._is_like_failed(change, lesson, params):
                weight = max(LEAST_WEIGHT, SHARE * lesson.belief.worked)
                await self.fixes.count(
                    change, lesson, Evidence(change.at, PLAIN, 0, weight, call.session)
                )

    async def on_error(self, change: Change, error_id: str) -> None:
        """Believe the fixes of an error again that plain calls had spoken against."""
        rows = await change.fetch(
            "SELECT e.lesson_id, sum(e.failed) FROM lesson_fixes f "
            "JOIN evidence e ON e.lesson_id = f.lesson_id "
            "WHERE f.error_id = ? AND e.reason IN (?, ?) GROUP BY e.lesson_id "
            "HAVING sum(e.failed) > 0",
            (error_id, PLAIN, BACK),
        )
        for lesson_id, failed in rows:
            lesson = await self.fixes.lessons.find(change, lesson_id)
            if lesson is not None:
                back = Evidence(change.at, BACK, 0, -float(failed))
                await self.fixes.credit(change, lesson, back)

    async def _is_like_failed(
        self, change: Change, lesson: Lesson, params: Mapping[str, Any]
    ) -> bool:
        assert lesson.fix is not None, "only fixes are asked for"
        samples = await self.errors.samples(change, lesson.fix.error_id, SAMPLES)
        return any(are_related(_params(sample.params), params) for sample in samples)


def _edits_of(lesson: Lesson) -> Repair | None:
    """Return the repair of a derived fix that changes the call itself."""
    repair = None if lesson.explicit else repair_of(lesson)
    return repair if repair is not None and repair.edits else None


def _params(text: str) -> Mapping[str, Any]:
    """Read a sample's parameters; a long one was shortened, and is like no call."""
    try:
        return json.loads(text)
    except ValueError:
        return {"": text}
