"""A plugin with the answers of the recorded host."""

from collections.abc import Mapping, Sequence
from typing import Any

from seasoned.bandit.experience import Experience
from seasoned.feedback.feedback import Feedback
from seasoned.protocol import LearnPlugin


def record(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "calls_total": 3,
        "calls_success": 2,
        "calls_failed": 1,
        "avg_duration_ms": 1.5,
        "avg_score": 0.25,
        "last_called": 1.0,
        "p95_duration_ms": 2.0,
        "weight": 0.7,
        "policy": {"strategy": "ucb1"},
    }


class FixedPlugin(LearnPlugin):
    """A plugin that records its calls; its hooks are plain functions, so they run in a thread."""

    priority = 10

    def __init__(self) -> None:
        self.feedbacks: list[Feedback] = []
        self.experiences: list[Experience] = []
        self.adapted: list[tuple[str, str]] = []

    def _record_feedback(self, feedbacks: Sequence[Feedback]) -> tuple[int, Mapping[str, Any]]:
        self.feedbacks += feedbacks
        return len(feedbacks), {"tone": 0.5}

    def _store_experiences(self, experiences: Sequence[Experience]) -> int:
        self.experiences += experiences
        return len(experiences)

    def _adapt(self, skill_name: str, strategy: str) -> Sequence[Any]:
        if strategy in ("bogus", "custom"):
            from seasoned.core.errors import BadInput

            raise BadInput(f"no strategy {strategy!r}; there are ucb1, softmax")
        self.adapted.append((skill_name, strategy))
        return [record("my_skill")]

    def _get_stats(self, skill_name: str, tool_name: str) -> Mapping[str, Sequence[Any]]:
        return {"skills": [record("my_skill")], "tools": [record("my_tool")]}
