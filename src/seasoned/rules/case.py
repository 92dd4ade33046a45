"""A case: a correction with all that is needed to learn from it, later and elsewhere."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope


@dataclass(frozen=True, slots=True)
class Case:
    """What was asked, what was answered, and how the user corrected it.

    `kind`, `score`, `language`, `wanted` and `unwanted` are what detection made of the message.
    `rules` are the ids of those that were active when it happened. All words are redacted.
    """

    id: str
    at: int
    scope: Scope
    message: str
    kind: str
    score: float
    language: str | None = None
    wanted: str | None = None
    unwanted: str | None = None
    request: str = ""
    reply: str = ""
    tool_calls: Sequence[Mapping[str, Any]] = ()
    rules: Sequence[str] = ()
    reach: str = ""  # session, user, project or tenant; empty: whoever said it, in this project

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> "Case":
        try:
            fields = json.loads(text)
            fields["scope"] = Scope(**fields["scope"])
            return cls(**fields)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BadInput(
                f"this is no correction as it is queued ({error}): {text[:80]!r}"
            ) from error
