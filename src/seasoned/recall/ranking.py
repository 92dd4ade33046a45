"""Says how much a lesson matters for a request: by shared words, weighed by how it is believed."""

from collections.abc import Collection

from seasoned.core.similarity import words

# Words that agents use in every request: they say little about what it is about.
WEAK = frozenset(
    """use using used run running try add new get set make file files error errors fail failed call
    command tool first instead before after again please want need help code work value""".split()
)
ENDINGS = ("ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "s", "ly")


def stem(word: str) -> str:
    """A word without its ending, roughly: enough to see that two words are one.

    >>> [stem(word) for word in ("tests", "testing", "deployed", "bus", "failed")]
    ['test', 'test', 'deploy', 'bus', 'fail']
    """
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def relevance(query: Collection[str], text: str) -> float:
    """The share of what the query is about that the text speaks of, from 0 to 1.

    >>> relevance(["deploy", "staging"], "Deploying to staging needs the VPN")
    1.0
    >>> relevance(["run", "migrations"], "run the linter")
    0.2
    """
    there = {stem(word) for word in words(text)}
    weights = {stem(word): 0.25 if word in WEAK else 1.0 for word in query}
    together = sum(weights.values())
    found = sum(weight for word, weight in weights.items() if word in there)
    return found / together if together else 0.0


def score(relevant: float, confidence: float, *, explicit: bool) -> float:
    """What a lesson is ranked by; what a person said outright counts in full."""
    return relevant * (1.0 if explicit else confidence)
