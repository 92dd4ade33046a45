"""The story told through `POST /v1/chat`: the gateway's own agent, with a tool of the server's."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.reach import story
from tests.server.live.serving import LiveGateway

pytestmark = pytest.mark.sqlite_only


def call(params: dict[str, Any]) -> dict[str, Any]:
    return {"calls": [{"tool": story.TOOL, "args": params}]}


def results(answer: dict[str, Any]) -> list[str]:
    ended = [one for one in answer["events"] if one.get("state") in ("finished", "failed")]
    return [one["text"] for one in ended]


def test_a_client_of_the_chat_does_not_repeat_an_error_and_keeps_to_a_correction(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    steps = (call(story.WRONG), call(story.RIGHT), story.REPLY, "Verstanden.")
    with closing(LiveGateway(home, *steps, tools=[story.book_table])) as gateway:
        first = gateway.say(story.REQUEST, "one")
        assert story.ERROR in results(first)[0]
        assert first["reply"] == story.REPLY
        corrected = gateway.say(story.CORRECTION, "one")
        noticed = [one["text"] for one in corrected["events"] if one["type"] == "noticed"]
        assert noticed == [story.RULE]

    steps = (call(story.LATER_WRONG), call(story.LATER_RIGHT), "Erledigt.")
    with closing(LiveGateway(home, *steps, tools=[story.book_table])) as gateway:
        failed, booked = results(gateway.say(story.LATER_REQUEST, "two"))
        assert story.ERROR in failed
        assert story.HINT in failed  # the hint reaches the model in the same turn
        assert story.HINT in booked
    prompt, notes = _told(gateway)
    assert story.RULE in prompt
    assert story.NOTE in notes


def _told(gateway: LiveGateway) -> tuple[str, str]:
    """Return what session two was told: in its prompt, and in the descriptions of its tools."""
    from seasoned import Seasoned

    with Seasoned(gateway.database, environment={"SEASONED_EMBEDDING__PROVIDER": "none"}) as s:
        told = "\n".join(s.sessions.told("two").values())
    prompt, _, notes = told.partition("## Tool Notes")
    return prompt, json.dumps(notes)
