"""AI agents that learn from experience.

>>> from seasoned import Seasoned
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seasoned.api import AsyncSeasoned, Seasoned
    from seasoned.core.errors import SeasonedError
    from seasoned.core.messages import ToolResult
    from seasoned.core.scope import Scope
    from seasoned.fixes.hint import Hint
    from seasoned.lessons.lesson import Lesson
    from seasoned.recall.context import Context

__version__ = "0.1.0"
__all__ = [
    "AsyncSeasoned",
    "Context",
    "Hint",
    "Lesson",
    "Scope",
    "Seasoned",
    "SeasonedError",
    "ToolResult",
]

# Loaded when first asked for, so that `import seasoned` costs an agent next to nothing.
_HOMES = {
    "AsyncSeasoned": "seasoned.api",
    "Context": "seasoned.recall.context",
    "Hint": "seasoned.fixes.hint",
    "Lesson": "seasoned.lessons.lesson",
    "Scope": "seasoned.core.scope",
    "Seasoned": "seasoned.api",
    "SeasonedError": "seasoned.core.errors",
    "ToolResult": "seasoned.core.messages",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'seasoned' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
