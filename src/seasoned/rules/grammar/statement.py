"""What a message states: the sentence of a rule, and whether it is meant to hold."""

from collections.abc import Mapping
from dataclasses import dataclass

from seasoned.lessons.lesson import RuleType
from seasoned.rules.grammar.clauses import LONGEST_RULE
from seasoned.rules.grammar.phrases import FIRST_PERSON, IMPERATIVES, SAID, STOPS
from seasoned.rules.grammar.text import fold, sentence_case, tidy, wording

ASKING = "?？"
UNSPACED = ("zh", "ja")


@dataclass(frozen=True, slots=True)
class Statement:
    """The sentence of a rule, and the user's words that it comes from.

    `standing` says that it is meant to hold beyond the work at hand, and can: it is a command that
    names its object.
    """

    type: RuleType
    description: str
    quote: str
    standing: bool = False


def sentence_of(text: str, language: str) -> str:
    """Make a text a sentence; quote the first person, or a model would take it as its own."""
    if FIRST_PERSON.match(fold(text)):
        return quote_of(text, language)
    return sentence_case(tidy(text, LONGEST_RULE - 1), STOPS.get(language))


def quote_of(words: str, language: str, table: Mapping[str, str] = SAID) -> str:
    room = LONGEST_RULE - len(wording(table, language, x=""))
    return wording(table, language, x=tidy(words, room).replace('"', "'"))


def commands(plain: str, language: str) -> bool:
    first = plain.split(" ", 1)[0].strip(",.!:").split("-")[0]
    return first in IMPERATIVES.get(language, ()) and not plain.endswith(tuple(ASKING))
