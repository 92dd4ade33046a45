"""The face of Seasoned for Python: `Seasoned` for ordinary code, `AsyncSeasoned` for async code.

Both are the same: every method is written once, async, and the synchronous class drives it.
"""

from seasoned.api.async_seasoned import AsyncSeasoned
from seasoned.api.seasoned import Seasoned

__all__ = ["AsyncSeasoned", "Seasoned"]
