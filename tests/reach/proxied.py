"""The story, told through a proxy: an agent that only changed its base URL learns."""

import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, Protocol

import pytest
from tests.reach import story
from tests.server.proxies.conftest import variables
from tests.server.proxies.provider import Call, Provider, Reply, Seen
from tests.server.serving import Gateway

from seasoned import Seasoned


@pytest.fixture(scope="module")
def provider() -> Generator[Provider]:
    there = Provider()
    yield there
    there.close()


@pytest.fixture(scope="module")
def gateway(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Generator[Gateway]:
    """A gateway before the provider; stories that use it take place in projects of their own."""
    there = Gateway(tmp_path_factory.mktemp("gateway") / "home", **variables(provider))
    yield there
    there.end()


class Agent(Protocol):
    """A conversation of an agent built on a provider's SDK, with one tool."""

    def ask(self, message: str) -> str: ...


def run_tool(arguments: Any) -> tuple[str, bool]:
    """Call the tool as agents do; return what the model is told, and whether it failed."""
    try:
        return story.book_table(**arguments), False
    except ValueError as error:
        return f"Error: {error}", True


def tell_story(
    provider: Provider, agent: Callable[[], Agent], home: Path, project: str = ""
) -> list[Seen]:
    """Tell it; return the requests of session two as the provider saw them."""
    one = agent()
    call = Call(story.TOOL, story.WRONG), Call(story.TOOL, story.RIGHT)
    provider.say(Reply(calls=call[:1]), Reply(calls=call[1:]), story.REPLY)
    assert one.ask(story.REQUEST) == story.REPLY
    provider.say("Verstanden.")
    assert one.ask(story.CORRECTION) == "Verstanden."
    with Seasoned(home / "seasoned.db", project=project) as s:
        wait_until_learned(s)
    before = len(provider.seen)
    two = agent()
    later = Call(story.TOOL, story.LATER_WRONG), Call(story.TOOL, story.LATER_RIGHT)
    provider.say(Reply(calls=later[:1]), Reply(calls=later[1:]), "Gebucht.")
    assert two.ask(story.LATER_REQUEST) == "Gebucht."
    seen = provider.seen[before:]
    assert len(seen) == 3
    assert story.NOTE in str(seen[0].json["tools"])
    assert story.RULE in seen[0].body.decode()
    assert story.HINT not in seen[0].body.decode()
    assert story.HINT in seen[1].body.decode()
    return seen


def wait_until_learned(s: Seasoned) -> None:
    """Wait until the fix and the rule of session one hold for others."""
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        rules = [one for one in s.lessons(kind="rule", status="active") if not one.scope.session]
        is_ruled = any(story.RULE in rule.content for rule in rules)
        if is_ruled and s.lessons(kind="fix", status="active"):
            return
        time.sleep(0.05)
    raise AssertionError("the fix and the rule were not learned in time")
