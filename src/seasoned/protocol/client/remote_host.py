"""A host in another process: opens a session, matches replies, retries under the same id."""

import asyncio
import json
import logging
from abc import ABC, abstractmethod
from typing import Any

from seasoned.core.ids import new_id
from seasoned.protocol.errors import AuthFailed, HostSilent, HostUnreachable, Refused, refusal
from seasoned.protocol.wire import CAPABILITY, encode_message

log = logging.getLogger("seasoned.protocol")

FIRST_WAIT_SECONDS = 0.05
LONGEST_WAIT_SECONDS = 2.0


class SessionLost(HostUnreachable):
    """The host does not know the session; the client opens a new one."""


class RemoteHost(ABC):
    """The common part of HTTP and pipes; everything runs in one event loop."""

    def __init__(self, token: str, agent_id: str, tries: int) -> None:
        self._hello = {"agent_id": agent_id, "agent_caps": [CAPABILITY], "auth_token": token}
        self._tries = max(1, tries)
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._opening = asyncio.Lock()
        self._is_open = False

    @abstractmethod
    async def connect(self) -> None:
        """Open a new session and start to read its replies."""

    @abstractmethod
    async def send(self, message: bytes) -> None:
        """Send a message; raise `HostUnreachable` if it may not have arrived."""

    @abstractmethod
    async def disconnect(self) -> None: ...

    async def ask(self, message: bytes, name: str, seconds: float) -> dict[str, Any]:
        """Return the reply; send the message again while there is time, which counts once."""
        deadline = asyncio.get_running_loop().time() + seconds
        failure: Exception = HostSilent(f"the host gave no answer within {seconds:g} s")
        for tries in range(self._tries):
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                break
            try:
                async with asyncio.timeout(left / (self._tries - tries)):
                    await self._open()
                    return await self._exchange(message, name)
            except TimeoutError:
                failure = HostSilent(f"the host gave no answer within {seconds:g} s")
            except SessionLost as error:
                failure = error
                await self._reset()
            except HostUnreachable as error:
                failure = error
            except Refused as error:
                if not error.retryable:
                    raise
                failure = error
            if tries + 1 < self._tries:
                await asyncio.sleep(min(FIRST_WAIT_SECONDS * 4**tries, LONGEST_WAIT_SECONDS))
        raise failure

    async def close(self) -> None:
        if self._is_open:
            try:
                async with asyncio.timeout(5):
                    await self.send(
                        encode_message({"type": "shutdown", "id": new_id(), "timeout": 10})
                    )
            except (HostUnreachable, TimeoutError) as error:
                log.debug("the host did not get the shutdown message: %s", error)
        await self._reset()

    async def _open(self) -> None:
        async with self._opening:
            if self._is_open:
                return
            await self.disconnect()
            await self.connect()
            name = new_id()
            hello = encode_message(
                {"type": "handshake/req", "id": name, "version": "1.0", **self._hello}
            )
            answer = await self._exchange(hello, name)
            if not answer.get("ok"):
                await self.disconnect()
                why = answer.get("reason") or "no reason given"
                raise AuthFailed(f"the host refused the handshake ({why}); check the token")
            self._is_open = True

    async def _reset(self) -> None:
        self._is_open = False
        await self.disconnect()
        self.lost(SessionLost("the session ended"))

    async def _exchange(self, message: bytes, name: str) -> dict[str, Any]:
        future = asyncio.get_running_loop().create_future()
        self._waiting[name] = future
        try:
            await self.send(message)
            answer = await future
        finally:
            self._waiting.pop(name, None)
            if future.done() and not future.cancelled():
                future.exception()  # mark it as retrieved: the caller knows, or is gone
        if answer.get("type") == "error":
            raise refusal(answer)
        return answer

    def received(self, raw: bytes | str) -> None:
        """Hand a reply to the request that waits for it; drop others."""
        try:
            message = json.loads(raw)
            waiting = self._waiting.get(message["req_id"])
        except (ValueError, KeyError, TypeError, RecursionError):
            log.warning("the host sent something that is not a reply: %.200r", raw)
            return
        if waiting is not None and not waiting.done():
            waiting.set_result(message)

    def lost(self, why: HostUnreachable) -> None:
        """Fail all waiting requests, because their replies may be lost; they are sent again."""
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(why)
