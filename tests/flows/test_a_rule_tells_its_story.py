"""A rule shows its corrections, its conflicts and its scope."""

import pytest

from seasoned import Seasoned
from seasoned.core.errors import BadInput


def test_a_rule_tells_its_corrections_its_examples_and_its_rivals(seasoned: Seasoned) -> None:
    seasoned.correct(
        "No, use podman, not docker.",
        request="List the containers",
        reply="Run docker ps.",
        session="monday",
    )
    (learned,) = seasoned.corrections.learn()
    assert learned.rule is not None
    later = seasoned.rules.add("Use docker, not podman.")
    story = seasoned.rules.story(learned.rule.id)
    assert [(one.scope.session, one.message) for one in story.corrections] == [
        ("monday", "No, use podman, not docker.")
    ]
    assert [one.content for one in story.examples] == ["Run docker ps."]
    assert story.superseded_by is not None
    assert story.superseded_by.id == later.id
    ((conflict, other),) = story.conflicts
    assert (conflict.winner, other.id) == (later.id, later.id)
    rival = seasoned.rules.story(later.id)
    assert [one.id for one in rival.supersedes] == [learned.rule.id]
    assert (rival.corrections, rival.examples, rival.superseded_by) == ([], [], None)


def test_a_rule_that_nobody_contradicts_has_a_short_story(seasoned: Seasoned) -> None:
    story = seasoned.rules.story(seasoned.rules.add("Be brief.").id)
    assert (story.conflicts, story.corrections, story.supersedes) == ([], [], [])
    assert [one.reason for one in story.evidence] == ["told by the operator"]


@pytest.mark.parametrize("reach", ["session", "user", "project"])
def test_a_rule_for_one_session_user_or_project_needs_its_name(
    seasoned: Seasoned, reach: str
) -> None:
    with pytest.raises(BadInput, match=f"needs the {reach}'s name"):
        seasoned.rules.add("Be brief.", reach=reach)
    assert seasoned.rules.list() == []


def test_a_rule_for_a_session_reaches_no_other(seasoned: Seasoned) -> None:
    seasoned.rules.add("Be brief.", reach="session", session="monday")
    assert "Be brief." in seasoned.recall("hello", session="monday").text
    assert not seasoned.recall("hello", session="tuesday")


def test_an_unknown_status_is_an_error(seasoned: Seasoned) -> None:
    with pytest.raises(BadInput, match="status is 'odd'"):
        seasoned.rules.list(status="odd")


def test_a_deleted_example_is_not_listed(seasoned: Seasoned) -> None:
    example = seasoned.examples.add("Hello", "Hi!")
    seasoned.examples.delete(example.id)
    assert seasoned.examples.list() == []
