"""Triples, and the names of their nodes: what may stand in the graph, checked where it comes in."""

import re
import sys
from dataclasses import dataclass, replace
from typing import Literal, get_args
from urllib.parse import quote

from seasoned.core.errors import BadInput
from seasoned.core.ids import digest

Predicate = Literal[
    "causedBy",
    "inSession",
    "similarTo",
    "resolvedBy",
    "relatedTo",
    "follows",
    "contains",
    "reflectsOn",
    "learnedFrom",
    "supersedes",
    "contradicts",
]
PREDICATES: tuple[Predicate, ...] = get_args(Predicate)

LONGEST_NODE_BYTES = 512  # a Postgres index takes no more than five times as much
LARGEST_TIME = 2**63
# Characters that break a line of text, XML or a terminal.
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
ESCAPED = re.compile("[\x00-\x1f%\x7f-\x9f\u2028\u2029\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Triple:
    """Subject, predicate, object, and how strongly the statement holds."""

    subject: str
    predicate: Predicate
    object: str
    weight: float = 1.0
    source: str = ""
    at: int = 0


def valid_triple(triple: Triple, now: int = 0) -> Triple:
    """Check a triple, and stamp it with the time unless it has one.

    >>> stored = valid_triple(Triple("tool:bash", "relatedTo", "tool:zsh", source=" me "), now=7)
    >>> stored.weight, stored.source, stored.at
    (1.0, 'me', 7)
    """
    check_node(triple.subject)
    check_predicate(triple.predicate)
    check_node(triple.object)
    if not 0 <= triple.weight <= sys.float_info.max:
        raise BadInput(f"the weight of {_shown(triple)} is {triple.weight}; it must be 0 or more")
    if not 0 <= triple.at < LARGEST_TIME:
        raise BadInput(
            f"the time of {_shown(triple)} is {triple.at}; it must be microseconds since 1970"
        )
    source = plain_label(triple.source)
    return replace(triple, weight=float(triple.weight), source=source, at=triple.at or now)


def _shown(triple: Triple) -> str:
    return f"{triple.subject} {triple.predicate} {triple.object}"


def check_predicate(predicate: str) -> Predicate:
    """Return the predicate if it is one of ours."""
    if predicate not in PREDICATES:
        raise BadInput(f"there is no predicate {predicate!r}; there are {', '.join(PREDICATES)}")
    return predicate


def check_node(name: str) -> str:
    """Return a node's name if it can be one.

    >>> check_node("tool:bash")
    'tool:bash'
    """
    if not name.strip():
        raise BadInput("a node needs a name, like tool:bash")
    if UNSEEN.search(name):
        raise BadInput(f"the node {name!r} has invisible characters; leave them out")
    if len(name.encode()) > LONGEST_NODE_BYTES:
        raise BadInput(
            f"the node {name[:40]!r}… has {len(name.encode())} bytes; "
            f"give it a name of at most {LONGEST_NODE_BYTES}"
        )
    return name


def error_node(tool: str, error_id: str) -> str:
    """Name an error's node; the id alone identifies it, the tool is there for people.

    >>> error_node("bash", "3f2a"), error_node("", "77b0")
    ('error:bash:3f2a', 'error:*:77b0')
    """
    return f"error:{_key(tool) or '*'}:{error_id}"


def fix_node(lesson_id: str) -> str:
    return f"fix:{lesson_id}"


def tool_node(name: str) -> str:
    return f"tool:{_key(name)}"


def session_node(key: str) -> str:
    """
    >>> session_node("monday"), session_node("100 %\\n")
    ('session:monday', 'session:100 %25%0A')
    """
    return f"session:{_key(key)}"


def _key(name: str) -> str:
    """Make any name a part of a node's: escape invisible characters, cut what is long."""
    seen = ESCAPED.sub(lambda found: quote(found[0], safe=""), name)
    if len(seen.encode()) <= LONGEST_NODE_BYTES // 2:
        return seen
    return f"{seen.encode()[: LONGEST_NODE_BYTES // 4].decode(errors='ignore')}…{digest(name)}"


def plain_label(text: str, longest: int = 200) -> str:
    """Fold a label or a source onto one line of visible characters, and cut it.

    >>> plain_label("open <path>:\\n timed  out")
    'open <path>: timed out'
    """
    folded = UNSEEN.sub("\ufffd", " ".join(text[: 4 * longest].split()))
    return folded if len(folded) <= longest else folded[: longest - 1] + "…"
