"""A conversation that an agent's loop feeds message by message: it listens, and tells what to heed.

conversation = s.conversation("chat-42")
context = conversation.user("No, use podman, not docker.")   # context.text: for the prompt
hint = conversation.tool("shell", {"command": "docker ps"}, error="command not found")
conversation.assistant("Podman it is.")
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from seasoned.faces.driving import Driven, sync
from seasoned.learning.hint import Hint
from seasoned.learning.turns import Noticed
from seasoned.recall.context import Context


class Listener(Protocol):
    """What a conversation needs of Seasoned."""

    async def turn(self, user: str, *, session: str | None = None, reach: str = "") -> Noticed: ...

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
    ) -> Noticed: ...

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
    """One session. `noticed` is what the user's last message, or deed, was to the reply before."""

    def __init__(self, seasoned: Listener, session: str, reach: str = "") -> None:
        self.session = session
        self.reach = reach
        self.noticed = Noticed()
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
        """A message of the user's: what the agent should know before it answers.

        `tools` are those at hand, `runtime` what holds right now, as for `recall`.
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
        """A tool call of the agent's; a hint when it failed and a fix is known."""
        said = None if error is None else str(error)
        self._calls.append({"tool": name, "params": params or {}, "error": said})
        return await self._seasoned.observe(name, params, result, error, session=self.session)

    async def assistant(self, reply: str) -> None:
        """The agent's reply, which the next message may correct."""
        self._reply = reply
        await self._said()

    async def edited(self, text: str) -> Noticed:
        """The user changed the reply by hand, to this."""
        return await self._said(edited=text)

    async def interrupted(self) -> Noticed:
        """The user stopped the agent while it was at work."""
        return await self._said(interrupted=True)

    async def denied(self, tool: str, reason: str = "") -> Noticed:
        """The user did not let a tool run."""
        return await self._said(denied=(tool, reason))

    async def _said(
        self,
        *,
        edited: str | None = None,
        interrupted: bool = False,
        denied: tuple[str, str] | None = None,
    ) -> Noticed:
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


class Conversation(Driven[AsyncConversation]):
    """The same for synchronous code."""

    user = sync(AsyncConversation.user)
    tool = sync(AsyncConversation.tool)
    assistant = sync(AsyncConversation.assistant)
    edited = sync(AsyncConversation.edited)
    interrupted = sync(AsyncConversation.interrupted)
    denied = sync(AsyncConversation.denied)

    @property
    def session(self) -> str:
        return self.inner.session

    @property
    def noticed(self) -> Noticed:
        """What the user's last message, or deed, was to the reply before it."""
        return self.inner.noticed
