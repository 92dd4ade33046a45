"""The Python API: threads, event loops, wrapped functions, sessions."""

import asyncio
import logging
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from seasoned import AsyncSeasoned, Hint, Seasoned, ToolResult
from seasoned.core.errors import BadInput, ConfigError, DatabaseUnavailable, NotFound
from seasoned.core.events import HintGiven, LessonLearned, ToolFinished

pytestmark = pytest.mark.sqlite_only


def test_the_database_is_in_the_home_folder(home: Path) -> None:
    with Seasoned() as s:
        s.observe("t", {}, result=1)
    assert (home / "seasoned.db").exists()


def test_what_was_learned_is_there_after_reopening(home: Path) -> None:
    with Seasoned() as s:
        lesson = s.teach("deploying", rule="Deploy to staging first.")
    with Seasoned() as s:
        assert s.lesson(lesson.id) == lesson


def test_many_threads_use_one_object(seasoned: Seasoned) -> None:
    hints: list[Hint | None] = []
    seasoned.teach("out of paper", fix="Refill tray 2.", tool="print")

    def work(worker: int) -> None:
        for number in range(10):
            session = f"{worker}-{number}"
            hints.append(seasoned.observe("print", {}, error="out of paper", session=session))
            seasoned.recall("print the report")

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(hints) == 50
    assert all(hint and hint.text == "Refill tray 2." for hint in hints)
    assert seasoned.lessons()[0].times_given == 50


def test_the_async_face_does_the_same(database_url: str, home: Path) -> None:
    async def story() -> tuple[Hint | None, str, int]:
        async with AsyncSeasoned(database_url) as s:
            await s.teach("out of paper", fix="Refill tray 2.", tool="print")
            hint = await s.observe("print", {}, error="out of paper")
            many = await asyncio.gather(*(s.observe("scan", {"n": n}) for n in range(20)))
            assert many == [None] * 20
            context = await s.recall("what to do when the printer is out of paper")
            return hint, context.text, (await s.status())["calls"]

    hint, text, calls = asyncio.run(story())
    assert hint is not None
    assert "Refill tray 2." in text
    assert calls == 21


def test_one_object_serves_several_event_loops(database_url: str, home: Path) -> None:
    s = AsyncSeasoned(database_url)
    for count in (1, 2):
        asyncio.run(s.observe("scan", {}))
        assert asyncio.run(s.status())["calls"] == count
    asyncio.run(s.close())


def test_the_observer_interface_takes_its_own_order(seasoned: Seasoned) -> None:
    seasoned.teach("no ink", fix="Shake it.", tool="print")
    assert seasoned.on_tool_result("s1", "print", {}, None, RuntimeError("no ink")) is not None
    assert seasoned.on_tool_result("s1", "print", None, "done", None) is None


def test_a_tool_result_can_be_handed_in_whole(seasoned: Seasoned) -> None:
    call = ToolResult("print", {"pages": 2}, error="no ink", session="s7", duration_ms=12.5)
    seasoned.observe(call)
    (record,) = seasoned.tools()
    assert (record.calls, record.failures, record.average_ms) == (1, 1, 12.5)


@pytest.mark.parametrize("duration", [float("nan"), float("inf"), -1.0])
@pytest.mark.both_dialects
def test_an_impossible_duration_does_not_spoil_the_record(
    seasoned: Seasoned, duration: float
) -> None:
    seasoned.observe("print", {}, result="ok", duration_ms=duration)
    seasoned.observe("print", {}, result="ok", duration_ms=10)
    assert seasoned.tools()[0].average_ms == 10


def test_a_wrapped_function_behaves_as_before_and_is_observed(seasoned: Seasoned) -> None:
    @seasoned.tool
    def divide(a: float, b: float = 1, **options: object) -> float:
        "Divides."
        return a / b

    assert divide(6, b=3, mode="x") == 2
    assert divide.__doc__ == "Divides."
    with pytest.raises(ZeroDivisionError):
        divide(1, 0)
    (record,) = seasoned.tools()
    assert (record.name, record.calls, record.failures) == ("divide", 2, 1)


def test_a_hint_stands_in_the_text_of_the_exception(seasoned: Seasoned) -> None:
    seasoned.teach("division by zero", fix="Check the divisor first.", tool="div")

    @seasoned.tool(name="div")
    def divide(a: float, b: float) -> float:
        return a / b

    with pytest.raises(ZeroDivisionError) as caught:
        divide(1, 0)
    assert type(caught.value) is ZeroDivisionError
    assert str(caught.value) == (
        "division by zero\n\nKnown fix (told by the operator): Check the divisor first."
    )


def test_an_async_function_can_be_wrapped_too(database_url: str, home: Path) -> None:
    async def story() -> str:
        async with AsyncSeasoned(database_url) as s:
            await s.teach("host unreachable", fix="Use the VPN.", tool="ping")

            @s.tool
            async def ping(host: str) -> str:
                await asyncio.sleep(0)
                if host == "far":
                    raise OSError("host unreachable")
                return "pong"

            assert await ping("near") == "pong"
            with pytest.raises(OSError, match="unreachable") as caught:
                await ping("far")
            return str(caught.value)

    assert "Use the VPN." in asyncio.run(story())


def test_what_cannot_be_watched_is_refused(seasoned: Seasoned) -> None:
    with pytest.raises(BadInput, match="below @staticmethod"):
        seasoned.tool(staticmethod(len))


def test_arguments_are_recorded_as_they_were_given(seasoned: Seasoned) -> None:
    @seasoned.tool
    def create(payload: dict[str, str]) -> str:
        if payload.pop("mode", None) != "x":
            raise ValueError("mode must be set")
        return "ok"

    for session in ("s1", "s2"):
        with seasoned.session(session):
            with pytest.raises(ValueError, match="mode"):
                create({"name": session})
            create({"name": session, "mode": "x"})
    assert "mode=x" in seasoned.lessons()[0].content


def test_a_wrong_argument_name_is_repaired(seasoned: Seasoned) -> None:
    @seasoned.tool
    def send(to: str, subject: str) -> str:
        return f"{to}: {subject}"

    for session in ("s1", "s2"):
        with seasoned.session(session):
            with pytest.raises(TypeError):
                send(recipient="ana", subject=session)  # pyright: ignore[reportCallIssue]
            send(to="ana", subject=session)
    assert seasoned.lessons()[0].content == "Use `to` instead of `recipient`."


def test_a_failure_that_is_returned_teaches_but_nobody_is_hinted(seasoned: Seasoned) -> None:
    @seasoned.tool
    def sh(command: str) -> dict[str, object]:
        if command.startswith("docker"):
            return {"exit_code": 127, "stderr": "docker: command not found"}
        return {"exit_code": 0}

    for session in ("s1", "s2", "s3"):
        with seasoned.session(session):
            sh(f"docker run {session}")
            sh(f"podman run {session}")
    with seasoned.session("s4"):
        sh("docker ps")
        sh("docker ps")
    lesson = seasoned.lessons()[0]
    assert (lesson.times_given, lesson.belief.worked, lesson.belief.failed) == (0, 4, 1)


def test_a_time_out_from_outside_is_a_failure(database_url: str, home: Path) -> None:
    async def story() -> int:
        async with AsyncSeasoned(database_url) as s:

            @s.tool
            async def slow() -> None:
                await asyncio.sleep(30)

            with pytest.raises(TimeoutError):
                await asyncio.wait_for(slow(), 0.05)
            return (await s.tools())[0].failures

    assert asyncio.run(story()) == 1


def test_a_listener_may_use_the_facade(seasoned: Seasoned) -> None:
    reasons: list[str] = []
    seasoned.on(LessonLearned, lambda fact: reasons.append(seasoned.why(fact.lesson).text))
    seasoned.teach("no ink", fix="Shake it.", tool="print")
    assert "Shake it." in reasons[0]


def test_a_closed_object_says_that_it_is_closed(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    s = opened(database_url)
    s.close()
    with pytest.raises(DatabaseUnavailable, match="closed"):
        s.status()


def test_many_first_calls_at_once_open_one_database(database_url: str, home: Path) -> None:
    async def story() -> int:
        s = AsyncSeasoned(database_url)
        await asyncio.gather(*(s.observe("scan", {"n": n}) for n in range(60)))
        calls = (await s.status())["calls"]
        await s.close()
        return calls

    assert asyncio.run(story()) == 60


def test_learning_that_fails_does_not_break_the_tool(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    s = Seasoned(":memory:")

    @s.tool
    def double(number: int) -> int:
        return 2 * number

    s.inner.app.db.run(s.inner.app.db.close())
    with caplog.at_level(logging.ERROR):
        assert double(4) == 8
    assert "could not learn" in caplog.text


def test_a_session_is_taken_from_around(seasoned: Seasoned) -> None:
    with seasoned.session("chat-42"):
        seasoned.observe("print", {"page": 1}, error="paper jam in tray 2")
        seasoned.observe("print", {"page": 1, "tray": 3}, result="ok")
    evidence = seasoned.why(seasoned.lessons()[0].id).evidence
    assert {one.session for one in evidence if one.session} == {"chat-42"}


def test_facts_are_published(seasoned: Seasoned) -> None:
    heard: list[str] = []
    for event in (ToolFinished, LessonLearned, HintGiven):
        seasoned.on(event, lambda fact: heard.append(type(fact).__name__))
    seasoned.teach("no ink", fix="Shake it.", tool="print")
    seasoned.observe("print", {}, error="no ink")
    assert heard == ["LessonLearned", "HintGiven", "ToolFinished"]


def test_bad_input_is_refused_with_what_to_do(seasoned: Seasoned) -> None:
    with pytest.raises(BadInput, match="name of its tool"):
        seasoned.observe("  ", {})
    with pytest.raises(BadInput, match="exactly one"):
        seasoned.teach("x", fix="a", rule="b")
    with pytest.raises(BadInput, match="empty"):
        seasoned.teach("x", fix="  ")
    with pytest.raises(BadInput, match="error it is for"):
        seasoned.teach("", fix="a")
    with pytest.raises(BadInput, match="say it shorter"):
        seasoned.teach("x", fact="a" * 5000)
    with pytest.raises(BadInput, match="one of fix"):
        seasoned.lessons(kind="nonsense")
    with pytest.raises(BadInput, match="0 or more"):
        seasoned.recall("x", limit=-1)
    with pytest.raises(NotFound, match="lessons list"):
        seasoned.lesson("zzzz")
    with pytest.raises(NotFound):
        seasoned.why("'; DROP TABLE lessons")
    with pytest.raises(NotFound):
        list(seasoned.learn(["/no/such/file"]).problems)


def test_an_unknown_setting_is_named(home: Path) -> None:
    with pytest.raises(ConfigError, match="SEASONED_AGENT__NONSENSE"):
        Seasoned(":memory:", environment={"SEASONED_AGENT__NONSENSE": "1"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00",
        "\ud800",
        "🙂" * 10,
        "\u202eright to left",
        "x" * 1_000_000,
        "\x1b[31mred\x1b[0m",
        "{}{}%s%%",
    ],
)
def test_any_text_can_be_observed(seasoned: Seasoned, text: str) -> None:
    params = {"a": text, text[:50]: [text, {"b": (1, text)}]}
    seasoned.observe("t", params, error=text, session="s")
    seasoned.observe("t", params, result=text, session="s")
    seasoned.observe(f"t{text[:20]}", params, result=text, session=text)
    seasoned.teach(text[:4000] or "x", fix=text.strip()[:100] or "x", tool="t")
    seasoned.recall(text)
    assert seasoned.verify_audit().intact


def test_recall_of_nothing_relevant_is_empty(seasoned: Seasoned) -> None:
    seasoned.teach("deploying", rule="Deploy to staging before production.")
    context = seasoned.recall("what is the weather like in Lisbon?")
    assert not context
    assert context.text == ""


def test_recall_works_in_scripts_without_spaces(seasoned: Seasoned) -> None:
    seasoned.teach("東京へのデプロイ", rule="先にステージング環境へデプロイする")
    assert seasoned.recall("ステージング環境").lessons


def test_recall_keeps_to_its_limit_and_its_budget(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    s = opened(database_url, environment={"SEASONED_KNOWLEDGE__CONTEXT_TOKENS": "40"})
    for number in range(10):
        s.teach("billing", fact=f"billing report number {number} needs the ledger")
    assert len(s.recall("billing report").lessons) == 2
    assert len(s.recall("billing report", limit=1).lessons) == 1
    assert not s.recall("billing report", limit=0)
