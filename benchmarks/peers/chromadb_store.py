"""Chroma as a user would set it up: persistent client, cosine, vectors from our embedder."""

import importlib
from collections.abc import Sequence
from typing import Any

from serving import serve, whole
from wordllama_embedder import Embedding


class ChromaStore:
    def __init__(self) -> None:
        self._embedding = Embedding()

    def open(self, path: str, tenant: str) -> None:
        # Imported by name: only this script's own environment has it.
        chromadb: Any = importlib.import_module("chromadb")
        config: Any = importlib.import_module("chromadb.config")
        settings = config.Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(path, settings=settings)
        self._lessons: Any = client.get_or_create_collection(
            "lessons", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )
        self._where = {"tenant": tenant} if tenant else None
        self._most = client.get_max_batch_size()

    def add(self, text: dict[str, Any]) -> None:
        self.load([text])

    def load(self, texts: Sequence[dict[str, Any]]) -> None:
        for start in range(0, len(texts), self._most):
            some = texts[start : start + self._most]
            self._lessons.add(
                ids=[str(text["number"]) for text in some],
                documents=[whole(text) for text in some],
                metadatas=[{"tenant": text["tenant"]} for text in some],
                embeddings=self._embedding.many([whole(text) for text in some]),
            )

    def settle(self) -> None:
        """Do nothing: added texts can be found at once."""

    def query(self, text: str, most: int) -> Sequence[str]:
        answer = self._lessons.query(
            query_embeddings=self._embedding.many([text]),
            n_results=most,
            where=self._where,
            include=["documents", "distances"],
        )
        return answer["documents"][0]

    near = query

    def close(self) -> None:
        """Do nothing: everything is on disk when `add` returns."""


if __name__ == "__main__":
    serve(ChromaStore())
