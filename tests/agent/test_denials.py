"""What nobody said makes no rule: denials without a person, and denials of one call."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from seasoned import Seasoned
from seasoned.cli.chat.question import nobody_to_ask
from seasoned.llm.chat.scripted import Call, Say, Scripted
from seasoned.rules.turns import Reaction
from seasoned.tools.run import ApprovalDecision, ApprovalRequest
from seasoned.tools.tool import tool

pytestmark = pytest.mark.sqlite_only

Ask = Callable[[ApprovalRequest], Awaitable[ApprovalDecision]]


@tool(dangerous=True)
def write_file(path: str) -> str:
    """Writes a file."""
    return f"{path} written"


def denied(seasoned: Seasoned, ask: Ask) -> None:
    model = Scripted(Say(calls=(Call("write_file", {"path": "a.txt"}),)), "Then I leave it.")
    with seasoned.agent(model, tools=[write_file], session="chat") as agent:
        agent.ask("Save it.", ask=ask)


def saying(reason: str) -> Ask:
    async def ask(request: ApprovalRequest) -> ApprovalDecision:
        return ApprovalDecision("deny", reason)

    return ask


async def silent(request: ApprovalRequest) -> ApprovalDecision:
    await asyncio.sleep(60)
    raise AssertionError("nobody waits that long")


def lasting(seasoned: Seasoned) -> list[str]:
    seasoned.corrections.learn()
    return [rule.content for rule in seasoned.rules.list()]


def test_without_a_terminal_nobody_has_denied_anything(seasoned: Seasoned) -> None:
    denied(seasoned, nobody_to_ask)
    assert seasoned.corrections.pending() == []
    assert lasting(seasoned) == []
    assert seasoned.rules.list(provisional=True) == []


def test_a_time_out_is_nobodys_word(
    database_url: str, opened: Callable[..., Seasoned], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_APPROVAL__TIMEOUT_SECONDS", "0.05")
    seasoned = opened(database_url)
    denied(seasoned, silent)
    assert seasoned.corrections.pending() == []
    assert seasoned.rules.list(provisional=True) == []


@pytest.mark.parametrize(
    "reason",
    [
        "",
        "not now",
        "wrong folder",
        "this costs money",
        "falscher Ordner",
        "ahora no",
        "pas encore",
    ],
)
def test_denying_one_call_is_no_lasting_rule_against_its_tool(
    seasoned: Seasoned, reason: str
) -> None:
    denied(seasoned, saying(reason))
    assert lasting(seasoned) == []
    assert "write_file" not in seasoned.recall("save the file", session="another").text


@pytest.mark.parametrize(
    "reason",
    [
        "never write into the src folder, use /tmp",
        "schreib nie in den Ordner src, nimm /tmp",
        "nunca escribas en la carpeta src, usa /tmp",
    ],
)
def test_a_denial_that_says_what_is_to_hold_is_a_rule(seasoned: Seasoned, reason: str) -> None:
    denied(seasoned, saying(reason))
    (rule,) = lasting(seasoned)
    assert "write_file" not in rule
    assert "/tmp" in rule


def test_a_conversation_that_reports_a_wordless_denial_keeps_it_in_its_session(
    seasoned: Seasoned,
) -> None:
    talk = seasoned.conversation("chat")
    talk.user("save it")
    reaction: Reaction = talk.denied("write_file")
    assert reaction.correction is not None
    assert lasting(seasoned) == []
