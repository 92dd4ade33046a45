"""The story, told through a proxy: an agent that only changed its base URL learns."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from tests.reach import story
from tests.server.proxies.provider import Call, Provider, Reply, Seen

from seasoned import Seasoned


class Agent(Protocol):
    """A conversation of an agent built on a provider's SDK, with one tool."""

    def ask(self, message: str) -> str: ...


def run_tool(arguments: Any) -> tuple[str, bool]:
    """Call the tool as agents do; return what the model is told, and whether it failed."""
    try:
        return story.book_table(**arguments), False
    except ValueError as error:
        return f"Error: {error}", True


def tell_story(provider: Provider, agent: Callable[[], Agent], home: Path) -> list[Seen]:
    """Tell it; return the requests of session two as the provider saw them."""
    one = agent()
    call = Call(story.TOOL, story.WRONG), Call(story.TOOL, story.RIGHT)
    provider.say(Reply(calls=call[:1]), Reply(calls=call[1:]), story.REPLY)
    assert one.ask(story.REQUEST) == story.REPLY
    provider.say("Verstanden.")
    assert one.ask(story.CORRECTION) == "Verstanden."
    wait_until_learned(home)
    before = len(provider.seen)
    two = agent()
    later = Call(story.TOOL, story.LATER_WRONG), Call(story.TOOL, story.LATER_RIGHT)
    provider.say(Reply(calls=later[:1]), Reply(calls=later[1:]), "Gebucht.")
    assert two.ask(story.LATER_REQUEST) == "Gebucht."
    seen = provider.seen[before:]
    assert len(seen) == 3
    assert story.NOTE in json.dumps(seen[0].json["tools"], ensure_ascii=False)
    assert story.RULE in seen[0].body.decode()
    assert story.HINT not in seen[0].body.decode()
    assert story.HINT in seen[1].body.decode()
    return seen


def wait_until_learned(home: Path) -> None:
    """Wait until the fix and the rule of session one hold for others."""
    ends = time.monotonic() + 60
    with Seasoned(home / "seasoned.db") as s:
        while time.monotonic() < ends:
            fixes = s.lessons(kind="fix", status="active")
            rules = [
                one for one in s.lessons(kind="rule", status="active") if not one.scope.session
            ]
            if fixes and any(story.RULE in rule.content for rule in rules):
                return
            time.sleep(0.05)
    raise AssertionError("neither the fix nor the rule was learned in time")
