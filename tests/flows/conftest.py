"""An embedding service that a test can stop and start again."""

from collections.abc import Generator

import pytest
from tests.embedding_service import EmbeddingService


@pytest.fixture
def service() -> Generator[EmbeddingService]:
    there = EmbeddingService()
    yield there
    there.stop()
