"""What the nodes of the graph are called, so that no two things share a name."""

import re
from urllib.parse import quote

from seasoned.core.errors import BadInput
from seasoned.core.ids import digest

LONGEST_BYTES = 512  # an index of Postgres takes no more than five times as much
# What no line of text, no XML and no terminal takes as it is.
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
ESCAPED = re.compile("[\x00-\x1f%\x7f-\x9f\u2028\u2029\ufffe\uffff]")


def error_node(tool: str, error_id: str) -> str:
    """An error is told apart by its id alone; the tool is there for people.

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
    """Any name as a part of a node's: what cannot be seen is spelt out, what is long is cut."""
    seen = ESCAPED.sub(lambda found: quote(found[0], safe=""), name)
    if len(seen.encode()) <= LONGEST_BYTES // 2:
        return seen
    return f"{seen.encode()[: LONGEST_BYTES // 4].decode(errors='ignore')}…{digest(name)}"


def checked(name: str) -> str:
    """A node's name as it was given, if it can be one.

    >>> checked("tool:bash")
    'tool:bash'
    """
    if not name.strip():
        raise BadInput("a node needs a name, like tool:bash")
    if UNSEEN.search(name):
        raise BadInput(f"the node {name!r} has characters that cannot be seen; leave them out")
    if len(name.encode()) > LONGEST_BYTES:
        raise BadInput(
            f"the node {name[:40]!r}… has {len(name.encode())} bytes, "
            f"at most {LONGEST_BYTES} are taken; give it a shorter name"
        )
    return name


def plain(text: str, longest: int = 200) -> str:
    """A label or a source: one line that can be seen, and not too long.

    >>> plain("open <path>:\\n timed  out")
    'open <path>: timed out'
    """
    folded = UNSEEN.sub("\ufffd", " ".join(text[: 4 * longest].split()))
    return folded if len(folded) <= longest else folded[: longest - 1] + "…"
