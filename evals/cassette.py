"""Recorded answers of a model, found by the digest of the question, and a recorder of questions.

A cassette is a folder of *.jsonl files; a line is {"digest", "answer"}, where the answer satisfies
the schema of its question. A question whose answer is not there is reported, never guessed. Files
of questions have the lines {"digest", "system", "prompt", "schema"}, without labels.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seasoned.core.errors import ModelError, ModelUnavailable
from seasoned.core.ids import digest
from seasoned.llm.json_schema import complaint
from seasoned.llm.model import ModelAnswer, ModelQuestion, estimated_tokens


def digest_of(question: ModelQuestion) -> str:
    schema = json.dumps(question.schema.body, sort_keys=True)
    return digest(question.system, question.prompt, schema)[:32]


class Cassette:
    """Answers from records; `missing` holds the digests of questions without one."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise SystemExit(f"{folder} is no folder of recorded answers")
        self.name = f"cassette:{folder.name}"
        self.missing: set[str] = set()
        self.broken: dict[str, str] = {}
        self._answers: dict[str, Any] = {}
        for path in sorted(folder.glob("*.jsonl")):
            for line in path.read_text("utf-8").splitlines():
                row: Mapping[str, Any] = json.loads(line)
                self._answers[row["digest"]] = row["answer"]

    def answer(self, question: ModelQuestion) -> ModelAnswer:
        key = digest_of(question)
        if key not in self._answers:
            self.missing.add(key)
            raise ModelUnavailable(f"no recorded answer to {key}")
        answer = self._answers[key]
        if wrong := complaint(answer, question.schema.body):
            self.broken[key] = wrong
            raise ModelError(f"the recorded answer to {key} is unusable: {wrong}")
        spoken = json.dumps(answer, ensure_ascii=False)
        asked = question.system + question.prompt
        return ModelAnswer(answer, estimated_tokens(asked), estimated_tokens(spoken))


class Recorder:
    """Writes every question to a file, and answers none."""

    name = "recorder"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written: set[str] = set()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", "utf-8")

    def answer(self, question: ModelQuestion) -> ModelAnswer:
        key = digest_of(question)
        if key not in self.written:
            row = {
                "digest": key,
                "system": question.system,
                "prompt": question.prompt,
                "schema": question.schema.body,
            }
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        self.written.add(key)
        raise ModelUnavailable("questions are recorded, not answered")
