"""Whether two rules are the same sentence with another value: a name, a number, a place.

"Ship to the Berlin address" and "Ship to the Hamburg address" share most of their words, and are
not the same rule. Whoever says the second after the first has changed their mind. Two rules may
also differ at one place and both hold: "run the tests first", "run the linter first".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache

from seasoned.core.words import dice
from seasoned.rules.grammar.claims import core_words, word_root
from seasoned.rules.grammar.polarity import READ_OF_RULE, is_negated, without_negations
from seasoned.rules.grammar.stop_words import (
    LIGHT_WORDS,
    STOP_WORDS,
    UNSPACED_STOPS,
    language_of,
)
from seasoned.rules.grammar.text import fold

MOST_TOKENS = 80  # of a rule; a longer one is compared by its beginning
LONGEST_VALUE = 4  # words
SAME_SENTENCE = 0.5  # share of core words that both sentences have
SAME_STEM = 4  # letters: "apply" and "applying" are no two values
_TOKEN = re.compile(
    r"[\u3400-\u9fff]|[\u3040-\u309f]|[\u30a0-\u30ff]+|[^\s,;:!?()\[\]\"“”„«»`。，、！？；：「」『』"
    r"\u3040-\u30ff\u3400-\u9fff]+(?::\d+)?"
)
_HAN_OR_KATAKANA = re.compile("[\u30a0-\u30ff\u3400-\u9fff]")
_HIRAGANA = re.compile("[\u3040-\u309f]+")
_BETWEEN_SIGNS = re.compile("(?<=[\u3040-\u30ff\u3400-\u9fff]) (?=[\u3040-\u30ff\u3400-\u9fff])")
_UNSPACED_STOPS = re.compile("|".join(map(re.escape, UNSPACED_STOPS)))
_LETTERS = re.compile(r"[^\W\d_]")
# Numbers, addresses, paths, versions, identifiers: another one is another value.
_EXACT = re.compile(r".*(?:\d|@|://|/\w|\w_\w|\w\.\w)")
_NUMBERS = frozenset(
    """one two three four five six seven eight nine ten zwei drei vier funf sechs sieben acht neun
    zehn dos tres cuatro cinco seis siete ocho nueve diez deux trois quatre cinq sept huit neuf dix
    due quattro cinque sei sette otto nove dieci dois duas quatro oito dez"""
    " 一 二 三 四 五 六 七 八 九 十".split()
)
# Words that change nothing: how urgent it is, and how politely it is said.
_FILLERS = frozenset(
    """please always ever just now really immer bitte stets ab jetzt siempre ahora sempre agora
    toujours maintenant adesso ora from on the a an our my your der die das den dem ein eine einen
    unser unsere unseren el la los las un una nuestro nuestra o os as um uma nosso nossa le les une
    notre nos il lo gli i nostro nostra all every each alle tous toutes todos todas tutti tutte"""
    " 请 都 总 是 始 终 的".split()
)
_ARTICLES = frozenset(
    "the our my der die das unser unsere el la los las nuestro nuestra o os a as nosso nossa le les"
    " notre nos il lo gli i nostro nostra".split()
)
# After these a verb stands, and another verb may say the same.
_BEFORE_VERBS = frozenset(
    """and or then but you we i should must und oder dann aber du wir ich y o e luego et ou puis tu
    ed poi""".split()
)
# After these a rule says when, or for what it holds: another place is another rule.
_SITUATIONS = frozenset(
    """for when whenever while if unless during inside within before fur fuer wenn falls wahrend
    bei beim innerhalb vor para cuando si durante antes quando se pour quand lorsque pendant avant
    per mentre prima 时 では には 場合""".split()
)
# Prepositions after which a sentence names its one destination, means, measure or order.
_RELATIONS = frozenset(
    """to at by as with from into onto via of after under over through in on toward towards
    an nach mit zu zum zur als von vom aus auf uber durch unter im am
    a al en con por como desde hacia tras sobre de del hasta ao em no na nos nas do da dos das com
    pelo pela
    à au aux avec par comme depuis vers chez dans sous
    da dal dalla al alla ai nel nella come verso tramite su sul sulla di
    到 在 用 给 向 按 叫 寄 发 送 往 以""".split()
)
_INSIDE = frozenset("in im en em dans nei nelle".split())
# Verbs that choose one of several.
_CHOICES = frozenset(
    """use choose pick prefer take call name verwende benutze nutze nimm
    nutzen verwenden nenne nenn usa utiliza usamos elige llama use usamos escolha chame utilise
    utilisez utilisons choisis appelle usiamo scegli chiama utilizza 使用 选""".split()
)
# Verbs of which more can be wanted: one thing to add or check does not exclude another.
_ADDITIVE = frozenset(
    """add include check run test review verify update document mention list write fuge prufe teste
    fuhre erwahne schreibe anade agrega incluye revisa ejecuta comprueba menciona escribe adicione
    inclua verifique rode mencione escreva ajoute inclus verifie lance mentionne ecris aggiungi
    includi controlla esegui menziona scrivi""".split()
)
# After the value, in Japanese.
_PARTICLES = frozenset("にでのとへ")
_PLURALS = {"de": r"\w{3,}(?:en|er|s)", "it": r"\w{3,}[ie]", "": r"\w{2,}[^\Ws]s"}


@dataclass(frozen=True, slots=True)
class OtherValue:
    """Two values at the same place of a sentence; `exclusive` if only one of them can hold."""

    old: str
    new: str
    exclusive: bool


@dataclass(frozen=True, slots=True)
class _Place:
    before: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    after: str


def other_value(a: str, b: str) -> OtherValue | None:
    """Return the first value in which two similar sentences differ; None if they do not.

    >>> other_value("Ship orders to the Berlin address.", "Ship orders to the Hamburg address.")
    OtherValue(old='Berlin', new='Hamburg', exclusive=True)
    >>> other_value("Run the tests before pushing.", "Run the linter before pushing.").exclusive
    False
    >>> other_value("Explain the changes.", "Explain your changes, please.") is None
    True
    """
    if b < a:  # an alignment depends on which comes first, and the answer must not
        found = other_value(b, a)
        return replace(found, old=found.new, new=found.old) if found else None
    if dice(core_words(a), core_words(b)) < SAME_SENTENCE:
        return None
    places = [place for place in _places(a, b) if _names_values(place)]
    affirmed = not is_negated(a) and not is_negated(b)
    exact_a, exact_b = _exact_words(a), _exact_words(b)
    if exact_a - exact_b and exact_b - exact_a:
        old, new = sorted(exact_a - exact_b), sorted(exact_b - exact_a)
        others = [place for place in places if exact_b.isdisjoint(map(fold, place.new))]
        alone = len(old) == len(new) == 1 and not others
        return OtherValue(" ".join(old), " ".join(new), alone and affirmed)
    if not places:
        return None
    first = places[0]
    alone = len(places) == 1 and affirmed and _is_exclusive(first, a)
    return OtherValue(" ".join(first.old), " ".join(first.new), alone)


@lru_cache(maxsize=2_048)
def _exact_words(text: str) -> frozenset[str]:
    return frozenset(
        fold(token) for token in _tokens(text) if _EXACT.fullmatch(token) or fold(token) in _NUMBERS
    )


@lru_cache(maxsize=2_048)
def _tokens(text: str) -> tuple[str, ...]:
    found = (token.strip(".'’…-–—*_") for token in _TOKEN.findall(text[:READ_OF_RULE]))
    kept = (token for token in found if token and fold(token) not in _FILLERS)
    return tuple(kept)[:MOST_TOKENS]


def _places(a: str, b: str) -> Iterator[_Place]:
    """Yield where the words of one sentence stand in place of others."""
    one, other = _tokens(a), _tokens(b)
    matcher = SequenceMatcher(None, _roots(one), _roots(other), autojunk=False)
    for tag, start, end, first, last in matcher.get_opcodes():
        if tag == "replace":
            before = fold(one[start - 1]) if start else _article(a)
            old, new = one[start:end], other[first:last]
            # "de Lisboa", "do Porto": the preposition has the form of its noun.
            while len(old) > 1 and len(new) > 1 and {fold(old[0]), fold(new[0])} <= _RELATIONS:
                before, old, new = fold(old[0]), old[1:], new[1:]
            yield _Place(before, old, new, fold(one[end]) if end < len(one) else "")


def _article(text: str) -> str:
    """Return the article that a text begins with: then a noun follows, not a verb."""
    first = _TOKEN.match(text.lstrip())
    return fold(first.group()) if first and fold(first.group()) in _ARTICLES else ""


def _roots(tokens: Sequence[str]) -> list[str]:
    return [word_root(fold(token)) for token in tokens]


def _names_values(place: _Place) -> bool:
    """Whether both sides name something, and not the same in another form or by another verb."""
    old, new = _telling(place.old), _telling(place.new)
    if not old or not new or max(len(place.old), len(place.new)) > LONGEST_VALUE:
        return False
    if _HAN_OR_KATAKANA.search("".join(old)) and _HAN_OR_KATAKANA.search("".join(new)):
        return True
    if not place.before or place.before in _BEFORE_VERBS:
        return False
    if all(word.endswith("ing") for word in (old[0], new[0])):
        return False  # "instead of copying", "instead of duplicating"
    return not any(_alike(one, other) for one in old for other in new)


def _telling(words: Sequence[str]) -> list[str]:
    joined = _BETWEEN_SIGNS.sub("", " ".join(map(fold, words)))
    plain = _UNSPACED_STOPS.sub(" ", without_negations(joined)).split()
    return [
        word
        for word in plain
        if word not in STOP_WORDS and word not in LIGHT_WORDS and not _HIRAGANA.fullmatch(word)
    ]


def _alike(one: str, other: str) -> bool:
    shared = next((n for n, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), None)
    return shared is None or shared >= max(SAME_STEM, min(len(one), len(other)) - 3)


def _is_exclusive(place: _Place, sentence: str) -> bool:
    """Whether the sentence has room for one value only, by the words around it.

    If in doubt there is room: a rule too many does less harm than one lost.
    """
    if _HAN_OR_KATAKANA.search("".join(place.new)):
        return place.before in _RELATIONS or place.after in _PARTICLES
    if place.before in _SITUATIONS or fold(_tokens(sentence)[0]) in _ADDITIVE:
        return False
    language = language_of(sentence) or ""
    kinds = all(_is_class(words[-1], language) for words in (place.old, place.new))
    if kinds and place.before in _INSIDE:
        return False  # "in Makefiles" says where a rule applies, "in Confluence" names a place
    if language != "de" and _are_names(place):  # German writes every noun like a name
        return True
    of_a_noun = bool(place.after) and place.after not in STOP_WORDS  # "the Berlin address"
    return (place.before in _RELATIONS or place.before in _CHOICES) and (not kinds or of_a_noun)


def _is_class(word: str, language: str) -> bool:
    return re.fullmatch(_PLURALS.get(language, _PLURALS[""]), fold(word)) is not None


def _are_names(place: _Place) -> bool:
    """Whether both are written like names within a sentence."""
    return all(
        word[:1].isupper() and _LETTERS.match(word) is not None
        for word in (place.old[0], place.new[0])
    )
