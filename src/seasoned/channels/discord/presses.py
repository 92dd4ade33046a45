"""Answer presses of Discord's buttons: the first answer within three seconds, and only once."""

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from seasoned.channels.channel import ChannelError
from seasoned.channels.recent import Recent

if TYPE_CHECKING:
    from seasoned.channels.discord.rest import Rest

ANSWER_SECONDS = 3.0
OPEN_PRESSES = 1000
SHOW_MESSAGE, SHOW_NOTHING = 4, 6  # types of a first answer
ONLY_FOR_ONE = 64  # a message's flag
ANSWERED_ALREADY = 40060  # Discord's error code


@dataclass(slots=True)
class OpenPress:
    id: str
    application: str
    token: str = field(repr=False)
    is_answered: bool = False
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Presses:
    """Presses of this process; Discord takes texts for them for 15 minutes."""

    def __init__(self) -> None:
        self._open = Recent[str, OpenPress](OPEN_PRESSES)

    def add(self, interaction: dict[str, Any]) -> None:
        key = str(interaction["id"])
        if key not in self._open:
            application, token = str(interaction["application_id"]), str(interaction["token"])
            self._open[key] = OpenPress(key, application, token)

    async def answer(self, rest: "Rest", press: str, text: str = "") -> None:
        """Show a text to whoever pressed; without one, end the button's waiting."""
        found = self._open.get(press)
        if found is None:
            return
        body: dict[str, Any] = {
            "content": text,
            "flags": ONLY_FOR_ONE,
            "allowed_mentions": {"parse": []},
        }
        async with found.turn:
            if not found.is_answered:
                is_shown = await self._first(rest, found, body if text else None)
                found.is_answered = True
                if is_shown:
                    return
        if text:
            await rest.call(
                "POST",
                "/webhooks/{webhook_id}/{webhook_token}",
                webhook_id=found.application,
                webhook_token=found.token,
                json=body,
            )

    async def _first(self, rest: "Rest", press: OpenPress, body: dict[str, Any] | None) -> bool:
        """Give the first answer; False if there was one, from before a connection was lost."""
        answer = {"type": SHOW_MESSAGE, "data": body} if body else {"type": SHOW_NOTHING}
        try:
            await rest.call(
                "POST",
                "/interactions/{webhook_id}/{webhook_token}/callback",
                seconds=ANSWER_SECONDS,
                webhook_id=press.id,
                webhook_token=press.token,
                json=answer,
            )
        except ChannelError as error:
            if getattr(error.__cause__, "code", 0) != ANSWERED_ALREADY:
                raise
            return False
        return True
