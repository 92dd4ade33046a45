"""Skills: stored, found by topic, ranked by success."""

from pathlib import Path

import pytest

from seasoned import Seasoned
from seasoned.core.errors import BadInput, NotFound
from seasoned.skills.skill import Skill

NOTES = Skill(
    "release-notes", "Write release notes from merged pull requests.", "1. Ask git for the log."
)
INVOICE = Skill("send-invoice", "Send an invoice to a customer.", "1. Open the billing system.")


def test_a_skill_reaches_the_prompt_of_a_request_it_fits(seasoned: Seasoned) -> None:
    for skill in (NOTES, INVOICE):
        seasoned.skills.add(skill)
    context = seasoned.recall("Please write the release notes for version 1.4")
    assert "[skill release-notes]" in context.text
    assert "Ask git for the log" in context.text
    assert "invoice" not in context.text
    assert not seasoned.recall("What is the capital of Portugal?").text


def test_the_skill_that_fits_better_comes_first(seasoned: Seasoned) -> None:
    for skill in (NOTES, INVOICE):
        seasoned.skills.add(skill)
    found = seasoned.skills.search("send the customer his invoice")
    assert [hit.skill.name for hit in found] == ["send-invoice"]


def test_a_skill_that_fails_is_ranked_lower(seasoned: Seasoned) -> None:
    for name in ("deploy-fast", "deploy-safe"):
        seasoned.skills.add(Skill(name, "Deploy the web shop to production.", "Deploy."))
    for _ in range(4):
        seasoned.skills.used("deploy-fast", False)
        seasoned.skills.used("deploy-safe", True)
    found = seasoned.skills.search("deploy the web shop")
    assert [hit.skill.name for hit in found] == ["deploy-safe", "deploy-fast"]
    assert found[0].record.told == "worked 4 of 4 times"
    assert "(worked 4 of 4 times)" in seasoned.recall("deploy the web shop").text


def test_the_same_name_again_is_a_new_version(seasoned: Seasoned) -> None:
    first = seasoned.skills.add(NOTES)
    again = seasoned.skills.add(NOTES)
    changed = seasoned.skills.add(Skill(NOTES.name, NOTES.description, "1. Read the tags."))
    assert (first.version, again.version, changed.version) == (1, 1, 2)
    assert first.id == changed.id
    assert len(seasoned.skills.list()) == 1


def test_a_retired_skill_is_kept_and_not_given(seasoned: Seasoned) -> None:
    seasoned.skills.add(NOTES)
    assert seasoned.skills.retire("release-notes").status == "retired"
    assert seasoned.skills.search("write release notes") == []
    assert "release-notes" not in seasoned.recall("write the release notes").text
    seasoned.skills.adopt("release-notes")
    assert seasoned.skills.search("write release notes")


def test_a_users_own_skill_comes_before_everybodys(database_url: str, home: Path) -> None:
    own = Skill(NOTES.name, NOTES.description, "1. Ask Ana.")
    with Seasoned(database_url) as all_of_us, Seasoned(database_url, user="ana") as ana:
        all_of_us.skills.add(NOTES)
        ana.skills.add(own)
        assert ana.skills.get("release-notes").skill == own
        assert all_of_us.skills.get("release-notes").skill == NOTES
        assert len(ana.skills.list()) == 1


def test_skills_of_another_project_are_not_seen(database_url: str, home: Path) -> None:
    with (
        Seasoned(database_url, project="web") as web,
        Seasoned(database_url, project="api") as api,
    ):
        web.skills.add(NOTES)
        assert api.skills.list() == []
        with pytest.raises(NotFound, match="no skill 'release-notes'"):
            api.skills.get("release-notes")


def test_an_unusable_skill_is_refused(seasoned: Seasoned) -> None:
    with pytest.raises(BadInput, match="is not valid"):
        seasoned.skills.add(Skill("Bad Name", "x", "y"))
    with pytest.raises(BadInput, match="no front matter"):
        seasoned.skills.add("no head at all")
    with pytest.raises(BadInput, match="must be one of"):
        seasoned.skills.list(status="gone")


def test_every_change_is_audited(seasoned: Seasoned) -> None:
    seasoned.skills.add(NOTES)
    seasoned.skills.retire(NOTES.name)
    skill = seasoned.skills.adopt(NOTES.name)
    app = seasoned.inner.app

    async def events() -> list[str]:
        async with app.db.read() as tx:
            return [one.kind for one in await app.audit.list(tx, skill.id)]

    assert app.db.run(events()) == ["skill.added", "skill.retired", "skill.adopted"]
    assert seasoned.verify_audit().intact


def test_a_long_request_finds_its_skill_too(seasoned: Seasoned) -> None:
    for skill in (NOTES, INVOICE):
        seasoned.skills.add(skill)
    found = seasoned.skills.search(
        "We shipped yesterday and everybody was relieved. Now write the release notes from what "
        "was merged, mention our new contributors kindly, keep the tone light, put the thanks at "
        "the end and post a link to it in the channel where the designers hang out."
    )
    assert [hit.skill.name for hit in found] == ["release-notes"]
