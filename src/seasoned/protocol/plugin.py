"""`LearnPlugin`: the interface of what answers learn messages, built in or from a package.

A package provides a plugin by an entry point in the group `seasoned.learn_plugins`: a class, or a
function without arguments that returns one. The host asks the plugin of highest priority first; a
hook that returns `NotImplemented` passes the message on to the next.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any, ClassVar, TypeAlias, TypeVar

from seasoned.bandit.experience import Experience
from seasoned.feedback.feedback import Feedback

log = logging.getLogger("seasoned.protocol")

GROUP = "seasoned.learn_plugins"

T = TypeVar("T")
Soon: TypeAlias = T | Awaitable[T]  # a hook may be async; a synchronous one runs in a thread


class LearnPlugin(ABC):
    """Four hooks; the host validates their arguments, and sends what they return."""

    name: ClassVar[str] = "learn"
    priority: ClassVar[int] = 5

    @abstractmethod
    def _record_feedback(
        self, feedbacks: Sequence[Feedback]
    ) -> Soon[tuple[int, Mapping[str, Any]]]:
        """Record feedback durably; return how many pieces were new, and the scores.

        Scores are given by dimension, or as in the reply (`new_score`, `scores_by_dimension`,
        `note`).
        """

    @abstractmethod
    def _store_experiences(self, experiences: Sequence[Experience]) -> Soon[int]:
        """Store experiences durably; return how many were new."""

    @abstractmethod
    def _adapt(self, skill_name: str, strategy: str) -> Soon[Sequence[Any]]:
        """Adapt, and return performance records: mappings, or objects with the same fields."""

    @abstractmethod
    def _get_stats(self, skill_name: str, tool_name: str) -> Soon[Mapping[str, Sequence[Any]]]:
        """Return `{"skills": [record, …], "tools": [record, …]}`; an empty name means all."""


def installed_plugins(found: Iterable[EntryPoint] | None = None) -> Sequence[LearnPlugin]:
    """Load the plugins of installed packages; log those that fail, and leave them out."""
    plugins: list[LearnPlugin] = []
    for point in entry_points(group=GROUP) if found is None else found:
        try:
            plugin = point.load()()
        except Exception:
            log.exception("the learn plugin %s cannot be loaded; it is left out", point.name)
            continue
        if isinstance(plugin, LearnPlugin):
            plugins.append(plugin)
        else:
            log.error("the learn plugin %s is no LearnPlugin; it is left out", point.name)
    return plugins
