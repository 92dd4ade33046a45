"""Words that are meant to break a platform: on each of them people see an answer."""

from typing import Any

import pytest
from tests.channels.world import World

pytestmark = pytest.mark.sqlite_only

BOMBS = (
    "*" * 6000 + "a" + "*" * 6000,
    "[" * 12_000,
    "> " * 3000 + "deep",
    "**a *b " * 2000,
    "```\n" * 3000,
    "<b><i>" * 1000 + "&amp;" * 500,
)


def test_an_answer_that_nobody_could_see_becomes_one_that_says_so(world: World) -> None:
    blank = ("\u200b", "\n \n", "\ufeff\u2060")
    world.start(*blank)
    for number in range(len(blank)):
        world.write("Say nothing")
        assert "nothing to say" in world.wait_for_answer(number + 1).text


def test_half_characters_and_those_without_width_arrive(world: World) -> None:
    world.start(
        "half \ud83d a character", "\u202eright to left\u202c a\u200db \u05e9\u05dc\u05d5\u05dd"
    )
    world.write("One \u202e \u200b \x00 two")
    assert world.wait_for_answer(1).text.startswith("half ")
    world.write("\u202e\u2067")
    world.wait_until_idle_after(2)
    assert "right to left" in world.texts()[1]


def test_a_hundred_thousand_characters_arrive_whole(world: World) -> None:
    words = [f"word{number}" for number in range(11_000)]
    paragraphs = [" ".join(words[at : at + 50]) for at in range(0, len(words), 50)]
    world.start("\n\n".join(paragraphs))
    world.write("Write a book")
    world.wait_until_idle_after(1)
    assert " ".join(world.texts()).split() == words


def test_markdown_that_is_meant_to_break_a_reader_is_delivered(world: World) -> None:
    world.start(*BOMBS, "Still here.")
    for number in range(len(BOMBS)):
        world.write("Break")
        world.wait_until_idle_after(number + 1)
    world.write("Are you there?")
    world.wait_until_idle_after(len(BOMBS) + 1)
    assert world.texts()[-1] == "Still here."
    health: dict[str, Any] = world.health()
    assert (health["undelivered"], health["last_error"]) == (0, "")
