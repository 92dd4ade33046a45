"""The inbox, on both databases: letters in their order, answers, sessions, and no secrets."""

from collections.abc import Coroutine
from typing import Any

import pytest

from seasoned import Seasoned
from seasoned.channels.channel import Address, Incoming, Person
from seasoned.channels.inbox import NOT_BEGUN, Inbox

ROOM = Address("telegram", "1")
TOPIC = Address("telegram", "1", "7")
ANA = Person("42", "ana")
KEY = "sk-proj-T3BlbkFJabcdefghijklmnopqrstuvwxyz0123456789"


@pytest.fixture
def inbox(seasoned: Seasoned) -> Inbox:
    return Inbox(seasoned.inner.app.unit)


def drive(seasoned: Seasoned, work: Coroutine[Any, Any, None]) -> None:
    seasoned.inner.app.unit.drive(work)


def test_letters_wait_in_their_order_until_they_are_answered(
    seasoned: Seasoned, inbox: Inbox
) -> None:
    async def story() -> None:
        assert await inbox.add(Incoming("u1", ROOM, ANA, "one"))
        assert await inbox.add(Incoming("u2", ROOM, ANA, "two", is_direct=False))
        assert await inbox.add(Incoming("u3", TOPIC, ANA, "three"))
        assert not await inbox.add(Incoming("u1", ROOM, ANA, "one again"))
        assert set(await inbox.waiting("telegram")) == {(ROOM, "42"), (TOPIC, "42")}
        first = await inbox.next(ROOM, ANA.id)
        assert first is not None
        assert (first.text, first.turns, first.reply, first.is_direct) == (
            *("one", NOT_BEGUN, None),
            True,
        )
        await inbox.begin(first, "telegram:1", 3)
        await inbox.answer(first, "reply")
        again = await inbox.next(ROOM, ANA.id)
        assert again is not None
        assert (again.session, again.turns, again.reply) == ("telegram:1", 3, "reply")
        await inbox.done(first, "reply")
        second = await inbox.next(ROOM, ANA.id)
        assert second is not None
        assert (second.text, second.is_direct) == ("two", False)
        await inbox.done(second, "", "the bot was blocked")
        assert await inbox.next(ROOM, ANA.id) is None
        assert await inbox.waiting("telegram") == [(TOPIC, "42")]
        assert await inbox.counts("telegram") == {"waiting": 1, "undelivered": 1}
        assert await inbox.counts("slack") == {"waiting": 0, "undelivered": 0}

    drive(seasoned, story())


def test_messages_of_an_answer_lead_back_to_it(seasoned: Seasoned, inbox: Inbox) -> None:
    async def story() -> None:
        await inbox.add(Incoming("u1", TOPIC, ANA, "one"))
        letter = await inbox.next(TOPIC, ANA.id)
        assert letter is not None
        await inbox.note_sent(letter, 0, "m10")
        await inbox.note_sent(letter, 1, "m11")
        await inbox.note_sent(letter, 1, "m11")
        assert await inbox.sent(letter) == {0: "m10", 1: "m11"}
        # Platforms do not tell in which thread a reaction happened.
        found = await inbox.answered_by(ROOM, "m11")
        assert found is not None
        assert found.key == letter.key
        assert await inbox.answered_by(ROOM, "m12") is None
        assert await inbox.answered_by(Address("slack", "1"), "m11") is None

    drive(seasoned, story())


def test_a_new_session_is_that_of_one_person_in_one_place(seasoned: Seasoned, inbox: Inbox) -> None:
    async def story() -> None:
        await inbox.add(Incoming("u1", ROOM, ANA, "/new"))
        letter = await inbox.next(ROOM, ANA.id)
        assert letter is not None
        assert await inbox.session(ROOM, ANA) == "telegram:1"
        await inbox.begin_session(letter, "telegram:1:b")
        await inbox.begin_session(letter, "telegram:1:c")
        assert await inbox.session(ROOM, ANA) == "telegram:1:c"
        assert await inbox.session(ROOM, Person("43")) == "telegram:1"
        assert await inbox.session(TOPIC, ANA) == "telegram:1:7"

    drive(seasoned, story())


def test_secrets_and_half_characters_are_not_stored(seasoned: Seasoned, inbox: Inbox) -> None:
    async def story() -> None:
        await inbox.add(Incoming("u1", ROOM, ANA, f"use {KEY} \ud800"))
        letter = await inbox.next(ROOM, ANA.id)
        assert letter is not None
        assert KEY not in letter.text
        await inbox.answer(letter, f"I used {KEY}")
        await inbox.done(letter, f"I used {KEY}", f"no {KEY}")
        app = seasoned.inner.app
        async with app.db.read() as tx:
            assert KEY not in repr(await tx.fetch("SELECT * FROM channel_inbox"))

    drive(seasoned, story())


def test_what_waits_is_counted_by_person_and_strangers_are_known(
    seasoned: Seasoned, inbox: Inbox
) -> None:
    async def story() -> None:
        await inbox.add(Incoming("u1", ROOM, ANA, "one"))
        await inbox.add(Incoming("u2", TOPIC, ANA, "two"))
        await inbox.add(Incoming("u3", ROOM, Person("44"), ""), "refusal")
        assert await inbox.waiting_of("telegram", "42") == 2
        assert await inbox.waiting_of("telegram", "44") == 0
        assert await inbox.waiting_of("slack", "42") == 0
        assert await inbox.was_refused("telegram", "44")
        assert not await inbox.was_refused("telegram", "42")

    drive(seasoned, story())


def test_threads_of_groups_are_known_once_they_were_answered(
    seasoned: Seasoned, inbox: Inbox
) -> None:
    async def story() -> None:
        other = Address("telegram", "-5", "9")
        await inbox.add(Incoming("u1", other, ANA, "one", is_direct=False))
        await inbox.add(Incoming("u2", TOPIC, ANA, "two", is_direct=False))
        await inbox.add(Incoming("u3", Address("telegram", "1", "8"), ANA, "private"))
        assert await inbox.threads("telegram") == []
        for at in (TOPIC, other):
            letter = await inbox.next(at, ANA.id)
            assert letter is not None
            await inbox.done(letter, "reply")
        assert await inbox.threads("telegram") == [("-5", "9"), ("1", "7")]

    drive(seasoned, story())


def test_a_message_that_takes_anothers_place_is_the_one_that_is_known(
    seasoned: Seasoned, inbox: Inbox
) -> None:
    async def story() -> None:
        await inbox.add(Incoming("u1", ROOM, ANA, "one"))
        letter = await inbox.next(ROOM, ANA.id)
        assert letter is not None
        await inbox.note_sent(letter, 0, "m99")
        await inbox.note_sent(letter, 0, "m5")
        assert await inbox.sent(letter) == {0: "m5"}
        assert await inbox.answered_by(ROOM, "m99") is None

    drive(seasoned, story())
