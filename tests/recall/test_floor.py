"""The floor: a request that no lesson is about gets nothing, by words or by vectors."""

from collections.abc import Callable

import pytest

from seasoned import Seasoned

from .conftest import contents, settled

pytestmark = pytest.mark.sqlite_only

LESSONS = {
    "deploying": "Deploy to staging before production.",
    "invoices": "Invoices are numbered per year.",
    "the staging cluster": "The staging cluster sleeps at night; wake it up first.",
    "refunds": "Refunds above 500 euros need a manager's approval.",
    "customers in Japan": "Customers in Japan get their invoice as a PDF in Japanese.",
    "secrets": "Never print environment variables: they hold secrets.",
    "meetings": "The stand-up is at 9:30 in the blue room.",
    "git": "Never force-push to main; use force-with-lease on branches.",
    "holidays": "Vacation is requested in the people portal two weeks ahead.",
    "logging": "Use structured logs; no print statements.",
}
UNRELATED = """write a poem about whales
translate this text to French
bake a cake
who won the world cup in 1998?
what is the capital of Australia
sort this list of numbers
explain quantum entanglement
book a table for two
the weather tomorrow
hello
thanks!
summarise this article
how tall is Mount Everest
fix the typo in the title
play some jazz
is a tomato a fruit?
draw a cat
convert miles to kilometers
run the linter
the blue whale is the largest animal
东京的天气怎么样
1 2 3
???""".splitlines()
# With words alone, a third of them in common is enough.
SHARING = {"sort this list of numbers", "book a table for two"}
RELATED = {
    "deploy the new version": "deploying",
    "which number does the next invoice get?": "invoices",
    "a customer in Japan wants an invoice": "customers in Japan",
    "may I push to main?": "git",
    "approve a refund of 900 euros": "refunds",
    "print the environment variables": "secrets",
    "when is the stand-up?": "meetings",
    "request vacation": "holidays",
}


@pytest.fixture
def taught(seasoned: Seasoned) -> Seasoned:
    for trigger, content in LESSONS.items():
        seasoned.teach(trigger, fact=content)
    return seasoned


def test_unrelated_requests_get_nothing(taught: Seasoned) -> None:
    settled(taught)
    got = {query: contents(taught, query) for query in UNRELATED}
    assert {query: found for query, found in got.items() if found} == {}
    assert taught.recall(UNRELATED[0]).notes == []


def test_related_requests_get_their_lesson_first(taught: Seasoned) -> None:
    settled(taught)
    for query, trigger in RELATED.items():
        assert contents(taught, query)[:1] == [LESSONS[trigger]], query


def test_the_same_holds_for_words_alone(
    database_url: str, opened: Callable[..., Seasoned], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_EMBEDDING__PROVIDER", "none")
    s = opened(database_url)
    for trigger, content in LESSONS.items():
        s.teach(trigger, fact=content)
    got = {query: contents(s, query) for query in UNRELATED}
    assert {query for query, found in got.items() if found} <= SHARING
    for query, trigger in RELATED.items():
        assert contents(s, query)[:1] == [LESSONS[trigger]], query
    assert s.recall("refunds").notes == ["went by words alone: embedding.provider is none"]


def test_what_shares_no_word_is_found_by_its_meaning(taught: Seasoned) -> None:
    settled(taught)
    (found,) = taught.recall("where do we meet in the morning?").lessons
    assert found.lesson.trigger == "meetings"


def test_passages_of_documents_have_the_same_floor(seasoned: Seasoned) -> None:
    passages = [(trigger.title(), content) for trigger, content in LESSONS.items()]
    seasoned.knowledge.add_passages("handbook", passages)
    settled(seasoned)
    got = {query: contents(seasoned, query) for query in UNRELATED}
    assert {query: found for query, found in got.items() if found} == {}
    assert contents(seasoned, "approve a refund of 900 euros")[0] == LESSONS["refunds"]
