"""Tool calls and results as plain values, as text for a model, and as shown to a person."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, cast

from pydantic_ai.messages import BinaryContent, FileUrl, ToolReturn

from seasoned.core.ids import canonical, digest
from seasoned.tools.plain_values import to_plain

# Control characters move the cursor and format characters reverse the writing direction, so a
# call could look like something it is not.
INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
# Letters and marks without a shape: fillers, variation selectors, the empty Braille cell.
BLANK_SIGNS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def result_text(result: Any) -> str:
    """Return a result as the model reads it.

    >>> result_text("as it is"), result_text({"exit_code": 0}), result_text(None)
    ('as it is', '{"exit_code":0}', '')
    """
    if isinstance(result, ToolReturn):
        return result_text(cast("ToolReturn[Any]", result).return_value)
    if result is None:
        return ""
    return result if isinstance(result, str) else canonical(to_plain(result))


def is_media(result: Any) -> bool:
    """Tell whether a result holds an image, a sound or a file, which must not be converted."""
    if isinstance(result, ToolReturn):
        return is_media(cast("ToolReturn[Any]", result).return_value)
    if isinstance(result, list | tuple):
        return any(is_media(item) for item in cast("list[Any]", result))
    return isinstance(result, BinaryContent | FileUrl)


def call_key(tool: str, params: Mapping[str, Any]) -> str:
    """Return the same key for the same call.

    >>> call_key("read", {"a": 1, "b": 2}) == call_key("read", {"b": 2, "a": 1})
    True
    """
    return digest(tool, canonical(params))


def render_call(tool: str, params: Mapping[str, Any]) -> str:
    r"""Show a whole call to a person; several parameters go on a line each.

    >>> print(render_call("run_program", {"argv": ["ls", "-l"]}))
    run_program argv: ["ls","-l"]
    >>> print(render_call("write_file", {"path": "a.txt", "text": "x\x1b[2K"}))
    write_file
      path: a.txt
      text: x\x1b[2K
    """
    lines = [f"{name}: {_value(value)}" for name, value in params.items()]
    if len(lines) <= 1:
        return escape_invisible(" ".join([tool, *lines]))
    return escape_invisible("\n  ".join([tool, *lines]))


def escape_invisible(text: str) -> str:
    r"""Write invisible characters as escapes, except spaces, tabs and line breaks.

    >>> escape_invisible("a\u202eb\tc\n")
    'a\\u202eb\tc\n'
    >>> escape_invisible("rm\u00a0x\u115f\0")
    'rm\\xa0x\\u115f\\x00'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(sign) for sign in text)


def _escape(sign: str) -> str:
    shapeless = unicodedata.category(sign) in INVISIBLE_CATEGORIES or BLANK_SIGNS.match(sign)
    hidden = shapeless and sign not in " \t\n"
    return sign.encode("unicode_escape").decode("ascii") if hidden else sign


def _value(value: Any) -> str:
    return value.replace("\n", "\n    ") if isinstance(value, str) else canonical(value)
