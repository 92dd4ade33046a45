"""What a rule sets against what: "use podman, not docker"."""

import re
from dataclasses import dataclass

from seasoned.rules.text import folded

LONGEST = 600  # characters: a longer rule sets too much against too much


@dataclass(frozen=True, slots=True)
class Contrast:
    """The part that says what to do, and the part that says what not to."""

    wanted: str
    unwanted: str


W, U = "(?P<wanted>.{1,200}?)", "(?P<unwanted>.{1,200})"
NO = r"(?:do not|don't|dont|never|no|nunca|nao|ne|n'|nicht|kein\w*|non|not|pas)"
VERB = (
    r"(?:just |rather |besser |lieber |mejor |plutot )?(?:use|usa|utiliza|utilize|utilise|utilisez|"
    r"benutze?|verwende?|nutze|nimm|mets|pon|rispondi|answer|reply|write|say|call|speak|add|put)"
)
# The wanted thing first. A bare "not" needs a comma before it, or a verb and one word.
FORWARD = [
    rf"{W},? (?:and |but )?(?:instead of|rather than) {U}",
    rf"{W}(?:,| and| but| -| –| —) (?:and |but )?(?:not|never|don't use|do not use) {U}",
    rf"(?P<wanted>{VERB} \S+) not (?P<unwanted>\S+)",
    rf"{W},? (?:en vez de|en lugar de|antes que) {U}",
    rf"{W}(?:,| y| e) (?:y |pero |e )?(?:no|nunca|nao|jamais) {U}",
    rf"{W},? (?:em vez d[eoa]s?|ao inves d[eoa]s?|no lugar d[eoa]s?) {U}",
    rf"{W},? (?:au lieu d(?:e |')|plutot qu(?:e |'))(?:la |le |les )?{U}",
    rf"{W}(?:,| et) (?:et )?(?:pas|jamais|non) {U}",
    rf"{W},? (?:statt|anstatt|anstelle von) {U}",
    rf"{W}(?:,| und) (?:und )?(?:nicht|nie|kein\w*) {U}",
    rf"{W},? (?:invece (?:di|che)|al posto d(?:i|el|ella)|anziche|piuttosto che) {U}",
    rf"{W}(?:,| e) (?:e )?(?:non|mai) {U}",
    r"(?!以后|今后|从|下次|永远|绝对|千万|请?在|再也|我|你|请?[不别])"
    rf"{W}[,，、 ]*(?:而不是|而非|不要用|不要|别用|不用|，别|,别|，不是|,不是) ?{U}",
]
# The unwanted thing first.
BACKWARD = [
    r"(?:instead of|rather than|en vez de|en lugar de|em vez de|ao inves de|au lieu de|plutot que|"
    r"statt|anstatt|invece di|anziche) (?P<unwanted>[^,]{1,100}), (?P<wanted>.{1,200})",
    rf"{NO} (?P<unwanted>.{{1,100}}?),? (?:but rather|but|sino|mas sim|e sim|mais|sondern|bensi|ma)"
    rf" (?!also|tambien|tambem|aussi|auch|anche)(?P<wanted>.{{1,200}})",
    rf"{NO} (?P<unwanted>[^,;.]{{1,100}})[,;.] (?P<wanted>{VERB} .{{1,200}})",
    r"(?:请)?(?:不要用|不要|别用|别|不用|不是) ?(?P<unwanted>[^，,。]{1,60})[，,] ?"
    r"(?P<wanted>(?:而是|要用|改用|请用|用|要|是).{1,100})",
    r"(?P<unwanted>.{1,60}?)(?:ではなくて?|じゃなくて?|でなくて?|の代わりに|をやめて|"
    r"よりも?)[、, ]*"
    r"(?P<wanted>.{1,100})",
]
# "Not only X", "do not forget": what looks like a contrast and is none.
NONE = re.compile(
    r"(?:not|do not|don't) (?:only|just|merely)|no solo|no solamente|nao so\b|nao apenas|"
    r"pas seulement"
    r"|nicht nur|non solo|non soltanto|不仅|不只|不但|不光|だけで(?:は)?なく|ばかりでなく|"
    r"のみならず"
    r"|whether or not|if not\b|or not\b"
)
_NEGATED_START = re.compile(rf"{NO}\b|请?(?:不要|别)|avoid|stop|evita|evite|vermeide|smetti|arrete")
_END = r"[\s.!。！…]*\Z"
_FORWARD = [re.compile(rf"(?:{pattern}){_END}") for pattern in FORWARD]
_BACKWARD = [re.compile(rf"(?:{pattern}){_END}") for pattern in BACKWARD]


def contrast(text: str) -> Contrast | None:
    """What one sentence wants and does not want; None when it does not say both.

    >>> contrast("Use podman, not docker.")
    Contrast(wanted='Use podman', unwanted='docker')
    >>> contrast("Benutze nicht npm, sondern pnpm")
    Contrast(wanted='pnpm', unwanted='npm')
    """
    text = text.strip()
    if len(text) > LONGEST:
        return None
    plain = folded(text)
    if NONE.search(plain):
        return None
    start = _first_negation(plain)
    for pattern in _BACKWARD:
        found = pattern.match(plain, start) or pattern.match(plain)
        if found:
            return _contrast(found, text)
    if _NEGATED_START.match(plain):
        return None
    for pattern in _FORWARD:
        if found := pattern.match(plain):
            return _contrast(found, text)
    return None


def _first_negation(plain: str) -> int:
    """Where "nicht npm, sondern pnpm" begins in "benutze nicht npm, sondern pnpm"."""
    found = re.search(r"(?<!\w)(?:nicht|kein\w*|no|not|pas|non|nao) ", plain)
    return found.start() if found else 0


def _contrast(found: re.Match[str], text: str) -> Contrast:
    wanted, unwanted = (text[slice(*found.span(name))] for name in ("wanted", "unwanted"))
    return Contrast(wanted.strip(" ,.，。、!"), unwanted.strip(" ,.，。、!"))
