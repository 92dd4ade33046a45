"""Draft a rule from a correction without a model: by grammar, or in the user's own words."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import isnan

from seasoned.rules.case import Case, NoRule, RuleDraft
from seasoned.rules.grammar.approval import approval
from seasoned.rules.grammar.claims import without_attribution
from seasoned.rules.grammar.clauses import LONGEST_RULE, clauses_of
from seasoned.rules.grammar.manner import holds_always, presents_figures
from seasoned.rules.grammar.phrases import ASK_FIRST, EDITED, LEAVE_OUT, SAID, WRITE
from seasoned.rules.grammar.polarity import contrast_of, without_negations
from seasoned.rules.grammar.reading import quotation_of, statement_of, wish_of
from seasoned.rules.grammar.standing import is_of_the_moment, stands_alone
from seasoned.rules.grammar.statement import Statement
from seasoned.rules.grammar.stop_words import LANGUAGES, STOP_WORDS, language_of
from seasoned.rules.grammar.text import fold, split_sentences, tidy, visible_text, wording

TRIGGER, POISON, FEWSHOT, QUOTE = 300, 200, 2_000, 300  # characters
LONGEST_DESCRIPTION = 400  # characters: a rule, and the question that a fact answers
FEW_WORDS = 6  # a longer rejection may say what it is about
SMALL_EDIT = 60  # characters: a longer edit is no substitution
TOO_COMMON = STOP_WORDS | frozenset(
    "not no never nicht pas non nao use usa utilise verwende".split()
)
APART = "…"  # joins pieces of an edit that were not adjacent


def draft_rule(case: Case) -> RuleDraft | NoRule:
    """Return the rule that a correction asks for, or the reason why there is none.

    >>> from seasoned.core.scope import Scope
    >>> case = Case("c1", 0, Scope(), "No, use podman, not docker.", "replacement", 0.93, "en",
    ...     "podman", "docker", request="Start the database in a container")
    >>> rule = draft_rule(case)
    >>> rule.description, rule.trigger
    ('Use podman, not docker.', 'Start database container podman docker')
    """
    return DRAFTS.get(case.kind, _from_words)(_without_bad_contrast(case), _language(case))


def _without_bad_contrast(case: Case) -> Case:
    """Drop a contrast that detection got wrong: one side of it says nothing."""
    if case.kind == "edited" or all(
        _says_something(piece) for piece in (case.wanted, case.unwanted) if piece
    ):
        return case
    return replace(case, wanted=None, unwanted=None)


def _says_something(piece: str) -> bool:
    said = _split_words(without_negations(fold(piece[:LONGEST_RULE])))
    return any(word and word not in STOP_WORDS for word in said)


def _language(case: Case) -> str:
    if case.language in LANGUAGES:
        return case.language
    return language_of(case.message) or language_of(case.request) or "en"


def _from_words(case: Case, language: str) -> RuleDraft | NoRule:
    found = statement_of(case, language)
    if found is None and not _only_rejects(case.message) and stands_alone(case.message, language):
        found = quotation_of(case, language)
    if found is None:
        return NoRule("it says that something is wrong, not what would be right")
    return _draft(case, found)


def _from_wish(case: Case, language: str) -> RuleDraft | NoRule:
    found = wish_of(case.message)
    if found is None:
        return NoRule("it states no standing wish")
    return _draft(replace(case, request=""), found)  # it is not about the request before it


def _only_rejects(message: str) -> bool:
    return approval(message) == "negative" and len(message.split()) <= FEW_WORDS


def _from_sign(case: Case, language: str) -> RuleDraft | NoRule:
    """Draft a rule from a sign without words only if the message also states one."""
    if case.kind == "asked_again" and not case.wanted and not case.unwanted:
        return NoRule("the request was made again, which does not say what was wrong")
    found = statement_of(case, language, explicit=True)
    return _draft(case, found) if found else NoRule("it was stopped without saying what is wanted")


def _changed_mind(case: Case, language: str) -> NoRule:
    return NoRule("the user changed their mind; nothing was done wrong")


def _from_edit(case: Case, language: str) -> RuleDraft | NoRule:
    """Take the edited reply as the right one; a small edit is a rule by itself."""
    better = case.message.strip()
    if not better or better == case.reply.strip():
        return NoRule("the reply was edited, but nothing of it was changed")
    wanted, unwanted = (
        tidy(case.wanted or "", LONGEST_RULE),
        tidy(case.unwanted or "", LONGEST_RULE),
    )
    small = (
        len(wanted) <= SMALL_EDIT and len(unwanted) <= SMALL_EDIT and APART not in wanted + unwanted
    )
    if small and wanted and unwanted:
        line = wording(WRITE, language, w=wanted, u=unwanted)
    elif small and unwanted:
        line = wording(LEAVE_OUT, language, u=unwanted)
    else:
        room = LONGEST_RULE - len(wording(EDITED, language, x=""))
        line = wording(EDITED, language, x=tidy(wanted or better, room))
    if not tidy(better):
        return NoRule("the reply was edited into nothing that can be read")
    lasts = small and not is_of_the_moment(wanted or unwanted)
    draft = _draft(case, Statement("preference", line, case.wanted or "", standing=lasts))
    return replace(
        draft,
        trigger=_situation(case, wanted, unwanted),
        poison=unwanted[:POISON] or None,
        fewshot_user=tidy(case.request, FEWSHOT) or None,
        fewshot_assistant=visible_text(better, FEWSHOT) if case.request.strip() else None,
    )


def _from_denial(case: Case, language: str) -> RuleDraft | NoRule:
    tool = _denied_tool(case)
    found = statement_of(case, language) if case.message.strip() else None
    if found and found.type == "preference":
        draft = _draft(case, replace(found, type="wrong_skill"))
        return replace(
            draft, trigger=_situation(case, tool, case.wanted or "", case.unwanted or "")
        )
    if not tool:
        return NoRule("a call was denied, but it is not known of which tool")
    line = wording(ASK_FIRST, language, x=tool)
    if reasons := clauses_of(case.message):
        room = LONGEST_RULE - len(line) - len(wording(SAID, language, x="")) - 1
        line = f"{line} {wording(SAID, language, x=tidy(reasons[0].text, max(40, room)))}"
    draft = _draft(case, Statement("wrong_skill", line, reasons[0].quote if reasons else ""))
    # One call was denied, not the tool: without a rule in words it ends with the session.
    return replace(draft, trigger=_situation(case, tool), poison=tool, duration="session")


def _denied_tool(case: Case) -> str:
    """Return the denied tool: the one that detection names, or the last one called."""
    called = list(_tools(case))
    unwanted = tidy(case.unwanted or "", SMALL_EDIT)
    return unwanted if unwanted in called or not called else called[-1]


DRAFTS: dict[str, Callable[[Case, str], RuleDraft | NoRule]] = {
    "wish": _from_wish,
    "edited": _from_edit,
    "denied": _from_denial,
    "asked_again": _from_sign,
    "interrupted": _from_sign,
    "amended": _changed_mind,
    "declined": _changed_mind,
}


def _draft(case: Case, found: Statement) -> RuleDraft:
    """Complete a statement with what the case adds to it."""
    tool = _wrong_tool(case, found)
    wanted, unwanted = case.wanted or "", case.unwanted or ""
    type_ = "wrong_skill" if tool and found.type == "preference" else found.type
    about_answers = holds_always(found.description) or (
        found.standing and presents_figures(found.description)
    )
    always = type_ == "preference" and about_answers
    quote = visible_text(found.quote, QUOTE)
    # The request may be about something else, as when "never push" follows a failed build.
    own = "" if type_ in {"hallucination", "refusal"} else without_attribution(found.description)
    return RuleDraft(
        type=type_,
        description=tidy(found.description, LONGEST_DESCRIPTION),
        trigger=""
        if always
        else _situation(
            case, own, wanted, unwanted, tool, else_=without_attribution(found.description)
        ),
        poison=_poison(case, type_, found),
        fewshot_user=None,
        fewshot_assistant=None,
        confidence=_confidence(case.score),
        duration="lasting" if found.standing else "session",
        quotes=(quote,) if quote else (),
    )


def _poison(case: Case, type_: str, found: Statement) -> str | None:
    """Return what not to do again: the unwanted thing, or the wrong statement."""
    if told := contrast_of(found.description):
        return tidy(told.unwanted, POISON).strip(' .。"”»」') or None
    if case.unwanted:
        return tidy(case.unwanted, POISON) or None
    if type_ in {"hallucination", "refusal"} and case.reply.strip():
        first = next(iter(split_sentences(case.reply[:2_000])), "")
        return tidy(first, POISON) or None
    return None


def _wrong_tool(case: Case, found: Statement) -> str:
    """Return the tool that was called and is named as the wrong one."""
    said = fold(case.unwanted or found.description)
    if case.wanted and not case.unwanted:
        return ""
    for tool in _tools(case):
        name = fold(tool)
        if name and (
            f" {name} " in f" {' '.join(_split_words(said))} " or name in _split_words(said)
        ):
            return tool
    return ""


def _split_words(text: str) -> list[str]:
    return [word.strip(".,!?:;\"'`()。，「」“”„«»") for word in text.split()]


def _tools(case: Case) -> Iterable[str]:
    for call in list(case.tool_calls)[-50:]:
        if name := tidy(str(call.get("tool") or ""), SMALL_EDIT):
            yield name


def _telling(*texts: str) -> str:
    """Return the telling words of some texts, each once."""
    seen: dict[str, str] = {}
    for text in texts:
        for word in _split_words(tidy(text, TRIGGER)):
            plain = fold(word)
            if plain and plain not in TOO_COMMON:
                seen.setdefault(plain, word)
    return tidy(" ".join(seen.values()), TRIGGER)


def _situation(case: Case, *pieces: str, else_: str = "") -> str:
    """Return words that a later request may share; never empty, which would mean every turn."""
    telling = _telling(case.request, *pieces)
    if case.request.strip() and telling:
        return telling
    return _telling(else_, *pieces) or tidy(else_, TRIGGER)


def _confidence(score: float) -> float:
    return 0.5 if isnan(score) else min(1.0, max(0.0, score))
