"""Which rows a search may see: worked out once for a set of groups, then kept in step with changes.

To look at every row again after each change would cost more than the search itself.
"""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from seasoned.db.vector_codes import FAR, Seen

NOWHERE = -1  # the group of a key that is not there
MOST = 8  # sets of groups that are kept

Groups = NDArray[np.int32]
Flags = NDArray[np.bool_]


class Filter:
    """The rows of some groups, and those of them that have a code."""

    def __init__(self, wanted: frozenset[int], groups: Groups, coded: Flags) -> None:
        self._wanted = np.fromiter(wanted, np.int32, len(wanted))
        self._allowed = self._among(groups)
        self._coded = self._allowed & coded
        self._hidden = np.where(self._coded, 0, FAR).astype(np.uint8)
        self.many = int(np.count_nonzero(self._allowed))
        self._many_coded = int(np.count_nonzero(self._coded))

    def allowed(self, size: int) -> Flags:
        return self._allowed[:size]

    def seen(self, size: int) -> Seen:
        return Seen(self._coded[:size], self._many_coded, self._hidden[:size])

    def change(self, keys: NDArray[np.int64], groups: Groups, coded: Flags) -> None:
        """These rows are otherwise now."""
        now = self._among(groups[keys])
        self.many += int(np.count_nonzero(now)) - int(np.count_nonzero(self._allowed[keys]))
        self._allowed[keys] = now
        now = now & coded[keys]
        self._many_coded += int(np.count_nonzero(now)) - int(np.count_nonzero(self._coded[keys]))
        self._coded[keys] = now
        self._hidden[keys] = np.where(now, 0, FAR)

    def _among(self, groups: Groups) -> Flags:
        most = int(groups.max(initial=0))
        lut = np.zeros(most + 2, np.bool_)  # its last place is read for NOWHERE
        lut[self._wanted[self._wanted <= most]] = True
        return lut[groups]


class Filters:
    """Those asked for last."""

    def __init__(self) -> None:
        self._kept: dict[frozenset[int], Filter] = {}

    def of(self, wanted: Collection[int], groups: Groups, coded: Flags) -> Filter:
        asked = frozenset(wanted)
        if asked not in self._kept:
            if len(self._kept) >= MOST:
                self._kept.pop(next(iter(self._kept)))
            self._kept[asked] = Filter(asked, groups, coded)
        return self._kept[asked]

    def change(self, keys: NDArray[np.int64], groups: Groups, coded: Flags) -> None:
        for kept in self._kept.values():
            kept.change(keys, groups, coded)

    def clear(self) -> None:
        self._kept.clear()
