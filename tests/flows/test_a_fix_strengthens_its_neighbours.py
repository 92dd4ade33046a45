"""A fix that works raises the confidence of similar fixes; a failing one lowers it."""

from collections.abc import Callable

import pytest

from seasoned import Hint, Lesson, Seasoned
from seasoned.core.clock import FixedClock

ON = {"SEASONED_GRAPH__ENABLED": "true"}
OFF = {"SEASONED_GRAPH__ENABLED": "false"}

PRICES = "upstream closed the connection while sending the price feed"
STOCKS = "upstream closed the connection while sending the stock list"


def fail(s: Seasoned, session: str, error: str) -> Hint | None:
    return s.observe(
        "fetch", {"url": f"https://example.com/{session}"}, error=error, session=session
    )


def episode(s: Seasoned, session: str, error: str) -> Hint | None:
    """Let a call fail, and then work in slow mode."""
    hint = fail(s, session, error)
    s.observe("fetch", slow(session), "ok", session=session)
    return hint


def slow(session: str) -> dict[str, str]:
    return {"url": f"https://example.com/{session}", "mode": "slow"}


def fix_of(s: Seasoned, error: str) -> Lesson:
    (fix,) = [one for one in s.lessons(kind="fix") if one.trigger == error]
    return fix


@pytest.fixture
def told(
    database_url: str, opened: Callable[..., Seasoned], clock: FixedClock
) -> Callable[..., Seasoned]:
    """Seasoned after one episode of either error: both fixes are candidates below 0.7."""

    def open_one(environment: dict[str, str]) -> Seasoned:
        s = opened(database_url, clock=clock, environment=environment)
        episode(s, "stocks 1", STOCKS)
        episode(s, "prices 1", PRICES)
        for error in (PRICES, STOCKS):
            assert fix_of(s, error).confidence == pytest.approx(2 / 3)
            assert fix_of(s, error).status == "candidate"
        return s

    return open_one


def test_a_fix_that_proves_itself_lifts_its_neighbour_until_it_is_given(
    told: Callable[..., Seasoned],
) -> None:
    s = told(ON)
    for number in range(2, 5):
        episode(s, f"prices {number}", PRICES)
    lifted = fix_of(s, STOCKS)
    assert lifted.confidence > 0.7
    assert lifted.status == "active"
    hint = fail(s, "stocks 2", STOCKS)
    assert hint is not None
    assert (hint.lesson, hint.similarity) == (lifted.id, 1.0)


def test_each_step_is_rate_times_similarity_times_the_change(told: Callable[..., Seasoned]) -> None:
    s = told(ON)
    episode(s, "prices 2", PRICES)
    (link,) = s.graph.query(subject=node_of(s, STOCKS), predicate="similarTo")
    change = fix_of(s, PRICES).confidence - 2 / 3
    assert fix_of(s, STOCKS).confidence == pytest.approx(2 / 3 + 0.3 * link.weight * change)


def test_a_fix_that_fails_takes_its_neighbour_down_again(told: Callable[..., Seasoned]) -> None:
    s = told(ON)
    for number in range(2, 5):
        episode(s, f"prices {number}", PRICES)
    high = fix_of(s, STOCKS)
    assert fail(s, "prices 9", PRICES) is not None
    s.observe("fetch", slow("prices 9"), error=PRICES, session="prices 9")  # it did not help
    low = fix_of(s, STOCKS)
    assert low.confidence < 0.7 <= high.confidence
    assert low.status == "candidate"


def test_with_the_graph_off_nothing_moves(told: Callable[..., Seasoned]) -> None:
    s = told(OFF)
    for number in range(2, 8):
        episode(s, f"prices {number}", PRICES)
    assert fix_of(s, PRICES).confidence > 0.85
    assert fix_of(s, STOCKS).confidence == pytest.approx(2 / 3)
    hint = fail(s, "stocks 2", STOCKS)
    assert hint is None or hint.lesson != fix_of(s, STOCKS).id
    assert s.status()["graph"]["triples"] == 0


def test_why_tells_from_whom_it_was_borrowed(told: Callable[..., Seasoned]) -> None:
    s = told(ON)
    for number in range(2, 5):
        episode(s, f"prices {number}", PRICES)
    why = s.why(fix_of(s, STOCKS).id)
    (borrowed,) = [one for one in why.evidence if one.reason.startswith("borrowed")]
    assert borrowed.quote == f"fix {fix_of(s, PRICES).id}"
    assert 0 < borrowed.worked < 1
    assert sum(one.worked for one in why.evidence) == pytest.approx(why.lesson.belief.worked)
    assert "borrowed from a fix of a similar error" in why.text
    assert [event.kind for event in why.events].count("lesson.changed") == 3
    assert s.verify_audit().intact


def test_what_is_borrowed_never_outweighs_what_was_seen(told: Callable[..., Seasoned]) -> None:
    s = told(ON | {"SEASONED_GRAPH__PROPAGATION_RATE": "1"})
    for number in range(2, 20):
        episode(s, f"prices {number}", PRICES)
    assert fix_of(s, STOCKS).belief.worked <= 3 + 1e-9  # prior, own episode, as much borrowed
    assert fix_of(s, PRICES).confidence > fix_of(s, STOCKS).confidence


def test_what_a_person_said_is_not_moved(
    database_url: str, opened: Callable[..., Seasoned], clock: FixedClock
) -> None:
    s = opened(database_url, clock=clock, environment=ON)
    for number in range(1, 4):
        episode(s, f"prices {number}", PRICES)
    said = s.teach(STOCKS, fix="Ask the vendor.", tool="fetch")
    episode(s, "prices 4", PRICES)
    assert fix_of(s, PRICES).belief.worked == 5
    assert s.lesson(said.id).belief == said.belief


def test_a_fix_that_does_something_else_is_left_alone(
    database_url: str, opened: Callable[..., Seasoned], clock: FixedClock
) -> None:
    s = opened(database_url, clock=clock, environment=ON)
    params = {"url": "https://example.com/stocks"}
    s.observe("fetch", params, error=STOCKS, session="stocks")
    s.observe("fetch", params | {"chunked": True}, "ok", session="stocks")
    for number in range(1, 6):
        episode(s, f"prices {number}", PRICES)
    assert fix_of(s, STOCKS).content != fix_of(s, PRICES).content
    assert fix_of(s, STOCKS).confidence == pytest.approx(2 / 3)


def test_one_projects_experience_stays_in_the_project(
    database_url: str, opened: Callable[..., Seasoned], clock: FixedClock
) -> None:
    web = opened(database_url, project="web", clock=clock, environment=ON)
    data = opened(database_url, project="data", clock=clock, environment=ON)
    wide = opened(database_url, clock=clock, environment=ON)
    for s in (web, data, wide):
        episode(s, "stocks 1", STOCKS)
    for number in range(1, 6):
        episode(web, f"prices {number}", PRICES)
    assert own_fix(web, STOCKS, "web").confidence > 0.7
    assert own_fix(data, STOCKS, "data").confidence == pytest.approx(2 / 3)
    assert own_fix(wide, STOCKS, "").confidence == pytest.approx(2 / 3)


def own_fix(s: Seasoned, error: str, project: str) -> Lesson:
    fixes = [one for one in s.lessons(kind="fix") if one.scope.project == project]
    (fix,) = [one for one in fixes if one.trigger == error]
    return fix


def node_of(s: Seasoned, template: str) -> str:
    (error,) = [one for one in s.errors() if one.template == template]
    return f"error:{error.tool}:{error.id}"
