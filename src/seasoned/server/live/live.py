"""`Live`: the sessions, facts and WebSockets of a gateway, which chat, socket and health share."""

from seasoned.server.gateway import Gateway
from seasoned.server.live.agents import Agents
from seasoned.server.live.connection import Sockets
from seasoned.server.live.facts import Facts
from seasoned.server.live.sessions import LiveSessions


class Live:
    """Get it by `gateway.shared(Live)`."""

    def __init__(self, gateway: Gateway) -> None:
        seasoned = gateway.seasoned
        self.agents = Agents(seasoned, gateway.tools)
        self.sessions = LiveSessions(self.agents, seasoned.app.clock)
        self.facts = Facts(seasoned)
        self.sockets = Sockets()
        gateway.drains.append(self.sessions.drain)

    async def close(self) -> None:
        await self.sessions.drain(0)
        await self.agents.close()
        await self.facts.close()
