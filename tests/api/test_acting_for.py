"""One open database answers many callers, each within its own scope."""

import anyio
import pytest

from seasoned import AsyncSeasoned, Scope
from seasoned.core.errors import DatabaseUnavailable, NotAllowed


def test_each_caller_sees_its_own_lessons() -> None:
    async def run() -> None:
        async with AsyncSeasoned(":memory:") as s:
            ana = s.acting_for(Scope("acme", "web", "ana"))
            bob = s.acting_for(Scope("acme", "web", "bob"))
            await ana.teach(fact="Prices are in euro.")
            assert [one.content for one in await ana.lessons()] == ["Prices are in euro."]
            assert not await bob.lessons()

    anyio.run(run)


def test_a_caller_that_may_not_act_there_is_refused() -> None:
    async def run() -> None:
        async with AsyncSeasoned(":memory:") as s:
            rule = await s.acting_for(Scope("acme", "web")).rules.add("Answer in French.")
            reader = s.acting_for(Scope("acme", "web"), acts_in=Scope("acme", "web", "guest"))
            with pytest.raises(NotAllowed):
                await reader.rules.delete(rule.id)

    anyio.run(run)


def test_a_closed_database_acts_for_nobody() -> None:
    with pytest.raises(DatabaseUnavailable, match="not open"):
        AsyncSeasoned(":memory:").acting_for(Scope())
