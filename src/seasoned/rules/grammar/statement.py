"""Read what a message states, by the grammar of its language, and whether it is meant to hold."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
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
from seasoned.rules.grammar.english import english_imperative
from seasoned.rules.grammar.phrases import (
    ALLOWED,
    ALWAYS,
    ALWAYS_AFTER,
    ALWAYS_BEFORE,
    ANSWER,
    DO_NOT_REFUSE,
    FACT,
    FIRST_PERSON,
    FOR_GOOD,
    FOR_THIS_WORK,
    IMPERATIVE_UNSPACED,
    IMPERATIVES,
    IS,
    LEADING,
    NEVER,
    NEVER_EVER,
    REFUSED,
    REFUSING,
    REMEMBER,
    REMEMBER_SAID,
    SAID,
    STOPS,
    TOLD,
    USE,
)
from seasoned.rules.grammar.practice import practice_of
from seasoned.rules.grammar.standing import is_of_the_moment, points, stands_alone
from seasoned.rules.grammar.stop_words import LANGUAGES, language_of
from seasoned.rules.grammar.text import fold, sentence_case, tidy, wording
from seasoned.rules.grammar.validity import after_for_now, duration_of, holds_always

LONGEST_QUESTION = 120  # characters of the question that a fact answers
LONGEST_FACT = 100  # characters
LONGEST_PIECE = 100  # characters of a wanted or unwanted piece
LONGEST_WISH, MOST_WISH_WORDS = 300, 40  # characters, words
_ASKING = "?？"
CERTAIN = 0.9  # a score that detection gives to objections only
UNSPACED = ("zh", "ja")


@dataclass(frozen=True, slots=True)
class Statement:
    """The sentence of a rule, and the user's words that it comes from.

    `standing` says that it is meant to hold beyond the work at hand, and can: it is a command that
    names its object.
    """

    type: RuleType
    description: str
    quote: str
    standing: bool = False


def statement_of(case: Case, language: str, *, explicit: bool = False) -> Statement | None:
    """Return what the message of a case states: the first reading of READINGS that fits.

    A standing statement goes before the others. `explicit` leaves out plain requests, which neither
    set a rule nor put something right.
    """
    said = clauses_of(case.message)
    readings = READINGS[:-1] if explicit else READINGS
    found = [one for read, clause in product(readings, said) if (one := read(clause, case, language))]
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
    language = language_of(message) or "en"
    case = Case("", 0, Scope(), message, "wish", 0.0, language)
    for read, clause in product(WISHES, clauses_of(message)):
        found = read(clause, case, language if language in LANGUAGES else "en")
        if found and found.standing and duration_of(message) == "lasting":
            return found
    return None


def quotation_of(case: Case, language: str, type_: RuleType = "preference") -> Statement | None:
    """Return the user's own words as a rule; None if they say nothing."""
    said = clauses_of(case.message)
    if not said:
        return None
    words = " ".join(clause.text for clause in said)
    return Statement(type_, _quote(words, language), said[0].quote)


def _quote(words: str, language: str) -> str:
    room = LONGEST_RULE - len(wording(SAID, language, x=""))
    return wording(SAID, language, x=tidy(words, room).replace('"', "'"))


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
        return _fact(rest, clause, language)
    return _command(rest, clause, language, "missing_context")


def _command(text: str, clause: Clause, language: str, type_: RuleType) -> Statement:
    """Return a command that was given outright: it holds if it says to whom it applies."""
    line = _sentence(text, language)
    return Statement(type_, line, clause.quote, stands_alone(line, language))


def _fact(text: str, clause: Clause, language: str) -> Statement:
    """Return a fact about the user or the project as something to remember."""
    plain = fold(text)
    owned = FIRST_PERSON.match(plain) is not None
    table = REMEMBER_SAID if owned else REMEMBER
    body = tidy(text, LONGEST_FACT).rstrip(" .。!")
    if not owned and language not in ("de", "zh", "ja"):
        body = body[:1].lower() + body[1:] if body[1:2].islower() or body[1:2] == " " else body
    line = wording(table, language, x=body.replace('"', "'") if owned else body)
    stop = "" if owned else STOPS.get(language, ".")
    told = not points(plain, language) and not plain.rstrip().endswith(tuple(_ASKING))
    standing = told and not _ends_with_a_moment(plain)
    return Statement("missing_context", line + stop, clause.quote, standing)


def _ends_with_a_moment(plain: str) -> bool:
    """Whether a fact tells a time: "the deadline is Friday"; a port may be a number."""
    value = plain.rstrip(" .!").split(" ")[-1]
    return is_of_the_moment(value) and not value.isdigit()


def _is_a_sentence(plain: str, language: str) -> bool:
    """Whether a text stands as a rule by itself; "that you should have used it" does not."""
    readers = (NEVER, ALWAYS, FACT, IMPERATIVE_UNSPACED)
    return _commands(plain, language) or any(
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
            else _sentence(clause.text, language)
        )
        return Statement("refusal", line, clause.quote, standing=bool(matter))
    if refused and ALLOWED[language].match(clause.plain):
        return Statement("refusal", _sentence(clause.text, language), clause.quote)
    return None


def _read_replacement(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "X, not Y"; keep the user's own sentence if it says more."""
    if not case.wanted or not case.unwanted:
        return None
    wanted, unwanted = tidy(case.wanted, LONGEST_PIECE), tidy(case.unwanted, LONGEST_PIECE)
    place, other = clause.text.find(wanted), clause.text.find(unwanted)
    if place < 0 or other < 0 or practice_of(clause.text, language):
        return None
    before = clause.plain[: min(place, other)].strip(" ,:")
    uses, fact = _uses(before, language), _is(before, language)
    framed = before and not uses and not fact
    if framed or _commands(fold(wanted), language):
        return _framed(clause, case, language)
    if fact or (not before and tidy(case.request, 2_000).endswith(tuple(_ASKING))):
        line = wording(IS, language, w=wanted, u=unwanted)
        return _answer(line, clause, case, language, is_of_the_moment(wanted))
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
        found = _fact(clause.text, clause, language)
        return replace(found, type="hallucination", standing=found.standing and _owned(clause, case))
    if not _is_a_sentence(clause.plain, language):
        return Statement("preference", _quote(clause.text, language), clause.quote)
    line = _sentence(clause.text, language)
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


def _read_fact(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "it is Canberra" as the right answer to the request."""
    if case.kind not in {"wrong", "replacement", "misunderstood", "dissatisfied"}:
        return None
    if not _puts_right(clause, case) or not FACT[language].match(clause.plain):
        return None
    line = _sentence(clause.text, language)
    if _IT.match(clause.plain):
        value = clause.plain.rstrip(" .!").split(" ")[-1]
        return _answer(line, clause, case, language, is_of_the_moment(value))
    found = _fact(clause.text, clause, language)
    return replace(found, type="hallucination", standing=found.standing and _owned(clause, case))


def _owned(clause: Clause, case: Case) -> bool:
    """Whether a fact is about the user or their project; others end with the work at hand."""
    return case.told_outright or FIRST_PERSON.match(clause.plain) is not None


_IT = re.compile(
    r"(?:it|that|this|he|she|they|es|son|era|fue|se|seria|deberia|é|sao|foi|chama|ce|il|elle"
    r"|das|er|sie|sono|si)(?![^\W_])|c'|其实|正确|答案|应该|是|[^はが]{2,60}(?:です|だ)"
)


def _puts_right(clause: Clause, case: Case) -> bool:
    """Whether it follows a "no" or "that's wrong" directly; later sentences are talk."""
    first = clauses_of(case.message)[0]
    return (
        clause == first
        and len(clause.text) <= LONGEST_FACT
        and not tidy(case.message, LONGEST_RULE).startswith(clause.text)
    )


def _answer(
    line: str, clause: Clause, case: Case, language: str, of_the_moment: bool
) -> Statement:
    """Add the question that a fact answers: "It is Canberra" alone would mislead."""
    asked = tidy(case.request, LONGEST_QUESTION).replace('"', "'")
    if not asked.endswith(tuple(_ASKING)):
        return Statement("hallucination", line, clause.quote)
    body = line[:1].lower() + line[1:] if language != "de" or line.startswith("Es ") else line
    whole = wording(ANSWER, language, q=asked, x=body)
    return Statement("hallucination", whole, clause.quote, standing=not of_the_moment)


def _read_prohibition(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "never …", "stop …", "don't …"."""
    start = _after_condition(clause.plain)
    plain = clause.plain[start:]
    found = NEVER[language].search(plain) if language == "ja" else NEVER[language].match(plain)
    if not found:
        return None
    text = clause.text[:start] + _imperative(clause.text[start:], language)
    line = _sentence(text, language)
    lasts = case.told_outright or _is_for_good(plain) or holds_always(line)
    return Statement(
        "preference", line, clause.quote, standing=lasts and _holds(line, language)
    )


def _is_for_good(plain: str) -> bool:
    """Whether a prohibition holds by its own words; "stop the server" is about one server."""
    return bool(NEVER_EVER.search(plain)) or bool(
        FOR_GOOD.search(plain) and not _DEFINITE.search(plain)
    )


_DEFINITE = re.compile(r"\b(?:the|your|yet|today|any of)\b")


def _holds(line: str, language: str) -> bool:
    plain = fold(line)
    if points(plain, language) or (language not in UNSPACED and len(plain.split()) == 1):
        return False
    return stands_alone(line, language) or ("?" not in plain and holds_always(line))


def _read_lasting(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "always …", "from now on …"."""
    start = _after_condition(clause.plain)
    found = ALWAYS[language].match(clause.plain[start:])
    if not found:
        return None
    name = "rest" if found["rest"] else "before"
    first, last = found.span(name)
    rest = clause.text[start + first : start + last]
    whole = clause.text[start:]
    again = ALWAYS[language].match(fold(rest))
    if again and again["rest"]:  # "in future always …"
        whole, rest = rest, rest[again.start("rest") :]
    text = _always(rest, whole, language)
    if start:
        text = clause.text[:start] + text[:1].lower() + text[1:]
    line = _sentence(text, language)
    for_good = case.told_outright or not FOR_THIS_WORK.match(clause.plain[start:])
    return Statement(
        "preference", line, clause.quote, standing=for_good and _holds(line, language)
    )


def _always(rest: str, whole: str, language: str) -> str:
    """Say "always …" in the word order of the language, or return the user's own words."""
    plain = fold(rest)
    if NEVER[language].search(plain) if language == "ja" else NEVER[language].match(plain):
        return _imperative(rest, language)
    verb, _, objects = rest.partition(" ")
    if language in ALWAYS_AFTER:
        if fold(verb).strip(",") not in IMPERATIVES[language] or not objects:
            return whole
        return f"{verb} {ALWAYS_AFTER[language]} {objects}"
    if language in IMPERATIVES and not _commands(plain, language):
        return whole
    return wording(ALWAYS_BEFORE, language, x=rest[:1].lower() + rest[1:])


def _read_command(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read a plain imperative: "use tabs"."""
    plain = clause.plain[_after_condition(clause.plain) :]
    unspaced = IMPERATIVE_UNSPACED.get(language)
    if not _commands(plain, language) and not (unspaced and unspaced.search(plain)):
        return None
    line = _sentence(clause.text, language)
    lasts = case.told_outright or holds_always(line)
    return Statement("preference", line, clause.quote, standing=lasts and _holds(line, language))


def _read_practice(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "we use X, not Y", "I prefer X"."""
    text = practice_of(clause.text, language)
    if text is None:
        return None
    line = _sentence(text, language)
    return Statement("preference", line, clause.quote, standing=stands_alone(line, language))


def _read_for_good(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "never …"; a plain "don't …" may belong to the task that it comes with."""
    found = _read_prohibition(clause, case, language)
    return found if found and _is_for_good(clause.plain) else None


def _read_manner(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read how to answer, said as a plain request: "please keep your answers short"."""
    found = _read_command(clause, case, language)
    return None if found is None or _FORM.search(fold(found.description)) else found


# Asked for in one answer as often as in all.
_FORM = re.compile(r"\b(?:markdown|bullets?|bullet points?|bold|headings?|latex|title|long|longer|detailed)\b|列表|粗体|箇条書き|太字")


def _commands(plain: str, language: str) -> bool:
    first = plain.split(" ", 1)[0].strip(",.!:").split("-")[0]
    return first in IMPERATIVES.get(language, ()) and not plain.endswith(tuple(_ASKING))


def _after_condition(plain: str) -> int:
    if start := after_for_now(plain):
        return start
    found = LEADING.match(plain)
    return found.end() if found and found.end() < len(plain) else 0


def _imperative(text: str, language: str) -> str:
    return english_imperative(text) if language == "en" else text


def _sentence(text: str, language: str) -> str:
    """Make a text a sentence; quote the first person, or a model would take it as its own."""
    if FIRST_PERSON.match(fold(text)):
        return _quote(text, language)
    return sentence_case(tidy(text, LONGEST_RULE - 1), STOPS.get(language))


Reading = Callable[[Clause, Case, str], Statement | None]
READINGS: tuple[Reading, ...] = (
    _read_reminder,
    _read_permission,
    _read_practice,
    _read_replacement,
    _read_fact,
    _read_prohibition,
    _read_lasting,
    _read_command,
)
WISHES: tuple[Reading, ...] = (_read_practice, _read_for_good, _read_lasting, _read_manner)
