"""Put a hint into an exception's own text, where every framework takes what its model reads.

Frameworks write `str(error)`, `repr(error)` or `error.message` into the tool's result, and drop the
notes of an exception. Its type stays what callers catch.
"""

from typing import Any

from seasoned.core.plain import safe_text
from seasoned.fixes.hint import Hint

HINT = "__seasoned_hint__"


def with_hint(error: Exception, hint: Hint | str) -> Exception:
    """Return the exception with the hint at the end of its text.

    It is the same object if its text is its only argument; else one of a subclass, because its
    arguments mean something to those who catch it.

    >>> lesson = Hint("k3x9", "Check the divisor.", 0.8)
    >>> str(with_hint(ValueError("no"), lesson))
    'no\\n\\nKnown fix (told by the operator): Check the divisor.'
    >>> missing = with_hint(KeyError("name"), lesson)
    >>> isinstance(missing, KeyError), missing.args, str(missing)[:20]
    (True, ('name',), "'name'\\n\\nKnown fix (t")
    """
    text = safe_text(error)
    said = str(hint)
    if said in text:  # the same object is raised again and again
        return error
    whole = f"{text}\n\n{said}"
    changed = _in_place(error, text, whole) or _of_subclass(error, text, whole)
    if changed is None:
        error.add_note(said)
        return error
    setattr(changed, HINT, said)
    return changed


def text_without_hint(error: BaseException) -> str:
    """Return an exception's text as it was raised: a hint is not part of the error.

    >>> text_without_hint(with_hint(ValueError("no"), Hint("k3x9", "Ask first.", 0.8)))
    'no'
    """
    text, said = safe_text(error), getattr(error, HINT, "")
    return text.removesuffix(f"\n\n{said}") if said else text


def _in_place(error: Exception, text: str, whole: str) -> Exception | None:
    """Change the text of an exception that consists of it; None if it consists of more."""
    if error.args != (text,):
        return None
    before = error.args
    error.args = (whole,)
    if str(error) != whole and not _set_message(error, text, whole):
        error.args = before
        return None
    _set_message(error, text, whole)
    return error


def _set_message(error: Exception, text: str, whole: str) -> bool:
    """Change `error.message`, which some frameworks read instead of the text."""
    if getattr(error, "message", None) != text:
        return False
    try:
        error.message = whole  # pyright: ignore[reportAttributeAccessIssue]
    except (AttributeError, TypeError):
        return False
    return str(error) == whole


def _of_subclass(error: Exception, text: str, whole: str) -> Exception | None:
    """Copy an exception into a subclass with another text; None if it cannot be copied."""
    kind = type(error)
    shown = repr(error)

    def said(self: Exception) -> str:
        return whole

    def represented(self: Exception) -> str:
        return f"{shown}: {whole.removeprefix(text).strip()}"

    members: dict[str, Any] = {
        "__str__": said,
        "__repr__": represented,
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "__doc__": kind.__doc__,
    }
    try:
        copied = _copied(error, type(kind.__name__, (kind,), members))
    except Exception:  # noqa: BLE001 - a class of somebody else's, which may refuse in any way
        return None
    _set_message(copied, text, whole)
    copied.__cause__, copied.__context__ = error.__cause__, error.__context__
    copied.__suppress_context__ = error.__suppress_context__
    return copied.with_traceback(error.__traceback__)


def _copied(error: Exception, kind: type[Any]) -> Exception:
    """Make an equal exception of a class, as `pickle` would, or else without its `__init__`."""
    reduced = error.__reduce__()
    arguments: Any = reduced[1] if isinstance(reduced, tuple) else error.args
    try:
        copied: Any = kind(*arguments)
    except TypeError:
        copied = kind.__new__(kind, *error.args)
    copied.__dict__.update(error.__dict__)
    copied.args = error.args
    return copied
