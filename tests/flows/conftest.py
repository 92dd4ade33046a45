"""An embedding service that stories may lose and get back."""

from collections.abc import Generator

import pytest
from tests.embedding_service import EmbeddingService


@pytest.fixture
def service() -> Generator[EmbeddingService]:
    there = EmbeddingService()
    yield there
    there.stop()
