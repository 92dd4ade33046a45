"""Whether two rules say the same, or cannot both be followed."""

import re
from functools import lru_cache
from typing import Protocol

from seasoned.core.words import dice, words
from seasoned.rules.grammar.claims import (
    Claim,
    claims_of,
    core_words,
    decisions_of,
    without_attribution,
    word_root,
)
from seasoned.rules.grammar.opposites import MANNERS, chosen_values, taken_sides
from seasoned.rules.grammar.polarity import is_negated
from seasoned.rules.grammar.text import fold
from seasoned.rules.grammar.values import OtherValue, other_value

DUPLICATE = 0.60
CONFLICT = 0.35
SAME_THING = 0.67  # two thirds of the words: the same thing, though each names more
NARROWER = 0.75  # a narrower "do not" leaves room for a "do", unless it is nearly as wide
SAME_REST = 0.5
# Pairs whose words have many other uses: opposed only in the same sentence.
SAME_REST_ONLY = frozenset({"order", "direction", "edge", "rank"})
# Words about every answer: they name no other thing.
_OF_ANSWERS = frozenset(
    word_root(word)
    for word in """address treat trata tratame trate traite behandle tratta be keep stay sound
    answer answers reply explanation explanations explain message messages text texts tone style
    language sei seja sois bleib bleibe sii ser mantener manten mantem erklare explica explique
    spiega erklarungen explicaciones explicacoes explications spiegazioni tono ton stil estilo
    tom stile talk speak hable habla fale parle sprich parla mode form""".split()
) | frozenset("说明 解释 語調 文章 説明 语气 语言 言葉 尽量".split())


class ComparedRule(Protocol):
    """The part of a rule that is compared."""

    @property
    def type(self) -> str: ...
    @property
    def description(self) -> str: ...


def overlap(a: str, b: str) -> float:
    """Return the share of core words that two rules have in common.

    >>> overlap("Use podman for builds", "Never use podman for builds")
    1.0
    """
    return dice(core_words(without_attribution(a)), core_words(without_attribution(b)))


def is_duplicate(a: ComparedRule, b: ComparedRule, *, overlap: float = DUPLICATE) -> bool:
    """Whether two rules of one type say the same in similar words."""
    one, other = without_attribution(a.description), without_attribution(b.description)
    return (
        a.type == b.type
        and dice(core_words(one), core_words(other)) > overlap
        and is_negated(one) == is_negated(other)
        and chosen_values(one)[0] == chosen_values(other)[0]
        and _digits(one) == _digits(other)
        and other_value(one, other) is None
        and conflict(one, other) is None
    )


def changed_mind(a: str, b: str) -> OtherValue | None:
    """Return the value that one rule gives in place of another; None if both can hold.

    >>> changed_mind("Round prices to 2 digits.", "Round prices to 3 digits.").new
    '3'
    """
    found = other_value(without_attribution(a), without_attribution(b))
    return found if found is not None and found.exclusive else None


def conflict(a: str, b: str, *, overlap: float = CONFLICT) -> str | None:
    """Return in words why two rules cannot both be followed; None if they can.

    >>> conflict("Use podman, not docker.", "Use docker, not podman.")
    'one wants what the other does not: docker'
    >>> conflict("Never push to main.", "Push to your own branch.") is None
    True
    >>> conflict("Answer in German.", "Please answer in English.")
    'they choose differently: language'
    """
    a, b = without_attribution(a), without_attribution(b)
    if _normalized(a) == _normalized(b):
        return None
    return (
        _reversed(a, b)
        or _denied(a, b, overlap)
        or _decided_otherwise(a, b)
        or _chosen_otherwise(a, b)
        or _opposed(a, b)
        or _other_manner(a, b)
    )


@lru_cache(maxsize=2_048)
def _normalized(text: str) -> str:
    return fold(text).strip(_ENDS)


def _digits(text: str) -> frozenset[str]:
    return frozenset(word for word in core_words(text) if word[:1].isdigit())


def _reversed(a: str, b: str) -> str | None:
    """This and not that, against that and not this: a conflict wherever each holds."""
    for do, dont in _contrasts(a):
        for other_do, other_dont in _contrasts(b):
            if do.words == other_dont.words and dont.words == other_do.words:
                shared = _name_roots(min(do.words, dont.words, key=sorted), min(a, b))
                return f"one wants what the other does not: {shared}"
    return None


def _contrasts(text: str) -> list[tuple[Claim, Claim]]:
    said = claims_of(text)
    return [
        (one, other)
        for one in said
        for other in said
        if one.do and not other.do and one.words and other.words
    ]


def _denied(a: str, b: str, least: float) -> str | None:
    """One says to do a thing, the other not to do it."""
    found: set[frozenset[str]] = set()
    for one in claims_of(a):
        for other in claims_of(b):
            if one.do != other.do:
                do, dont = (one, other) if one.do else (other, one)
                if _contradict(do, dont, least):
                    found.add(do.words & dont.words)
    if not found:
        return None
    shared = min(found, key=sorted)
    return f"one wants what the other does not: {_name_roots(shared, min(a, b))}"


def _name_roots(roots: frozenset[str], text: str) -> str:
    """Return the words of a text that have these roots."""
    said = (word for word in words(text) if word_root(fold(word)) in roots)
    return ", ".join(dict.fromkeys(said)) or ", ".join(sorted(roots))


def _contradict(do: Claim, dont: Claim, least: float) -> bool:
    shared = dice(do.words, dont.words)
    if dice(do.words | do.scope, dont.words | dont.scope) < least:
        return False
    covered = dont.words <= do.words or (shared >= SAME_THING and not do.words < dont.words)
    narrower = do.words < dont.words and shared >= NARROWER
    return (covered or narrower) and _same_scope(do, dont)


def _same_scope(one: Claim, other: Claim) -> bool:
    """Whether both hold in the same place; a claim with a scope is an exception to one without."""
    if one.scope and other.scope:
        return dice(one.scope, other.scope) >= SAME_REST
    if one.scope or other.scope:
        wider = other if one.scope else one
        return wider.absolute and not wider.do
    return True


def _decided_otherwise(a: str, b: str) -> str | None:
    for one in decisions_of(a):
        for other in decisions_of(b):
            if (
                (one.question, one.subject) == (other.question, other.subject)
                and one.firm
                and other.firm
                and _apart(one.value, other.value)
            ):
                return f"they decide differently {one.question}"
    return None


def _apart(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two values differ: "30 seconds" and "60 seconds" share only the unit."""
    numbers = [{word for word in value if word[:1].isdigit()} for value in (one, other)]
    return one.isdisjoint(other) or (all(numbers) and numbers[0].isdisjoint(numbers[1]))


def _chosen_otherwise(a: str, b: str) -> str | None:
    """The same sentence with another value of one class: another language, another unit."""
    (of_a, words_a), (of_b, words_b) = chosen_values(a), chosen_values(b)
    differing = sorted(name for name in of_a.keys() & of_b.keys() if of_a[name] != of_b[name])
    if not differing or is_negated(a) or is_negated(b):
        return None
    if _about_the_same(_rest(a, words_a), _rest(b, words_b)):
        return f"they choose differently: {', '.join(differing)}"
    return None


def _opposed(a: str, b: str) -> str | None:
    (of_a, words_a), (of_b, words_b) = taken_sides(a), taken_sides(b)
    if is_negated(a) != is_negated(b):
        return None
    rest_a, rest_b = _rest(a, words_a), _rest(b, words_b)
    for name in sorted(of_a.keys() & of_b.keys()):
        same = _about_the_same(rest_a, rest_b) and (bool(rest_a) or name in MANNERS)
        if of_a[name] != of_b[name] and same and (name not in SAME_REST_ONLY or rest_a == rest_b):
            return f"they are opposed: {name}"
    return None


def _other_manner(a: str, b: str) -> str | None:
    """Opposed manners of answering, in one clause among others: "in detail, with examples"."""
    for one in _clauses(a):
        for other in _clauses(b):
            (of_a, words_a), (of_b, words_b) = taken_sides(one), taken_sides(other)
            alone = not _rest(one, words_a) and not _rest(other, words_b)
            for name in sorted(of_a.keys() & of_b.keys() & MANNERS.keys()):
                same = is_negated(one) == is_negated(other)
                if alone and same and of_a[name] != of_b[name]:
                    return f"they are opposed: {name}"
    return None


def _clauses(text: str) -> list[str]:
    return [part for part in _CLAUSE.split(text)[:8] if part.strip()]


def _rest(text: str, said: frozenset[str]) -> frozenset[str]:
    """Return what a rule names besides the words of a pair or class."""
    for word in said:
        if not word.isascii():
            text = text.replace(word, " ")
    return (
        core_words(text) - {word_root(word) for word in said} - _OF_ANSWERS
        if text.strip()
        else _NONE
    )


_NONE = frozenset[str]()
_CLAUSE = re.compile(r"[,;:.!，；。！、]|\b(?:and|y|e|et|und|con|com|avec|mit)\b")
_ENDS = " .!。！"


def _about_the_same(one: frozenset[str], other: frozenset[str]) -> bool:
    if not one or not other:
        return not one and not other
    return dice(one, other) >= SAME_REST
