"""Generate lessons like those of a large company's agents, and queries for them, from numbers.

A lesson is made from its number alone, so that any of a million can be had at any time, the same
everywhere. Words follow Zipf's law, once for the whole company and once within each topic: a lesson
draws most of its words from one topic. The vocabulary is real English where the embedder knows it
(the words of software work, and the whole words of the tokenizer that `wordllama` carries) and
coined where a company coins its own: services, hosts, people, identifiers, tickets.

A query says a lesson again in part: some of its words, some replaced by others that say the same,
some in another form, some added that are not in it. Some queries have no lesson.
"""

import importlib.util
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from random import Random
from typing import TypeVar

import corpus_words as words_of

T = TypeVar("T")

SEED = 20_27
TOPICS = 600
NAMES = 24_000
LONGEST = 60  # words
UNHEARD = 300  # words that no lesson has
KINDS = ("fact", "rule", "preference")
STANDING = 5000  # one rule in so many lessons holds in every situation
SLOT = re.compile(r"(\{\w\})")
ENGLISH = (
    "ing ed tion sion ment ness able ible ly er ity ive ous ence ance ful less ship ize".split()
)
FORMS = "s ed ing ly".split()
UNCHANGING = ("s", "ed", "er", "ing", "ly", "est", "ful", "less")


@dataclass(frozen=True, slots=True)
class Text:
    """The text of one lesson: a situation (may be empty), and what to do or know in it."""

    number: int
    kind: str
    trigger: str
    content: str
    terms: tuple[str, ...]  # the words that carry its meaning

    @property
    def whole(self) -> str:
        """The whole text, for a system that stores one text per memory."""
        return f"{self.trigger}\n{self.content}" if self.trigger else self.content


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    target: int | None  # the lesson it paraphrases; None when there is none


@dataclass(frozen=True, slots=True)
class Topic:
    """The words and names of one team, frequent ones more often."""

    words: Sequence[str]
    names: Sequence[str]


class Corpus:
    def __init__(self, seed: int = SEED) -> None:
        self.seed = seed
        rng = Random(seed)
        english = _english(rng)
        self._unheard = _unlike_others(english)[-UNHEARD:]
        self._general = [word for word in english if word not in set(self._unheard)]
        self._company = _laid_out(self._general)
        self._names = _names(rng)
        self._people = [name.capitalize() for name in self._names[-2000:]]
        self._topics = _laid_out([self._topic(rng) for _ in range(TOPICS)], steepness=0.7)

    def lesson(self, number: int) -> Text:
        """Return the lesson with this number."""
        rng = Random(self.seed * 1_000_003 + number)
        say = Speaker(self, self._topics[int(rng.random() * len(self._topics))], rng)
        standing = number % STANDING == 17
        tied = not standing and rng.random() < 0.6
        trigger = say(_frames(words_of.SITUATIONS)) if tied else ""
        said = len(trigger.split())
        length = min(LONGEST, 8 + int(rng.expovariate(1 / 16)))
        content: list[str] = []
        while not content or said + len(content) < length:
            clause = f"{say(_frames(words_of.CLAUSES))}."
            content += f"{clause[0].upper()}{clause[1:]}".split()
        # A rule that is tied to no situation goes into every prompt: there are not many.
        kind = KINDS[int(rng.random() * len(KINDS))] if tied else "rule" if standing else "fact"
        rest = " ".join(content[: LONGEST - said])
        return Text(number, kind, trigger, rest, tuple(dict.fromkeys(say.terms)))

    def lessons(self, start: int, stop: int) -> Iterator[Text]:
        return map(self.lesson, range(start, stop))

    def queries(self, many: int, among: Sequence[int], seed: int = 0) -> list[Query]:
        """Return queries for some of these lessons; one in eight matches none."""
        rng = Random(f"queries {self.seed} {seed}")
        found: list[Query] = []
        for place in range(many):
            if place % 8 == 7:
                found.append(Query(self._unanswerable(rng), None))
            else:
                number = among[int(rng.random() * len(among))]
                found.append(Query(self._paraphrase(self.lesson(number), rng), number))
        return found

    def _paraphrase(self, lesson: Text, rng: Random) -> str:
        most = min(len(lesson.terms), 3 + int(rng.random() * 4))
        kept = [self._said_otherwise(term, rng) for term in rng.sample(lesson.terms, most)]
        kept += rng.choices(self._company, k=int(rng.random() * 3))
        rng.shuffle(kept)
        return _question(kept, rng)

    def _unanswerable(self, rng: Random) -> str:
        return _question(rng.sample(self._unheard, 3 + int(rng.random() * 4)), rng)

    @staticmethod
    def _said_otherwise(term: str, rng: Random) -> str:
        chance = rng.random()
        if chance < 0.35 and (same := _synonyms().get(term)):
            return same[int(rng.random() * len(same))]
        if chance < 0.2 and term.isalpha() and not term.endswith(UNCHANGING):
            return f"{term}s"
        return term

    def _topic(self, rng: Random) -> Topic:
        words = rng.sample(self._general[:900], 25) + rng.sample(self._general, 95)
        rng.shuffle(words)
        return Topic(_laid_out(words), _laid_out(rng.sample(self._names, 40)))

    @property
    def company(self) -> Sequence[str]:
        return self._company

    @property
    def people(self) -> Sequence[str]:
        return self._people

    @cached_property
    def vocabulary(self) -> int:
        """Number of words, without numbers and compounds."""
        return len(self._general) + len(self._names)


class Speaker:
    """Fills the blanks of one lesson's sentences, and remembers the words it used."""

    def __init__(self, corpus: Corpus, topic: Topic, rng: Random) -> None:
        self._corpus = corpus
        self._topic = topic
        self._random = rng.random
        self.terms: list[str] = []

    def __call__(self, frames: Sequence[Sequence[str]]) -> str:
        frame = frames[int(self._random() * len(frames))]
        return "".join(HOLES[piece](self) if piece in HOLES else piece for piece in frame)

    def _of(self, choices: Sequence[str]) -> str:
        return choices[int(self._random() * len(choices))]

    def word(self) -> str:
        topical = self._random() < 0.65
        word = self._of(self._topic.words if topical else self._corpus.company)
        self.terms.append(word)
        return word

    def name(self) -> str:
        name = self._of(self._topic.names)
        self.terms.append(name)
        return name

    def identifier(self) -> str:
        return f"{self.word()}_{self.word()}"

    def file(self) -> str:
        stem = self.word() if self._random() < 0.5 else self.identifier()
        return f"{stem}.{self._of(words_of.ENDINGS)}"

    def error(self) -> str:
        return self(_frames(words_of.ERRORS))

    def tool(self) -> str:
        tool = self._of(words_of.TOOLS)
        self.terms.append(tool)
        return tool

    def person(self) -> str:
        return f"{self._of(self._corpus.people)} {self._of(self._corpus.people)}"

    def ticket(self) -> str:
        return f"{self._of(self._topic.names)[:4].upper()}-{int(self._random() * 50_000)}"

    def number(self) -> str:
        return str(int(10 ** (self._random() * 5)))

    def quantity(self) -> str:
        return f"{self.number()} {self._of(words_of.UNITS)}"

    def host(self) -> str:
        return f"{self.name()}-{int(self._random() * 40)}.{self._of(('prod', 'stage', 'dev'))}"


HOLES = {
    "{w}": Speaker.word,
    "{x}": Speaker.name,
    "{i}": Speaker.identifier,
    "{f}": Speaker.file,
    "{e}": Speaker.error,
    "{t}": Speaker.tool,
    "{p}": Speaker.person,
    "{k}": Speaker.ticket,
    "{n}": Speaker.number,
    "{u}": Speaker.quantity,
    "{h}": Speaker.host,
}


@cache
def _frames(text: str) -> list[list[str]]:
    return [SLOT.split(line) for line in text.strip().splitlines()]


def _question(terms: Sequence[str], rng: Random) -> str:
    """Put terms into an ordinary question, half of them in each of its two places."""
    frames = words_of.QUESTIONS.strip().splitlines()
    first, _, rest = frames[int(rng.random() * len(frames))].partition("{q}")
    middle, _, last = rest.partition("{q}")
    half = max(1, len(terms) // 2)
    return f"{first}{' '.join(terms[:half])}{middle}{' '.join(terms[half:])}{last}"


@cache
def _synonyms() -> dict[str, list[str]]:
    groups = [line.split() for line in words_of.SAME.strip().splitlines()]
    return {
        word: [other for group in groups if word in group for other in group if other != word]
        for word in chain.from_iterable(groups)
    }


def _laid_out(things: Sequence[T], steepness: float = 1.0) -> list[T]:
    """Repeat each thing so that a uniform draw follows Zipf's law."""
    weights = [1 / (rank + 2.7) ** steepness for rank in range(1, len(things) + 1)]
    share = 16 * len(things) / sum(weights)
    return [
        thing
        for thing, weight in zip(things, weights, strict=True)
        for _ in range(max(1, round(weight * share)))
    ]


def _names(rng: Random) -> list[str]:
    """Make names of two to four syllables that no dictionary has."""
    found: dict[str, None] = {}
    while len(found) < NAMES:
        found["".join(rng.choices(words_of.SYLLABLES, k=2 + int(rng.random() * 2.4)))] = None
    return list(found)


def _english(rng: Random) -> list[str]:
    """Return real words, the most frequent first: those of software work, then others."""
    work = list(dict.fromkeys(chain(words_of.WORK.split(), words_of.SAME.split())))
    known = _whole_words()
    there = set(known)
    common = [word for word in known if word not in work and _is_english(word, there)]
    rng.shuffle(work)
    rng.shuffle(common)
    return work + common


def _unlike_others(words: Sequence[str]) -> list[str]:
    """Keep words with a unique beginning, so that stemming does not conflate them."""
    often = Counter(word[:4] for word in words)
    return [word for word in words if often[word[:4]] == 1]


def _is_english(word: str, known: set[str]) -> bool:
    """Guess whether a word is English: by its ending, or because another form of it is listed."""
    ends = any(word.endswith(end) and len(word) - len(end) >= 3 for end in ENGLISH)
    return len(word) >= 4 and (ends or any(word + form in known for form in FORMS))


def _whole_words() -> list[str]:
    """Return the words that the embedder's tokenizer knows as one piece."""
    found = importlib.util.find_spec("wordllama")
    if found is None or found.origin is None:
        raise SystemExit("the corpus takes its words from wordllama: pip install 'seasoned[embed]'")
    path = Path(found.origin).parent / "tokenizers" / "l2_supercat_tokenizer_config.json"
    pieces: dict[str, int] = json.loads(path.read_text("utf-8"))["model"]["vocab"]
    return [piece[1:] for piece in pieces if re.fullmatch("▁[a-z]{3,}", piece)]
