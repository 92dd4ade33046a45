"""Detect that a user corrects the assistant, by words or by deeds: the public face of the room.

`find_correction` reads a message; `asked_again`, `edited`, `interrupted` and `denied` read what a
user does. Each returns a `Correction`, whose score says how certain it is.
"""

from seasoned.corrections.correction import SAFE, UNCERTAIN, Correction, CorrectionKind
from seasoned.corrections.detection import SecondOpinion, asked_again, find_correction
from seasoned.corrections.second_opinion import EmbedderOpinion
from seasoned.corrections.wordless import denied, edited, interrupted

__all__ = [
    "SAFE",
    "UNCERTAIN",
    "Correction",
    "CorrectionKind",
    "EmbedderOpinion",
    "SecondOpinion",
    "asked_again",
    "denied",
    "edited",
    "find_correction",
    "interrupted",
]
