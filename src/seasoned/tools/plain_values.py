"""Any value as plain JSON values; apart from `calls`, so that a server starts without the agent."""

from typing import Any

from pydantic_core import PydanticSerializationError, to_jsonable_python


def to_plain(value: Any) -> Any:
    """Convert objects to dictionaries, lists, strings and numbers.

    >>> to_plain({"at": (1, 2.5)}), to_plain({"x": object}["x"])[:6]
    ({'at': [1, 2.5]}, '<class')
    """
    try:
        return to_jsonable_python(value, fallback=repr, inf_nan_mode="constants")
    except (PydanticSerializationError, UnicodeDecodeError, ValueError, RecursionError):
        return repr(value)
