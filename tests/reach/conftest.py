"""Gateways before providers, for stories that go through a proxy."""

from tests.server.conftest import gateways
from tests.server.proxies.conftest import gateway, provider

__all__ = ["gateway", "gateways", "provider"]
