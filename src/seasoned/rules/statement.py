"""What a correction states, read by the grammar of its language."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from seasoned.rules.case import Case
from seasoned.rules.english import imperative
from seasoned.rules.openings import is_empty, without_openings
from seasoned.rules.phrases import (
    ALLOWED,
    ALWAYS,
    ALWAYS_AFTER,
    ALWAYS_BEFORE,
    FACT,
    FIRST_PERSON,
    IMPERATIVE_UNSPACED,
    IMPERATIVES,
    LEADING,
    NEVER,
    REFUSED,
    REFUSING,
    TOLD,
)
from seasoned.rules.reach import after_for_now
from seasoned.rules.rule import RuleType
from seasoned.rules.text import folded, sentence_case, sentences, tidy
from seasoned.rules.wording import DO_NOT_REFUSE, IS, QUESTION, SAID, STOPS, USE, worded

LONGEST = 300  # characters of a rule
ASIDE = 120  # characters of the question that a fact answers
FACT_LENGTH = 100  # characters
PIECE = 100  # characters of what is wanted, or not
_ASKING = "?？"


@dataclass(frozen=True, slots=True)
class Statement:
    """A rule's sentence, and the user's words that it was made of."""

    type: RuleType
    description: str
    quote: str


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence of the user: as it stands there, and without what says nothing."""

    quote: str
    text: str
    plain: str


def clauses(message: str) -> list[Clause]:
    """The sentences of a message that say something."""
    found: list[Clause] = []
    for quote in sentences(message):
        text = without_openings(tidy(quote, LONGEST))
        if text and not is_empty(text):
            found.append(Clause(quote, text, folded(text)))
    return found


def statement(case: Case, language: str, *, explicit: bool = False) -> Statement | None:
    """What the message of a case states; the first reading that fits, in the order of READINGS.

    Explicit is what sets a rule or puts something right; a plain request is not.
    """
    said = clauses(case.message)
    readings = READINGS[:-1] if explicit else READINGS
    for reading, clause in product(readings, said):
        if found := reading(clause, case, language):
            return found
    return None


def quoted(case: Case, language: str, type_: RuleType = "preference") -> Statement | None:
    """The user's own words as a rule; None when they say nothing."""
    said = clauses(case.message)
    if not said:
        return None
    words = " ".join(clause.text for clause in said)
    return Statement(type_, _said(words, language), said[0].quote)


def _said(words: str, language: str) -> str:
    room = LONGEST - len(worded(SAID, language, x=""))
    return worded(SAID, language, x=tidy(words, room).replace('"', "'"))


def _told(clause: Clause, case: Case, language: str) -> Statement | None:
    found = TOLD[language].match(clause.plain)
    if not found:
        return None
    rest = clause.text[found.start("rest") :][: found.end("rest") - found.start("rest")]
    rest, plain = without_openings(rest), folded(rest)
    if "deny" in found.re.groupindex and found["deny"]:
        rest = f"do not {rest}"
    elif not _is_a_sentence(plain, language):
        return quoted(case, language, "missing_context")
    if is_empty(rest):
        return None
    return Statement("missing_context", _sentence(rest, language), clause.quote)


def _is_a_sentence(plain: str, language: str) -> bool:
    """Whether what was told stands as a rule by itself; "that you should have used it" does not."""
    readers = (NEVER, ALWAYS, FACT, IMPERATIVE_UNSPACED)
    return _commands(plain, language) or any(
        language in reader and reader[language].search(plain) for reader in readers
    )


def _allowed(clause: Clause, case: Case, language: str) -> Statement | None:
    refused = not case.reply or REFUSED.search(folded(case.reply[:1_000]))
    if REFUSING.search(clause.plain):
        matter = tidy(case.request, ASIDE)
        line = (
            worded(DO_NOT_REFUSE, language, x=matter)
            if matter
            else _sentence(clause.text, language)
        )
        return Statement("refusal", line, clause.quote)
    if refused and ALLOWED[language].match(clause.plain):
        return Statement("refusal", _sentence(clause.text, language), clause.quote)
    return None


def _replaced(clause: Clause, case: Case, language: str) -> Statement | None:
    """What is wanted against what is not; in the user's own frame where there is more of it."""
    if not case.wanted or not case.unwanted:
        return None
    wanted, unwanted = tidy(case.wanted, PIECE), tidy(case.unwanted, PIECE)
    place, other = clause.text.find(wanted), clause.text.find(unwanted)
    if place < 0 or other < 0:
        return None
    before = clause.plain[: min(place, other)].strip(" ,:")
    framed = before and not _uses(before, language) and not _is(before, language)
    if framed or _commands(folded(wanted), language):
        stands = _is_a_sentence(clause.plain, language)
        line = _sentence(clause.text, language) if stands else _said(clause.text, language)
        return Statement("preference", line, clause.quote)
    fact = _is(before, language) or (
        not before and tidy(case.request, 2_000).endswith(tuple(_ASKING))
    )
    line = worded(IS if fact else USE, language, w=wanted, u=unwanted)
    if fact:
        return Statement("hallucination", _with_question(line, case, language), clause.quote)
    return Statement("preference", line, clause.quote)


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


def _fact(clause: Clause, case: Case, language: str) -> Statement | None:
    if case.kind not in {"wrong", "replacement", "misunderstood", "dissatisfied"}:
        return None
    if not _puts_right(clause, case) or not FACT[language].match(clause.plain):
        return None
    line = _with_question(_sentence(clause.text, language), case, language)
    return Statement("hallucination", line, clause.quote)


def _puts_right(clause: Clause, case: Case) -> bool:
    """Whether it follows a "no" or "that's wrong" directly: what comes later is talk."""
    first = clauses(case.message)[0]
    return (
        clause == first
        and len(clause.text) <= FACT_LENGTH
        and not tidy(case.message, LONGEST).startswith(clause.text)
    )


def _with_question(line: str, case: Case, language: str) -> str:
    """A fact with the question that it answers: "It is Canberra" alone would mislead."""
    asked = tidy(case.request, ASIDE).replace('"', "'")
    if not asked:
        return line
    end = line[-1]
    return f'{line[:-1]} ({QUESTION[language]}: "{asked}"){end}'


def _forbidden(clause: Clause, case: Case, language: str) -> Statement | None:
    start = _after_condition(clause.plain)
    plain = clause.plain[start:]
    found = NEVER[language].search(plain) if language == "ja" else NEVER[language].match(plain)
    if not found:
        return None
    text = clause.text[:start] + _commanded(clause.text[start:], language)
    return Statement("preference", _sentence(text, language), clause.quote)


def _always(clause: Clause, case: Case, language: str) -> Statement | None:
    start = _after_condition(clause.plain)
    found = ALWAYS[language].match(clause.plain[start:])
    if not found:
        return None
    name = "rest" if found["rest"] else "before"
    first, last = found.span(name)
    rest = clause.text[start + first : start + last]
    text = _lasting(rest, clause.text[start:], language)
    if start:
        text = clause.text[:start] + text[:1].lower() + text[1:]
    return Statement("preference", _sentence(text, language), clause.quote)


def _lasting(rest: str, whole: str, language: str) -> str:
    """ "Always …" in the order of words that the language has for it, else the user's own words."""
    plain = folded(rest)
    if NEVER[language].search(plain) if language == "ja" else NEVER[language].match(plain):
        return _commanded(rest, language)
    verb, _, objects = rest.partition(" ")
    if language in ALWAYS_AFTER:
        if folded(verb).strip(",") not in IMPERATIVES[language] or not objects:
            return whole
        return f"{verb} {ALWAYS_AFTER[language]} {objects}"
    if language in IMPERATIVES and not _commands(plain, language):
        return whole
    return worded(ALWAYS_BEFORE, language, x=rest[:1].lower() + rest[1:])


def _commanding(clause: Clause, case: Case, language: str) -> Statement | None:
    plain = clause.plain[_after_condition(clause.plain) :]
    unspaced = IMPERATIVE_UNSPACED.get(language)
    if _commands(plain, language) or (unspaced and unspaced.search(plain)):
        return Statement("preference", _sentence(clause.text, language), clause.quote)
    return None


def _commands(plain: str, language: str) -> bool:
    first = plain.split(" ", 1)[0].strip(",.!:").split("-")[0]
    return first in IMPERATIVES.get(language, ()) and not plain.endswith(tuple(_ASKING))


def _after_condition(plain: str) -> int:
    if start := after_for_now(plain):
        return start
    found = LEADING.match(plain)
    return found.end() if found and found.end() < len(plain) else 0


def _commanded(text: str, language: str) -> str:
    return imperative(text) if language == "en" else text


def _sentence(text: str, language: str) -> str:
    """A text as a sentence; what begins with "I" is quoted: a model would read it as its own."""
    if FIRST_PERSON.match(folded(text)):
        return _said(text, language)
    return sentence_case(tidy(text, LONGEST - 1), STOPS.get(language))


Reading = Callable[[Clause, Case, str], Statement | None]
READINGS: tuple[Reading, ...] = (
    _told, _allowed, _replaced, _fact, _forbidden, _always, _commanding,
)  # fmt: skip
