"""Reads corrective feedback as a correction: what the person said, or how the reply should read."""

from dataclasses import replace

from seasoned.corrections import Correction, Kind, edited, find_correction
from seasoned.learning.exchanges import Exchange
from seasoned.learning.feedback import Feedback
from seasoned.learning.training_pairs import corrected


def read_correction(given: Feedback) -> tuple[str, Correction, Exchange] | None:
    """The words that correct, what they correct; None when they change nothing.

    >>> from seasoned.learning.feedback import RatedTurn
    >>> turn = RatedTurn("List them", "Run docker ps.")
    >>> told = Feedback("f1", "corrective", correction="Run podman ps.", turn=turn)
    >>> message, found, _ = read_correction(told)
    >>> found.kind.value, found.unwanted, found.wanted
    ('edited', 'docker', 'podman')
    """
    exchange = Exchange(given.turn.prompt, given.turn.response) if given.turn else Exchange()
    message = given.correction
    found = None
    if given.correction_span is None:
        found = find_correction(message, previous_reply=exchange.reply or None)
    if found is None and exchange.reply:
        message = corrected(exchange.reply, message, given.correction_span)
        found = edited(exchange.reply, message)
        if found is None:
            return None
    # It was said outright; how sure the giver was is how sure it is.
    sure = found or Correction(Kind.INSTRUCTION, 1.0, (0, len(message)))
    return message, replace(sure, score=given.confidence), exchange
