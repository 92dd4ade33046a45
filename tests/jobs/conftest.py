"""A database for jobs, of each dialect."""

from collections.abc import Generator

import pytest

from seasoned.db.database import Database
from seasoned.db.opening import open_database


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def db(url: str) -> Generator[Database]:
    opened = open_database(url)
    opened.run(opened.open())
    yield opened
    opened.run(opened.close())
    opened.shutdown()
