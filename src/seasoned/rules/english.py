"""English denials as imperatives: "you shouldn't add" and "stop adding" are "do not add"."""

import re

# Verbs whose -ing form does not show how they end.
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


def imperative(text: str) -> str:
    """A denial as a command.

    >>> imperative("stop adding emojis"), imperative("you shouldn't push")
    ('do not add emojis', 'do not push')
    """
    text = text.replace("’", "'")
    if (stop := _STOP.match(text)) and (verb := GERUNDS.get(stop[1].lower())):
        return f"do not {verb}{text[stop.end() :]}"
    for pattern, said in ((_DENIALS, "do not "), (_NEVER, "never "), (_UNWANTED, "no ")):
        if found := pattern.match(text):
            return said + text[found.end() :]
    return text
