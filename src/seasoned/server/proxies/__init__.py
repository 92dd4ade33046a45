"""Proxies: any agent learns by changing its base URL."""

from seasoned.server.proxies.routes import OPEN, lifespan, routes

__all__ = ["OPEN", "lifespan", "routes"]
