"""A market for each test."""

from collections.abc import Generator

import pytest
from tests.payment.market import Market


@pytest.fixture
def market() -> Generator[Market]:
    made = Market()
    yield made
    made.stop()
