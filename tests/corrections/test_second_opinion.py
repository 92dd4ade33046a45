"""Second opinion: an embedder may drop an uncertain correction or make it likely."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from seasoned.corrections import (
    SAFE,
    UNCERTAIN,
    Correction,
    CorrectionKind,
    EmbedderOpinion,
    find_correction,
)
from seasoned.corrections.second_opinion import PROTOTYPES
from seasoned.llm.embed.wordllama import WordLlama

UNCERTAIN_ONE = Correction(CorrectionKind.REPLACEMENT, 0.6, (0, 4), "en")
WORDS = ("not", "wrong", "film", "story")


def by_words(texts: Sequence[str]) -> NDArray[np.float32]:
    """Embed texts by counting four words."""
    rows = np.array([[text.lower().count(word) for word in WORDS] for text in texts], np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths == 0, 1, lengths)).astype(np.float32)


@pytest.fixture(scope="module")
def opinion() -> EmbedderOpinion:
    return EmbedderOpinion(WordLlama().embed)


def test_what_is_told_about_a_film_is_taken_back(opinion: EmbedderOpinion) -> None:
    told = "I like the story of that film, the characters were funny and the actors were great"
    likely = opinion(told, UNCERTAIN_ONE)
    assert likely is not None
    assert likely < UNCERTAIN


def test_what_is_said_like_a_correction_becomes_likely_but_never_safe(
    opinion: EmbedderOpinion,
) -> None:
    likely = opinion("That is not what I asked for, you misunderstood me.", UNCERTAIN_ONE)
    assert likely is not None
    assert UNCERTAIN_ONE.score < likely < SAFE


def test_unclear_messages_get_no_opinion(opinion: EmbedderOpinion) -> None:
    assert opinion("zxqv blorp 17", UNCERTAIN_ONE) is None
    assert opinion("", UNCERTAIN_ONE) is None


def test_dissatisfaction_and_repeated_requests_get_no_opinion() -> None:
    opinion = EmbedderOpinion(by_words)
    story = "a film with a story"
    assert opinion(story, UNCERTAIN_ONE) is not None
    assert opinion(story, Correction(CorrectionKind.DISSATISFIED, 0.52, (0, 4), "en")) is None
    assert opinion(story, Correction(CorrectionKind.ASKED_AGAIN, 0.7, (0, 4))) is None


def test_the_sentences_are_embedded_once_for_a_language() -> None:
    asked: list[int] = []

    def counted(texts: Sequence[str]) -> NDArray[np.float32]:
        asked.append(len(texts))
        return by_words(texts)

    opinion = EmbedderOpinion(counted)
    for _ in range(3):
        opinion("not wrong", UNCERTAIN_ONE)
    assert asked[2:] == [1, 1, 1]


def test_it_is_asked_by_find_correction(opinion: EmbedderOpinion) -> None:
    message = "I did not want that. That is not what I asked for, I meant the other one"
    alone = find_correction("I meant the other one", second_opinion=opinion)
    assert alone is not None
    assert not alone.safe
    assert find_correction(message, second_opinion=opinion) == find_correction(message)


@pytest.mark.parametrize("language", PROTOTYPES)
def test_every_language_has_as_many_sentences_of_both_kinds(language: str) -> None:
    sentences = PROTOTYPES[language]
    corrections, ordinary = sentences.corrections.splitlines(), sentences.ordinary.splitlines()
    assert len(corrections) == len(ordinary) >= 12
    assert len({*corrections, *ordinary}) == 2 * len(ordinary)
