"""What a rule claims: that a thing is to be done, or not, and where that holds."""

import re
from dataclasses import dataclass
from functools import lru_cache

from seasoned.rules.contrast import contrast
from seasoned.rules.core_words import core_words
from seasoned.rules.polarity import negated
from seasoned.rules.text import folded, sentences

MOST = 6  # sentences: a rule that says more is compared by its first ones
# What follows these says where, when or for what a thing holds.
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
    r"\A(?:the user said|el usuario dijo|o usuario disse|l'utilisateur a dit|der nutzer sagte"
    r"|l'utente ha detto|用户说|ユーザーの言葉) ?[:：] ?"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """What to do, or not to do; `scope` says where, `absolute` (never) allows no exception."""

    do: bool
    words: frozenset[str]
    scope: frozenset[str]
    absolute: bool


@lru_cache(maxsize=2_048)  # a new rule is compared with all there are, again and again
def claims(text: str) -> tuple[Claim, ...]:
    """The claims of a rule, two for a sentence that sets one thing against another.

    >>> [(claim.do, sorted(claim.words)) for claim in claims("Use podman, not docker.")]
    [(True, ['podman']), (False, ['docker'])]
    """
    text = unquoted(text)
    found: list[Claim] = []
    for sentence in sentences(text)[:MOST] or [text]:
        found.extend(_claims(sentence))
    return tuple(claim for claim in found if claim.words)


def unquoted(text: str) -> str:
    """The user's words alone, where a rule quotes them."""
    said = _SAID.match(folded(text))
    return text[said.end() :].strip(' "“”„«»「」') if said else text


def _claims(sentence: str) -> tuple[Claim, ...]:
    absolute = ABSOLUTE.search(folded(sentence)) is not None
    found = contrast(sentence)
    if not found:
        words, scope = _parts(sentence)
        return (Claim(not negated(sentence), words, scope, absolute),)
    wanted, here = _parts(found.wanted)
    unwanted, there = _parts(found.unwanted)
    both, scope = wanted & unwanted, here | there
    return (
        Claim(True, wanted - both or wanted, scope, absolute),
        Claim(False, unwanted - both or unwanted, scope, absolute),
    )


def _parts(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """What it is about, and where it holds; where nothing else is left, the place is the matter."""
    every = core_words(text) if text.strip() else frozenset[str]()
    places = [
        piece
        for pattern in (_PLACE, _UNSPACED_PLACE)
        for found in pattern.finditer(folded(text))
        for piece in found.groups()
        if piece
    ]
    scope = frozenset[str]().union(*(core_words(place) for place in places)) & every
    return (every - scope, scope) if every - scope else (every, frozenset())
