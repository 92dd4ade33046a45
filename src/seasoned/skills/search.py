"""Find the skills that fit a request, by words and meaning; skills that fail rank lower."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING, Any

from seasoned.core.words import stem, stems, telling_words
from seasoned.skills.skill import Skill
from seasoned.skills.skill_store import StoredSkill

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLOOR = 0.34  # a skill with less relevance does not fit
WORDS, MEANING = 0.6, 0.4
HEAD, LEAST_HEAD = 0.9, 4
BODY = 0.5  # weight of a word that occurs only in the body
WORST = 0.4  # share of the score that a skill keeps if it always fails


@dataclass(frozen=True, slots=True)
class SkillRecord:
    """How often a skill was used, counting uses with a known outcome."""

    succeeded: int = 0
    failed: int = 0

    @property
    def known(self) -> int:
        return self.succeeded + self.failed

    @property
    def expected(self) -> float:
        """Expected success rate; two in three for a skill that was never used.

        >>> SkillRecord().expected, SkillRecord(8, 2).expected
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
    score: float  # relevance weighted by the record
    record: SkillRecord


Words = tuple[frozenset[str], frozenset[str]]  # of name and description, of the body


@dataclass(frozen=True, slots=True)
class SkillIndex:
    """The active skills of a scope, prepared for search."""

    skills: Sequence[StoredSkill]
    words: Sequence[Words]
    vectors: "NDArray[Any] | None" = None


def find_skills(
    query: str,
    index: SkillIndex,
    records: Mapping[str, SkillRecord],
    similarities: Sequence[float] | None = None,
    floor: float = FLOOR,
) -> list[SkillHit]:
    """Return the skills that fit a request, best first; `similarities` are cosines, if known."""
    asked = {stem(word) for word in telling_words(query)}
    texts = index.words
    weights = _weights(asked, texts)
    hits: list[SkillHit] = []
    for place, one in enumerate(index.skills):
        words = _coverage(weights, texts[place])
        relevance = words
        if similarities is not None:
            relevance = WORDS * words + MEANING * max(0.0, similarities[place])
        if relevance >= floor:
            record = records.get(one.name, SkillRecord())
            score = relevance * (WORST + (1 - WORST) * record.expected)
            hits.append(SkillHit(one, relevance, score, record))
    return sorted(hits, key=lambda hit: (-hit.score, hit.skill.name))


def skill_head(skill: Skill) -> str:
    """Return the text that is embedded: name and description."""
    return f"{skill.name.replace('-', ' ')}: {skill.description}"


def words_of(skill: Skill) -> Words:
    head = frozenset(stem(word) for word in telling_words(skill_head(skill)))
    return head, frozenset(stems(skill.body))


def _weights(asked: set[str], texts: Sequence[Words]) -> dict[str, float]:
    """Weight the words of a request; the fewer skills have a word, the more it weighs."""
    many = len(texts)
    return {
        word: log1p(many / (1 + sum(word in head or word in body for head, body in texts)))
        for word in asked
    }


def _coverage(weights: Mapping[str, float], text: Words) -> float:
    head, body = text
    every = sum(weights.values())
    said = sum(
        weight * (1.0 if word in head else BODY if word in body else 0.0)
        for word, weight in weights.items()
    )
    own = said / every if every else 0.0
    # A long request mentions other things too; then the share of the skill's head it covers counts.
    return max(own, HEAD * len(head & weights.keys()) / max(LEAST_HEAD, len(head)))
