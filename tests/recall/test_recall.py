"""Recall: the few relevant lessons, or nothing."""

import pytest

from seasoned import Seasoned


@pytest.fixture
def taught(seasoned: Seasoned) -> Seasoned:
    seasoned.teach("deploying", rule="Deploy to staging before production.")
    seasoned.teach("invoices", fact="Invoices are numbered per year.")
    seasoned.teach("amount must be cents", fix="Multiply by 100.", tool="refund_payment")
    seasoned.teach("file not found", fix="Use an absolute path.", tool="read_file")
    seasoned.teach("encoding error", fix="Pass encoding='utf-8'.", tool="read_file")
    return seasoned


def contents(s: Seasoned, query: str, tool: str | None = None) -> list[str]:
    return [one.lesson.content for one in s.recall(query, tool=tool).lessons]


@pytest.mark.parametrize(
    ("query", "content"),
    [
        ("please deploy the new version", "Deploy to staging before production."),
        ("how are invoices numbered?", "Invoices are numbered per year."),
        ("refund the customer's payment", "Multiply by 100."),
    ],
)
def test_the_lesson_that_fits_is_found(taught: Seasoned, query: str, content: str) -> None:
    assert contents(taught, query) == [content]


@pytest.mark.parametrize("query", ["", "the", "what time is it in Lima?", "run the tests", "🙂"])
def test_nothing_is_found_where_nothing_fits(taught: Seasoned, query: str) -> None:
    assert contents(taught, query) == []


def test_a_tool_about_to_be_used_brings_at_most_its_best_fix(taught: Seasoned) -> None:
    assert len(contents(taught, "summarise chapter one", tool="read_file")) == 1
    assert contents(taught, "summarise chapter one", tool="send_email") == []


def test_the_tool_helps_the_fix_that_also_shares_words(taught: Seasoned) -> None:
    found = contents(taught, "open the latin-1 file with the right encoding", tool="read_file")
    assert found[0] == "Pass encoding='utf-8'."


def test_a_candidate_is_stored_but_not_suggested(seasoned: Seasoned) -> None:
    seasoned.observe("pay", {"to": "Ana", "sum": 5}, error="sum too small for pay", session="s")
    seasoned.observe("pay", {"to": "Ana", "sum": 9}, result="ok", session="s")
    assert [lesson.status for lesson in seasoned.lessons()] == ["candidate"]
    assert contents(seasoned, "pay a sum that is too small") == []


def test_the_block_says_when_a_fix_applies(taught: Seasoned) -> None:
    assert taught.recall("refund the payment").text == (
        "## Knowledge Context\n"
        "• [fix] When refund_payment fails with `amount must be cents`: Multiply by 100."
    )


def test_each_recalled_lesson_says_why(taught: Seasoned) -> None:
    (found,) = taught.recall("how are invoices numbered?").lessons
    assert 0.5 < found.score < 1.5
    assert "100% of the request's words" in found.why
