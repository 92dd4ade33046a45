"""Search: no floor, best first, within the caller's scope."""

from collections.abc import Callable

import pytest

from seasoned import Seasoned
from seasoned.core.errors import BadInput

from .conftest import settled


def found(s: Seasoned, query: str, session: str | None = None) -> list[str]:
    return [hit.lesson.content for hit in s.search(query, session=session)]


def test_the_best_come_first_with_their_scores(seasoned: Seasoned) -> None:
    seasoned.teach("deploying", rule="Deploy to staging before production.")
    seasoned.teach("staging", fact="The staging cluster sleeps at night.")
    seasoned.teach("invoices", fact="Invoices are numbered per year.")
    settled(seasoned)
    hits = seasoned.search("deploy to staging")
    assert hits[0].lesson.content == "Deploy to staging before production."
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert hits[0].match.covered == 1.0
    assert 0 < (hits[0].match.likeness or 0) <= 1.001


def test_there_is_no_floor(seasoned: Seasoned) -> None:
    seasoned.teach("invoices", fact="Invoices are numbered per year.")
    settled(seasoned)
    assert seasoned.recall("every year the geese fly south").text == ""
    assert found(seasoned, "every year the geese fly south")


def test_no_more_than_the_limit_is_found(seasoned: Seasoned) -> None:
    for number in range(30):
        seasoned.teach("zebras", fact=f"Zebra number {number}.")
    many = [len(seasoned.search("zebra", limit=limit)) for limit in (0, 1, 25, 20_000)]
    assert many == [0, 1, 25, 30]
    assert len(seasoned.search("zebra")) == 10
    with pytest.raises(BadInput, match="limit is -1"):
        seasoned.search("zebra", limit=-1)


def test_more_may_be_asked_for_than_a_statement_holds(seasoned: Seasoned) -> None:
    passages = [f"Zebra number {number} of the herd." for number in range(1200)]
    seasoned.knowledge.add_passages("herd", passages)
    settled(seasoned)
    for _ in range(2):
        assert len(seasoned.search("zebra of the herd", limit=5000)) == 1200


@pytest.mark.parametrize("query", ["", "   ", "🙂", "the of and", "\x00", "\ud800", "a" * 100_000])
def test_any_text_can_be_asked_for(seasoned: Seasoned, query: str) -> None:
    seasoned.teach("zebras", fact="Zebras are striped.")
    settled(seasoned)
    seasoned.search(query)
    assert seasoned.recall(query).text == ""


def test_a_user_finds_private_and_shared_lessons(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    opened(database_url).teach("zebras", fact="Zebras of all.")
    for tenant in ("acme", "other"):
        opened(database_url, tenant=tenant).teach("zebras", fact=f"Zebras of {tenant}.")
    acme = opened(database_url, tenant="acme", project="web", user="ana")
    acme.teach("zebras", fact="Zebras of ana.")
    settled(acme)
    assert set(found(acme, "zebras")) == {"Zebras of all.", "Zebras of acme.", "Zebras of ana."}
    bob = opened(database_url, tenant="acme", project="web", user="bob")
    assert set(found(bob, "zebras")) == {"Zebras of all.", "Zebras of acme."}
    assert found(opened(database_url), "zebras") == ["Zebras of all."]


def test_a_lesson_of_a_session_stays_in_it(seasoned: Seasoned) -> None:
    from seasoned.core.scope import Scope

    seasoned.teach("zebras", fact="Zebras today.", scope=Scope(session="s1"))
    assert found(seasoned, "zebras", "s1") == ["Zebras today."]
    assert found(seasoned, "zebras", "s2") == []
    with seasoned.session("s1"):
        assert found(seasoned, "zebras") == ["Zebras today."]


def test_what_is_forgotten_is_not_found_and_comes_back_when_told_again(seasoned: Seasoned) -> None:
    told = seasoned.teach("zebras", fact="Zebras are striped.")
    settled(seasoned)
    seasoned.forget(told.id)
    assert found(seasoned, "striped zebras") == []
    seasoned.teach("zebras", fact="Zebras are striped.")
    assert found(seasoned, "striped zebras") == ["Zebras are striped."]
