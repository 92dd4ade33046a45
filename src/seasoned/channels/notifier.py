"""Tells people what was learned: one protocol, several ways out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

NoticeKind = Literal["rule.learned", "rule.conflict"]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that a person may want to know, or to decide."""

    at: int
    kind: NoticeKind
    title: str
    text: str
    lesson: str  # its id
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Notifier(Protocol):
    def notify(self, notice: Notice) -> None:
        """Delivers it; raises `NotifierError` when that is not possible."""
        ...
