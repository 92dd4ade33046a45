"""The companion counts each thing once, however clients repeat, edit and cut their histories."""

import asyncio
import json
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from tests.wire.talk import TOOLS, Talk, assistant, calls, result, system, user

from seasoned import AsyncSeasoned
from seasoned.wire import openai_chat
from seasoned.wire.companion import Companion, CompanionConfig

pytestmark = pytest.mark.sqlite_only

Run = Callable[[Callable[[AsyncSeasoned], Coroutine[Any, Any, None]]], None]


@pytest.fixture
def run(database_url: str, home: Path) -> Run:
    """Run a test on an open Seasoned."""

    async def work(test: Callable[[AsyncSeasoned], Coroutine[Any, Any, None]]) -> None:
        # Corrections wait for their interval, so that tests can look at them.
        environment = {**os.environ, "SEASONED_BEHAVIORAL__DELAY_SECONDS": "120"}
        async with AsyncSeasoned(database_url, environment=environment) as s:
            await test(s)

    return lambda test: asyncio.run(work(test))


async def counted(s: AsyncSeasoned) -> tuple[int, int]:
    """Return how many calls of the tool were counted, and how many of them failed."""
    records = await s.tools()
    return (records[0].calls, records[0].failures) if records else (0, 0)


FAILED = "Error: docker: command not found"


@pytest.mark.both_dialects
def test_a_request_that_is_sent_again_counts_once(run: Run) -> None:
    async def test(s: AsyncSeasoned) -> None:
        talk = Talk(s)
        history = [user("List the containers."), calls("docker ps"), result(FAILED)]
        first = await talk.send(*history, tools=TOOLS)
        again = await talk.send(*history, tools=TOOLS)
        assert first == again
        assert await counted(s) == (1, 1)

    run(test)


def test_results_of_parallel_calls_are_paired_by_their_ids(run: Run) -> None:
    async def test(s: AsyncSeasoned) -> None:
        await s.teach("docker: command not found", fix="Use podman.", tool="shell")
        history = [user("List all."), calls("podman ps", "docker ps")]
        sent = await Talk(s).send(*history, result("none", 0), result(FAILED, 1), tools=TOOLS)
        assert await counted(s) == (2, 1)
        assert sent[-2]["content"] == "none"
        assert sent[-1]["content"].startswith(f"{FAILED}\n\n")
        assert "Use podman." in sent[-1]["content"]

    run(test)


def test_earlier_messages_do_not_count_when_the_history_is_cut_or_edited(run: Run) -> None:
    async def test(s: AsyncSeasoned) -> None:
        talk = Talk(s)
        one, two = user("List the containers."), user("And now the images.")
        turn = [one, calls("docker ps"), result(FAILED), assistant("There is no docker here.")]
        await talk.send(*turn[:3], tools=TOOLS)
        await talk.send(*turn, two, tools=TOOLS)
        await talk.send(*turn[1:], two, tools=TOOLS)  # the beginning was dropped
        edited = [*turn[:2], result("(output removed)"), turn[3], two]
        await talk.send(*edited, tools=TOOLS)
        summary = user("This session is being continued from a previous conversation: …")
        await talk.send(summary, assistant("I see."), two, tools=TOOLS)
        assert await counted(s) == (1, 1)

    run(test)


def test_a_history_that_the_companion_never_saw_counts_from_its_end(run: Run) -> None:
    async def test(s: AsyncSeasoned) -> None:
        turn = [user("List."), calls("docker ps"), result(FAILED), calls("docker ls", at=2)]
        await Talk(s).send(*turn, result(FAILED, at=2), tools=TOOLS)
        assert await counted(s) == (1, 1)

    run(test)


async def corrections(s: AsyncSeasoned) -> list[str]:
    return [json.loads(one.body)["message"] for one in await s.corrections.pending()]


CORRECTION = "No, always answer in German."


@pytest.mark.parametrize("seen", [True, False], ids=["reply seen", "reply only in the history"])
def test_a_correction_is_about_the_reply_before_it(run: Run, seen: bool) -> None:
    async def test(s: AsyncSeasoned) -> None:
        talk = Talk(s)
        said = [user("What is the capital of France?"), assistant("It is Paris.")]
        if seen:
            await talk.answered("It is Paris.", said[0])
        sent = await talk.send(*said, user(CORRECTION))
        assert "answer in German" in str(sent).replace(CORRECTION, "")
        (item,) = await s.corrections.pending()
        assert json.loads(item.body)["reply"] == "It is Paris."

    run(test)


@pytest.mark.parametrize(
    "text",
    [
        f"<system-reminder>\n{CORRECTION}\n</system-reminder>",
        f"[execute_command for 'cat a'] Result:\n{CORRECTION}",
        f"Observation: {CORRECTION}",
        f"This session is being continued from a previous conversation. {CORRECTION}",
    ],
)
def test_texts_of_programs_are_not_a_persons_words(run: Run, text: str) -> None:
    async def test(s: AsyncSeasoned) -> None:
        said = [user("What is the capital of France?"), assistant("It is Paris.")]
        await Talk(s).send(*said, user(text))
        assert await corrections(s) == []

    run(test)


def test_a_client_that_asks_for_a_title_is_left_alone(run: Run) -> None:
    async def test(s: AsyncSeasoned) -> None:
        await s.teach(rule="Always answer in German.")
        asked = system("Write a 5-word title for the following conversation."), user(CORRECTION)
        talk = Talk(s)
        assert await talk.send(*asked) == list(asked)
        assert await talk.send(user("quota"), max_tokens=1) == [user("quota")]
        assert await s.sessions.list() == []

    run(test)


SESSION = "0a1b2c3d-1111-2222-3333-9f8e7d6c5b4a"


def test_a_sub_agent_learns_about_tools_but_is_not_corrected(run: Run) -> None:
    async def test(s: AsyncSeasoned) -> None:
        talk = Talk(s)
        named: Any = {"prompt_cache_key": SESSION, "tools": TOOLS}
        await talk.send(system("You are the main agent."), user("Fix the build."), **named)
        told = system("You are a sub-agent."), user("Look at the log."), assistant("I looked.")
        await talk.send(*told, user(CORRECTION), **named)
        assert await corrections(s) == []
        await talk.send(*told, calls("docker ps"), result(FAILED), **named)
        assert await counted(s) == (1, 1)

    run(test)


def test_two_conversations_that_begin_alike_are_two(run: Run) -> None:
    async def test(s: AsyncSeasoned) -> None:
        talk = Talk(s)
        await talk.answered("Hello, what can I do for you today, my friend?", user("Hi there!"))
        await talk.answered("Good morning, how may I be of service to you?", user("Hi there!"))
        assert len(await s.sessions.list()) == 2
        reply = assistant("Hello, what can I do for you today, my friend?")
        await talk.send(user("Hi there!"), reply, user("Sort my list, please."))
        assert len(await s.sessions.list()) == 2

    run(test)


def test_a_date_in_the_system_prompt_does_not_begin_another_conversation(run: Run) -> None:
    async def test(s: AsyncSeasoned) -> None:
        talk = Talk(s)
        await talk.answered("Fine.", system("It is 2027-05-01 10:31."), user("Sort the list."))
        said = user("Sort the list."), assistant("Fine."), user("Thanks, and the other?")
        await talk.answered("Done.", system("It is 2027-05-01 10:32."), *said)
        assert len(await s.sessions.list()) == 1

    run(test)


def test_the_header_names_the_session(run: Run) -> None:
    async def test(s: AsyncSeasoned) -> None:
        talk = Talk(s)
        await talk.send(user("Sort the list."), session="mine")
        await talk.send(user("Something else entirely."), session="mine")
        assert [one.name for one in await s.sessions.list()] == ["mine"]

    run(test)


def test_a_correction_holds_for_the_user_whom_the_client_names(run: Run) -> None:
    async def test(s: AsyncSeasoned) -> None:
        talk = Talk(s)
        said = [user("What is the capital of France?"), assistant("It is Paris.")]
        await talk.send(*said, user(CORRECTION), user="ana")
        await s.corrections.learn()
        question = user("And of Spain?")
        told = [await talk.request(question, user=name) for name in ("ana", "bob")]
        assert "German" in str(told[0])
        assert "German" not in str(told[1])

    run(test)


@pytest.mark.both_dialects
def test_what_was_inserted_is_inserted_again_after_a_restart(run: Run) -> None:
    async def test(s: AsyncSeasoned) -> None:
        await s.teach(rule="Always answer in German.")
        await s.teach("docker: command not found", fix="Use podman.", tool="shell")
        before = Talk(s)
        history = [user("List the containers."), calls("docker ps"), result(FAILED)]
        first = await before.request(*history[:1], tools=TOOLS)
        second = await before.request(*history, tools=TOOLS)
        assert second["messages"][: len(first["messages"])] == first["messages"]
        assert second["tools"] == first["tools"]
        s.app.notebook._sessions.clear()  # pyright: ignore[reportPrivateUsage]
        await s.teach(rule="Never use tabs.")
        await s.teach("podman: command not found", fix="Install it.", tool="shell")
        after = Talk(s)  # another process has another companion
        third = await after.request(*history, assistant("So?"), user("Go on."), tools=TOOLS)
        assert third["messages"][: len(second["messages"])] == second["messages"]
        assert third["tools"] == first["tools"]
        assert "Never use tabs." in third["messages"][-1]["content"]

    run(test)


def test_a_companion_that_is_too_slow_lets_the_request_pass_as_it_came(run: Run) -> None:
    async def test(s: AsyncSeasoned) -> None:
        await s.teach(rule="Always answer in German.")
        companion = Companion(CompanionConfig(deadline_seconds=1e-9))
        passage = await Talk(s, companion).pass_by(user("Sort the list."))
        assert b"German" not in passage.body
        assert companion.report.unlearned == 1
        assert "proxy.deadlineSeconds" in companion.report.last_reason

    run(test)


def test_a_database_that_fails_lets_the_request_pass_as_it_came(run: Run) -> None:
    async def test(s: AsyncSeasoned) -> None:
        talk = Talk(s)
        await s.app.db.close()
        asked = [user("Sort the list.")]
        assert await talk.send(*asked) == asked
        assert "is closed" in talk.companion.report.last_reason
        await s.app.db.open()

    run(test)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'{"messages": 7}', b'{"messages": [7, null, {"role": []}]}',
     b'{"messages": [{"role": "user", "content": {"a": 1}}]} x', b"\xff\xfe", b'{"a": 1,}',
     b'{"messages": ' + b"[" * 100_000, b'{"messages": [{"role": "tool"}], "tools": [{}, 3]}'],
)  # fmt: skip
def test_what_is_no_request_passes_as_it_came(run: Run, body: bytes) -> None:
    async def test(s: AsyncSeasoned) -> None:
        companion = Companion(CompanionConfig(deadline_seconds=20))
        passage = await companion.before(s, openai_chat, body)
        assert passage.body == body

    run(test)
