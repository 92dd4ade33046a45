"""The same sentence with another value replaces the old rule; the same value is evidence."""

import pytest

from seasoned import Seasoned
from seasoned.core.clock import FixedClock

CHANGED = """
Always ship orders to the Berlin address.|Always ship orders to the Hamburg address.
Round prices up.|Round prices down.
Log at debug level.|Log at warn level.
Send the weekly report to anna@example.com.|The weekly report must be sent to bob@example.com.
Use yarn for the frontend.|Use npm for the frontend.
Indent with 2 spaces.|Indent with 4 spaces.
Deploy to the canary cluster first.|Deploy to the staging cluster first.
Send invoices on the first of the month.|Send invoices on the last of the month.
Sort the tickets by priority.|Sort the tickets by date.
Call the customer Mr Miller.|Call the customer Mr Smith.
Use the eu-west-1 region.|Use the us-east-1 region.
Book the stand-up on Mondays.|Book the stand-up on Fridays.
Put imports at the top of the file.|Put imports at the bottom of the file.
Keep the ticket open after a reply.|Keep the ticket closed after a reply.
Runde Beträge auf.|Runde Beträge ab.
Schick die Rechnungen an das Büro in Köln.|Schick die Rechnungen an das Büro in Bonn.
Envía los pedidos a la dirección de Madrid.|Envía los pedidos a la dirección de Sevilla.
Envoie le rapport à Claire.|Envoie le rapport à Julien.
Spedisci gli ordini al magazzino di Milano.|Spedisci gli ordini al magazzino di Torino.
Mande o relatório para a equipe de Lisboa.|Mande o relatório para a equipe do Porto.
订单总是寄到北京的地址。|订单总是寄到上海的地址。
注文は東京の住所に送ってください。|注文は大阪の住所に送ってください。
"""
REPEATED = """
Always ship orders to the Berlin address.|Please ship our orders to the Berlin address.
Use pytest for the unit tests.|Please use pytest for unit tests.
Always run the tests before committing.|Run the tests before each commit.
Never commit to the main branch.|Do not commit to the main branch.
Log at debug level.|Logging should be at the debug level.
Send the weekly report to anna@example.com.|The weekly report must be sent to anna@example.com.
Write commit messages in English.|Commit messages should be written in English.
Use two spaces for indentation.|Indent using two spaces.
Explain your changes before you apply them.|Explain the changes before applying them.
Verwende immer TypeScript für neue Dateien.|Neue Dateien immer mit TypeScript schreiben.
Usa tabulaciones para indentar el código.|Indenta el código con tabulaciones.
Utilise des fonctions pures.|Utilise toujours des fonctions pures.
不要用表情符号。|别使用表情符号。
"""
BOTH = """
Run the unit tests before pushing.|Run the integration tests before pushing.
Use tabs in Makefiles.|Use tabs in Go files.
Check the price before quoting.|Check the stock before quoting.
Never commit to main.|Never commit to release.
Use yarn for the frontend.|Use yarn for the backend.
The staging port is 8080.|The production port is 8080.
The port of the staging server is 8080.|The port of the production server is 9090.
Use type hints in Python code.|Use docstrings in Python code.
Add a test to the parser module.|Add a test to the lexer module.
Answer support mails with examples.|Answer support mails with screenshots.
Send invoices every month.|Send reports every month.
Führe vor dem Push die Tests aus.|Führe vor dem Push den Linter aus.
Ejecuta los tests antes de subir.|Ejecuta el linter antes de subir.
"""


def pairs(table: str) -> list[tuple[str, str]]:
    found = [line.partition("|") for line in table.strip().splitlines()]
    return [(one, other) for one, _, other in found]


@pytest.mark.parametrize(("old", "new"), pairs(CHANGED))
def test_another_value_holds_and_the_old_one_is_superseded(
    seasoned: Seasoned, clock: FixedClock, old: str, new: str
) -> None:
    first = seasoned.rules.add(old)
    clock.advance(seconds=60)
    second = seasoned.rules.add(new)
    assert second.id != first.id
    active = [rule.content for rule in seasoned.rules.list(status="active")]
    assert active == [second.content]
    (superseded,) = seasoned.rules.list(status="superseded")
    assert (superseded.id, superseded.superseded_by) == (first.id, second.id)
    assert [one.id for one in seasoned.rules.story(second.id).supersedes] == [first.id]
    text = seasoned.recall(old).text
    assert second.content in text
    assert first.content not in text


@pytest.mark.parametrize(("old", "new"), pairs(REPEATED))
def test_the_same_again_is_evidence(
    seasoned: Seasoned, clock: FixedClock, old: str, new: str
) -> None:
    first = seasoned.rules.add(old)
    clock.advance(seconds=60)
    assert seasoned.rules.add(new).id == first.id
    (rule,) = seasoned.rules.list()
    assert rule.confidence > first.confidence


@pytest.mark.parametrize(("one", "other"), pairs(BOTH))
def test_two_things_that_can_both_be_done_stay_two_rules(
    seasoned: Seasoned, clock: FixedClock, one: str, other: str
) -> None:
    seasoned.rules.add(one)
    clock.advance(seconds=60)
    seasoned.rules.add(other)
    assert [rule.status for rule in seasoned.rules.list()] == ["active", "active"]


def test_back_to_the_first_value(seasoned: Seasoned, clock: FixedClock) -> None:
    for value in ("Berlin", "Hamburg", "Berlin"):
        seasoned.rules.add(f"Ship orders to the {value} address.")
        clock.advance(seconds=60)
    status = {rule.content: rule.status for rule in seasoned.rules.list()}
    assert status == {
        "Ship orders to the Berlin address.": "active",
        "Ship orders to the Hamburg address.": "superseded",
    }


def test_a_changed_mind_in_a_conversation_holds_at_once(
    seasoned: Seasoned, clock: FixedClock
) -> None:
    seasoned.rules.add("Always ship orders to the Berlin address.")
    clock.advance(seconds=60)
    talk = seasoned.conversation("s1")
    talk.user("ship order 7")
    talk.assistant("I shipped order 7 to the Berlin address.")
    context = talk.user("That's wrong. From now on, always ship orders to the Hamburg address.")
    assert "Hamburg" in context.text
    assert "Berlin" not in context.text
    seasoned.corrections.learn()
    text = seasoned.recall("ship order 8", session="s2").text
    assert "Hamburg" in text
    assert "Berlin" not in text
    assert seasoned.rules.conflicts() == []


def test_what_somebody_wants_for_himself_leaves_the_rule_of_the_project(
    seasoned: Seasoned, clock: FixedClock
) -> None:
    shared = seasoned.rules.add("Log at debug level.")
    clock.advance(seconds=60)
    own = seasoned.rules.add("Log at warn level.", reach="session", session="s1")
    assert "warn" in seasoned.recall("log it", session="s1").text
    assert "debug" not in seasoned.recall("log it", session="s1").text
    assert "debug" in seasoned.recall("log it", session="s2").text
    assert {seasoned.rules.get(one.id).status for one in (shared, own)} == {"active"}


def test_a_model_does_not_overrule_what_a_person_said(
    seasoned: Seasoned, clock: FixedClock
) -> None:
    said = seasoned.rules.add("Log at debug level.")
    clock.advance(seconds=60)
    inferred = seasoned.rules.add("Log at warn level.", source="model")
    assert seasoned.rules.get(said.id).status == "active"
    assert seasoned.rules.get(inferred.id).status != "active"


def test_when_the_winner_is_forgotten_the_loser_holds_again(
    seasoned: Seasoned, clock: FixedClock
) -> None:
    for forget in (seasoned.forget, seasoned.rules.delete):
        docker = seasoned.rules.add("Use docker, not podman.")
        clock.advance(seconds=60)
        podman = seasoned.rules.add("Use podman, not docker.")
        assert seasoned.rules.get(docker.id).status == "superseded"
        forget(podman.id)
        back = seasoned.rules.get(docker.id)
        assert (back.status, back.superseded_by) == ("active", None)
        assert "docker, not podman" in seasoned.recall("docker or podman?").text
        assert seasoned.rules.conflicts() == []
        seasoned.rules.delete(docker.id)
    assert seasoned.verify_audit().intact


def test_what_was_forgotten_itself_does_not_come_back(
    seasoned: Seasoned, clock: FixedClock
) -> None:
    old, new = (
        seasoned.rules.add("Round prices up."),
        seasoned.rules.add("Round prices down."),
    )
    seasoned.forget(old.id)
    seasoned.forget(new.id)
    assert seasoned.rules.get(old.id).status == "retired"


def test_forgetting_one_in_the_middle_leaves_the_last_one_in_force(
    seasoned: Seasoned, clock: FixedClock
) -> None:
    rules: list[str] = []
    for value in ("Berlin", "Hamburg", "Bremen"):
        rules.append(seasoned.rules.add(f"Ship orders to the {value} address.").id)
        clock.advance(seconds=60)
    seasoned.forget(rules[1])
    assert [seasoned.rules.get(one).status for one in rules] == ["superseded", "retired", "active"]
    seasoned.forget(rules[2])
    assert seasoned.rules.get(rules[0]).status == "active"
