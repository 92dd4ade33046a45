"""Let an agent of the Claude Agent SDK learn: `options = learning_options(s, options)`.

Standing rules and the notes of tools go to the end of the system prompt; hooks report prompts,
tool calls and replies, and give the model what matters for each of them.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from seasoned.adapters.companion import (
    Additions,
    Companion,
    FollowedSession,
    Name,
    missing_framework,
)
from seasoned.api.async_seasoned import AsyncSeasoned
from seasoned.api.seasoned import Seasoned

try:
    from claude_agent_sdk import ClaudeAgentOptions, HookMatcher
    from claude_agent_sdk.types import HookEvent
except ImportError as missing:
    raise missing_framework("the Claude Agent SDK", "claude-agent-sdk") from missing

Answer = dict[str, Any]


def learning_options(
    seasoned: Seasoned | AsyncSeasoned,
    options: ClaudeAgentOptions | None = None,
    *,
    session: Name = None,
    user: Name = None,
    by_user: bool = True,
) -> ClaudeAgentOptions:
    """Return the options with learning: its hooks beside theirs, and lessons in the system prompt.

    The session is Claude's own; a `session` or `user` function gets the input of a hook, and {}
    for the system prompt. Make new options for each conversation: they hold the rules of now.
    """
    given = options or ClaudeAgentOptions()
    hooks = _Hooks(Companion(seasoned, session=session, user=user, by_user=by_user))
    merged = {event: [*matchers] for event, matchers in (given.hooks or {}).items()}
    for event, matchers in hooks.matchers().items():
        merged.setdefault(event, []).extend(matchers)
    if _is_file(given.system_prompt):  # not ours to change; the first prompt brings the rules
        return replace(given, hooks=merged)
    prompt = _with_preface(given.system_prompt, hooks.preface())
    return replace(given, hooks=merged, system_prompt=prompt)


def learning_hooks(
    seasoned: Seasoned | AsyncSeasoned,
    *,
    session: Name = None,
    user: Name = None,
    by_user: bool = True,
) -> dict[HookEvent, list[HookMatcher]]:
    """Return hooks alone, for `ClaudeAgentOptions(hooks=…)`.

    Standing rules come with the first prompt of a session, then.
    """
    return _Hooks(Companion(seasoned, session=session, user=user, by_user=by_user)).matchers()


class _Hooks:
    """The callbacks of an agent; none of them ever blocks or changes what it does."""

    def __init__(self, companion: Companion) -> None:
        self._companion = companion
        self._preface = ""
        self._noted: list[str] = []  # tools with notes in the system prompt
        self._told: dict[str, str] = {}  # the standing rules that a session was told last

    def matchers(self) -> dict[HookEvent, list[HookMatcher]]:
        callbacks: dict[HookEvent, Any] = {
            "UserPromptSubmit": self._on_prompt,
            "PostToolUse": self._on_result,
            "PostToolUseFailure": self._on_failure,
            "Stop": self._on_stop,
        }
        return {event: [HookMatcher(hooks=[call])] for event, call in callbacks.items()}

    def preface(self) -> str:
        """Return the lessons for the system prompt: standing rules, and the notes of tools."""
        followed = self._companion.follow({})
        added = self._companion.run(followed.standing(), Additions())
        self._preface = added.stable
        self._noted = [note.tool for note in added.notes]
        return "\n\n".join(filter(None, (added.stable, added.notes_text)))

    async def _on_prompt(self, given: Any, call: str | None, context: Any) -> Answer:
        followed = self._followed(given)
        added = await followed.prepare([str(given["prompt"])], self._noted)
        rules = added.stable if added.stable != self._told_to(followed) else ""
        self._told[followed.session] = added.stable
        return _context("UserPromptSubmit", "\n\n".join(filter(None, (rules, *added.blocks))))

    async def _on_result(self, given: Any, call: str | None, context: Any) -> Answer:
        hint = await self._followed(given).called(
            given["tool_name"],
            given["tool_input"],
            given.get("tool_response"),
            seconds=_seconds(given),
        )
        return _context("PostToolUse", hint)

    async def _on_failure(self, given: Any, call: str | None, context: Any) -> Answer:
        hint = await self._followed(given).called(
            given["tool_name"],
            given["tool_input"],
            error=str(given.get("error", "")),
            seconds=_seconds(given),
            cancelled=bool(given.get("is_interrupt")),
        )
        return _context("PostToolUseFailure", hint)

    async def _on_stop(self, given: Any, call: str | None, context: Any) -> Answer:
        await self._followed(given).replied(str(given.get("last_assistant_message", "")))
        return {}

    def _followed(self, given: Mapping[str, Any]) -> FollowedSession:
        return self._companion.follow(given, given.get("session_id"))

    def _told_to(self, followed: FollowedSession) -> str:
        return self._told.get(followed.session, self._preface)


def _context(event: str, text: str) -> Answer:
    if not text:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _seconds(given: Mapping[str, Any]) -> float | None:
    took = given.get("duration_ms")
    return None if took is None else float(took) / 1000


def _with_preface(prompt: Any, preface: str) -> Any:
    """Put lessons at the end of a system prompt, whichever form it has."""
    if not preface:
        return prompt
    if prompt is None or isinstance(prompt, str):
        return "\n\n".join(filter(None, (prompt, preface)))
    given = cast("dict[str, Any]", prompt)
    member = "append" if given.get("type") == "preset" else "prompt"
    return {**given, member: "\n\n".join(filter(None, (given.get(member), preface)))}


def _is_file(prompt: Any) -> bool:
    return isinstance(prompt, dict) and cast("dict[str, Any]", prompt).get("type") == "file"
