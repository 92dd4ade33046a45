"""Errors that a client of a learn host raises."""

from collections.abc import Mapping
from typing import Any, cast

from seasoned.core.errors import SeasonedError


class ProtocolError(SeasonedError):
    """Base class of these errors."""


class HostUnreachable(ProtocolError):
    """The host cannot be reached or is busy; try again later."""


class HostSilent(HostUnreachable):
    """The host did not answer in time."""


class AuthFailed(ProtocolError):
    """The host does not accept the token."""


class Refused(ProtocolError):
    """The host answered with an error message; the attributes are its fields."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        retryable: bool = False,
        detail: Mapping[str, Any] | None = None,
        capability_name: str = "",
        req_id: str = "",
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.detail: Mapping[str, Any] = detail or {}
        self.capability_name = capability_name
        self.req_id = req_id


def refusal(message: Mapping[str, Any]) -> Refused:
    """Convert an `error` message to an exception."""
    detail: Any = message.get("detail")
    return Refused(
        str(message.get("message") or message.get("code") or "the host refused"),
        code=str(message.get("code") or ""),
        retryable=bool(message.get("retryable")),
        detail=cast("dict[str, Any]", detail) if isinstance(detail, dict) else {},
        capability_name=str(message.get("capability_name") or ""),
        req_id=str(message.get("req_id") or ""),
    )
