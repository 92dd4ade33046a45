"""Layers of a prompt: order, sections, limits and budget."""

from collections.abc import Callable

import pytest

from seasoned import Seasoned
from seasoned.core.clock import FixedClock
from seasoned.core.errors import BadInput
from seasoned.core.text import estimate_tokens
from seasoned.recall.context import LAYERS, SECTIONS, LayerRequest

from .conftest import changed, inferred, settled

pytestmark = pytest.mark.sqlite_only


@pytest.fixture
def full(seasoned: Seasoned, clock: FixedClock) -> Seasoned:
    """Seasoned with entries about deploying in every layer, four each where possible."""
    for number in range(4):
        seasoned.teach("deploying the service", fact=f"The service has {number} deploy hooks.")
        seasoned.teach(
            f"deploy of the service refused by node {'abcd'[number]}",
            fix=f"Deploy the service to node {number}.",
            tool="deploy",
        )
        seasoned.observe(f"deploy{number}", {}, result="ok", duration_ms=5)
        seasoned.knowledge.add_passages(
            f"manual {number}", [f"To deploy the service, press button {number}."]
        )
        clock.advance(seconds=1)
    for layer in ("skills", "observations", "reflections"):
        seasoned.provide(layer, lambda request, layer=layer: [f"{layer} {n}" for n in range(9)])
    return seasoned


TOOLS = [f"deploy{number}" for number in range(4)]


def test_the_layers_stand_in_their_order(full: Seasoned) -> None:
    settled(full)
    context = full.recall("deploy the service", tools=TOOLS, runtime={"channel": "slack"})
    layers = list(dict.fromkeys(entry.layer for entry in context.entries))
    assert layers == list(LAYERS)
    assert context.notes == []


def test_no_layer_has_more_than_its_share(full: Seasoned) -> None:
    for limit in (None, 2, 1):
        context = full.recall("deploy the service", tools=TOOLS, limit=limit)
        counts = {layer: 0 for layer in LAYERS if layer != "runtime"}
        for entry in context.entries:
            counts[entry.layer] += 1
        assert set(counts.values()) == {limit or 3}


def test_a_limit_of_zero_recalls_nothing(full: Seasoned) -> None:
    assert not full.recall("deploy the service", limit=0)
    with pytest.raises(BadInput, match="0 or more"):
        full.recall("deploy the service", limit=-1)


def test_the_settings_limit_each_layer(
    database_url: str,
    opened: Callable[..., Seasoned],
    full: Seasoned,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SEASONED_KNOWLEDGE__MAX_CONTEXT_PER_LAYER", "1")
    context = opened(database_url).recall("deploy the service")
    assert sorted(entry.layer for entry in context.entries) == ["documents", "knowledge", "lessons"]


def test_the_lines_stand_in_three_sections(full: Seasoned) -> None:
    context = full.recall("deploy the service", tools=TOOLS, runtime={"channel": "slack"})
    headings = [line for line in context.turn.splitlines() if line.startswith("#")]
    assert headings == [f"## {section}" for section in SECTIONS]
    assert headings == ["## Knowledge Context", "## Semantic Context", "## Conversation Memory"]
    for line in context.turn.splitlines():
        assert line == "" or line.startswith(("## ", "• "))
    knowledge, semantic, memory = context.turn.split("\n\n")
    assert "• channel: slack" in knowledge
    assert "press button" in semantic
    assert "• observations 0" in memory


def test_every_line_is_an_entry_that_says_why(full: Seasoned) -> None:
    context = full.recall("deploy the service", tools=TOOLS, runtime={"channel": "slack"})
    lines = [line for line in context.text.splitlines() if line.startswith("•")]
    assert sorted(lines) == sorted(entry.line for entry in context.entries)
    assert all(entry.why and entry.source for entry in context.entries)
    assert {one.layer for one in context.lessons} == {"knowledge", "lessons", "documents"}


def test_all_that_the_caller_says_about_right_now_is_told(seasoned: Seasoned) -> None:
    facts = {f"fact {number}": number for number in range(6)} | {"note": "two\nlines"}
    context = seasoned.recall("anything", runtime=facts)
    assert context.text.splitlines() == [
        "## Knowledge Context",
        *(f"• fact {number}: {number}" for number in range(6)),
        "• note: two lines",
    ]


@pytest.mark.parametrize("budget", [0, 5, 12, 20, 40, 80, 160, 400, 5000])
def test_the_text_keeps_to_its_budget(
    database_url: str,
    opened: Callable[..., Seasoned],
    full: Seasoned,
    monkeypatch: pytest.MonkeyPatch,
    budget: int,
) -> None:
    full.teach(rule="Answer in German: Tschüß 東京.")
    full.teach(preference="Prefers short answers.")
    monkeypatch.setenv("SEASONED_KNOWLEDGE__CONTEXT_TOKENS", str(budget))
    s = opened(database_url)
    context = s.recall("deploy the service", runtime={"channel": "slack", "day": "Monday"})
    assert estimate_tokens(context.text) <= budget
    assert len(context.entries) == context.text.count("•")
    if budget >= 400:
        assert len(context.entries) == 2 + 2 + 3 * 3


def test_what_fits_best_stays_when_the_budget_is_short(
    database_url: str, opened: Callable[..., Seasoned], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_KNOWLEDGE__CONTEXT_TOKENS", "30")
    s = opened(database_url)
    s.teach("deploying", fact="Deploys happen on the blue cluster only, whatever else is said.")
    s.teach("deploying at night", fact="Deploys at night wake up the person on call.")
    (entry,) = s.recall("who wakes up when we deploy at night?").entries
    assert "person on call" in entry.line


def test_standing_rules_hold_in_every_turn_and_come_first(
    seasoned: Seasoned, clock: FixedClock
) -> None:
    seasoned.teach(rule="Never push to main.")
    clock.advance(seconds=1)
    seasoned.teach(preference="Prefers metric units.")
    seasoned.teach("deploying", rule="Deploy to staging first.")
    about, other = seasoned.recall("deploy it"), seasoned.recall("what a nice day")
    rules = "[LEARNED BEHAVIORAL RULES]\n"
    stable = f"{rules}• [rule] Never push to main.\n• [preference] Prefers metric units."
    assert about.stable == other.stable == stable
    assert about.text == f"{stable}\n\n{rules}• [rule] Deploy to staging first."
    assert other.text == stable
    assert [one.why for one in other.lessons] == ["holds in every turn"] * 2
    assert [one.layer for one in other.lessons] == ["lessons", "knowledge"]


def test_a_standing_rule_is_said_once(seasoned: Seasoned) -> None:
    seasoned.teach(rule="Never push to main.")
    context = seasoned.recall("may I push to main?")
    assert context.text.count("Never push to main.") == 1
    assert context.turn == ""


def test_the_stable_part_stays_from_turn_to_turn_while_the_turn_changes(
    seasoned: Seasoned, clock: FixedClock
) -> None:
    """Otherwise the provider's prompt cache would miss on every turn."""
    for number in range(5):
        seasoned.teach(rule=f"Standing rule number {number}.")
        clock.advance(seconds=1)
    seasoned.teach("deploying", fact="Deploys take an hour.")
    seasoned.teach("refunds", fact="Refunds take a week.")
    first = seasoned.recall("how long does it take to deploy?")
    clock.advance(days=3)
    seasoned.observe("shell", {"command": "x"}, error="no such command: x")
    seasoned.teach("lunch", fact="Lunch takes half an hour.")
    second = seasoned.recall("how long do refunds take?", runtime={"day": "Friday"})
    assert first.stable == second.stable != ""
    assert first.turn != second.turn
    seasoned.teach(rule="One more rule.")
    third = seasoned.recall("how long do refunds take?")
    assert third.stable == first.stable + "\n• [rule] One more rule."


def test_of_too_many_standing_rules_the_latest_hold(seasoned: Seasoned, clock: FixedClock) -> None:
    things = "docs tests logs names types dates units links tables colours fonts icons".split()
    for thing in things:
        seasoned.teach(rule=f"Mind the {thing}.")
        clock.advance(seconds=1)
    lines = seasoned.recall("anything").stable.splitlines()[1:]
    assert lines == [f"• [rule] Mind the {thing}." for thing in things[2:]]


@pytest.mark.both_dialects
def test_standing_rules_that_do_harm_or_are_doubted_take_no_place(
    seasoned: Seasoned, clock: FixedClock
) -> None:
    from seasoned.lessons.lesson import Belief

    seasoned.teach(rule="Keep calm.")
    for number in range(12):
        clock.advance(seconds=1)
        inferred(seasoned, f"Doubtful {number}.", kind="rule", belief=Belief(1, 1))
    harmful = seasoned.teach(rule="Panic at once.")
    verdict = "UPDATE lessons SET verdict = 'harms' WHERE id = ?"
    changed(seasoned, lambda tx: tx.execute(verdict, (harmful.id,)))
    assert seasoned.recall("anything").stable == "[LEARNED BEHAVIORAL RULES]\n• [rule] Keep calm."


def test_rules_of_other_scopes_do_not_stand_here(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    web, shop = opened(database_url, project="web"), opened(database_url, project="shop")
    web.teach(rule="Use tabs.")
    opened(database_url).teach(rule="Be kind.")
    heading = "[LEARNED BEHAVIORAL RULES]"
    assert web.recall("x").stable == f"{heading}\n• [rule] Use tabs.\n• [rule] Be kind."
    assert shop.recall("x").stable == f"{heading}\n• [rule] Be kind."


def test_the_tools_at_hand_say_how_they_perform(seasoned: Seasoned) -> None:
    for number in range(10):
        error = "boom" if number < 4 else None
        seasoned.observe("shaky", {"n": number}, error=error, duration_ms=20)
        seasoned.observe("steady", {"n": number}, duration_ms=30)
    lines = seasoned.recall("x", tools=["steady", "shaky", "unknown"]).turn.splitlines()
    assert lines == [
        "## Knowledge Context",
        "• shaky: 4 of 10 calls failed, 20 ms on average",
        "• steady: 0 of 10 calls failed, 30 ms on average",
    ]
    assert "shaky: 4 of 10" in seasoned.recall("x", tool="shaky").turn
    assert seasoned.recall("x", tool="steady").turn == ""


def test_a_source_is_told_what_is_asked_for(seasoned: Seasoned) -> None:
    asked: list[LayerRequest] = []

    def skills(request: LayerRequest) -> list[str]:
        asked.append(request)
        return ["Deploy with care."]

    seasoned.provide("skills", skills)
    context = seasoned.recall("deploy it", session="s7", limit=2)
    assert context.turn == "## Knowledge Context\n• Deploy with care."
    (request,) = asked
    assert (request.query, request.most, request.scope.session) == ("deploy it", 2, "s7")


def test_relevant_rules_are_ordered_by_confidence_and_recency(
    seasoned: Seasoned, clock: FixedClock
) -> None:
    told = ("Ask before deploying.", "Deploy in the morning.", "Log each deploy.")
    for rule in told:
        seasoned.teach("deploying", rule=rule)
        clock.advance(seconds=1)
    seasoned.teach("deploying", rule=told[1])  # stated again, so its confidence rises
    lines = seasoned.recall("deploying now").turn.splitlines()
    assert lines[1:] == [f"• [rule] {told[1]}", f"• [rule] {told[2]}", f"• [rule] {told[0]}"]
