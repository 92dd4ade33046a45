"""Notice that a user corrects the assistant, by what is said and by what is done."""

from seasoned.corrections.correction import SAFE, UNCERTAIN, Correction, Kind
from seasoned.corrections.detection import SecondOpinion, find_correction
from seasoned.corrections.repetition import asked_again
from seasoned.corrections.second_opinion import EmbedderOpinion
from seasoned.corrections.wordless import denied, edited, interrupted

__all__ = [
    "SAFE",
    "UNCERTAIN",
    "Correction",
    "EmbedderOpinion",
    "Kind",
    "SecondOpinion",
    "asked_again",
    "denied",
    "edited",
    "find_correction",
    "interrupted",
]
