"""A conversation that an agent's loop feeds message by message, and that returns what to heed.

conversation = s.conversation("chat-42")
context = conversation.user("No, use podman, not docker.")   # context.text: for the prompt
hint = conversation.tool("shell", {"command": "docker ps"}, error="command not found")
conversation.assistant("Podman it is.")
conversation.end()
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from seasoned.api.face import SyncFace, sync
from seasoned.fixes.hint import Hint
from seasoned.recall.context import Context
from seasoned.rules.turns import Reaction


class TurnListener(Protocol):
    """The methods of `AsyncSeasoned` that a conversation calls."""

    async def turn(self, user: str, *, session: str | None = None, reach: str = "") -> Reaction: ...

    async def replied(
        self,
        user: str,
        reply: str,
        *,
        session: str | None = None,
        tool_calls: Sequence[Mapping[str, Any]] = (),
        edited: str | None = None,
        interrupted: bool = False,
        denied: str | tuple[str, str] | None = None,
        reach: str = "",
    ) -> Reaction: ...

    async def end(self, *, session: str | None = None, reason: str = "closed") -> bool: ...

    async def recall(
        self,
        query: str,
        *,
        session: str | None = None,
        tools: Sequence[str] = (),
        runtime: Mapping[str, object] | None = None,
    ) -> Context: ...

    async def observe(
        self,
        tool: str,
        params: Mapping[str, Any] | None = None,
        result: Any = None,
        error: str | BaseException | None = None,
        *,
        session: str | None = None,
    ) -> Hint | None: ...


class AsyncConversation:
    """One session. `noticed` tells how the last message or action judged the reply before it."""

    def __init__(self, seasoned: TurnListener, session: str, reach: str = "") -> None:
        self.session = session
        self.reach = reach
        self.noticed = Reaction()
        self._seasoned = seasoned
        self._request = ""
        self._reply = ""
        self._calls: list[Mapping[str, Any]] = []

    async def user(
        self,
        message: str,
        *,
        tools: Sequence[str] = (),
        runtime: Mapping[str, object] | None = None,
    ) -> Context:
        """Report a user's message; return the context for the answer.

        `tools` and `runtime` are as in `recall`.
        """
        self.noticed = await self._seasoned.turn(message, session=self.session, reach=self.reach)
        self._request, self._reply, self._calls = message, "", []
        return await self._seasoned.recall(
            message, session=self.session, tools=tools, runtime=runtime
        )

    async def tool(
        self,
        name: str,
        params: Mapping[str, Any] | None = None,
        result: Any = None,
        error: str | BaseException | None = None,
    ) -> Hint | None:
        """Report a tool call; return a hint if it failed and a fix is known."""
        said = None if error is None else str(error)
        self._calls.append({"tool": name, "params": params or {}, "error": said})
        return await self._seasoned.observe(name, params, result, error, session=self.session)

    async def assistant(self, reply: str) -> None:
        """Report the agent's reply, which the next message may correct."""
        self._reply = reply
        await self._report()

    async def edited(self, text: str) -> Reaction:
        """Report that the user edited the reply into this text."""
        return await self._report(edited=text)

    async def interrupted(self) -> Reaction:
        """Report that the user stopped the agent."""
        return await self._report(interrupted=True)

    async def denied(self, tool: str, reason: str = "") -> Reaction:
        """Report that the user did not let a tool run."""
        return await self._report(denied=(tool, reason))

    async def end(self, reason: str = "closed") -> bool:
        """Report that the conversation is over: it is learned from as a whole.

        False if nothing was said. It can be continued.
        """
        return await self._seasoned.end(session=self.session, reason=reason)

    async def _report(
        self,
        *,
        edited: str | None = None,
        interrupted: bool = False,
        denied: tuple[str, str] | None = None,
    ) -> Reaction:
        self.noticed = await self._seasoned.replied(
            self._request,
            self._reply,
            session=self.session,
            tool_calls=self._calls,
            edited=edited,
            interrupted=interrupted,
            denied=denied,
            reach=self.reach,
        )
        return self.noticed


class Conversation(SyncFace[AsyncConversation]):
    """The synchronous twin."""

    user = sync(AsyncConversation.user)
    tool = sync(AsyncConversation.tool)
    assistant = sync(AsyncConversation.assistant)
    edited = sync(AsyncConversation.edited)
    interrupted = sync(AsyncConversation.interrupted)
    denied = sync(AsyncConversation.denied)
    end = sync(AsyncConversation.end)

    @property
    def session(self) -> str:
        return self.inner.session

    @property
    def noticed(self) -> Reaction:
        """How the last message or action judged the reply before it."""
        return self.inner.noticed
