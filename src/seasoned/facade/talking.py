"""What users and agents say to each other, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from seasoned.core.errors import BadInput
from seasoned.core.ids import new_id
from seasoned.facade.observing import Observing

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.toolsets import AbstractToolset

    from seasoned.faces.agent import AsyncAgent
    from seasoned.faces.conversation import AsyncConversation
    from seasoned.learning.turns import Noticed


class Talking(Observing):
    """Turns, replies, corrections; and an agent of one's own."""

    async def turn(
        self,
        user: str,
        reply: str | None = None,
        *,
        session: str | None = None,
        tool_calls: Sequence[Mapping[str, Any]] = (),
        edited: str | None = None,
        interrupted: bool = False,
        denied: str | tuple[str, str] | None = None,
        reach: str = "",
    ) -> Noticed:
        """Says what a user wrote and, if it is there already, what the agent replied.

        When the message corrects the reply before it in this session, a provisional rule holds
        from now on in the session, and the correction waits to be learned. `edited` is the reply
        as the user left it, `denied` a tool that the user did not let run (or the tool and why).
        `reach` is session, user, project or tenant: whom a rule that follows is for; whoever said
        it, in this project, if it is not given. For an agent's loop, `conversation` is handier.
        """
        scope = self.scope.within(session or self._session())
        noticed = await self._run(self.app.turns.heard(user, scope, reach))
        if reply is None:
            return noticed
        done = await self.replied(
            user,
            reply,
            session=session,
            tool_calls=tool_calls,
            edited=edited,
            interrupted=interrupted,
            denied=denied,
            reach=reach,
        )
        return noticed or done

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
    ) -> Noticed:
        """The second half of a turn: what the agent replied, and what the user did to that."""
        from seasoned.learning.exchanges import Exchange
        from seasoned.learning.turns import Denial, Signals

        scope = self.scope.within(session or self._session())
        refused = Denial(denied) if isinstance(denied, str) else denied and Denial(*denied)
        signals = Signals(edited, interrupted, refused)
        exchange = Exchange(user, reply, tool_calls, self.app.given.rules(scope))
        return await self._run(self.app.turns.said(exchange, scope, signals, reach))

    async def correct(
        self,
        message: str,
        *,
        request: str | None = None,
        reply: str | None = None,
        session: str | None = None,
        reach: str = "",
    ) -> Noticed:
        """Says outright that this message corrects the agent, however it is put.

        `request` and `reply` are what it corrects; the last exchange of the session otherwise.
        `reach` says whom the rule is for, as in `turn`.
        """
        from seasoned.corrections import Correction, Kind, find_correction
        from seasoned.learning.exchanges import Exchange

        if not message.strip():
            raise BadInput("the correction is empty; say what was wrong, or what is wanted")
        scope = self.scope.within(session or self._session())
        turns = self.app.turns
        last = (
            Exchange(request or "", reply or "")
            if request is not None or reply is not None
            else await self._run(turns.last(scope))
        )
        found = find_correction(message, previous_reply=last.reply or None, floor=0)
        told = replace(found, score=1.0) if found else None
        sure = told or Correction(Kind.INSTRUCTION, 1.0, (0, len(message)))
        return await self._run(turns.correct(message, sure, scope, last, reach))

    def conversation(self, session: str | None = None, *, reach: str = "") -> AsyncConversation:
        """A conversation that an agent's loop feeds message by message; `reach` as in `turn`."""
        from seasoned.faces.conversation import AsyncConversation

        return AsyncConversation(self, session or f"conversation-{new_id()}", reach)

    def agent(
        self,
        model: str | Model | None = None,
        *,
        tools: Sequence[Callable[..., Any] | AbstractToolset[Any]] = (),
        built_in: Sequence[str] | None = None,
        instructions: str | None = None,
        root: str | PathLike[str] | None = None,
        session: str | None = None,
    ) -> AsyncAgent:
        """An agent that learns from what it does: `await s.agent("ollama:qwen3").ask("…")`.

        `model` is a name, or a model of pydantic-ai; what is not given is taken from the settings.
        `tools` are functions and toolsets, `built_in` names of ours: files, shell, web, knowledge,
        schedule; `root` is the folder that files and shell stay in.
        """
        from seasoned.faces.agent import AsyncAgent, Wishes, built

        wishes = Wishes(model, tools, built_in, instructions, root)
        scope = self.scope.within(session or f"chat-{new_id()}")
        return AsyncAgent(built(self.app, wishes), scope, self.open)
