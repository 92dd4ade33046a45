"""The contract of all channels: real drivers, platforms of our own, the gateway and its agent.

Every platform passes the same tests: nothing is lost, nothing is answered twice, and whoever may
not do something cannot.
"""

from typing import Any

import pytest
from tests.channels.platforms import CUSTOMER, OPERATOR, STRANGER
from tests.channels.world import World
from tests.server.live.scripts import LONG, Door, Gate, calls, wait_until

pytestmark = pytest.mark.sqlite_only

CODE = (
    "Look:\n\n```python\n" + "\n".join(f"number_{n} = {n}" for n in range(2000)) + "\n```\n\nDone."
)


def test_a_message_is_answered_and_the_next_belongs_to_the_same_session(world: World) -> None:
    gateway = world.start("Hello, Ana.", "Still here.")
    world.write("Hi")
    world.wait_for("Hello, Ana.")
    world.write("Are you there?")
    world.wait_for("Hello, Ana.", "Still here.")
    world.wait_until_idle()
    user = world.user(OPERATOR)
    (session,) = gateway.get("/v1/sessions", scope={"user": user}).json()["items"]
    assert session["turns"] == 2
    assert session["name"].startswith(f"{world.platform.name}:")
    assert world.health()["state"] == "present"


def test_two_people_have_sessions_and_scopes_of_their_own(world: World) -> None:
    gateway = world.start("One.", "Two.")
    world.write("Hi")
    world.wait_for("One.")
    world.write("Hi", CUSTOMER)
    world.wait_for("Two.", sender=CUSTOMER)
    for person in (OPERATOR, CUSTOMER):
        scope = {"user": world.user(person)}
        assert len(gateway.get("/v1/sessions", scope=scope).json()["items"]) == 1


def test_a_long_answer_is_split_and_its_code_stays_code(world: World) -> None:
    world.start({"say": CODE})
    world.write("Show me numbers")
    world.wait_until_idle_after(1)
    texts = world.texts()
    assert len(texts) > 1 or len(CODE) <= world.platform.longest
    joined = "\n".join(texts)
    for n in range(2000):
        assert joined.count(f"number_{n} = {n}\n") + joined.endswith(f"number_{n} = {n}") == 1
    assert "Done." in texts[-1]


def test_an_answer_grows_by_edits_and_ends_whole(world: World) -> None:
    world.start(LONG)
    world.write("Tell me much")
    if world.platform.can_edit:
        first = world.wait_for_answer()
        assert len(first.text) < len(str(LONG["say"]).strip())
    world.wait_until_idle_after(1)
    assert " ".join(world.texts()).split() == str(LONG["say"]).split()


def test_a_dangerous_call_waits_for_an_operators_button(world: World) -> None:
    door = Door()
    world.start(calls("open_door", name="front"), "It is open.", tools=[door.tool()])
    world.write("Open the door")
    question = world.wait_for_answer()
    assert [label for label, _ in question.buttons] == ["Allow", "Always allow", "Deny"]
    assert "front" in question.text
    world.press(question, "Allow", STRANGER)
    world.press(question, "Allow", CUSTOMER)
    assert door.opened == 0
    world.press(question, "Allow")
    wait_until(lambda: world.texts()[-1] == "It is open.")
    assert door.opened == 1
    world.wait_until_idle()
    if not world.platform.can_edit:
        world.press(question, "Deny")  # too late: nothing changes
    else:
        wait_until(lambda: not world.platform.messages()[0].buttons)
        assert "Allowed" in world.texts()[0]
    assert len(world.texts()) == 2


def test_a_customer_alone_cannot_let_dangerous_tools_run(world: World) -> None:
    door = Door()
    world.start(calls("open_door", name="front"), "I may not.", tools=[door.tool()])
    world.write("Open the door", CUSTOMER)
    world.wait_for("I may not.", sender=CUSTOMER)
    assert door.opened == 0


def test_thumbs_are_feedback_of_whoever_asked(world: World) -> None:
    gateway = world.start("Forty-two.")
    world.write("How much is six times seven?", CUSTOMER)
    answer = world.wait_for_answer(sender=CUSTOMER)
    world.wait_until_idle()
    world.react(answer, "up", STRANGER)
    world.react(answer, "down", CUSTOMER)
    scope = {"user": world.user(CUSTOMER)}

    def given() -> list[dict[str, Any]]:
        return gateway.get("/v1/feedback", scope=scope).json()["items"]

    wait_until(lambda: len(given()) == 1)
    (feedback,) = given()
    assert feedback["polarity"] == "negative"
    assert feedback["turn"]["prompt"] == "How much is six times seven?"
    assert feedback["turn"]["response"] == "Forty-two."


def test_a_platform_that_asks_for_patience_gets_the_answer_once(world: World) -> None:
    world.start("Patience.")
    world.platform.refuse_next()
    world.write("Hi")
    world.wait_for("Patience.")
    world.wait_until_idle()
    world.wait_for("Patience.")


def test_an_update_that_comes_again_is_answered_once(world: World) -> None:
    world.start("First.", "Second.", "Third.")
    world.write("Hi")
    world.wait_for("First.")
    world.loop.run(world.platform.replay())
    world.write("And now?")
    world.wait_for("First.", "Second.")
    world.wait_until_idle()
    world.wait_for("First.", "Second.")


def test_what_is_written_while_the_line_is_down_is_answered(world: World) -> None:
    world.start("First.", "Second.")
    world.write("Hi")
    world.wait_for("First.")
    world.loop.run(world.platform.drop_connections())
    world.write("Are you back?")
    world.wait_for("First.", "Second.")


def test_what_waits_when_the_server_stops_is_answered_by_the_next(world: World) -> None:
    gate = Gate()
    first = world.start(calls("pass_gate"), "Passed.", tools=[gate.tool()])
    world.write("Go")
    assert gate.entered.wait(30)
    world.write("And then?")
    wait_until(lambda: world.health()["waiting"] == 2)
    first.stop()
    gate.free.set()
    world.wait_for("Passed.")  # the turn in progress ends, the next one does not begin
    first.end()
    world.start("Later.")
    world.wait_for("Passed.", "Later.")


def test_whoever_waits_sees_that_an_answer_is_written(world: World) -> None:
    gate = Gate()
    world.start(calls("pass_gate"), "Passed.", tools=[gate.tool()])
    world.write("Go")
    assert gate.entered.wait(30)
    if world.platform.typing_signs is not None:
        wait_until(lambda: bool(world.platform.typing_signs))
    gate.free.set()
    world.wait_for("Passed.")


def test_strangers_are_told_their_id_and_no_more(world: World) -> None:
    gateway = world.start("Secret.")
    world.write("Hi", STRANGER)
    told = world.wait_for_answer(sender=STRANGER)
    assert world.platform.id_of(STRANGER) in told.text
    assert f"{world.platform.name}.users" in told.text
    world.wait_until_idle()
    world.write("Tell me the secret", STRANGER)
    world.write("Hello", CUSTOMER)
    world.wait_for("Secret.", sender=CUSTOMER)
    assert world.texts(STRANGER) == [told.text]
    assert "Tell me the secret" not in world.stored()
    scope = {"user": world.user(STRANGER)}
    assert gateway.get("/v1/sessions", scope=scope).json()["items"] == []


def test_commands_teach_explain_and_forget(world: World) -> None:
    gateway = world.start("Guten Tag.", "Hello.")
    world.write("/teach Always answer in German.")
    told = world.wait_for_answer(1).text
    assert "everybody here" in told
    (rule,) = gateway.get("/v1/rules").json()["items"]
    world.write("Good day")
    world.wait_for(told, "Guten Tag.")
    world.write("/why")
    assert rule["id"] in world.wait_for_answer(3).text
    world.write(f"/forget {rule['id']}", CUSTOMER)
    refused = world.wait_for_answer(1, CUSTOMER).text
    assert refused.startswith("This is not yours")
    world.write("/why 3kx9nothing", CUSTOMER)
    assert "I know no lesson" in world.wait_for_answer(2, CUSTOMER).text
    world.write(f"/forget {rule['id']}")
    assert world.wait_for_answer(4).text.startswith("Forgotten: ")
    world.write("/dance")
    assert "/help" in world.wait_for_answer(5).text


def test_a_customer_teaches_only_for_themselves(world: World) -> None:
    gateway = world.start("Hello.")
    world.write("/teach Call me Captain.", CUSTOMER)
    assert "for you" in world.wait_for_answer(sender=CUSTOMER).text
    (rule,) = gateway.get("/v1/rules", scope={"user": world.user(CUSTOMER)}).json()["items"]
    assert rule["scope"]["user"] == world.user(CUSTOMER)


def test_a_correction_is_learned_and_said(world: World) -> None:
    world.start("Hello.", "Guten Tag.")
    world.write("Hi")
    world.wait_for("Hello.")
    world.write("No. Always answer in German.")
    answer = world.wait_for_answer(2)
    wait_until(lambda: "Noted: " in world.texts()[1])
    assert answer is not None


def test_new_rules_are_announced_where_the_settings_say(world: World) -> None:
    place = f"{world.platform.name}:{world.platform.chat_of(CUSTOMER)}"
    world.start(
        *("Hello.", "Guten Tag."), SEASONED_NOTIFY__CHANNEL="chat", SEASONED_NOTIFY__TO=place
    )
    world.write("Hi", CUSTOMER)  # a bot may not write first
    world.wait_for("Hello.", sender=CUSTOMER)
    world.write("/teach Be kind to everybody.")
    world.write("No. Always answer in German.")
    wait_until(lambda: "Always answer in German" in world.texts(CUSTOMER)[-1])


def test_a_new_conversation_and_a_stopped_answer(world: World) -> None:
    gateway = world.start("Hello.", LONG, "Again.")
    world.write("Hi")
    world.wait_for("Hello.")
    world.write("/new")
    world.wait_for_answer(2)
    world.write("Tell me much")
    user = world.user(OPERATOR)
    wait_until(lambda: gateway.get("/health").json()["live"]["turns_running"] == 1)
    world.write("/stop")
    wait_until(lambda: world.texts()[-1].endswith("Stopped."))
    world.wait_until_idle()
    assert len(gateway.get("/v1/sessions", scope={"user": user}).json()["items"]) == 2
