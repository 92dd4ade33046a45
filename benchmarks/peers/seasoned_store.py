"""Seasoned as a user would set it up: `teach` and `recall` on a database file or a Postgres."""

import time
from collections.abc import Sequence
from typing import Any

from serving import serve, whole

from seasoned import Scope, Seasoned
from seasoned.db.unit import Change
from seasoned.lessons.lesson import PRIORS, Draft, Evidence, Lesson

TOGETHER = 1000  # lessons in one transaction


class SeasonedStore:
    def open(self, path: str, tenant: str) -> None:
        self._seasoned = Seasoned(path, tenant=tenant)

    def add(self, text: dict[str, Any]) -> None:
        told: dict[str, Any] = {text["kind"]: text["content"]}
        self._seasoned.teach(text["trigger"], **told, scope=Scope(text["tenant"]))

    def load(self, texts: Sequence[dict[str, Any]]) -> None:
        """Add many per transaction, like an import."""
        app = self._seasoned.inner.app
        now = app.clock.now()

        async def loaded(some: Sequence[dict[str, Any]]) -> None:
            async with app.db.write() as tx:
                for text in some:
                    await app.lessons.add(Change(tx, now), _draft(text, now))

        for start in range(0, len(texts), TOGETHER):
            app.db.run(loaded(texts[start : start + TOGETHER]))

    def settle(self) -> None:
        """Wait for the vectors, which a background worker makes."""
        self._seasoned.inner.app.nudge("embedding")
        pause = 0.05
        while self._seasoned.status()["embedding"]["waiting"]:
            time.sleep(pause)
            pause = min(5, 1.3 * pause)  # to count costs something where there are many

    def query(self, text: str, most: int) -> Sequence[str]:
        """Query like an agent before a turn; recall decides the number of lines."""
        found = self._seasoned.recall(text).lessons
        return [_whole(one.lesson) for one in found if not _is_standing(one.lesson)]

    def search(self, text: str, most: int) -> Sequence[str]:
        return [_whole(hit.lesson) for hit in self._seasoned.search(text, limit=most)]

    def near(self, text: str, most: int) -> Sequence[str]:
        app, scope = self._seasoned.inner.app, self._seasoned.inner.scope
        reaching = [sorted({"", value}) for value in scope.fields()]

        async def nearest() -> list[Lesson]:
            asked = await app.embedding.embed_query(text, 1.0)
            async with app.db.read() as tx:
                groups = await app.lessons.vectors.groups(tx, [*reaching, None, ("active",), None])
                space = await app.embedding.space(tx)
                assert space is not None, "lessons are embedded"
                assert asked.vector is not None, asked.why
                near = await app.lessons.vectors.nearest(tx, space, asked.vector, groups, most)
                found = await app.lessons.by_keys(tx, [key for key, _ in near], scope)
            return [found[key] for key, _ in near if key in found]

        return [_whole(lesson) for lesson in app.db.run(nearest())]

    def close(self) -> None:
        self._seasoned.close()


def _draft(text: dict[str, Any], now: int) -> Draft:
    prior = PRIORS["operator"]
    said = Evidence(now, "told by the operator", prior.worked, prior.failed)
    return Draft(
        kind=text["kind"],
        status="active",
        scope=Scope(text["tenant"]),
        trigger=text["trigger"],
        content=text["content"],
        belief=prior,
        source="operator",
        identity=f"\n{text['content']}",
        evidence=(said,),
    )


def _is_standing(lesson: Lesson) -> bool:
    """Whether it is in every prompt, and so no answer to a query."""
    return not lesson.trigger and lesson.kind != "fact"


def _whole(lesson: Lesson) -> str:
    return whole({"trigger": lesson.trigger, "content": lesson.content})


if __name__ == "__main__":
    serve(SeasonedStore())
