"""Tell which failures of a model may pass, and say in plain words what went wrong."""

import json
from collections.abc import Callable, Sequence

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
    ModelServerError,
    ModelUnavailableError,
)

from seasoned.core.errors import ModelError, ModelUnavailable, PromptTooLong
from seasoned.llm.embed.http_json import STATUS_MEANS, message_in

PASSING = (
    ModelRateLimitError,
    ModelUnavailableError,
    ModelServerError,
    ModelConnectionError,
    ModelRequestTimeout,
)
PASSING_STATUSES = frozenset((408, 409, 425, 429))
CATEGORIES = {
    400: ModelRequestRejectedError,
    401: ModelAuthenticationError,
    402: ModelQuotaExceededError,
    403: ModelAuthenticationError,
    404: ModelNotFoundError,
    422: ModelRequestRejectedError,
    429: ModelRateLimitError,
    503: ModelUnavailableError,
    529: ModelOverloadedError,
}


def is_passing(error: BaseException) -> bool:
    """Return whether the same request may succeed a little later."""
    if isinstance(error, PASSING):
        return True
    return isinstance(error, ModelHTTPError) and (
        error.status_code in PASSING_STATUSES or error.status_code >= 500
    )


def http_error(
    status: int, model: str, body: object = None, *, retry_after: float | None = None
) -> ModelHTTPError:
    """Return the error that a provider's client raises for this status."""
    category = CATEGORIES.get(status, ModelServerError if status >= 500 else None)
    return ModelHTTPError.for_category(
        category, status_code=status, model_name=model, body=body, retry_after=retry_after
    )


def gist(error: BaseException) -> str:
    """Say what went wrong in words for a person."""
    if isinstance(error, ModelHTTPError):
        meant = STATUS_MEANS.get(error.status_code, "")
        said = f"it answered {error.status_code}: {_said(error.body)}"
        return f"{said}; {meant}" if meant else said
    if isinstance(error, ModelAPIError):
        said, cause = error.message.rstrip("."), str(_root_cause(error) or "").rstrip(".")
        said = f"{said} ({cause})" if cause and cause != said else said
        lost = isinstance(error, ModelConnectionError)
        return f"{said}; check that it runs, and its address (llm.url)" if lost else said
    return str(error) or type(error).__name__


def _root_cause(error: BaseException) -> BaseException | None:
    cause = error.__cause__
    while cause is not None and cause.__cause__ is not None:
        cause = cause.__cause__
    return cause


def nobody_answered(
    failures: Sequence[tuple[str, Callable[[str], str], Exception]], alternative: str
) -> ModelError:
    """Build the error for a chain that failed; `failures` are name, cleaner of words, error.

    `alternative` is the setting that names another model.
    """
    told = "; ".join(f"{name}: {clean(gist(error))}" for name, clean, error in failures)
    told = told if len(failures) == 1 else f"no model answered. {told}"
    errors = [error for _, _, error in failures]
    if any(is_passing(error) or isinstance(error, ModelUnavailable) for error in errors):
        advice = f"Try again later, or name another model in {alternative}"
        return ModelUnavailable(f"{told}. {advice}")
    if any(isinstance(error, ModelContextWindowExceededError) for error in errors):
        advice = "Ask for less, or shorten the conversation"
        return PromptTooLong(f"{told}. {advice}")
    return ModelError(f"{told}. Check llm.key, llm.url and the model's name")


def _said(body: object) -> str:
    return message_in(body if isinstance(body, str) else json.dumps(body, default=str))
