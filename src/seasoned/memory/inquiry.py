"""An inquiry: a question that the librarian wants answered, and what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from seasoned.core.events import Event
from seasoned.core.scope import Scope
from seasoned.db.database import Connection

InquiryStatus = Literal["pending", "resolved", "dismissed"]
STATUSES: tuple[InquiryStatus, ...] = get_args(InquiryStatus)


@dataclass(frozen=True, slots=True)
class Inquiry:
    id: str
    scope: Scope  # of whom it would be known
    session: int  # the key of the session in which it arose
    question: str
    reason: str
    status: InquiryStatus
    answer: str
    lesson: str  # the id of the lesson that its answer became
    asked_at: int
    resolved_at: int | None


@dataclass(frozen=True, slots=True)
class Told:
    """An answer: the fact that it makes known, the words that say so, and who told it."""

    fact: str
    quote: str = ""
    by: Literal["operator", "user", "model"] = "model"


@dataclass(frozen=True, slots=True)
class Taught:
    """The lesson that an answer became, and what is to be published once that is stored."""

    lesson: str
    events: Sequence[Event] = ()


class Teach(Protocol):
    """Makes a lesson of an answer, within the transaction that resolves the inquiry."""

    async def __call__(self, tx: Connection, inquiry: Inquiry, told: Told, now: int) -> Taught: ...
