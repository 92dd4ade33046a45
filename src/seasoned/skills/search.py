"""Finds the skills that fit a request: by words and by meaning, those that fail ranked lower."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING, Any

from seasoned.core.similarity import telling_words
from seasoned.core.stems import stem, stems
from seasoned.skills.skill import Skill
from seasoned.skills.store import StoredSkill

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLOOR = 0.34  # below this relevance a skill is beside the point
WORDS, MEANING = 0.6, 0.4
HEAD, LEAST_HEAD = 0.9, 4
BODY = 0.5  # a word that stands in the body alone counts half
WORST = 0.4  # what is left of the score of a skill that always fails


@dataclass(frozen=True, slots=True)
class Rated:
    """How often a skill was used, as far as it is known how that went."""

    succeeded: int = 0
    failed: int = 0

    @property
    def known(self) -> int:
        return self.succeeded + self.failed

    @property
    def expected(self) -> float:
        """The share that succeeds; of one that was never used, that of two in three.

        >>> Rated().expected, Rated(8, 2).expected
        (0.6666666666666666, 0.7692307692307693)
        """
        return (self.succeeded + 2) / (self.known + 3)

    @property
    def told(self) -> str:
        return f"worked {self.succeeded} of {self.known} times" if self.known else ""


@dataclass(frozen=True, slots=True)
class SkillHit:
    skill: StoredSkill
    relevance: float  # how well it fits
    score: float  # the same, weighed by how often it works
    rated: Rated


Words = tuple[frozenset[str], frozenset[str]]  # those of the head, those of the body


@dataclass(frozen=True, slots=True)
class Shelf:
    """The skills of a scope, made ready to be searched."""

    skills: Sequence[StoredSkill]
    words: Sequence[Words]
    vectors: "NDArray[Any] | None" = None


def found(
    query: str,
    shelf: Shelf,
    rated: Mapping[str, Rated],
    likeness: Sequence[float] | None = None,
    floor: float = FLOOR,
) -> list[SkillHit]:
    """The skills that fit a request, best first; `likeness` is the cosine of each, if known."""
    asked = {stem(word) for word in telling_words(query)}
    texts = shelf.words
    weights = _weights(asked, texts)
    hits: list[SkillHit] = []
    for place, one in enumerate(shelf.skills):
        words = _covered(weights, texts[place])
        relevance = words
        if likeness is not None:
            relevance = WORDS * words + MEANING * max(0.0, likeness[place])
        if relevance >= floor:
            record = rated.get(one.name, Rated())
            score = relevance * (WORST + (1 - WORST) * record.expected)
            hits.append(SkillHit(one, relevance, score, record))
    return sorted(hits, key=lambda hit: (-hit.score, hit.skill.name))


def text_of(skill: Skill) -> str:
    """What a skill is compared by in meaning."""
    return f"{skill.name.replace('-', ' ')}: {skill.description}"


def words_of(skill: Skill) -> Words:
    head = frozenset(stem(word) for word in telling_words(text_of(skill)))
    return head, frozenset(stems(skill.body))


def _weights(asked: set[str], texts: Sequence[Words]) -> dict[str, float]:
    """A word that few skills have says more; one that none has says that it is about others."""
    many = len(texts)
    return {
        word: log1p(many / (1 + sum(word in head or word in body for head, body in texts)))
        for word in asked
    }


def _covered(weights: Mapping[str, float], text: Words) -> float:
    head, body = text
    every = sum(weights.values())
    said = sum(
        weight * (1.0 if word in head else BODY if word in body else 0.0)
        for word, weight in weights.items()
    )
    own = said / every if every else 0.0
    # A long request speaks of much beside: then it counts how much of the skill it speaks of.
    return max(own, HEAD * len(head & weights.keys()) / max(LEAST_HEAD, len(head)))
