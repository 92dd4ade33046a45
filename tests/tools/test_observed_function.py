"""`@s.tool` on every kind of function, and where its hint ends up."""

import asyncio
import functools
import traceback
from collections.abc import AsyncGenerator, Generator
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import pytest
from langgraph.prebuilt import InjectedState
from pydantic import BaseModel, ValidationError

from seasoned import AsyncSeasoned, Seasoned

pytestmark = pytest.mark.sqlite_only

FIX = "Known fix (told by the operator): Ask for the name first."


def taught(s: Seasoned, tool: str, error: str) -> Seasoned:
    s.teach(error, fix="Ask for the name first.", tool=tool)
    return s


class Unknown(Exception):
    """An exception whose text is made of its arguments."""

    def __init__(self, who: str, *, code: int) -> None:
        super().__init__(who, code)
        self.code = code

    def __str__(self) -> str:
        return f"{self.args[0]} is not known ({self.code})"


def test_an_exception_with_meaningful_arguments_keeps_them(seasoned: Seasoned) -> None:
    taught(seasoned, "look_up", "KeyError: 'name'")

    @seasoned.tool
    def look_up(person: dict[str, str]) -> str:
        return person["name"]

    with pytest.raises(KeyError) as caught:
        look_up({})
    assert caught.value.args == ("name",)
    assert str(caught.value) == f"'name'\n\n{FIX}"
    assert FIX in repr(caught.value)
    shown = "".join(traceback.format_exception(caught.value))
    assert 'return person["name"]' in shown
    assert "another exception" not in shown


def test_an_operating_system_error_keeps_its_number(seasoned: Seasoned, tmp_path: Path) -> None:
    taught(seasoned, "read", "No such file or directory")

    @seasoned.tool
    def read(path: str) -> str:
        return Path(path).read_text()

    with pytest.raises(FileNotFoundError) as caught:
        read(str(tmp_path / "absent"))
    assert (caught.value.errno, caught.value.filename) == (2, str(tmp_path / "absent"))
    assert str(caught.value).endswith(FIX)


def test_an_exception_with_arguments_of_its_own_is_copied_with_them(seasoned: Seasoned) -> None:
    taught(seasoned, "admit", "Unknown: ana is not known (7)")

    @seasoned.tool
    def admit(who: str) -> None:
        raise Unknown(who, code=7)

    with pytest.raises(Unknown) as caught:
        admit("ana")
    assert caught.value.code == 7
    assert str(caught.value) == f"ana is not known (7)\n\n{FIX}"


def test_a_final_exception_class_carries_the_hint_as_a_note(seasoned: Seasoned) -> None:
    class Person(BaseModel):
        name: str

    @seasoned.tool
    def greet(person: dict[str, Any]) -> str:
        return Person.model_validate(person).name

    with pytest.raises(ValidationError) as plain:
        greet({})
    taught(seasoned, "greet", f"ValidationError: {plain.value}")
    with pytest.raises(ValidationError) as caught:
        greet({})
    assert caught.value.__notes__ == [FIX]


def test_a_hint_is_not_learned_as_a_part_of_the_error(seasoned: Seasoned) -> None:
    taught(seasoned, "inner", "ValueError: no name")

    @seasoned.tool
    def inner() -> None:
        raise ValueError("no name")

    @seasoned.tool
    def outer() -> None:
        inner()

    with pytest.raises(ValueError, match="Known fix"):
        outer()
    assert all("Known fix" not in str(known) for known in seasoned.errors())


def test_an_exception_that_is_raised_again_carries_one_hint(seasoned: Seasoned) -> None:
    taught(seasoned, "call", "ValueError: no name")
    same = ValueError("no name")

    @seasoned.tool
    def call() -> None:
        raise same

    for session in ("s1", "s2"):
        with seasoned.session(session), pytest.raises(ValueError, match="no name") as caught:
            call()
    assert str(caught.value).count("Known fix") == 1


def test_a_generator_is_observed_until_it_ends(seasoned: Seasoned) -> None:
    taught(seasoned, "pages", "ValueError: no name")

    @seasoned.tool
    def pages(count: int) -> Generator[int]:
        yield from range(count)
        if count > 2:
            raise ValueError("no name")

    assert list(pages(2)) == [0, 1]
    with pytest.raises(ValueError, match="Known fix"):
        list(pages(3))
    early = pages(3)
    assert next(early) == 0
    early.close()
    (record,) = seasoned.tools()
    assert (record.calls, record.failures) == (3, 1)


def test_an_async_generator_is_observed_until_it_ends(database_url: str, home: Path) -> None:
    async def story() -> tuple[list[int], str, int]:
        async with AsyncSeasoned(database_url) as s:
            await s.teach("no name", fix="Ask for the name first.", tool="pages")

            @s.tool
            async def pages(count: int) -> AsyncGenerator[int]:
                for page in range(count):
                    yield page
                if count > 2:
                    raise ValueError("no name")

            read = [page async for page in pages(2)]
            with pytest.raises(ValueError, match="no name") as caught:
                [page async for page in pages(3)]
            return read, str(caught.value), (await s.tools())[0].calls

    read, said, calls = asyncio.run(story())
    assert read == [0, 1]
    assert said.endswith(FIX)
    assert calls == 2


def test_methods_and_partials_keep_their_names_and_arguments(seasoned: Seasoned) -> None:
    class Phone:
        @seasoned.tool
        def call(self, number: str) -> str:
            return f"calling {number}"

    def dial(prefix: str, number: str) -> str:
        return prefix + number

    abroad = seasoned.tool(functools.partial(dial, "+49"))
    assert Phone().call("110") == "calling 110"
    assert seasoned.tool(name="ring")(Phone().call)("112") == "calling 112"
    assert abroad("30") == "+4930"
    assert getattr(abroad, "__name__", "") == "dial"
    assert sorted(one.name for one in seasoned.tools()) == ["call", "dial", "ring"]


@dataclass
class RunContext:
    """As a framework passes it: an object that cannot be copied."""

    deps: Any
    usage: ContextVar[int] = field(default_factory=lambda: ContextVar("usage", default=0))


RunContext.__module__ = "pydantic_ai.tools"


def test_what_a_framework_passes_in_is_not_recorded(seasoned: Seasoned) -> None:
    @seasoned.tool
    def create(
        context: RunContext,
        state: Annotated[dict[str, Any], InjectedState],
        payload: dict[str, str],
    ) -> str:
        if payload.get("mode") != "x":
            raise ValueError("mode must be set to x")
        return "ok"

    context, state = RunContext(deps=object()), {"messages": ["secret of another person"]}
    for session in ("s1", "s2"):
        with seasoned.session(session):
            with pytest.raises(ValueError, match="mode"):
                create(context, state, {"name": session})
            create(context, state, {"name": session, "mode": "x"})
    with seasoned.session("s3"), pytest.raises(ValueError, match="Known fix") as caught:
        create(context, state, {"name": "s3"})
    assert "secret of another person" not in str(caught.value)
    assert "context" not in str(caught.value)


def test_arguments_that_cannot_be_copied_do_not_hinder_a_hint(seasoned: Seasoned) -> None:
    lock = ContextVar("lock", default=0)

    @seasoned.tool
    def send(channel: Any, to: str, mode: str = "") -> str:
        if mode != "x":
            raise ValueError("mode must be set to x")
        return "sent"

    for name in ("ana", "bob", "eve"):
        with seasoned.session(name):
            with pytest.raises(ValueError, match="must be set") as caught:
                send(lock, name)
            send(lock, name, mode="x")
    assert '"mode":"x"' in str(caught.value)


def test_observing_something_uncopyable_gives_its_hint(seasoned: Seasoned) -> None:
    lock = ContextVar("lock", default=0)
    for name in ("ana", "bob"):
        params = {"channel": lock, "to": name}
        seasoned.observe("send", params, error="mode must be set to x", session=name)
        seasoned.observe("send", {**params, "mode": "x"}, result="ok", session=name)
    params = {"channel": lock, "to": "eve"}
    hint = seasoned.observe("send", params, error="mode must be set to x", session="eve")
    assert hint is not None
    assert hint.params is not None
    assert hint.params["mode"] == "x"
