"""Questions that two rules may answer differently: a name, a value, what to use for a purpose."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from seasoned.rules.contrast import contrast
from seasoned.rules.core_words import core_words
from seasoned.rules.polarity import negated
from seasoned.rules.text import folded, sentences

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
_FIRM = re.compile(r"\d|[./_@:-]\w")  # numbers, versions, paths, addresses: one of them is right
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
    """The value that a rule gives to a question."""

    question: str
    subject: frozenset[str]
    value: frozenset[str]
    firm: bool  # whether another value would contradict it


@lru_cache(maxsize=2_048)
def decisions(text: str) -> tuple[Decision, ...]:
    """What a rule decides.

    >>> [(found.question, sorted(found.value)) for found in decisions("Call me Sam.")]
    [('what to call the user', ['sam'])]
    """
    return tuple(_decisions(text))


def _decisions(text: str) -> Iterator[Decision]:
    for sentence in sentences(text)[:6]:
        told = contrast(sentence)
        if not told and negated(sentence):
            continue
        plain = told.wanted if told else sentence
        for question, frame in _FRAMES.items():
            if found := frame.match(folded(plain)[:300]):
                yield _decision(question, found)
                break
        else:
            yield from _number(plain)


def _decision(question: str, found: re.Match[str]) -> Decision:
    pieces = {name: piece for name, piece in found.groupdict().items() if piece}
    value = next(piece for name, piece in pieces.items() if name.startswith("value"))
    subject = next((piece for name, piece in pieces.items() if name.startswith("subject")), "")
    firm = question != "what it is" or bool(_FIRM.search(value) or _SINGLE.search(subject))
    about = core_words(subject) if subject else frozenset[str]()
    return Decision(question, about, core_words(value), firm)


def _number(sentence: str) -> Iterator[Decision]:
    """A sentence with one amount: the same sentence with another amount says something else."""
    numbers = _NUMBER.findall(sentence)
    if len(numbers) == 1 and _AMOUNT.search(folded(sentence)):
        about = core_words(_NUMBER.sub(" ", sentence))
        yield Decision("how much", about, frozenset(numbers), True)
