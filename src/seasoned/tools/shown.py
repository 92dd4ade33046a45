"""A call as a person is shown it: all of it, and nothing in it that could fool the eye."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from seasoned.core.ids import canonical
from seasoned.core.text import storable

# Control characters move the cursor, format characters turn the direction of writing: a call
# must look like what it does.
UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})


def shown_call(tool: str, params: Mapping[str, Any]) -> str:
    r"""The tool and its parameters, one a line when there are several.

    >>> print(shown_call("run_program", {"argv": ["ls", "-l"]}))
    run_program argv: ["ls","-l"]
    >>> print(shown_call("write_file", {"path": "a.txt", "text": "x\x1b[2K"}))
    write_file
      path: a.txt
      text: x\x1b[2K
    """
    lines = [f"{name}: {_value(value)}" for name, value in params.items()]
    if len(lines) <= 1:
        return visible(" ".join([tool, *lines]))
    return visible("\n  ".join([tool, *lines]))


def visible(text: str) -> str:
    r"""The text with what cannot be seen written out.

    >>> visible("a\u202eb\tc\n")
    'a\\u202eb\tc\n'
    """
    safe = storable(text)
    if safe.isascii() and safe.isprintable():
        return safe
    return "".join(_spelled(sign) for sign in safe)


def _spelled(sign: str) -> str:
    hidden = unicodedata.category(sign) in UNSEEN and sign not in "\t\n"
    return sign.encode("unicode_escape").decode("ascii") if hidden else sign


def _value(value: Any) -> str:
    return value.replace("\n", "\n    ") if isinstance(value, str) else canonical(value)
