"""A Seasoned in memory for tests of the MCP server."""

import pytest

from seasoned.api import AsyncSeasoned


@pytest.fixture
def seasoned(home: object) -> AsyncSeasoned:
    return AsyncSeasoned(":memory:", project="shop", user="ana")
