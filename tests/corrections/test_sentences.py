"""Sentences in eight languages: corrections, and messages that only sound like one."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from seasoned.corrections import UNCERTAIN, find_correction

LANGUAGES = ("en", "es", "pt", "fr", "de", "it", "zh", "ja")


@dataclass(frozen=True)
class Sentence:
    language: str
    text: str
    corrects: bool
    reply: str | None = None
    pieces: tuple[str | None, str | None] | None = None

    def __str__(self) -> str:
        return f"{self.language}: {self.text}"


def sentences(language: str) -> list[Sentence]:
    found: list[Sentence] = []
    reply = None
    path = Path(__file__).with_name("sentences") / f"{language}.txt"
    for line in path.read_text("utf-8").splitlines():
        mark, text = line[:1], line[2:].replace(r"\n", "\n")
        if mark == "<":
            reply = text
        elif mark in ("+", "-"):
            found.append(Sentence(language, text, mark == "+", reply))
            reply = None
        elif mark == "=":
            wanted, unwanted = (piece.strip() or None for piece in text.split("|"))
            found[-1] = replace(found[-1], pieces=(wanted, unwanted))
    return found


ALL = [sentence for language in LANGUAGES for sentence in sentences(language)]


@pytest.mark.parametrize("sentence", [one for one in ALL if one.corrects], ids=str)
def test_a_correction_is_noticed(sentence: Sentence) -> None:
    found = find_correction(sentence.text, previous_reply=sentence.reply)
    assert found is not None
    assert found.score >= UNCERTAIN
    assert sentence.text[slice(*found.span)].strip()


@pytest.mark.parametrize("sentence", [one for one in ALL if not one.corrects], ids=str)
def test_what_only_sounds_like_a_correction_is_left_alone(sentence: Sentence) -> None:
    assert find_correction(sentence.text, previous_reply=sentence.reply) is None


@pytest.mark.parametrize("sentence", [one for one in ALL if one.pieces], ids=str)
def test_it_tells_what_is_wanted_and_what_is_not(sentence: Sentence) -> None:
    found = find_correction(sentence.text, previous_reply=sentence.reply)
    assert found is not None
    assert (found.wanted, found.unwanted) == sentence.pieces


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_enough_sentences_of_both_kinds(language: str) -> None:
    own = [sentence.corrects for sentence in ALL if sentence.language == language]
    assert own.count(True) >= 25
    assert own.count(False) >= 25


@pytest.mark.parametrize("language", LANGUAGES)
def test_most_corrections_are_understood_in_their_own_language(language: str) -> None:
    """Words such as "errado" belong to several languages; a mix-up is rare and harmless."""
    found = [
        find_correction(sentence.text, previous_reply=sentence.reply)
        for sentence in ALL
        if sentence.corrects and sentence.language == language
    ]
    own = sum(one is not None and one.language == language for one in found)
    assert own >= 0.95 * len(found)
