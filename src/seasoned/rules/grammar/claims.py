"""Read the core words of a rule (its subject), its claims (do or do not) and its decisions.

Rules are compared by these, not by their wording (`comparison.py`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from seasoned.core.words import stem, words
from seasoned.rules.grammar.polarity import (
    READ_OF_RULE,
    contrast_of,
    is_negated,
    without_negations,
)
from seasoned.rules.grammar.stop_words import LIGHT_WORDS, STOP_WORDS, UNSPACED_STOPS
from seasoned.rules.grammar.text import fold, split_sentences

ROOT_LETTERS = 7  # a longer word is compared by its beginning, in any language
_TOKEN = re.compile(r"c\+\+|[cf]#|[^\W_]+(?:_[^\W_]+)*")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_UNSPACED_STOPS = re.compile("|".join(map(re.escape, UNSPACED_STOPS)))
_HIRAGANA = re.compile("[\u3040-\u309f]+")
_KANA_OR_HAN = re.compile("[\u30a0-\u30ff\u3400-\u9fff]")


@lru_cache(maxsize=4_096)
def core_words(text: str) -> frozenset[str]:
    """Return the roots of the words that a text is about; of all its words if it has no others.

    >>> sorted(core_words("Please never use docker for the builds."))
    ['build', 'docker']
    >>> core_words("No uses comentarios") == core_words("Añade un comentario")
    True
    """
    plain = fold(text[:READ_OF_RULE])
    about = _tokens(without_negations(plain))
    telling = [word for word in about if word not in STOP_WORDS]
    heavy = [word for word in telling if word not in LIGHT_WORDS]
    return frozenset(map(word_root, heavy or telling or about or _tokens(plain)))


def _tokens(plain: str) -> list[str]:
    found: list[str] = []
    for token in _TOKEN.findall(plain):
        if _UNSPACED.search(token):
            found.extend(words(_about(token)))
        else:
            found.append(token)
    return found


def _about(run: str) -> str:
    """Drop the function words of unspaced script, and hiragana unless there is nothing else."""
    left = _UNSPACED_STOPS.sub(" ", run)
    return _HIRAGANA.sub(" ", left) if _KANA_OR_HAN.search(left) else left


@lru_cache(maxsize=16_384)
def word_root(word: str) -> str:
    """Return the beginning that the forms of a word share; names with digits stay whole.

    >>> [word_root(word) for word in ("kommentare", "comments", "ejecutes", "ejecuta", "py311")]
    ['komment', 'comment', 'ejecut', 'ejecut', 'py311']
    """
    if not word.isalpha() or _UNSPACED.search(word):
        return word
    short = stem(word)[:ROOT_LETTERS]
    if short.endswith("en") and len(short) > 5:
        short = short[:-2]
    while len(short) > 4 and short[-1] in "aeiou":
        short = short[:-1]
    return short


MOST_SENTENCES = 6  # a longer rule is compared by its first ones
# After these words a rule says where, when or for what it holds.
_PLACES = (
    r"in|inside|within|for|on|during|when|whenever|while|if|unless|until|before|after|en|para|"
    r"dentro|"
    r"durante|cuando|si|antes|despues|em|no|na|nos|nas|quando|se|depois|dans|pour|sur|pendant|"
    r"quand|"
    r"lorsque|avant|apres|im|fur|fuer|bei|beim|wahrend|wenn|falls|vor|nach|nel|nella|nei|nelle|"
    r"per|sul|"
    r"sulla|su|prima|dopo|question|pregunta|pergunta|frage|domanda"
)
_PLACE = re.compile(
    rf"(?<![\w-])(?:{_PLACES})(?![\w-]) ?:? ?(?P<place>[^,;()]+)|\((?P<aside>[^)]+)\)"
)
_UNSPACED_PLACE = re.compile(
    r"在(?P<place>[^，,。]{1,24}?)(?:里面?|中|上|时候?|的时候|之前|之后)|"
    r"写(?P<doing>[^，,。]{1,12})时"
    r"|(?P<topic>[^、,。]{1,20}?)(?:では|には|の場合は?|のときは?|の時は?|の中で)"
)
ABSOLUTE = re.compile(
    r"(?<!\w)(?:never|ever|under no circumstances|nunca|jamas|jamais|nie|niemals|mai)(?!\w)"
    r"|永远|绝不|绝对|从不|再也|決して|絶対|二度と"
)
_SAID = re.compile(
    r"\A(?:remember that |recuerda que |lembre-se de que |rappelle-toi que |denk daran, "
    r"|ricorda che |记住，|覚えておいてください。)?"
    r"(?:the user said|el usuario dijo|o usuario disse|l'utilisateur a dit|der nutzer sagte"
    r"|l'utente ha detto|用户说|ユーザーの言葉) ?[:：] ?"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A thing to do or not to do; `scope` says where, `absolute` (never) allows no exception."""

    do: bool
    words: frozenset[str]
    scope: frozenset[str]
    absolute: bool


@lru_cache(maxsize=2_048)  # each new rule is compared with all known ones
def claims_of(text: str) -> tuple[Claim, ...]:
    """Return the claims of a rule, two for a sentence that contrasts two things.

    >>> [(claim.do, sorted(claim.words)) for claim in claims_of("Use podman, not docker.")]
    [(True, ['podman']), (False, ['docker'])]
    """
    text = without_attribution(text)
    found: list[Claim] = []
    for sentence in split_sentences(text)[:MOST_SENTENCES] or [text]:
        found.extend(_claims_of_sentence(sentence))
    return tuple(claim for claim in found if claim.words)


def without_attribution(text: str) -> str:
    """Return the user's words alone if a rule quotes them ("The user said: …")."""
    said = _SAID.match(fold(text))
    return text[said.end() :].strip(' "“”„«»「」') if said else text


def _claims_of_sentence(sentence: str) -> tuple[Claim, ...]:
    absolute = ABSOLUTE.search(fold(sentence)) is not None
    found = contrast_of(sentence)
    if not found:
        words, scope = _parts(sentence)
        return (Claim(not is_negated(sentence), words, scope, absolute),)
    wanted, here = _parts(found.wanted)
    unwanted, there = _parts(found.unwanted)
    both, scope = wanted & unwanted, here | there
    return (
        Claim(True, wanted - both or wanted, scope, absolute),
        Claim(False, unwanted - both or unwanted, scope, absolute),
    )


def _parts(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return what a text is about and where it holds; with only a place, it is about that."""
    every = core_words(text) if text.strip() else frozenset[str]()
    places = [
        piece
        for pattern in (_PLACE, _UNSPACED_PLACE)
        for found in pattern.finditer(fold(text))
        for piece in found.groups()
        if piece
    ]
    scope = frozenset[str]().union(*(core_words(place) for place in places)) & every
    return (every - scope, scope) if every - scope else (every, frozenset())


_THE = (
    r"the|my|our|your|its|default|el|la|los|las|mi|nuestro|nuestra|tu|o|a|meu|minha|nosso|nossa|"
    r"le|les|mon|"
    r"ma|notre|der|die|das|mein|meine|unser|unsere|il|lo|mio|i"
)
_IS = r"is|are|es|son|é|sao|est|sont|ist|sind|sono|should be|muss|lautet|heisst|heißt"
# Frames in which only one value can be right.
FRAMES: dict[str, str] = {
    "what to call the user": (
        r"(?:call me|my name is|llamame|me llamo|mi nombre es|me chame de|me chama de|meu nome é|"
        r"appelle-moi|appelez-moi|je m'appelle|mon nom est|nenn mich|nenne mich|ich heiße|"
        r"ich heisse|"
        r"mein name ist|chiamami|mi chiamo|il mio nome é) "
        r"(?!(?:when|if|back|later|again|at|cuando|si|quand|wenn|quando|se)\b)(?P<value>[^,.;!()]{1,40})"
        r"|(?:叫我|我叫|我的名字是)(?P<value_zh>[^，,。；;！!]{1,20})|"
        r"(?P<value_ja>[^、。,]{1,20})と呼んで"
    ),
    "what to use for the same purpose": (
        r"(?:always |siempre |sempre |immer )?(?:use|usa|utiliza|utilize|utilise|utilisez|"
        r"benutze?|verwende|"
        r"nutze|nimm|usa|utilizza) (?:always |siempre |sempre |immer |"
        r"toujours )?(?P<value>[^,.;]{1,40}?) "
        r"(?:for|para|pour|fur|fuer|per) (?P<subject>[^,.;]{1,60})"
    ),
    "what it is": (
        rf"(?P<subject>(?:{_THE}) [^,.;:()]{{1,50}}?) (?:{_IS}) (?:now |ahora |jetzt )?"
        r"(?P<value>[^,;()\s]{1,60}(?: [^,;()\s]{1,20}){0,2}?)[.!]?"
        r"|(?P<subject_zh>[^，,。]{1,16}?)(?:应该是|是)(?P<value_zh>[^，,。！!]{1,24})"
        r"|(?P<subject_ja>[^、。]{1,16}?)は(?P<value_ja>[^、。]{1,24}?)(?:です|だ|である)?"
    ),
}
_FRAMES = {name: re.compile(rf"\A(?:{frame})[\s.!。！]*\Z") for name, frame in FRAMES.items()}
_FIRM = re.compile(r"\d|[./_@:-]\w")  # numbers, versions, paths, addresses: only one can be right
# Things of which there is one.
_SINGLE = re.compile(
    r"\b(?:name|port|url|address|email|version|deadline|branch|default|host|region|password|path|"
    r"currency|"
    r"capital|timezone|time zone|nombre|puerto|direccion|correo|plazo|rama|nome|porta|endereco|"
    r"prazo|nom|"
    r"adresse|branche|delai|capitale|hauptstadt|frist|zweig|indirizzo|scadenza|ramo|puerto)\b"
    r"|端口|名字|地址|版本|截止|分支|首都|ポート|名前|住所|バージョン|締め切り|締切|ブランチ|首都"
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,:]\d+)*(?![\w])")
# A number that counts or measures: after such a word, or before a unit. "Ticket 12" is a name.
_AMOUNT = re.compile(
    rf"(?:\b(?:{_IS}|be|to|at|of|than|under|over|below|above|within|every|after|before|until|by|"
    r"in|with|least|most|up|only|about|port|version|timeout|limit|max|maximum|min|minimum|size|"
    r"width|length|level|page|python|node|java|a|de|por|cada|en|con|hasta|puerto|limite|maximo|"
    r"em|com|ate|porta|toutes les|a|avec|jusqu'a|auf|mit|bis|alle|nach|um|unter|uber|ogni|entro|"
    r"di|su|per|fino a)[ :=]+|[\u3040-\u9fff] ?)\d"
    r"|\d[\d.,:]*(?: ?(?!(?:first|now|today|next|then|again|before|after|instead|only|please)\b)"
    r"[^\W\d_]{1,}|%)"
)


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer of a rule to a question: a name, a value, what to use for a purpose."""

    question: str
    subject: frozenset[str]
    value: frozenset[str]
    firm: bool  # another value contradicts it


@lru_cache(maxsize=2_048)
def decisions_of(text: str) -> tuple[Decision, ...]:
    """Return the decisions of a rule.

    >>> [(found.question, sorted(found.value)) for found in decisions_of("Call me Sam.")]
    [('what to call the user', ['sam'])]
    """
    return tuple(_decisions(text))


def _decisions(text: str) -> Iterator[Decision]:
    for sentence in split_sentences(text)[:MOST_SENTENCES]:
        told = contrast_of(sentence)
        if not told and is_negated(sentence):
            continue
        plain = told.wanted if told else sentence
        for question, frame in _FRAMES.items():
            if found := frame.match(fold(plain)[:300]):
                yield _decision(question, found)
                break
        else:
            yield from _amount(plain)


def _decision(question: str, found: re.Match[str]) -> Decision:
    pieces = {name: piece for name, piece in found.groupdict().items() if piece}
    value = next(piece for name, piece in pieces.items() if name.startswith("value"))
    subject = next((piece for name, piece in pieces.items() if name.startswith("subject")), "")
    firm = question != "what it is" or bool(_FIRM.search(value) or _SINGLE.search(subject))
    about = core_words(subject) if subject else frozenset[str]()
    return Decision(question, about, core_words(value), firm)


def _amount(sentence: str) -> Iterator[Decision]:
    """Yield the amount of a sentence with one: with another amount it says something else."""
    numbers = _NUMBER.findall(sentence)
    if len(numbers) == 1 and _AMOUNT.search(fold(sentence)):
        about = core_words(_NUMBER.sub(" ", sentence))
        yield Decision("how much", about, frozenset(numbers), True)
