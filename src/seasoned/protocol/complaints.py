"""What went wrong, as an `error` message: what happened, to which thing, whether to try again."""

from collections.abc import Mapping
from typing import Any

from seasoned.core.errors import BadInput, DatabaseError, NotFound, SeasonedError, Unsupported
from seasoned.core.text import one_line
from seasoned.protocol.messages import ErrorMessage, ValidationError
from seasoned.protocol.wire import BadMessage

MOST_SHOWN = 10  # of the faults in one message


class NotProven(SeasonedError):
    """The session has not shown the token."""


# The first that fits: code, and whether the same message may work later.
CODES: tuple[tuple[tuple[type[Exception], ...], str, bool], ...] = (
    ((BadMessage, ValidationError, BadInput, NotFound), "invalid_message", False),
    ((NotProven,), "auth_failed", False),
    ((Unsupported,), "unsupported", False),
    ((DatabaseError,), "unavailable", True),
    ((TimeoutError,), "timeout", True),
    ((SeasonedError,), "refused", False),
)


def complaint(error: Exception, message: Mapping[str, Any] | None = None) -> ErrorMessage:
    code, retryable = next(
        ((code, again) for kinds, code, again in CODES if isinstance(error, kinds)),
        ("internal_error", False),
    )
    kind = (message or {}).get("type")
    detail: dict[str, Any] = {"type": kind[:200]} if isinstance(kind, str) else {}
    if isinstance(error, BadMessage):
        return _said(code, error.reason, detail | error.detail, retryable)
    if isinstance(error, ValidationError):
        faults = [
            {"at": ".".join(map(str, each["loc"])), "fault": one_line(each["msg"])}
            for each in error.errors(include_url=False, include_context=False, include_input=False)
        ]
        few = faults[:MOST_SHOWN]
        more = len(faults) - len(few)
        text = "; ".join(f"{each['at']}: {each['fault']}" for each in few)
        text += f"; and {more} more" if more else ""
        return _said(code, text, detail | {"errors": few}, retryable)
    if isinstance(error, TimeoutError):
        return _said(code, "it took too long; try again", detail, retryable)
    if code == "internal_error":
        text = f"the host failed on it ({type(error).__name__}); its log says where"
        return _said(code, text, detail, retryable)
    return _said(code, str(error), detail, retryable)


def _said(code: str, text: str, detail: dict[str, Any], retryable: bool) -> ErrorMessage:
    return ErrorMessage(code=code, message=text, detail=detail, retryable=retryable)
