"""Whether a rule says do or do not, and what it sets against what; two negations say do."""

import re
from dataclasses import dataclass
from functools import lru_cache

from seasoned.rules.grammar.stop_words import language_of
from seasoned.rules.grammar.text import fold

LONGEST_CONTRAST = 600  # characters: a longer rule contrasts too many things


@dataclass(frozen=True, slots=True)
class Contrast:
    """The wanted and the unwanted part of a sentence: "use podman, not docker"."""

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
# "Not only X", "do not forget": they look like a contrast and are none.
_NO_CONTRAST = re.compile(
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


def contrast_of(text: str) -> Contrast | None:
    """Return what a sentence wants and what it does not want; None if it does not say both.

    >>> contrast_of("Use podman, not docker.")
    Contrast(wanted='Use podman', unwanted='docker')
    >>> contrast_of("Benutze nicht npm, sondern pnpm")
    Contrast(wanted='pnpm', unwanted='npm')
    """
    text = text.strip()
    if len(text) > LONGEST_CONTRAST:
        return None
    plain = fold(text)
    if _NO_CONTRAST.search(plain):
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
    """Return where "nicht npm, sondern pnpm" begins in "benutze nicht npm, sondern pnpm"."""
    found = re.search(r"(?<!\w)(?:nicht|kein\w*|no|not|pas|non|nao) ", plain)
    return found.start() if found else 0


def _contrast(found: re.Match[str], text: str) -> Contrast:
    wanted, unwanted = (text[slice(*found.span(name))] for name in ("wanted", "unwanted"))
    return Contrast(wanted.strip(" ,.，。、!"), unwanted.strip(" ,.，。、!"))


READ_OF_RULE = 2_000  # characters
# Several of these in one clause are still one "not", as in "no uses nunca nada".
PARTICLES = {
    "en": r"not|never|no|none|nor|neither|cannot|\w+n't|dont|doesnt|shouldnt|mustnt|wont|cant",
    "es": r"no|nunca|jamas|ningun\w*|nada|tampoco|ni|prohibido",
    "pt": r"nao|nunca|jamais|nenhum\w*|nada|nem|tampouco|proibido",
    "fr": r"pas|jamais|aucune?s?|rien|ni|interdit",
    "de": r"nicht|nie|niemals|kein|keine|keinen|keinem|keiner|keines|nichts|verboten|weder",
    "it": r"non|mai|nessun\w*|niente|nulla|neanche|vietato",
}
# Verbs and prepositions that say not to do a thing; each one inverts the meaning.
TURNING = {
    "en": r"stop|avoid|avoiding|skip|skips|skipping|forget|forgetting|forgets|omit|omitting|ignore|"
    r"ignoring|refrain|refraining|quit|cease|without|neglect|hesitate|fail to|leave out|"
    r"leaving out",
    "es": r"deja de|dejes de|dejar de|dejen de|evita|evites|evitar|evite|para de|basta de|olvides|"
    r"olvida|olvidar|olvide|omitas|omite|omitir|ignores|ignora|ignorar|sin|saltes|salta|te saltes|"
    r"dudes en|duda en",
    "pt": r"pare de|para de|deixe de|deixa de|deixar de|evite|evita|evitar|chega de|esqueca|"
    r"esquecas|"
    r"esquece|esquecer|omita|omitir|ignore|ignora|ignorar|sem|pule|pular|pula|hesite em",
    "fr": r"arrete|arretes|arretez|arreter|cesse|cessez|evite|evites|evitez|eviter|oublie|oublies|"
    r"oubliez|oublier|omets|omettez|omettre|ignore|ignores|ignorez|ignorer|sans|saute|sautez|"
    r"sauter|"
    r"hesite|hesites|hesitez|hesiter|assez de|manque de",
    "de": r"hor auf|hore auf|hoere auf|hoer auf|hort auf|aufhoren|vermeide|vermeiden|vergiss|"
    r"vergesse|"
    r"vergessen|uberspring|uberspringe|uberspringen|ignoriere|ignorieren|ignorier|ohne|unterlass|"
    r"unterlasse|schluss mit|lass weg|weglassen|verzichte|verzichten|lass das|zogere",
    "it": r"smetti di|smettila di|smettere di|evita|evitare|evitate|evitiamo|basta|dimenticare|"
    r"dimentica|dimenticarti|omettere|ometti|ignorare|ignora|senza|saltare|salta|esitare",
}
# Phrases that look like a negation and are none; blanked out first.
HARMLESS = {
    "en": r"not (?:only|just|merely|necessarily)|n't (?:only|just|merely)|no matter|no problem|"
    r"no (?:more|less|fewer|later|longer|earlier) than|nothing but|why not|or not|if not|not bad|"
    r"no doubt|no\.|cannot help but|can't help but|no-\w+|none other than|not least",
    "es": r"no (?:solo|solamente|unicamente)|no obstante|no mas de|no menos de|no hay problema|"
    r"sin embargo|sin duda|nada mas que|cuanto antes no",
    "pt": r"nao (?:so|apenas|somente)|nao mais (?:de|que|do que)|nao obstante|sem duvida|"
    r"sem problema|"
    r"nada alem de",
    "fr": r"pas seulement|pas plus de|pas moins de|sans doute|sans probleme|pas mal|rien que|"
    r"n'importe|pas a pas",
    "de": r"nicht (?:nur|bloss|zuletzt|mehr als|weniger als)|kein problem|keine sorge|nichts als|"
    r"ohne weiteres|nicht schlecht|keine ahnung|ohne zweifel",
    "it": r"non (?:solo|soltanto|solamente)|non piu di|non meno di|nessun problema|senza dubbio|"
    r"niente male|non appena|nientaltro che",
}
UNSPACED_HARMLESS = (
    "不仅|不但|不只|不光|不错|不得不|不同|不断|不过|不管|不论|无论|不好意思|对不起|差不多|"
    "不可或缺|不超过|不少于|不到|"
    "特别|分别|区别|类别|级别|性别|别名|别的|别人|识别|个别|告别|没问题|没关系|毫无疑问|不一定|"
    "不由得|不客气|非常|"
    "なければ(?:なら|いけ)ない|なければ(?:なり|いけ)ません|なきゃ|なくては(?:なら|いけ)ない|"
    "ないと(?:いけない|だめ|ダメ)|"
    "だけで(?:は)?なく|のみならず|ばかりでなく|かもしれない|かもしれません|に違いない|必ず|まず|"
    "はず|少ない|問題ない|"
    "間違いなく|もったいない|まもなく|できるだけ|ならでは|仕方ない|すみません|いずれ|ずつ|ずっと|"
    "しなくては"
)
UNSPACED_PARTICLES = (
    "不要|不准|不许|不能|不可|不应|不用|不会|不该|切勿|禁止|永不|决不|绝不|从不|不再|别|勿|没有|"
    "无需|不|"
    "ないで|ないように|ません|しない|ない|なく|せず|ずに|なし|厳禁|不要です|だめ|ダメ|駄目|"
    "いけない|"
    "(?<=[るすくぐむぶぬつう])な(?=よ|[\\s。.!！」』]|$)"
)
UNSPACED_TURNING = (
    "停止|避免|忘记|忘了|忘|跳过|忽略|省略|遗漏|漏掉|犹豫|"
    "やめて|止めて|やめる|避けて|避ける|控えて|控える|忘れ|省略|省か|省い|無視|スキップ|飛ばさ|"
    "飛ばし"
)
# From here on a sentence says when or why, not what.
SUBORDINATE = re.compile(
    r"(?<!\w)(?:when|whenever|if|unless|because|since|until|while|although|so that|that|which|"
    r"who|cuando|"
    r"si|porque|aunque|hasta que|que|quando|se|ate que|embora|quand|lorsque|parce|puisque|jusqu'a|"
    r"wenn|falls|weil|da|bis|obwohl|sobald|dass|perche|finche|affinche|sebbene|where|donde|onde|"
    r"wo|ou)"
    r"(?!\w)"
)
_LEADING = re.compile(
    rf"\A(?:{SUBORDINATE.pattern}|in|for|en|para|em|dans|pour|im|bei|per)\s[^,]*, *"
)
_INSTEAD = re.compile(
    r",? (?:instead of|rather than|en vez de|en lugar de|em vez d|ao inves d|au lieu d|plutot qu|"
    r"statt"
    r"|anstatt|anstelle|invece d|al posto d|anziche)|而不是|而非"
)
_OPENING = re.compile(r"\A(?:no+|nope|non|nein|nao|não|不|いや|いいえ)[,.!:;，。、]+\s*")
FALSE_FRIENDS = {"pt": frozenset({"no"}), "de": frozenset({"ni"}), "fr": frozenset({"no"})}


def _words(table: dict[str, str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{'|'.join(table.values())})(?![\w-])")


_PARTICLES, _TURNING, _HARMLESS = _words(PARTICLES), _words(TURNING), _words(HARMLESS)
_FRENCH_NO_MORE = re.compile(
    r"(?<![\w])(?:ne |n')[^,.]{1,60}?\bplus\b(?! (?:de|d'|que|qu'))|\Aplus de "
)
_UNSPACED_HARMLESS = re.compile(UNSPACED_HARMLESS)
_UNSPACED_PARTICLES = re.compile(UNSPACED_PARTICLES)
_UNSPACED_TURNING = re.compile(UNSPACED_TURNING)


@lru_cache(maxsize=4_096)
def is_negated(text: str) -> bool:
    """Whether a rule says not to do something.

    >>> rules = ("Never push to main.", "Never skip the tests.", "Use a, not b.")
    >>> [is_negated(rule) for rule in rules]
    [True, False, False]
    >>> is_negated("别用表情符号"), is_negated("別忘了運行測試"), is_negated("No dejes de avisar")
    (True, False, False)
    """
    text = text[:READ_OF_RULE].strip()
    if contrast_of(text):
        return False
    clause = main_clause(text)
    unspaced = _UNSPACED_HARMLESS.sub(" ", clause.replace("別", "别").replace("記", "记"))
    turns = len(_UNSPACED_TURNING.findall(unspaced)) + len(_TURNING.findall(clause))
    return (turns + _denied(clause, unspaced, language_of(text))) % 2 == 1


def without_no(text: str) -> str:
    """Drop the "no" of somebody who corrects, which is not part of the rule.

    >>> without_no("No, use tabs"), without_no("No comments."), without_no("No. 5 is the printer.")
    ('Use tabs', 'No comments.', 'No. 5 is the printer.')
    """
    found = _OPENING.match(fold(text))
    rest = text[found.end() :] if found else ""
    return rest[0].upper() + rest[1:] if rest and not rest[0].isdigit() else text


def main_clause(text: str) -> str:
    """Return the folded part that says what to do, without when, why and instead of what."""
    clause = _OPENING.sub("", fold(text))
    clause = _LEADING.sub("", _HARMLESS.sub(" ", clause), count=1)
    clause = _INSTEAD.split(clause, maxsplit=1)[0]
    later = SUBORDINATE.search(clause)
    return clause[: later.start()] if later and later.start() > 3 else clause


def _denied(clause: str, unspaced: str, language: str | None) -> bool:
    friends = FALSE_FRIENDS.get(language or "", frozenset())
    particles = (found for found in _PARTICLES.findall(clause) if found not in friends)
    return (
        any(particles)
        or _FRENCH_NO_MORE.search(clause) is not None
        or _UNSPACED_PARTICLES.search(unspaced) is not None
    )


def without_negations(text: str) -> str:
    """Blank out the negations of a folded text, to see what it is about."""
    for pattern in (_HARMLESS, _TURNING, _PARTICLES):
        text = pattern.sub(" ", text)
    for pattern in (_UNSPACED_HARMLESS, _UNSPACED_TURNING, _UNSPACED_PARTICLES):
        text = pattern.sub(" ", text)
    return text
