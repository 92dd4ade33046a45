"""Make a rule of a correction without a model: by grammar, or in the user's own words."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import isnan

from seasoned.rules.approval import approval
from seasoned.rules.case import Case
from seasoned.rules.claims import unquoted
from seasoned.rules.general import holds_always
from seasoned.rules.polarity import words_of_negation
from seasoned.rules.reach import reach
from seasoned.rules.rule import NoRule, RuleDraft
from seasoned.rules.spoken import LANGUAGES, spoken
from seasoned.rules.statement import Statement, clauses, quoted, statement
from seasoned.rules.stop_words import STOP_WORDS
from seasoned.rules.text import folded, legible, sentences, tidy
from seasoned.rules.wording import ASK_FIRST, EDITED, LEAVE_OUT, SAID, WRITE, worded

TRIGGER, POISON, FEWSHOT, QUOTE = 300, 200, 2_000, 300  # characters
RULE, LONGEST = 300, 400  # characters; a fact has its question beside it
FEW_WORDS = 6  # a rejection of more words may well say what it is about
SMALL = 60  # characters: a longer change is no substitution
TOO_COMMON = STOP_WORDS | frozenset(
    "not no never nicht pas non nao use usa utilise verwende".split()
)
APART = "…"  # stands between pieces of an edit that were apart


def drafted(case: Case) -> RuleDraft | NoRule:
    """The rule that a correction asks for, or why there is none.

    >>> from seasoned.core.scope import Scope
    >>> case = Case("c1", 0, Scope(), "No, use podman, not docker.", "replacement", 0.93, "en",
    ...     "podman", "docker", request="Start the database in a container")
    >>> rule = drafted(case)
    >>> rule.description, rule.trigger
    ('Use podman, not docker.', 'Start database container podman docker')
    """
    return DRAFTS.get(case.kind, _from_words)(_cleaned(case), _language(case))


def _cleaned(case: Case) -> Case:
    """The case without a contrast that grammar got wrong: one side of it says nothing."""
    if case.kind == "edited" or all(
        _tells(piece) for piece in (case.wanted, case.unwanted) if piece
    ):
        return case
    return replace(case, wanted=None, unwanted=None)


def _tells(piece: str) -> bool:
    said = _split(words_of_negation(folded(piece[:RULE])))
    return any(word and word not in STOP_WORDS for word in said)


def _language(case: Case) -> str:
    if case.language in LANGUAGES:
        return case.language
    return spoken(case.message) or spoken(case.request) or "en"


def _from_words(case: Case, language: str) -> RuleDraft | NoRule:
    found = statement(case, language)
    if found is None and not _only_rejects(case.message):
        found = quoted(case, language)
    if found is None:
        return NoRule("it says that something is wrong, not what would be right")
    return _draft(case, found)


def _only_rejects(message: str) -> bool:
    return approval(message) == "negative" and len(message.split()) <= FEW_WORDS


def _if_it_says_what(case: Case, language: str) -> RuleDraft | NoRule:
    """A sign without words becomes a rule only if there are words as well that state one."""
    if case.kind == "asked_again" and not case.wanted and not case.unwanted:
        return NoRule("the request was made again, which does not say what was wrong")
    found = statement(case, language, explicit=True)
    return _draft(case, found) if found else NoRule("it was stopped without saying what is wanted")


def _none(case: Case, language: str) -> NoRule:
    return NoRule("the user changed their mind; nothing was done wrong")


def _from_edit(case: Case, language: str) -> RuleDraft | NoRule:
    """The edited reply is the right one; a small change is a rule by itself."""
    better = case.message.strip()
    if not better or better == case.reply.strip():
        return NoRule("the reply was edited, but nothing of it was changed")
    wanted, unwanted = tidy(case.wanted or "", RULE), tidy(case.unwanted or "", RULE)
    small = len(wanted) <= SMALL and len(unwanted) <= SMALL and APART not in wanted + unwanted
    if small and wanted and unwanted:
        line = worded(WRITE, language, w=wanted, u=unwanted)
    elif small and unwanted:
        line = worded(LEAVE_OUT, language, u=unwanted)
    else:
        room = RULE - len(worded(EDITED, language, x=""))
        line = worded(EDITED, language, x=tidy(wanted or better, room))
    if not tidy(better):
        return NoRule("the reply was edited into nothing that can be read")
    draft = _draft(case, Statement("preference", line, case.wanted or ""))
    return replace(
        draft,
        trigger=_situation(case, wanted, unwanted),
        poison=unwanted[:POISON] or None,
        fewshot_user=tidy(case.request, FEWSHOT) or None,
        fewshot_assistant=legible(better, FEWSHOT) if case.request.strip() else None,
    )


def _from_denial(case: Case, language: str) -> RuleDraft | NoRule:
    tool = _denied_tool(case)
    found = statement(case, language) if case.message.strip() else None
    if found and found.type == "preference":
        draft = _draft(case, replace(found, type="wrong_skill"))
        return replace(
            draft, trigger=_situation(case, tool, case.wanted or "", case.unwanted or "")
        )
    if not tool:
        return NoRule("a call was denied, but it is not known of which tool")
    line = worded(ASK_FIRST, language, x=tool)
    if reasons := clauses(case.message):
        room = RULE - len(line) - len(worded(SAID, language, x="")) - 1
        line = f"{line} {worded(SAID, language, x=tidy(reasons[0].text, max(40, room)))}"
    draft = _draft(case, Statement("wrong_skill", line, reasons[0].quote if reasons else ""))
    return replace(draft, trigger=_situation(case, tool), poison=tool)


def _denied_tool(case: Case) -> str:
    """The tool that was not allowed to run: the last one called, where detection names no other."""
    called = list(_tools(case))
    unwanted = tidy(case.unwanted or "", SMALL)
    return unwanted if unwanted in called or not called else called[-1]


DRAFTS: dict[str, Callable[[Case, str], RuleDraft | NoRule]] = {
    "edited": _from_edit,
    "denied": _from_denial,
    "asked_again": _if_it_says_what,
    "interrupted": _if_it_says_what,
    "amended": _none,
    "declined": _none,
}


def _draft(case: Case, found: Statement) -> RuleDraft:
    """A statement with all that the case adds to it."""
    tool = _wrong_tool(case, found)
    wanted, unwanted = case.wanted or "", case.unwanted or ""
    type_ = "wrong_skill" if tool and found.type == "preference" else found.type
    always = type_ == "preference" and holds_always(found.description)
    quote = legible(found.quote, QUOTE)
    # The request may have been about something else, as when "never push" follows a failed build.
    own = "" if type_ in {"hallucination", "refusal"} else unquoted(found.description)
    return RuleDraft(
        type=type_,
        description=tidy(found.description, LONGEST),
        trigger=""
        if always
        else _situation(case, own, wanted, unwanted, tool, else_=unquoted(found.description)),
        poison=_poison(case, type_),
        fewshot_user=None,
        fewshot_assistant=None,
        confidence=_confidence(case.score),
        reach=reach(case.message) if case.kind != "edited" else "lasting",
        quotes=(quote,) if quote else (),
    )


def _poison(case: Case, type_: str) -> str | None:
    """What not to do again: what the user did not want, or what was wrongly said."""
    if case.unwanted:
        return tidy(case.unwanted, POISON) or None
    if type_ in {"hallucination", "refusal"} and case.reply.strip():
        first = next(iter(sentences(case.reply[:2_000])), "")
        return tidy(first, POISON) or None
    return None


def _wrong_tool(case: Case, found: Statement) -> str:
    """The tool that was called and is named as the wrong one."""
    said = folded(case.unwanted or found.description)
    if case.wanted and not case.unwanted:
        return ""
    for tool in _tools(case):
        name = folded(tool)
        if name and (f" {name} " in f" {' '.join(_split(said))} " or name in _split(said)):
            return tool
    return ""


def _split(text: str) -> list[str]:
    return [word.strip(".,!?:;\"'`()。，「」“”„«»") for word in text.split()]


def _tools(case: Case) -> Iterable[str]:
    for call in list(case.tool_calls)[-50:]:
        if name := tidy(str(call.get("tool") or ""), SMALL):
            yield name


def _telling(*texts: str) -> str:
    """The telling words of some texts as they stand there, each once."""
    seen: dict[str, str] = {}
    for text in texts:
        for word in _split(tidy(text, TRIGGER)):
            plain = folded(word)
            if plain and plain not in TOO_COMMON:
                seen.setdefault(plain, word)
    return tidy(" ".join(seen.values()), TRIGGER)


def _situation(case: Case, *pieces: str, else_: str = "") -> str:
    """What a later request may share with this one; never empty, for that would mean every turn."""
    telling = _telling(case.request, *pieces)
    if case.request.strip() and telling:
        return telling
    return _telling(else_, *pieces) or tidy(else_, TRIGGER)


def _confidence(score: float) -> float:
    return 0.5 if isnan(score) else min(1.0, max(0.0, score))
