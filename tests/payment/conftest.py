"""A market for each test; the x402 package is loaded as the product loads it."""

from collections.abc import Generator
from importlib import import_module

import pytest

from seasoned.payment.quiet_import import quiet_import

with quiet_import():
    import_module("eth_account")

from tests.payment.market import Market  # noqa: E402 - after the quiet import


@pytest.fixture
def market() -> Generator[Market]:
    made = Market()
    yield made
    made.stop()
