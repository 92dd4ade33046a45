"""What the channels get from the gateway: turns of its agent, each guest in their own scope."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from seasoned.api import AsyncSeasoned
from seasoned.channels.guests import Guest
from seasoned.channels.house import Answers, News, Thumb
from seasoned.channels.house import Stopping as HouseStopping
from seasoned.core.errors import NotFound
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.security.stored import stored_name
from seasoned.server.errors import Busy, Stopping
from seasoned.server.gateway import Gateway
from seasoned.server.live.following import ENDS, followed
from seasoned.server.live.live import Live
from seasoned.server.live.sessions import LiveSession
from seasoned.tools.run import ApprovalDecision

BUSY_SECONDS = 0.5
POLARITY: dict[Thumb, str] = {"up": "positive", "down": "negative", "none": "neutral"}
TAKEN_BACK = "the thumb was taken back"
CUT_OFF = "(I was interrupted here. Write “go on” if you want the rest.)"
NO_OPERATOR = ApprovalDecision("deny", "nobody here may approve it", by_user=False)
MOST_LESSONS = 10


class GatewayHouse:
    """Turns run as those of `/v1/chat`: followed on the desk, ended when the server stops."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._sessions = gateway.shared(Live).sessions

    async def turns(self, guest: Guest, session: str) -> int:
        try:
            return (await self._as(guest).sessions.get(session)).turns
        except NotFound:
            return 0

    async def ask(self, guest: Guest, session: str, text: str) -> AsyncGenerator[News]:
        live = self._open(guest, session)
        async with aclosing(self._told(live, await self._begin(live, text))) as told:
            async for news in told:
                yield news

    async def resume(self, guest: Guest, session: str) -> AsyncGenerator[News]:
        live = self._open(guest, session)
        async with aclosing(self._told(live, await self._begin(live, ""))) as told:
            async for news in told:
                yield news

    async def ended(self, guest: Guest, session: str, turn: int) -> News | None:
        face = self._as(guest).sessions
        found = await face.turns(session, after=turn - 1, limit=1)
        if not found or found[0].turn != turn:
            raise NotFound(f"turn {turn} of session {session!r} is not there any more")
        record = found[0]
        if record.status == "open":
            return None
        if record.status == "failed":
            return News("error", record.error)
        said = [
            one.text
            for one in await face.messages(session)
            if one.turn == turn and one.role == "assistant" and one.text.strip()
        ]
        reply = said[-1] if said else ""
        return News("done", reply if record.status == "done" else f"{reply}\n\n{CUT_OFF}".strip())

    def decide(self, guest: Guest, session: str, request: str, answer: Answers) -> None:
        self._sessions.find(self._scope(guest, session)).decide(request, ApprovalDecision(answer))

    def refuse(self, guest: Guest, session: str, request: str) -> None:
        self._sessions.find(self._scope(guest, session)).decide(request, NO_OPERATOR)

    def stop(self, guest: Guest, session: str) -> bool:
        try:
            return self._sessions.find(self._scope(guest, session)).cancel()
        except NotFound:
            return False

    async def end(self, guest: Guest, session: str) -> None:
        face = self._as(guest).sessions
        if await self.turns(guest, session):
            await face.end(session)

    async def rate(
        self,
        guest: Guest,
        session: str,
        exchange: tuple[str, str],
        thumb: Thumb,
        *,
        by: Guest,
        reference: str,
    ) -> None:
        prompt, response = exchange
        await self._as(guest).feedback.add(
            POLARITY[thumb],
            comment=TAKEN_BACK if thumb == "none" else "",
            annotator=by.user,
            session=session,
            prompt=prompt,
            response=response,
            id=reference,
        )

    async def why(self, guest: Guest, session: str, lesson: str) -> str:
        s = self._as(guest)
        if lesson:
            return f"```\n{(await s.why(lesson)).text}\n```"
        try:
            told = await s.sessions.lessons(session)
        except NotFound:
            return "I have not answered anything here yet."
        last = await self.turns(guest, session)
        found = await s.lessons_by_id(told.get(last, ()))
        if not found:
            return "Nothing that I had learned went into my last answer."
        lines = [f"- {one_line(one.content, 300)} (`{one.id}`)" for one in found[:MOST_LESSONS]]
        more = len(found) - MOST_LESSONS
        rest = [f"- and {more} more"] if more > 0 else []
        return "\n".join(
            ["This went into my last answer:", "", *lines, *rest, "", "`/why ID` says more."]
        )

    async def teach(self, guest: Guest, words: str) -> str:
        s = self._as(guest)
        reach = self._project() if guest.is_operator else s.scope
        made = await s.teach(
            rule=words, scope=reach, source="operator" if guest.is_operator else "user"
        )
        whom = "everybody here" if guest.is_operator else "you"
        return f"I keep to it, for {whom}: {one_line(made.content, 300)} (`{made.id}`)"

    async def forget(self, guest: Guest, lesson: str) -> str:
        gone = await self._as(guest).forget(lesson)
        return f"Forgotten: {one_line(gone.content, 300)}"

    def _project(self) -> Scope:
        return replace(self._gateway.seasoned.scope, user="", session="")

    def _scope(self, guest: Guest, session: str) -> Scope:
        return replace(self._project(), user=stored_name(guest.user)).within(stored_name(session))

    def _as(self, guest: Guest) -> AsyncSeasoned:
        """Return Seasoned as a guest sees it; operators act for the whole project."""
        acts_in = self._project() if guest.is_operator else None
        return self._gateway.seasoned.acting_for(self._scope(guest, ""), acts_in)

    def _open(self, guest: Guest, session: str) -> LiveSession:
        try:
            return self._sessions.open(self._scope(guest, session))
        except Stopping as error:
            raise HouseStopping from error

    async def _begin(self, live: LiveSession, text: str) -> int:
        """Begin a turn, or without a text go on with one, as soon as the session is free."""
        while True:
            try:
                if text:
                    return await self._sessions.begin(live, text)
                return await self._sessions.resume(live)
            except Busy:  # somebody writes in it on the desk
                await asyncio.sleep(BUSY_SECONDS)
            except Stopping as error:
                raise HouseStopping from error

    async def _told(self, live: LiveSession, before: int) -> AsyncGenerator[News]:
        """Tell the events of one turn."""
        learned: list[str] = []
        async with aclosing(followed(live.log, before)) as events:
            async for event in events:
                if event is None:
                    continue
                content = event.content()
                if event.kind == "noticed":
                    learned.append(one_line(content["text"], 200))
                news = _news(event.kind, content, learned)
                if news is not None:
                    yield news
                if event.kind in ENDS:
                    return
        raise HouseStopping  # the log was closed before the turn ended


def _news(kind: str, content: dict[str, Any], learned: list[str]) -> News | None:
    text = str(content.get("text", ""))
    if kind == "approval":
        return News(
            "approval", content["call"], content["id"], content["reason"], content["answers"]
        )
    if kind == "tool":
        state = content["state"]
        if state in ("allowed", "denied"):
            return News("decided", f"{state.capitalize()}. {text}".strip(), content["id"])
        return News("tool") if state == "started" else None
    if kind == "done":
        noted = "\n".join(f"_Noted: {one}_" for one in learned)
        return News("done", f"{text}\n\n{noted}".strip())
    if kind in ("chunk", "error"):
        return News(kind, text)
    return None
