"""Operators manage rules and examples by SQL, as the source document shows."""

import json
from collections.abc import Callable
from typing import Any

import apsw
import psycopg
import pytest

from seasoned import Seasoned

Sql = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture
def s(database_url: str, opened: Callable[..., Seasoned]) -> Seasoned:
    return opened(database_url)


@pytest.fixture
def sql(database_url: str) -> Sql:
    """Return a function that runs a statement as an operator's own shell does."""

    def run(statement: str) -> list[tuple[Any, ...]]:
        shell: Any
        if database_url.startswith("postgresql"):
            with psycopg.connect(database_url, autocommit=True) as shell:
                done = shell.execute(statement)
                return done.fetchall() if done.description else []
        shell = apsw.Connection(database_url)
        try:
            return list(shell.execute(statement))
        finally:
            shell.close()

    return run


def corrected(s: Seasoned) -> str:
    talk = s.conversation("s1")
    talk.user("start the database in a container")
    talk.assistant("Done: I ran `docker run postgres`.")
    talk.user("no, use podman, not docker")
    (learned,) = s.corrections.learn()
    assert learned.rule is not None
    return learned.rule.id


def test_the_active_rules_are_shown_one_row_each(s: Seasoned, sql: Sql) -> None:
    corrected(s)
    (row,) = sql(
        "SELECT rule_type, description, confidence, times_applied, created_at "
        "FROM behavioral_rules WHERE active=true ORDER BY created_at DESC;"
    )
    assert row[:2] == ("preference", "Use podman, not docker.")
    assert row[2] == pytest.approx(0.9)
    ((told,),) = sql("SELECT source_exchange FROM behavioral_rules")
    told = json.loads(told) if isinstance(told, str) else told
    assert told["correction"] == "no, use podman, not docker"
    assert told["reply"] == "Done: I ran `docker run postgres`."


def test_a_rule_that_is_switched_off_and_on_by_sql_follows(s: Seasoned, sql: Sql) -> None:
    name = corrected(s)
    asked = "start the database container"
    assert "podman" in s.recall(asked, session="s2").text
    sql(f"UPDATE behavioral_rules SET active=false WHERE id='{name}';")
    assert "podman" not in s.recall(asked, session="s2").text
    assert s.rules.get(name).status == "suspended"
    sql(f"UPDATE behavioral_rules SET active=true WHERE id='{name}';")
    assert "podman" in s.recall(asked, session="s2").text
    changes = [one for one in s.why(name).events if "changed by SQL" in one.detail]
    assert [one.kind for one in changes] == ["lesson.changed", "lesson.changed"]
    assert s.verify_audit().intact


def test_new_words_are_found_and_the_old_ones_are_not(s: Seasoned, sql: Sql) -> None:
    rule = s.rules.add("Deploy with the blue pipeline.", when="deploying the shop")
    sql(
        "UPDATE behavioral_rules SET description='Release with the green conveyor.', "
        "situation='releasing the warehouse', skill_poison='the blue pipeline', confidence=0.8 "
        f"WHERE id='{rule.id}'"
    )
    assert s.recall("deploying the shop").text == ""
    text = s.recall("releasing the warehouse").text
    assert "Release with the green conveyor." in text
    assert "not: the blue pipeline" in text
    changed = s.rules.get(rule.id)
    assert changed.confidence == pytest.approx(0.8)
    assert changed.belief.worked + changed.belief.failed == pytest.approx(10)


def test_a_rule_is_added_by_sql(s: Seasoned, sql: Sql) -> None:
    sql(
        "INSERT INTO behavioral_rules (rule_type, description, situation) VALUES "
        "('wrong_skill', 'Use python_exec, not shell.', 'parsing data'), "
        "('hallucination', 'Look prices up before you state them.', '')"
    )
    assert "Look prices up before you state them." in s.recall("hello").stable
    assert "Use python_exec, not shell." in s.recall("parsing some data").text
    added = {rule.content: rule for rule in s.rules.list()}["Use python_exec, not shell."]
    assert (added.source, added.status, added.confidence) == ("operator", "active", 0.9)
    (evidence,) = s.why(added.id).evidence
    assert evidence.reason == "told by the operator, by SQL"
    assert s.rules.edit(added.id, description="Use python_exec.").content == "Use python_exec."
    assert s.verify_audit().intact


def test_a_rule_is_deleted_by_sql_and_what_it_superseded_holds_again(s: Seasoned, sql: Sql) -> None:
    old = s.rules.add("Use docker, not podman.", when="containers")
    new = s.rules.add("Use podman, not docker.", when="containers")
    assert s.rules.get(old.id).status == "superseded"
    s.recall("containers")
    sql(f"DELETE FROM behavioral_rules WHERE id='{new.id}'")
    text = s.recall("containers").text
    assert "Use docker, not podman." in text
    assert "Use podman" not in text
    assert [rule.id for rule in s.rules.list()] == [old.id]
    for table, column in (("evidence", "lesson_id"), ("lesson_rules", "lesson_id")):
        assert sql(f"SELECT * FROM {table} WHERE {column} = '{new.id}'") == []
    assert s.verify_audit().intact


def test_what_makes_no_sense_is_refused(s: Seasoned, sql: Sql) -> None:
    name = s.rules.add("Answer in German.").id
    for statement in (
        "INSERT INTO behavioral_rules (rule_type, description) VALUES ('mood', 'Be kind.')",
        "INSERT INTO behavioral_rules (rule_type) VALUES ('refusal')",
        "INSERT INTO behavioral_rules (id, description) VALUES ('../../etc', 'Be kind.')",
        f"UPDATE behavioral_rules SET description=' ' WHERE id='{name}'",
        f"UPDATE behavioral_rules SET id='abc' WHERE id='{name}'",
        "INSERT INTO learning_examples (user_message) VALUES ('hi')",
    ):
        with pytest.raises((apsw.Error, psycopg.Error)):
            sql(statement)
    assert [rule.content for rule in s.rules.list()] == ["Answer in German."]
    assert sql("SELECT * FROM lesson_edits") == []


def test_examples_are_written_by_sql(s: Seasoned, sql: Sql) -> None:
    asked = "write a haiku about the sea"
    sql(
        "INSERT INTO learning_examples (polarity, user_message, assistant_message) "
        f"VALUES ('positive', '{asked}', 'Grey waves come and go.')"
    )
    assert s.recall("write a haiku about the mountains").messages[1]["content"] == (
        "Grey waves come and go."
    )
    ((name, used),) = sql("SELECT id, use_count FROM learning_examples ORDER BY use_count DESC")
    assert used == 0
    sql(f"UPDATE learning_examples SET assistant_message='Blue waves.' WHERE id='{name}'")
    assert s.recall("write a haiku about the mountains").messages[1]["content"] == "Blue waves."
    sql(f"DELETE FROM learning_examples WHERE id='{name}'")
    assert s.recall("write a haiku about the mountains").messages == []
    assert s.verify_audit().intact
