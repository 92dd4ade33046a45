"""A second opinion on an uncertain correction, by the company that a message keeps.

The message is laid beside short sentences that correct and beside ordinary turns; the nearest of
each decide. It answers only where it was right in trials: far on one side. It may take a
correction back, or make it likely, but never SAFE: words that lie close may still mean another
thing. What a user is unhappy with has no typical sentence, so of DISSATISFIED it has no opinion.
"""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from seasoned.corrections.correction import SAFE, Correction, Kind
from seasoned.corrections.prototypes import PROTOTYPES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]

Embed = Callable[[Sequence[str]], "Vectors"]  # a row of length 1 for each text, zeros for a blank

ORDINARY, CORRECTS = -0.2, 0.3  # how much nearer to corrections: between them, it cannot tell
STEEPNESS, SHIFT = 4.5, -0.5  # of 13 trials at CORRECTS or above 9 corrected, of 13 below 0 two
HIGHEST = SAFE - 0.01
READ = 400  # characters of a message


class EmbedderOpinion:
    """What an embedder thinks of a message, as a `SecondOpinion` for `find_correction`.

    `embed` turns texts into rows of length 1; it is called twice for a language, and once for each
    message that is asked about. What it raises is passed on.
    """

    def __init__(self, embed: Embed) -> None:
        self.embed = embed
        self._known: dict[str, tuple[Vectors, Vectors]] = {}

    def __call__(self, message: str, correction: Correction) -> float | None:
        """The probability that a message corrects; None where it cannot tell."""
        if correction.kind is Kind.DISSATISFIED or correction.language is None:
            return None
        corrections, ordinary = self._prototypes(correction.language)
        read = self.embed([message[:READ]])[0]
        if not read.any():
            return None
        nearer = float((corrections @ read).max() - (ordinary @ read).max())
        if ORDINARY < nearer < CORRECTS:
            return None
        likely = 1 / (1 + math.exp(-(STEEPNESS * nearer + SHIFT)))
        return likely if nearer < 0 else max(correction.score, min(likely, HIGHEST))

    def _prototypes(self, language: str) -> "tuple[Vectors, Vectors]":
        if language not in self._known:
            sentences = PROTOTYPES[language]
            self._known[language] = (
                self.embed(sentences.corrections.splitlines()),
                self.embed(sentences.ordinary.splitlines()),
            )
        return self._known[language]
