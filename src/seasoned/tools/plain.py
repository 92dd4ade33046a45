"""Parameters and results as plain values, and as the text that a model reads."""

from typing import Any, cast

from pydantic_ai.messages import BinaryContent, FileUrl, ToolReturn
from pydantic_core import PydanticSerializationError, to_jsonable_python

from seasoned.core.ids import canonical


def plain(value: Any) -> Any:
    """Dictionaries, lists, texts and numbers instead of objects.

    >>> plain({"at": (1, 2.5)}), plain({"x": object}["x"])[:6]
    ({'at': [1, 2.5]}, '<class')
    """
    try:
        return to_jsonable_python(value, fallback=repr, inf_nan_mode="constants")
    except (PydanticSerializationError, UnicodeDecodeError, ValueError, RecursionError):
        return repr(value)


def text_of(result: Any) -> str:
    """What a model reads of a result.

    >>> text_of("as it is"), text_of({"exit_code": 0}), text_of(None)
    ('as it is', '{"exit_code":0}', '')
    """
    if isinstance(result, ToolReturn):
        return text_of(cast("ToolReturn[Any]", result).return_value)
    if result is None:
        return ""
    return result if isinstance(result, str) else canonical(plain(result))


def is_media(result: Any) -> bool:
    """Whether it holds a picture, a sound or a file, which must stay as it is."""
    if isinstance(result, ToolReturn):
        return is_media(cast("ToolReturn[Any]", result).return_value)
    if isinstance(result, list | tuple):
        return any(is_media(item) for item in cast("list[Any]", result))
    return isinstance(result, BinaryContent | FileUrl)
