"""Read what a message states, by the grammar of its language: the first reading that fits."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

from seasoned.core.scope import Scope
from seasoned.lessons.lesson import RuleType
from seasoned.rules.case import Case
from seasoned.rules.grammar.clauses import (
    LONGEST_RULE,
    Clause,
    clauses_of,
    is_empty,
    without_openings,
)
from seasoned.rules.grammar.commands import (
    read_command,
    read_for_good,
    read_lasting,
    read_manner,
    read_practice,
    read_prohibition,
)
from seasoned.rules.grammar.facts import (
    LONGEST_QUESTION,
    answer_of,
    fact_of,
    fact_put_right,
    read_fact,
)
from seasoned.rules.grammar.manner import holds_always
from seasoned.rules.grammar.phrases import (
    ALLOWED,
    ALWAYS,
    DO_NOT_REFUSE,
    FACT,
    IMPERATIVE_UNSPACED,
    IS,
    NEVER,
    REFUSED,
    REFUSING,
    REMEMBER_SAID,
    TOLD,
    USE,
)
from seasoned.rules.grammar.practice import practice_of
from seasoned.rules.grammar.standing import is_of_the_moment, stands_alone
from seasoned.rules.grammar.statement import (
    ASKING,
    UNSPACED,
    Statement,
    commands,
    quote_of,
    sentence_of,
)
from seasoned.rules.grammar.stop_words import LANGUAGES, language_of
from seasoned.rules.grammar.text import fold, tidy, wording
from seasoned.rules.grammar.validity import duration_of

LONGEST_PIECE = 100  # characters of a wanted or unwanted piece
LONGEST_WISH, MOST_WISH_WORDS = 300, 40  # characters, words
CERTAIN = 0.9  # a score that detection gives to objections only


def statement_of(case: Case, language: str, *, explicit: bool = False) -> Statement | None:
    """Return what the message of a case states: the first reading of READINGS that fits.

    A standing statement goes before the others. `explicit` leaves out plain requests, which neither
    set a rule nor put something right.
    """
    said = clauses_of(case.message)
    readings = READINGS[:-1] if explicit else READINGS
    found = [
        one for read, clause in product(readings, said) if (one := read(clause, case, language))
    ]
    if duration_of(case.message) == "session" or _is_long(case.message):
        found = [replace(one, standing=False) for one in found]
    return next((one for one in found if one.standing), found[0] if found else None)


def _is_long(message: str) -> bool:
    """Whether a message is a task or text that is passed on: its commands are part of that."""
    return len(message) > LONGEST_WISH or len(message.split()) > MOST_WISH_WORDS


def wish_of(message: str) -> Statement | None:
    """Return the standing wish that a message states without correcting anything.

    >>> wish_of("Please keep your answers short.").description
    'Keep your answers short.'
    >>> wish_of("Run the tests") is None, wish_of("we use yarn, not npm").description
    (True, 'Use yarn, not npm.')
    """
    if _is_long(message):
        return None
    if duration_of(message) != "lasting":
        return None
    language = language_of(message) or "en"
    case = Case("", 0, Scope(), message, "wish", 0.0, language)
    said = clauses_of(message)
    for read, clause in product(WISHES, said):
        found = read(clause, case, language if language in LANGUAGES else "en")
        if found and found.standing:
            return found
    # Of two words, such as "sois bref", no language can be told; how to answer can.
    others = LANGUAGES if language_of(message) is None else ()
    for other, clause in product(others, said):
        found = read_manner(clause, case, other)
        if found and found.standing:
            return found
    return None


def quotation_of(case: Case, language: str, type_: RuleType = "preference") -> Statement | None:
    """Return the user's own words as a rule; None if they say nothing.

    They last if they were reported as a correction, and stand alone.
    """
    said = clauses_of(case.message)
    if not said:
        return None
    words = " ".join(clause.text for clause in said)
    if not case.told_outright or _is_long(words) or not stands_alone(words, language):
        return Statement(type_, quote_of(words, language), said[0].quote)
    return Statement(type_, quote_of(words, language, REMEMBER_SAID), said[0].quote, standing=True)


def _read_reminder(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "I told you to …", "I already said that …"."""
    found = TOLD[language].match(clause.plain)
    if not found:
        return None
    rest = clause.text[found.start("rest") :][: found.end("rest") - found.start("rest")]
    rest, plain = without_openings(rest), fold(rest)
    if is_empty(rest):
        return None
    if "deny" in found.re.groupindex and found["deny"]:
        return _command(f"do not {rest}", clause, language, "missing_context")
    if not _is_a_sentence(plain, language):
        return quotation_of(case, language, "missing_context")
    if FACT[language].match(plain):
        return fact_of(rest, clause, language)
    return _command(rest, clause, language, "missing_context")


def _command(text: str, clause: Clause, language: str, type_: RuleType) -> Statement:
    """Return a command that was given outright: it holds if it says to whom it applies."""
    line = sentence_of(text, language)
    return Statement(type_, line, clause.quote, stands_alone(line, language))


def _is_a_sentence(plain: str, language: str) -> bool:
    """Whether a text stands as a rule by itself; "that you should have used it" does not."""
    readers = (NEVER, ALWAYS, FACT, IMPERATIVE_UNSPACED)
    return commands(plain, language) or any(
        language in reader and reader[language].search(plain) for reader in readers
    )


def _read_permission(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "you can do that" after a refusal, and "do not refuse"."""
    refused = not case.reply or REFUSED.search(fold(case.reply[:1_000]))
    if REFUSING.search(clause.plain):
        matter = tidy(case.request, LONGEST_QUESTION)
        line = (
            wording(DO_NOT_REFUSE, language, x=matter)
            if matter
            else sentence_of(clause.text, language)
        )
        return Statement("refusal", line, clause.quote, standing=bool(matter))
    if refused and ALLOWED[language].match(clause.plain):
        return Statement("refusal", sentence_of(clause.text, language), clause.quote)
    return None


def _read_replacement(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "X, not Y"; keep the user's own sentence if it says more."""
    if not case.wanted or not case.unwanted:
        return None
    wanted, unwanted = tidy(case.wanted, LONGEST_PIECE), tidy(case.unwanted, LONGEST_PIECE)
    verb, _, rest = wanted.partition(" ")
    wanted = rest if rest and _uses(fold(verb), language) else wanted  # "I said use X, not Y"
    place, other = clause.text.find(wanted), clause.text.find(unwanted)
    if place < 0 or other < 0 or practice_of(clause.text, language):
        return None
    before = clause.plain[: min(place, other)].strip(" ,:")
    uses, fact = _uses(before, language), _is(before, language)
    framed = before and not uses and not fact
    if framed or commands(fold(wanted), language):
        return _framed(clause, case, language)
    if fact or (not before and tidy(case.request, 2_000).endswith(tuple(ASKING))):
        line = wording(IS, language, w=wanted, u=unwanted)
        return answer_of(line, clause, case, language, is_of_the_moment(wanted))
    line = wording(USE, language, w=wanted, u=unwanted)
    # Without its verb ("Saturday, not Friday"), or without an objection to what was done ("use the
    # second one, not the first"), it chooses something for the work at hand.
    uses = uses or language in UNSPACED
    lasts = case.told_outright or (uses and _objects(clause, case))
    return Statement(
        *("preference", line, clause.quote),
        standing=lasts and not is_of_the_moment(wanted) and stands_alone(line, language),
    )


def _objects(clause: Clause, case: Case) -> bool:
    """Whether a "no" or the like stands before the clause, or detection is certain without."""
    return not tidy(case.message, LONGEST_RULE).startswith(clause.text) or case.score >= CERTAIN


def _framed(clause: Clause, case: Case, language: str) -> Statement:
    """Keep a longer sentence with a contrast: a command, a fact, or the user's words."""
    if FACT[language].match(clause.plain):
        return fact_put_right(clause, case, language)
    if not _is_a_sentence(clause.plain, language):
        return Statement("preference", quote_of(clause.text, language), clause.quote)
    line = sentence_of(clause.text, language)
    lasts = case.told_outright or holds_always(line)
    return Statement(
        "preference", line, clause.quote, standing=lasts and stands_alone(line, language)
    )


_USING = {
    "en": "use", "es": "usa utiliza use", "pt": "use usa utilize", "fr": "utilise utilisez",
    "de": "verwende benutze nimm nutze benutz", "it": "usa utilizza",
    "zh": "用 使用 请用 要用 改用", "ja": "",
}  # fmt: skip
_BEING = {
    "en": ("it is", "it's", "that is", "that's", "it was", "it's not", "it is not"),
    "es": ("es", "era", "no es"), "pt": ("é", "era", "nao é"), "fr": ("c'est", "ce n'est pas"),
    "de": ("es ist", "das ist", "es ist nicht"), "it": ("é", "era", "non é"),
    "zh": ("是", "应该是", "不是"), "ja": (),
}  # fmt: skip
_DENYING = frozenset("not no nicht pas nao non 不要用 不用 别用 do not use don't use".split())


def _uses(before: str, language: str) -> bool:
    return (
        before in _USING[language].split()
        or before in _DENYING
        or before in {"don't use", "do not use"}
    )


def _is(before: str, language: str) -> bool:
    return before in _BEING[language]


Reading = Callable[[Clause, Case, str], Statement | None]
READINGS: tuple[Reading, ...] = (
    _read_reminder,
    _read_permission,
    read_practice,
    _read_replacement,
    read_fact,
    read_prohibition,
    read_lasting,
    read_command,
)
WISHES: tuple[Reading, ...] = (read_practice, read_for_good, read_lasting, read_manner)
