"""Turn English wishes and denials into commands."""

import re

_VERBS = """add use make write give put say ask call run push commit apologize apologise repeat
ignore delete remove change include
explain answer reply respond guess assume invent create mock hardcode round translate summarize
summarise format rename rewrite
replace skip send show start end open close copy paste quote cite import log print test deploy
interrupt hallucinate generate
suggest mention insert refer refuse reformat truncate shorten treat pretend talk speak tell try do
be mix set split wrap lecture
thank compliment flatter merge rebase edit touch modify overwrite install forget refactor swear
joke curse keep check leave take read document squash prefer"""
_DOUBLED = frozenset("put run commit skip set split wrap refer log forget".split())
_IRREGULAR = {
    "made": "make", "wrote": "write", "gave": "give", "put": "put", "said": "say", "ran": "run",
    "did": "do", "kept": "keep", "left": "leave", "took": "take", "read": "read", "told": "tell",
    "sent": "send", "were": "be", "was": "be", "spoke": "speak", "cut": "cut", "set": "set",
    "showed": "show", "tried": "try", "forgot": "forget", "swore": "swear", "split": "split",
}  # fmt: skip


def _gerund(verb: str) -> str:
    if verb.endswith("e") and verb != "be":
        return verb[:-1] + "ing"
    return verb + verb[-1] + "ing" if verb in _DOUBLED else verb + "ing"


def _past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    return verb + verb[-1] + "ed" if verb in _DOUBLED else verb + "ed"


GERUNDS = {_gerund(verb): verb for verb in _VERBS.split()}
PASTS = {_past(verb): verb for verb in _VERBS.split()} | _IRREGULAR
_DENIALS = re.compile(
    r"(?:you (?:should|must|can)(?:n't| not)|you cannot|i (?:don't|do not) want you to|do not|"
    r"don't|dont|let's not|let us not|not)(?: ever)? ",
    re.IGNORECASE,
)
_NEVER = re.compile(r"(?:you should never|you must never|i never want you to) ", re.IGNORECASE)
_STOP = re.compile(
    r"(?:please )?(?:stop|quit|cease) (?:it with the |with the )?(\w+ing)\b", re.IGNORECASE
)
_UNWANTED = re.compile(r"i (?:don't|do not|never) want (?:any |to see )?", re.IGNORECASE)
_RATHER = re.compile(
    r"i(?:'d| would)? (?:rather|prefer(?: it)? if) you (?P<verb>\w+?)(?P<deny>n't)? (?P<rest>.+)",
    re.IGNORECASE,
)


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


def rather(text: str) -> str | None:
    """Return the command in "I'd rather you used X instead of Y"; None if it is no such wish.

    >>> rather("I'd rather you used the logging module instead of print")
    'use the logging module instead of print'
    >>> rather("I would prefer if you didn't add comments")
    'do not add comments'
    """
    found = _RATHER.match(text.replace("’", "'"))
    if not found:
        return None
    verb, rest = found["verb"].lower(), found["rest"]
    if found["deny"] or verb == "not":
        return f"do not {rest}"
    if verb in ("did", "do") and rest.lower().startswith("not "):
        return f"do not {rest[4:]}"
    base = PASTS.get(verb) or (verb if verb in PASTS.values() else None)
    return f"{base} {rest}" if base else None
