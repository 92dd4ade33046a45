"""Mem0 as a user would set it up, without inference: no model is asked, our embedder embeds.

mem0_store.py qdrant    the store that it takes when nothing is said
mem0_store.py faiss     the other one that needs no server
"""

import hashlib
import importlib
import logging
import os
import sys
import uuid
import warnings
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from serving import serve, whole
from wordllama_embedder import Embedding

EVERYBODY = "everybody"  # a memory belongs to somebody
STORES: dict[str, dict[str, str]] = {"qdrant": {}, "faiss": {"distance_strategy": "cosine"}}


class Mem0Store:
    def __init__(self, store: str) -> None:
        self._store = store
        self._embedding = Embedding()

    def open(self, path: str, tenant: str) -> None:
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(folder))
        # Imported by name: only this script's own environment has it.
        mem0: Any = importlib.import_module("mem0")
        nobody = {"provider": "openai", "config": {"api_key": "never used"}}
        place = {"collection_name": "lessons", "path": str(folder / "vectors")}
        size = {"embedding_model_dims": self._embedding.dimensions}
        self._memory: Any = mem0.Memory.from_config(
            {
                "vector_store": {
                    "provider": self._store,
                    "config": place | size | STORES[self._store],
                },
                "llm": nobody,
                "embedder": nobody,
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = self._embedder()
        self._who = tenant or EVERYBODY

    def add(self, text: dict[str, Any]) -> None:
        self._memory.add(whole(text), user_id=text["tenant"] or EVERYBODY, infer=False)

    def load(self, texts: Sequence[dict[str, Any]]) -> None:
        """Write to its vector store directly, since its API takes one text at a time.

        This time is not reported: it serves to ask queries of more lessons than could be added.
        """
        self._hurry()
        now = datetime.now(UTC).isoformat()
        payloads = [
            {
                "data": whole(text),
                "hash": hashlib.md5(whole(text).encode(), usedforsecurity=False).hexdigest(),
                "created_at": now,
                "updated_at": now,
                "user_id": text["tenant"] or EVERYBODY,
                "role": "user",
            }
            for text in texts
        ]
        self._memory.vector_store.insert(
            vectors=self._embedding.many([whole(text) for text in texts]).tolist(),
            payloads=payloads,
            ids=[str(uuid.uuid4()) for _ in texts],
        )

    def _hurry(self) -> None:
        """Keep Qdrant from waiting for the disk after each row."""
        client = getattr(self._memory.vector_store, "client", None)
        if client is not None:
            lessons = client._client.collections["lessons"]
            lessons.storage.storage.execute("PRAGMA synchronous = OFF")

    def settle(self) -> None:
        """Do nothing: added texts can be found at once."""

    def query(self, text: str, most: int) -> Sequence[str]:
        answer = self._memory.search(text, filters={"user_id": self._who}, top_k=most)
        return [found["memory"] for found in answer["results"]]

    near = query

    def close(self) -> None:
        client = getattr(self._memory.vector_store, "client", None)
        if client is not None:
            client.close()

    def _embedder(self) -> Any:
        base: Any = importlib.import_module("mem0.embeddings.base")
        embedding = self._embedding

        class Ours(base.EmbeddingBase):
            def embed(self, text: str, memory_action: str | None = None) -> list[float]:
                return embedding.one(text)

        return Ours()


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    serve(Mem0Store(sys.argv[1]))
