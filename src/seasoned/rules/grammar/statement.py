"""Read what a correction states, by the grammar of its language."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from seasoned.lessons.lesson import RuleType
from seasoned.rules.case import Case
from seasoned.rules.grammar.clauses import (
    LONGEST_RULE,
    Clause,
    clauses_of,
    is_empty,
    without_openings,
)
from seasoned.rules.grammar.phrases import (
    ALLOWED,
    ALWAYS,
    ALWAYS_AFTER,
    ALWAYS_BEFORE,
    DO_NOT_REFUSE,
    FACT,
    FIRST_PERSON,
    IMPERATIVE_UNSPACED,
    IMPERATIVES,
    IS,
    LEADING,
    NEVER,
    QUESTION,
    REFUSED,
    REFUSING,
    SAID,
    STOPS,
    TOLD,
    USE,
)
from seasoned.rules.grammar.text import fold, sentence_case, tidy, wording
from seasoned.rules.grammar.validity import after_for_now

LONGEST_QUESTION = 120  # characters of the question that a fact answers
LONGEST_FACT = 100  # characters
LONGEST_PIECE = 100  # characters of a wanted or unwanted piece
_ASKING = "?？"


@dataclass(frozen=True, slots=True)
class Statement:
    """The sentence of a rule, and the user's words that it comes from."""

    type: RuleType
    description: str
    quote: str


def statement_of(case: Case, language: str, *, explicit: bool = False) -> Statement | None:
    """Return what the message of a case states: the first reading of READINGS that fits.

    `explicit` leaves out plain requests, which neither set a rule nor put something right.
    """
    said = clauses_of(case.message)
    readings = READINGS[:-1] if explicit else READINGS
    for reading, clause in product(readings, said):
        if found := reading(clause, case, language):
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
    if "deny" in found.re.groupindex and found["deny"]:
        rest = f"do not {rest}"
    elif not _is_a_sentence(plain, language):
        return quotation_of(case, language, "missing_context")
    if is_empty(rest):
        return None
    return Statement("missing_context", _sentence(rest, language), clause.quote)


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
        return Statement("refusal", line, clause.quote)
    if refused and ALLOWED[language].match(clause.plain):
        return Statement("refusal", _sentence(clause.text, language), clause.quote)
    return None


def _read_replacement(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "X, not Y"; keep the user's own sentence if it says more."""
    if not case.wanted or not case.unwanted:
        return None
    wanted, unwanted = tidy(case.wanted, LONGEST_PIECE), tidy(case.unwanted, LONGEST_PIECE)
    place, other = clause.text.find(wanted), clause.text.find(unwanted)
    if place < 0 or other < 0:
        return None
    before = clause.plain[: min(place, other)].strip(" ,:")
    framed = before and not _uses(before, language) and not _is(before, language)
    if framed or _commands(fold(wanted), language):
        stands = _is_a_sentence(clause.plain, language)
        line = _sentence(clause.text, language) if stands else _quote(clause.text, language)
        return Statement("preference", line, clause.quote)
    fact = _is(before, language) or (
        not before and tidy(case.request, 2_000).endswith(tuple(_ASKING))
    )
    line = wording(IS if fact else USE, language, w=wanted, u=unwanted)
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


def _read_fact(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "it is Canberra" as the right answer to the request."""
    if case.kind not in {"wrong", "replacement", "misunderstood", "dissatisfied"}:
        return None
    if not _puts_right(clause, case) or not FACT[language].match(clause.plain):
        return None
    line = _with_question(_sentence(clause.text, language), case, language)
    return Statement("hallucination", line, clause.quote)


def _puts_right(clause: Clause, case: Case) -> bool:
    """Whether it follows a "no" or "that's wrong" directly; later sentences are talk."""
    first = clauses_of(case.message)[0]
    return (
        clause == first
        and len(clause.text) <= LONGEST_FACT
        and not tidy(case.message, LONGEST_RULE).startswith(clause.text)
    )


def _with_question(line: str, case: Case, language: str) -> str:
    """Add the question that a fact answers: "It is Canberra" alone would mislead."""
    asked = tidy(case.request, LONGEST_QUESTION).replace('"', "'")
    if not asked:
        return line
    end = line[-1]
    return f'{line[:-1]} ({QUESTION[language]}: "{asked}"){end}'


def _read_prohibition(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "never …", "stop …", "don't …"."""
    start = _after_condition(clause.plain)
    plain = clause.plain[start:]
    found = NEVER[language].search(plain) if language == "ja" else NEVER[language].match(plain)
    if not found:
        return None
    text = clause.text[:start] + _imperative(clause.text[start:], language)
    return Statement("preference", _sentence(text, language), clause.quote)


def _read_lasting(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "always …", "from now on …"."""
    start = _after_condition(clause.plain)
    found = ALWAYS[language].match(clause.plain[start:])
    if not found:
        return None
    name = "rest" if found["rest"] else "before"
    first, last = found.span(name)
    rest = clause.text[start + first : start + last]
    text = _always(rest, clause.text[start:], language)
    if start:
        text = clause.text[:start] + text[:1].lower() + text[1:]
    return Statement("preference", _sentence(text, language), clause.quote)


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
    _read_replacement,
    _read_fact,
    _read_prohibition,
    _read_lasting,
    _read_command,
)

# English verbs, to find the infinitive of an -ing form.
_VERBS = """add use make write give put say ask call run push commit apologize apologise repeat
ignore delete remove change include
explain answer reply respond guess assume invent create mock hardcode round translate summarize
summarise format rename rewrite
replace skip send show start end open close copy paste quote cite import log print test deploy
interrupt hallucinate generate
suggest mention insert refer refuse reformat truncate shorten treat pretend talk speak tell try do
be mix set split wrap lecture
thank compliment flatter merge rebase edit touch modify overwrite install forget refactor swear
joke curse"""


def _gerund(verb: str) -> str:
    if verb.endswith("e") and verb != "be":
        return verb[:-1] + "ing"
    if verb in {"put", "run", "commit", "skip", "set", "split", "wrap", "refer", "log", "forget"}:
        return verb + verb[-1] + "ing"
    return verb + "ing"


GERUNDS = {_gerund(verb): verb for verb in _VERBS.split()}
_DENIALS = re.compile(
    r"(?:you (?:should|must|can)(?:n't| not)|you cannot|i (?:don't|do not) want you to|do not|"
    r"don't|dont)(?: ever)? ",
    re.IGNORECASE,
)
_NEVER = re.compile(r"(?:you should never|you must never|i never want you to) ", re.IGNORECASE)
_STOP = re.compile(
    r"(?:please )?(?:stop|quit|cease) (?:it with the |with the )?(\w+ing)\b", re.IGNORECASE
)
_UNWANTED = re.compile(r"i (?:don't|do not|never) want (?:any |to see )?", re.IGNORECASE)


def english_imperative(text: str) -> str:
    """Turn an English denial into a command.

    >>> english_imperative("stop adding emojis"), english_imperative("you shouldn't push")
    ('do not add emojis', 'do not push')
    """
    text = text.replace("’", "'")
    if (stop := _STOP.match(text)) and (verb := GERUNDS.get(stop[1].lower())):
        return f"do not {verb}{text[stop.end() :]}"
    for pattern, said in ((_DENIALS, "do not "), (_NEVER, "never "), (_UNWANTED, "no ")):
        if found := pattern.match(text):
            return said + text[found.end() :]
    return text
