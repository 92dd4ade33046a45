"""Read commands in a message: never, always, from now on, plain imperatives, practices."""

import re

from seasoned.rules.case import Case
from seasoned.rules.grammar.claims import without_attribution
from seasoned.rules.grammar.clauses import Clause, clauses_of
from seasoned.rules.grammar.english import english_imperative
from seasoned.rules.grammar.manner import holds_always
from seasoned.rules.grammar.phrases import (
    ALWAYS,
    ALWAYS_AFTER,
    ALWAYS_BEFORE,
    ALWAYS_WITHIN,
    FOR_GOOD,
    FOR_THIS_WORK,
    IMPERATIVE_UNSPACED,
    IMPERATIVES,
    LEADING,
    NEVER,
    NEVER_EVER,
)
from seasoned.rules.grammar.practice import practice_of
from seasoned.rules.grammar.standing import IDIOMS, points, stands_alone
from seasoned.rules.grammar.statement import UNSPACED, Statement, commands, sentence_of
from seasoned.rules.grammar.text import fold, wording
from seasoned.rules.grammar.validity import after_for_now


def read_prohibition(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "never …", "stop …", "don't …"."""
    start = _after_condition(clause.plain)
    plain = clause.plain[start:]
    found = NEVER[language].search(plain) if language == "ja" else NEVER[language].match(plain)
    if not found:
        return None
    text = clause.text[:start] + _imperative(clause.text[start:], language)
    line = sentence_of(text, language)
    lasts = case.told_outright or _is_for_good(plain) or holds_always(line)
    return Statement("preference", line, clause.quote, standing=lasts and _holds(line, language))


def _is_for_good(plain: str) -> bool:
    """Whether a prohibition holds by its own words; "stop the server" is about one server."""
    return bool(NEVER_EVER.search(plain)) or bool(
        FOR_GOOD.search(plain) and not _DEFINITE.search(plain)
    )


_DEFINITE = re.compile(r"\b(?:the|your|yet|today|any of)\b")


def _holds(line: str, language: str) -> bool:
    plain = fold(line)
    if without_attribution(line) != line:  # a quotation commands nothing
        return False
    if points(plain, language) or (language not in UNSPACED and len(plain.split()) == 1):
        return False
    return stands_alone(line, language) or ("?" not in plain and holds_always(line))


def read_lasting(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "always …", "from now on …"."""
    start = _after_condition(clause.plain)
    found = ALWAYS[language].match(clause.plain[start:])
    if not found:
        return _always_within(clause, language)
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
    line = sentence_of(text, language)
    for_good = case.told_outright or not FOR_THIS_WORK.match(clause.plain[start:])
    return Statement("preference", line, clause.quote, standing=for_good and _holds(line, language))


def _always_within(clause: Clause, language: str) -> Statement | None:
    """Read a command with its "always" inside: "Antworte immer kurz", "価格はいつもユーロで"."""
    found = ALWAYS_WITHIN[language].match(clause.plain)
    if not found or not (language in UNSPACED or commands(clause.plain, language)):
        return None
    line = sentence_of(clause.text, language)
    return Statement("preference", line, clause.quote, standing=_holds(line, language))


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
    if language in IMPERATIVES and not commands(plain, language):
        return whole
    return wording(ALWAYS_BEFORE, language, x=rest[:1].lower() + rest[1:])


def read_command(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read a plain imperative: "use tabs"."""
    plain = clause.plain[_after_condition(clause.plain) :]
    unspaced = IMPERATIVE_UNSPACED.get(language)
    if not commands(plain, language) and not (unspaced and unspaced.search(plain)):
        return None
    line = sentence_of(clause.text, language)
    lasts = case.told_outright or holds_always(line)
    return Statement("preference", line, clause.quote, standing=lasts and _holds(line, language))


def read_practice(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "we use X, not Y", "I prefer X"."""
    text = practice_of(clause.text, language)
    if text is None:
        return None
    line = sentence_of(text, language)
    return Statement("preference", line, clause.quote, standing=stands_alone(line, language))


def read_for_good(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read "never …"; a plain "don't …" may belong to the task that it comes with."""
    found = read_prohibition(clause, case, language)
    return found if found and _is_for_good(clause.plain) else None


def read_manner(clause: Clause, case: Case, language: str) -> Statement | None:
    """Read how to answer, said as a plain request: "please keep your answers short"."""
    found = read_prohibition(clause, case, language) or read_command(clause, case, language)
    if found is None or _FORM.search(plain := fold(found.description)):
        return None
    if not holds_always(found.description):
        return None
    # Beside a task, "keep it short" is about that.
    alone = len(clauses_of(case.message)) == 1
    return found if alone or not IDIOMS.search(plain) else None


# Asked for in one answer as often as in all.
_FORM = re.compile(
    r"\b(?:markdown|bullets?|bullet points?|bold|headings?|latex|title|long|longer|detailed)\b"
    r"|列表|粗体|箇条書き|太字"
)


def _after_condition(plain: str) -> int:
    if start := after_for_now(plain):
        return start
    found = LEADING.match(plain)
    return found.end() if found and found.end() < len(plain) else 0


def _imperative(text: str, language: str) -> str:
    return english_imperative(text) if language == "en" else text
