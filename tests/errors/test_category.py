"""The category of an error comes from whole words, error types and status codes."""

import pytest

from seasoned.errors.category import Category, category_of
from seasoned.errors.pattern import pattern_of

CASES: dict[Category, list[str]] = {
    Category.TIMEOUT: [
        "context deadline exceeded",
        "Command timed out after 120s",
        "asyncio.exceptions.TimeoutError",
        "connect ETIMEDOUT 192.0.2.1:443",
        "504 Gateway Timeout",
        "subprocess.TimeoutExpired: Command 'sleep' timed out",
    ],
    Category.PERMISSION: [
        "bash: ./run.sh: Permission denied",
        "403 Forbidden",
        "Request failed with status code 401",
        "PermissionError: [Errno 13] Permission denied: '/etc/shadow'",
        "EACCES: permission denied, open '/srv/x'",
        "the tool use was rejected by the user",
        "Access denied for user 'shop'@'localhost'",
        "Operation not permitted",
    ],
    Category.PROVIDER_ERROR: [
        "Rate limit reached, try again in 20s",
        "HTTP 429",
        "API error: try again",
        "shopai.APIConnectionError: Connection error.",
        "Incorrect API key provided",
        '{"error": {"type": "overloaded_error", "message": "Overloaded"}}',
        "The model `tiny-9` does not exist",
        "This model's maximum context length is 8192 tokens",
        "provider unavailable",
        "502 Bad Gateway",
    ],
    Category.TOOL_ERROR: [
        "bash: frobnicate: command not found",
        "unexpected keyword argument 'colour'",
        "FileNotFoundError: [Errno 2] No such file or directory: 'x'",
        "fatal: not a git repository",
        "Invalid arguments for tool search",
        "Unknown column 'x' in 'field list'",
        "Exit code 2",
        "404 Not Found",
        "KeyError: 'timeout'",
        "error TS2304: Cannot find name 'x'.",
        "invalid timeout value",
    ],
    Category.GENERAL: [
        "Connection refused",
        "disk full",
        "something odd happened",
        "",
    ],
}


@pytest.mark.parametrize(
    ("category", "error"),
    [(category, error) for category, errors in CASES.items() for error in errors],
)
def test_the_table_knows(category: Category, error: str):
    assert category_of(error) == category


# The words of one category in errors of another: a parameter may be called timeout, a table model.
NAMESAKES: dict[Category, list[str]] = {
    Category.TOOL_ERROR: [
        "invalid value for timeout",
        "timeout must be a positive integer",
        "argument --timeout: invalid int value: 'soon'",
        "parameter 'timeout' is required",
        "field 'timeout' must be between 1 and 60",
        "validation error: timeout: value is not a valid integer",
        "invalid timeout: -1",
        "config error: timeout is not a number",
        "data model validation failed",
        "model validation failed: name is required",
        "1 validation error for OrderModel",
        "class Model is not defined",
        "no such column: model",
        "cannot import name 'Model' from 'shop.models'",
        "missing required argument: provider",
        "No module named 'provider'",
        "KeyError: 'api_key'",
        "unknown permission 'write'",
        "missing parameter: permission",
        "HTTP 404: no model in this garage",
    ],
    Category.TIMEOUT: [
        "upstream request timeout",
        "lock wait timeout exceeded; try restarting transaction",
        "Timeout: no answer from the printer",
        "curl: (28) Operation timed out after 5001 milliseconds",
        "net::ERR_TIMED_OUT",
    ],
    Category.PROVIDER_ERROR: [
        "model tiny-9 not found",
        "The model is currently overloaded",
        "the model tiny-9 is not available in your region",
        "provider returned 500",
    ],
    Category.GENERAL: [
        "the data model changed overnight",
        "the waiter remodelled the menu",
    ],
    Category.PERMISSION: [
        "user does not have access to the data model",
        "HTTP 403: this model is for members",
    ],
}


@pytest.mark.parametrize(
    ("category", "error"),
    [(category, error) for category, errors in NAMESAKES.items() for error in errors],
)
def test_a_namesake_does_not_change_the_category(category: Category, error: str):
    assert category_of(error) == category


@pytest.mark.parametrize(
    "error",
    [
        "rapid descent",
        "the therapist left",
        "open /srv/api/models/provider.py: disk full",
        "lost contact with https://api.example.org/v1/model",
        "could be anything about 'api' or 'model' or 'rate limit'",
        "read the api docs",
        "remodel the kitchen",
        "ratelimiting.txt is odd",
    ],
)
def test_a_word_inside_another_a_path_or_quotes_makes_no_provider_error(error: str):
    assert category_of(error) != Category.PROVIDER_ERROR


def test_a_number_that_is_no_status_says_nothing():
    assert category_of("wrote 429 rows, then stopped") == Category.GENERAL


def test_the_first_category_that_matches_wins():
    assert category_of("API error: request timed out") == Category.TIMEOUT


def test_an_error_that_begins_with_its_tools_name_is_the_tools_own():
    assert category_of("frobnicate: out of cheese", tool="frobnicate") == Category.TOOL_ERROR
    assert category_of("frobnicate: out of cheese", tool="other") == Category.GENERAL
    assert category_of("frobnicate: timed out", tool="frobnicate") == Category.TIMEOUT


@pytest.mark.parametrize("error", [error for errors in CASES.values() for error in errors])
def test_the_pattern_of_an_error_has_the_category_of_the_error(error: str):
    assert category_of(pattern_of(error)) == category_of(error)


def test_a_category_is_its_plain_name():
    assert category_of("403 Forbidden") == "permission"
