"""How alike an embedder finds texts that have nothing to do with each other.

Some models give any two texts a cosine of 0.7. To have one floor for all of them, a cosine is
read against this background, so that it means what it means with the default embedder.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seasoned.llm.embedder import Embedder

USUAL = 0.05  # or less, with the embedders that run here
UNRELATED = (
    "The invoice is due on the last day of the month.",
    "Whales sing to each other across the ocean.",
    "Restart the database after you change its port.",
    "She painted the kitchen walls pale yellow.",
    "A prime number has no divisors but one and itself.",
    "Our train to Lisbon leaves from platform nine.",
    "Fold the egg whites into the batter slowly.",
    "The goalkeeper saved two penalties in the final.",
    "Unit tests run before every merge.",
    "Roses need more sun than ferns do.",
    "The court adjourned until Thursday morning.",
    "Glaciers carved this valley long ago.",
)


def background(embedder: "Embedder") -> float:
    """The mean cosine of texts that are unrelated."""
    import numpy as np

    rows = embedder.embed(UNRELATED)
    cosines = rows @ rows.T
    return float(cosines[~np.eye(len(rows), dtype=bool)].mean())


def scaled(cosine: float, behind: float) -> float:
    """A cosine as the default embedder would have put it.

    >>> scaled(0.9, USUAL), round(scaled(0.6, 0.6), 2), scaled(1.0, 0.7)
    (0.9, 0.05, 1.0)
    """
    return cosine if behind <= USUAL else 1 - (1 - cosine) * (1 - USUAL) / (1 - behind)
