"""Adds examples: good and bad exchanges, to be shown with similar requests."""

from collections.abc import Sequence

from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.db.keyset import Place
from seasoned.db.unit import Change, Unit
from seasoned.lessons.lesson import (
    POLARITIES,
    PRIORS,
    Draft,
    Evidence,
    ExampleDetail,
    Lesson,
    Polarity,
    Source,
)
from seasoned.lessons.lesson_store import LessonStore
from seasoned.rules.exchanges import Exchange
from seasoned.security.redact import cut

LONGEST_EXAMPLE = 2000  # characters of each text


class Examples:
    """Adds and lists examples, which are lessons of their own kind."""

    def __init__(self, unit: Unit, lessons: LessonStore) -> None:
        self.unit = unit
        self.lessons = lessons

    async def add(
        self,
        request: str,
        reply: str,
        polarity: str,
        scope: Scope,
        *,
        note: str = "",
        source: Source = "operator",
    ) -> Lesson:
        """Add an exchange that someone calls good or bad."""
        example = checked_example(request, reply, polarity, note)
        return await self.unit.change(
            lambda change: self.add_within(change, example, scope, source)
        )

    async def add_judged(
        self, exchange: Exchange, polarity: Polarity, message: str, scope: Scope
    ) -> Lesson | None:
        """Add an exchange that the user praised or rejected; None if it has no request or reply."""
        if not exchange.request.strip() or not exchange.reply.strip():
            return None
        lasting = Scope(scope.tenant, scope.project, scope.user)
        return await self.add(
            exchange.request, exchange.reply, polarity, lasting, note=message, source="user"
        )

    async def add_within(
        self, change: Change, example: ExampleDetail, scope: Scope, source: Source
    ) -> Lesson:
        """Add an example within a change; the same exchange again adds evidence."""
        prior = PRIORS[source]
        said = Evidence(
            change.at, f"{example.polarity} example", prior.worked, prior.failed, "", example.note
        )
        lesson, is_new = await self.lessons.add(
            change,
            Draft(
                kind="example",
                status="active",
                scope=scope,
                trigger=example.request,
                content=example.reply,
                belief=prior,
                source=source,
                identity=f"{example.polarity}\n{example.reply}",
                example=example,
                evidence=(said,),
            ),
        )
        if is_new:
            return lesson
        again = Evidence(change.at, "seen again", 1, 0, "", example.note)
        status = "active" if lesson.status == "retired" else lesson.status
        return await self.lessons.believe(change, lesson, again, status)

    async def list(
        self,
        scope: Scope,
        *,
        polarity: str | None = None,
        limit: int = 50,
        after: Place | None = None,
    ) -> Sequence[Lesson]:
        """List the active examples, newest first."""
        async with self.unit.read() as tx:
            return await self.lessons.list(
                tx,
                scope,
                kind="example",
                status="active",
                polarity=polarity,
                limit=limit,
                after=after,
            )


def checked_example(request: str, reply: str, polarity: str, note: str = "") -> ExampleDetail:
    """Validate and clean an example."""
    if polarity not in POLARITIES:
        raise BadInput(f"polarity is {polarity!r}; it must be one of {', '.join(POLARITIES)}")
    if not request.strip() or not reply.strip():
        raise BadInput("an example needs a request and the reply to it; one of them is empty")
    clean = [cut(storable(text.strip()), LONGEST_EXAMPLE) for text in (request, reply, note)]
    return ExampleDetail(polarity, *clean)
