"""Generate the graph of a busy year, the same each time: eight triples per error.

Each error comes from one of fifty tools (hubs), was met in two sessions, is like three others, has
one fix, which was learned in a session. Needs nothing but Python, so that every peer can use it.
"""

from collections.abc import Iterator
from random import Random

TOOLS = 50
TO_AN_ERROR = 8

Made = tuple[str, str, str, float]


def errors_in(triples: int) -> int:
    return max(1, triples // TO_AN_ERROR)


def error(number: int) -> str:
    return f"error:tool{number % TOOLS}:{number:024x}"


def triples(number: int, seed: int = 1) -> Iterator[Made]:
    """Yield about so many triples in the order of learning."""
    chance, errors = Random(seed), errors_in(number)
    sessions = max(1, errors // 4)
    for one in range(errors):
        node, fix = error(one), f"fix:{one:012x}"
        yield node, "causedBy", f"tool:tool{one % TOOLS}", 1.0
        for _ in range(2):
            yield node, "inSession", f"session:{chance.randrange(sessions)}", 1.0
        for _ in range(3):
            other = error(chance.randrange(errors))
            yield node, "similarTo", other, round(chance.uniform(0.6, 1), 3)
        yield node, "resolvedBy", fix, round(chance.random(), 3)
        yield fix, "learnedFrom", f"session:{chance.randrange(sessions)}", 1.0


def some_errors(number: int, many: int, seed: int = 2) -> list[str]:
    """Return errors to query."""
    chance, errors = Random(seed), errors_in(number)
    return [error(chance.randrange(errors)) for _ in range(many)]
