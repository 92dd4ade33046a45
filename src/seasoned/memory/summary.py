"""Tells in short what messages said that are no longer shown: what binds comes first.

It is made of what was observed, word for word, so that nothing can be invented here, and what was
promised at the very beginning stands in each later summary, until something settles it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from seasoned.core.text import one_line
from seasoned.core.tokens import estimate
from seasoned.memory.distinct import distinct
from seasoned.memory.notable import kind_of
from seasoned.memory.observation import Kind, Noticed, Observation, Reflection
from seasoned.memory.sentences import sentences
from seasoned.memory.session import Kept
from seasoned.security.redact import redact

HEADING = "What was said before, in short (these messages are no longer shown):"
SINCE = "Said since then:"
ASKED = "Asked for, lately:"
MOST_ASKED, LONGEST_ASKED = 10, 120


@dataclass(frozen=True, slots=True)
class SummaryConfig:
    reflections: int = 5
    observations: int = 20
    tokens: int = 4000


# What stands under which heading, and what share of the room it may fill. Reflections come last
# in the order of filling, as what binds is in here already.
BINDING: tuple[tuple[Kind, str, float], ...] = (
    ("promise", "Promised, or to be kept in mind:", 0.4),
    ("decision", "Decided:", 0.3),
    ("question", "Still open:", 0.15),
)


KEPT = frozenset(kind for kind, _, _ in BINDING)


def summary_of(
    observations: Sequence[Observation],
    reflections: Sequence[Reflection],
    config: SummaryConfig,
    requests: Sequence[str] = (),
) -> str:
    """The summary; empty when nothing was observed and nothing asked for."""
    parts: list[str] = []
    left = config.tokens - estimate(HEADING)
    for kind, heading, share in BINDING:
        lines = [one.text for one in observations if one.kind == kind and not one.settled_seq]
        room = min(left, int(config.tokens * share)) - estimate(heading)
        left -= _put(parts, heading, latest(distinct(lines), room))
    told = [line for one in reflections[-config.reflections :] for line in one.text.splitlines()]
    if config.reflections:
        told = [line for line in told if not any(line in part for part in parts)]
        room = left // 2 - estimate("What it is about:")
        left -= _put(parts, "What it is about:", latest(distinct(told), room))
    rest = [
        one.text
        for one in observations
        if one.kind in ("preference", "fact") and not one.reflection and not one.settled_seq
    ]
    few = distinct(rest)[-config.observations :] if config.observations else []
    left -= _put(parts, "Also said:", latest(few, left - estimate("Also said:")))
    _put(parts, ASKED, latest(distinct(requests)[-MOST_ASKED:], left - estimate(ASKED)))
    return "\n\n".join([HEADING, *parts]) if parts else ""


def requests_in(earlier: str, messages: Sequence[Kept]) -> list[str]:
    """What the user asked for: as the earlier summary tells it, and in these messages."""
    _, _, before = earlier.partition(f"{ASKED}\n")
    told = [line.removeprefix("• ") for line in before.partition("\n\n")[0].splitlines()]
    asked = (_request(one.text) for one in messages if one.role == "user")
    return [*told, *filter(None, asked)]


def _request(text: str) -> str:
    """The first sentence of a message that is not observed for what it says."""
    said = (one for one in sentences(redact(text)) if kind_of(one, "user")[0] is None)
    return one_line(next(said, ""), LONGEST_ASKED)


def with_more(summary: str, found: Iterable[Noticed], tokens: int) -> str:
    """A summary, and what was said after it that is not shown either: what binds first."""
    more = [one for one in found if one.text not in summary]
    binding = [one.text for one in more if one.kind in KEPT]
    lines = latest(distinct(binding), tokens)
    left = tokens - sum(estimate(f"• {line}\n") for line in lines)
    lines += latest(distinct([one.text for one in more if one.kind not in KEPT]), left)
    parts = [summary or HEADING]
    _put(parts, SINCE, lines)
    return "\n\n".join(parts) if lines or summary else ""


def latest(lines: Sequence[str], tokens: int) -> list[str]:
    """As many of the last lines as there is room for.

    >>> latest(["first line", "second one", "third"], 8)
    ['second one', 'third']
    """
    kept: list[str] = []
    for line in reversed(lines):
        tokens -= estimate(f"• {line}\n")
        if tokens < 0:
            break
        kept.append(line)
    return kept[::-1]


def _put(parts: list[str], heading: str, lines: Sequence[str]) -> int:
    """Adds a part, if there is anything in it; what it costs."""
    if not lines:
        return 0
    parts.append("\n".join([heading, *(f"• {line}" for line in lines)]))
    return estimate(parts[-1]) + 1
