"""Read practices and preferences as commands: "we use yarn, not npm" says "use yarn, not npm".

The tables, read on folded text, stand at the end of the file.
"""

import re

from seasoned.rules.grammar.english import rather
from seasoned.rules.grammar.text import fold, wording

MOST_WORDS = 16  # a longer sentence describes how something works
CHOICE_WORDS = 10  # a longer preference explains a choice


def practice_of(text: str, language: str) -> str | None:
    """Return the command that a practice or preference amounts to; None if it states neither.

    >>> practice_of("we use yarn, not npm", "en"), practice_of("Aquí usamos yarn, no npm.", "es")
    ('use yarn, not npm', 'Usa yarn, no npm.')
    >>> practice_of("in this repo we never force-push", "en"), practice_of("we use it now", "en")
    ('in this repo, never force-push', None)
    """
    plain = fold(text)
    if len(plain.split()) > MOST_WORDS or plain.rstrip().endswith(("?", "？")):
        return None
    if language == "en":
        return _english(text, plain)
    for table, line in ((PRACTICES, USED), (PREFERENCES, PREFERRED)):
        found = table[language].match(plain) if language in table else None
        if found and (rest := text[slice(*found.span("rest"))].strip()):
            return wording(line, language, x=rest)
    return None


def _english(text: str, plain: str) -> str | None:
    if wish := rather(text):
        return wish
    found = ENGLISH_PRACTICE.match(plain)
    if found:
        first = _piece(text, found, "where").rstrip(", ")
        start = f"{first}, " if first else ""
        rest = _piece(text, found, "rest")
        if found["verb"]:
            return f"{start}{'do not use' if found['deny'] else 'use'} {rest}"
        return f"{start}{found['often']} {rest}"
    if found := ENGLISH_CONVENTION.match(plain):
        rest = _piece(text, found, "rest")
        return rest if found["to"] else f"stick to {rest}"
    found = ENGLISH_PREFERENCE.match(plain)
    if found and len(plain.split()) <= CHOICE_WORDS:
        return f"prefer {_piece(text, found, 'rest')}"
    return None


def _piece(text: str, found: re.Match[str], name: str) -> str:
    first, last = found.span(name)
    return text[first:last].strip() if first >= 0 else ""


_WHERE = (
    r"(?:here|(?:in|for|on|at) (?:this|our|these|all(?: our)?) "
    r"(?:repo\w*|projects?|code ?bases?|teams?|compan\w+|org\w*)),? "
)
ENGLISH_PRACTICE = re.compile(
    rf"\A(?P<where>{_WHERE})?we (?:all )?(?:(?P<often>always|never|only) (?!been|had|have|has|was|got|get|want|need)"
    r"|(?P<deny>(?:do not|don't) )?(?P<verb>use) )"
    r"(?!it\b|this\b|that\b|them\b|these\b|those\b)(?P<rest>(?!.*\b(?:now|currently|already|because|since|so that|which|there)\b).+)"
)
ENGLISH_CONVENTION = re.compile(
    r"\A(?:our|the|my) (?:\w+ )?(?:convention|rule|policy|standard|house style|style) (?:here )?is (?P<to>to )?(?P<rest>(?!not\b|that\b|this\b|the\b|it\b).+)"
)
ENGLISH_PREFERENCE = re.compile(
    r"\Ai (?:always |generally |usually |really )?(?:prefer|would prefer|'d prefer) "
    r"(?!the\b|this\b|that\b|it\b|these\b|those\b|option|to\b|your\b|a\b|an\b|not\b|if\b|\w\b)(?P<rest>.+)"
)
PRACTICES = {
    language: re.compile(pattern)
    for language, pattern in {
        "es": r"\A(?:aqui|en este (?:repo\w*|proyecto))?,? ?(?:nosotros )?(?:siempre )?(?:usamos|utilizamos) (?P<rest>.+)",
        "pt": r"\A(?:aqui|neste (?:repo\w*|projeto))?,? ?(?:nos |a gente )?(?:sempre )?(?:usamos|utilizamos|usa) (?P<rest>.+)",
        "fr": r"\A(?:ici|dans ce (?:depot|projet))?,? ?(?:nous utilisons|on utilise) (?:toujours )?(?P<rest>.+)",
        "de": r"\A(?:(?:hier|in diesem (?:repo\w*|projekt)) )?(?:wir )?(?:benutzen|verwenden|nutzen|nehmen) (?:wir )?(?:hier )?(?:immer )?(?P<rest>.+)",
        "it": r"\A(?:qui|in questo (?:repo\w*|progetto))?,? ?(?:noi )?(?:usiamo|utilizziamo) (?:sempre )?(?P<rest>.+)",
        "zh": r"\A我们(?:这里|这边|项目)?(?:都|一直|只)?使?用(?P<rest>.+)",
        "ja": r"\A(?:うち|ここ|私たち|弊社|このプロジェクト|このリポジトリ)(?:では|は)、?(?P<rest>.+?)を使(?:っています|います|う|ってる|っている)",
    }.items()
}
PREFERENCES = {
    language: re.compile(pattern)
    for language, pattern in {
        "es": r"\Aprefiero (?!el |la |los |las |est|es[aeo]|que )(?P<rest>.+)",
        "pt": r"\A(?:eu )?prefiro (?!o |a |os |as |est|ess|que )(?P<rest>.+)",
        "fr": r"\Aje prefere (?!le |la |les |l'|ce|que )(?P<rest>.+)",
        "de": r"\Aich bevorzuge (?!den |die |das |dies)(?P<rest>.+)",
        "it": r"\A(?:io )?preferisco (?!il |lo |la |i |gli |le |l'|quest|che )(?P<rest>.+)",
    }.items()
}
USED = {
    "en": "use {x}", "es": "Usa {x}", "pt": "Use {x}", "fr": "Utilise {x}", "de": "Verwende {x}",
    "it": "Usa {x}", "zh": "使用{x}", "ja": "{x}を使ってください",
}  # fmt: skip
PREFERRED = {
    "en": "prefer {x}", "es": "Prefiere {x}", "pt": "Prefira {x}", "fr": "Préfère {x}",
    "de": "Bevorzuge {x}", "it": "Preferisci {x}",
}  # fmt: skip
