"""Which failures of a model may pass when it is asked again, and what is wrong with the others."""

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
from seasoned.llm.http_answer import MEANT, message_in

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


def passing(error: BaseException) -> bool:
    """Whether the same question may be answered a little later."""
    if isinstance(error, PASSING):
        return True
    return isinstance(error, ModelHTTPError) and (
        error.status_code in PASSING_STATUSES or error.status_code >= 500
    )


def http_error(
    status: int, model: str, body: object = None, *, retry_after: float | None = None
) -> ModelHTTPError:
    """The error that a provider's client would have raised for this status."""
    category = CATEGORIES.get(status, ModelServerError if status >= 500 else None)
    return ModelHTTPError.for_category(
        category, status_code=status, model_name=model, body=body, retry_after=retry_after
    )


def gist(error: BaseException) -> str:
    """What went wrong, as one can tell it to a person."""
    if isinstance(error, ModelHTTPError):
        meant = MEANT.get(error.status_code, "")
        said = f"it answered {error.status_code}: {_said(error.body)}"
        return f"{said}; {meant}" if meant else said
    if isinstance(error, ModelAPIError):
        cause = error.__cause__
        return (
            f"{error.message} ({cause})" if cause and str(cause) != error.message else error.message
        )
    return str(error) or type(error).__name__


def nobody_answered(failures: Sequence[tuple[str, Callable[[str], str], Exception]]) -> ModelError:
    """The error when every model failed: of each its name, what cleans its words, what happened."""
    told = "; ".join(f"{name}: {clean(gist(error))}" for name, clean, error in failures)
    errors = [error for _, _, error in failures]
    for kind, holds, advice in KINDS:
        if any(holds(error) for error in errors):
            return kind(f"no model answered. {told}. {advice}")
    return ModelError(f"no model answered. {told}. Check llm.key, agent.model and llm.url")


def _said(body: object) -> str:
    return message_in(body if isinstance(body, str) else json.dumps(body, default=str))


KINDS: tuple[tuple[type[ModelError], Callable[[Exception], bool], str], ...] = (
    (
        ModelUnavailable,
        lambda error: passing(error) or isinstance(error, ModelUnavailable),
        "Try again later, or name another model in agent.fallback",
    ),
    (
        PromptTooLong,
        lambda error: isinstance(error, ModelContextWindowExceededError),
        "Ask for less, or shorten the conversation",
    ),
)
