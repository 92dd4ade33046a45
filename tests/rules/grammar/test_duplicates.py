"""Duplicates: the same rule in other words or another form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.lessons.lesson import RuleType
from seasoned.rules.case import RuleDraft
from seasoned.rules.grammar.claims import core_words
from seasoned.rules.grammar.comparison import is_duplicate, overlap


def rule(text: str, type_: RuleType = "preference") -> RuleDraft:
    return RuleDraft(type_, text)


SAME = """
Use podman, not docker.|Use podman instead of docker
Do not add emojis.|Never use emojis
Answer in German.|Always answer in German, please
Always run the tests before pushing|Run tests before you push
No uses emojis|Nunca uses emojis
Usa podman, no docker|Usa podman en vez de docker
Não adicione comentários|Nunca adicione comentários
Réponds en français|Réponds toujours en français
N'ajoute pas de commentaires|N'ajoute jamais de commentaires
Verwende keine Emojis|Benutze nie Emojis
Antworte auf Deutsch|Bitte antworte immer auf Deutsch
Non usare emoji|Non usare mai le emoji
不要用表情符号|别使用表情符号
用中文回答|请始终用中文回答
絵文字を使わないで|絵文字は使わないでください
"""
DIFFERENT = """
Use podman, not docker.|Use docker, not podman.
Add comments|Do not add comments
Use pytest for tests|Use ruff for linting
Answer in German|Answer in English
Keep lines under 80 characters|Keep lines under 120 characters
The port is 8080|The port is 9090
Usa emojis|No uses emojis
Verwende Tabs|Verwende Leerzeichen
用中文回答|用英文回答
日本語で答えて|英語で答えて
Never skip the tests|Skip the tests
"""


def pairs(table: str) -> list[tuple[str, str]]:
    found = [line.partition("|") for line in table.strip().splitlines()]
    return [(one, other) for one, _, other in found]


@pytest.mark.parametrize(("one", "other"), pairs(SAME))
def test_the_same_in_other_words_is_a_duplicate(one: str, other: str):
    assert is_duplicate(rule(one), rule(other))
    assert is_duplicate(rule(other), rule(one))


@pytest.mark.parametrize(("one", "other"), pairs(DIFFERENT))
def test_what_says_something_else_is_no_duplicate(one: str, other: str):
    assert not is_duplicate(rule(one), rule(other))


def test_a_rule_of_another_type_is_no_duplicate():
    assert not is_duplicate(rule("The port is 8080"), rule("The port is 8080", "missing_context"))


def test_a_reversal_is_never_taken_for_a_repetition():
    assert overlap("Always use docker", "Never use docker") == 1
    assert not is_duplicate(rule("Always use docker"), rule("Never use docker"))


TEXTS = st.text(max_size=200)


@given(TEXTS, TEXTS)
def test_overlap_is_a_symmetric_share(one: str, other: str):
    assert 0 <= overlap(one, other) == overlap(other, one) <= 1


@given(TEXTS)
def test_case_and_space_change_nothing(text: str):
    assert core_words(text) == core_words(f" {text}  ")
    assert core_words("Use Podman") == core_words("use podman")


@given(TEXTS, TEXTS)
def test_being_a_duplicate_is_mutual(one: str, other: str):
    assert is_duplicate(rule(one), rule(other)) == is_duplicate(rule(other), rule(one))
