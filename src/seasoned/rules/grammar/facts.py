"""Read facts that put a reply right: "it is Canberra", "the port is 8080"."""

import re
from dataclasses import replace

from seasoned.rules.case import Case
from seasoned.rules.grammar.clauses import LONGEST_RULE, Clause, clauses_of
from seasoned.rules.grammar.phrases import (
    ANSWER,
    FACT,
    FIRST_PERSON,
    REMEMBER,
    REMEMBER_SAID,
    STOPS,
)
from seasoned.rules.grammar.standing import is_of_the_moment, points
from seasoned.rules.grammar.statement import ASKING, Statement, sentence_of
from seasoned.rules.grammar.text import fold, tidy, wording

LONGEST_QUESTION = 120  # characters of the question that a fact answers
LONGEST_FACT = 100  # characters


def read_fact(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "it is Canberra" as the right answer to the request."""
    if case.kind not in {"wrong", "replacement", "misunderstood", "dissatisfied"}:
        return None
    if not _puts_right(clause, case) or not FACT[language].match(clause.plain):
        return None
    line = sentence_of(clause.text, language)
    if _IT.match(clause.plain):
        value = clause.plain.rstrip(" .!").split(" ")[-1]
        return answer_of(line, clause, case, language, is_of_the_moment(value))
    return fact_put_right(clause, case, language)


def _puts_right(clause: Clause, case: Case) -> bool:
    """Whether it follows a "no" or "that's wrong" directly; later sentences are talk."""
    first = clauses_of(case.message)[0]
    return (
        clause == first
        and len(clause.text) <= LONGEST_FACT
        and not tidy(case.message, LONGEST_RULE).startswith(clause.text)
    )


_IT = re.compile(
    r"(?:it|that|this|he|she|they|es|son|era|fue|se|seria|deberia|é|sao|foi|chama|ce|il|elle"
    r"|das|er|sie|sono|si)(?![^\W_])|c'|其实|正确|答案|应该|是|[^はが]{2,60}(?:です|だ)"
)


def fact_put_right(clause: Clause, case: Case, language: str) -> Statement:
    """Return a fact that contradicts a reply: it lasts if it is about the user or their project."""
    found = fact_of(clause.text, clause, language)
    owned = case.told_outright or FIRST_PERSON.match(clause.plain) is not None
    return replace(found, type="hallucination", standing=found.standing and owned)


def fact_of(text: str, clause: Clause, language: str) -> Statement:
    """Return a fact about the user or the project as something to remember."""
    plain = fold(text)
    owned = FIRST_PERSON.match(plain) is not None
    table = REMEMBER_SAID if owned else REMEMBER
    body = tidy(text, LONGEST_FACT).rstrip(" .。!")
    if not owned and language not in ("de", "zh", "ja"):
        body = body[:1].lower() + body[1:] if body[1:2].islower() or body[1:2] == " " else body
    line = wording(table, language, x=body.replace('"', "'") if owned else body)
    stop = "" if owned else STOPS.get(language, ".")
    told = not points(plain, language) and not plain.rstrip().endswith(tuple(ASKING))
    standing = told and not _ends_with_a_moment(plain)
    return Statement("missing_context", line + stop, clause.quote, standing)


def _ends_with_a_moment(plain: str) -> bool:
    """Whether a fact tells a time: "the deadline is Friday"; a port may be a number."""
    value = plain.rstrip(" .!").split(" ")[-1]
    return is_of_the_moment(value) and not value.isdigit()


def answer_of(
    line: str, clause: Clause, case: Case, language: str, of_the_moment: bool
) -> Statement:
    """Add the question that a fact answers: "It is Canberra" alone would mislead."""
    asked = tidy(case.request, LONGEST_QUESTION).replace('"', "'")
    if not asked.endswith(tuple(ASKING)):
        return Statement("hallucination", line, clause.quote)
    body = line[:1].lower() + line[1:] if language != "de" or line.startswith("Es ") else line
    whole = wording(ANSWER, language, q=asked, x=body)
    return Statement("hallucination", whole, clause.quote, standing=not of_the_moment)
