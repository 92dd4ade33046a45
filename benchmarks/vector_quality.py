"""Measure how well vectors alone find the answer to a question."""

import json
import math
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

FIRST = 10
Embed = Callable[[list[str]], Any]


def quality(embed: Embed, folder: Path, conversations: int | None) -> dict[str, dict[str, float]]:
    """Return nDCG@10 and R@10 of each `NAME_documents.jsonl` with its `NAME_questions.jsonl`."""
    return {
        path.name.removesuffix("_documents.jsonl"): of_set(embed, path, conversations)
        for path in sorted(folder.glob("*_documents.jsonl"))
    }


def of_set(embed: Embed, path: Path, conversations: int | None) -> dict[str, float]:
    documents = by_conversation(path)
    questions = by_conversation(Path(str(path).replace("_documents", "_questions")))
    gains: list[float] = []
    found: list[float] = []
    for name in list(documents)[:conversations]:
        ids = [one["id"] for one in documents[name]]
        there = in_batches(embed, [told(one) for one in documents[name]])
        asked = in_batches(embed, [one["question"] for one in questions[name]])
        for question, likeness in zip(questions[name], asked @ there.T, strict=True):
            best = np.argsort(-likeness, kind="stable")[:FIRST]
            right = set(question["evidence"])
            places = [place for place, one in enumerate(best) if ids[one] in right]
            gains.append(discounted(places) / discounted(range(min(FIRST, len(right)))))
            found.append(len(places) / len(right))
    return {"ndcg_at_10": float(np.mean(gains)), "recall_at_10": float(np.mean(found))}


def by_conversation(path: Path) -> dict[Any, list[dict[str, Any]]]:
    rows: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row.get("evidence", True):  # a question without an answer tells nothing here
                rows[row["conv"]].append(row)
    return rows


def told(document: dict[str, Any]) -> str:
    speaker = document.get("speaker")
    return f"{speaker}: {document['text']}" if speaker else document["text"]


def in_batches(embed: Embed, texts: list[str]) -> Any:
    return np.concatenate([embed(texts[first : first + 32]) for first in range(0, len(texts), 32)])


def discounted(places: Any) -> float:
    return sum(1 / math.log2(place + 2) for place in places)
