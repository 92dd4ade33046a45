"""Two cheap baselines that reuse a known repair."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

_WORDS = re.compile(r"[a-z0-9]+")
Row = Mapping[str, Any]


class Nearest:
    """Finds the row whose command and error are most similar by BM25."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.bags = [Counter(_words(row)) for row in rows]
        self.sizes = [sum(bag.values()) for bag in self.bags]
        self.mean = sum(self.sizes) / max(1, len(rows))
        self.holders = Counter(word for bag in self.bags for word in bag)

    def __call__(self, row: Row, without: Row | None = None) -> Row | None:
        query = set(_words(row))
        best, found = 0.0, None
        for index, other in enumerate(self.rows):
            score = self._score(query, index) if other is not without else 0.0
            if score > best:
                best, found = score, other
        return found

    def _score(self, query: set[str], index: int) -> float:
        bag, norm = self.bags[index], 0.3 + 0.9 * self.sizes[index] / self.mean
        score = 0.0
        for word in query & bag.keys():
            n = self.holders[word]
            rarity = math.log(1 + (len(self.rows) - n + 0.5) / (n + 0.5))
            score += rarity * bag[word] * 2.2 / (bag[word] + norm)
        return score


def _words(row: Row) -> list[str]:
    return _WORDS.findall(f"{row['params']['command']} {row['error']}".lower())


def copied(known: Row, row: Row) -> str:
    """Return the repair of the nearest row unchanged."""
    return known["fixed"]["command"]


def carried_over(known: Row, row: Row) -> str:
    """Apply the nearest row's change of words where the same words, else positions, are."""
    old, new = known["params"]["command"].split(), known["fixed"]["command"].split()
    result = row["params"]["command"].split()
    shift = 0
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        at = i + shift
        if old[i:j] and old[i:j] != result[at : at + j - i] and old[i] in result:
            at = result.index(old[i])
        result[at : at + j - i] = new[k:m]
        shift += (m - k) - (j - i)
    return " ".join(result)


BASELINES = {"copy": copied, "replay": carried_over}
