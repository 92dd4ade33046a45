"""A dict for a process that runs for months: it forgets what was not set for the longest time."""

from collections import OrderedDict
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(OrderedDict[K, V]):
    """Keeps the `most` entries that were set last.

    >>> names = Recent[int, str](2)
    >>> names[1], names[2] = "ana", "ben"
    >>> names[1], names[3] = "Ana", "cid"
    >>> list(names.values())
    ['Ana', 'cid']
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)
