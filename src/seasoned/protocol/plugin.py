"""What answers the learn messages: `LearnPlugin`, for ours and for anybody's own.

A plugin of another package is found by its entry point in the group `seasoned.learn_plugins`: a
class, or a function without arguments that makes one. The highest priority is asked first; a hook
that returns `NotImplemented` leaves the message to the next.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias, TypeVar

from seasoned.bandit.experience import Experience
from seasoned.learning.feedback import Feedback

GROUP = "seasoned.learn_plugins"

T = TypeVar("T")
Soon: TypeAlias = T | Awaitable[T]  # a hook may be async; one that is not, runs in a thread


class LearnPlugin(ABC):
    """Four hooks; the host has read and checked what they get, and sends what they return."""

    name: ClassVar[str] = "learn"
    priority: ClassVar[int] = 5

    @abstractmethod
    def _record_feedback(
        self, feedbacks: Sequence[Feedback]
    ) -> Soon[tuple[int, Mapping[str, Any]]]:
        """How many were recorded, and the scores now: by dimension, or as the reply has them
        (`new_score`, `scores_by_dimension`, `note`). They must be durable when it returns."""

    @abstractmethod
    def _store_experiences(self, experiences: Sequence[Experience]) -> Soon[int]:
        """How many were stored, durably."""

    @abstractmethod
    def _adapt(self, skill_name: str, strategy: str) -> Soon[Sequence[Any]]:
        """The performance records after adapting: mappings, or objects with such fields."""

    @abstractmethod
    def _get_stats(self, skill_name: str, tool_name: str) -> Soon[Mapping[str, Sequence[Any]]]:
        """`{"skills": [record, …], "tools": [record, …]}`; an empty name asks for all."""
