"""AI agents that learn from experience.

>>> from seasoned import Seasoned
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seasoned.core.errors import SeasonedError
    from seasoned.core.scope import Scope
    from seasoned.core.tool_result import ToolResult
    from seasoned.facade import AsyncSeasoned, Seasoned
    from seasoned.learning.hint import Hint
    from seasoned.learning.lesson import Lesson
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
    "AsyncSeasoned": "seasoned.facade",
    "Context": "seasoned.recall.context",
    "Hint": "seasoned.learning.hint",
    "Lesson": "seasoned.learning.lesson",
    "Scope": "seasoned.core.scope",
    "Seasoned": "seasoned.facade",
    "SeasonedError": "seasoned.core.errors",
    "ToolResult": "seasoned.core.tool_result",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'seasoned' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
