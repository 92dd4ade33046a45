"""Decide whose values a repair would tell: a literal stays with its owner until others share it."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from seasoned.changes.contrast import Trial
from seasoned.changes.repair import Repair
from seasoned.core.ids import canonical
from seasoned.security.pii import without_pii
from seasoned.security.redact import SECRET, redact

PROGRAMS = frozenset("command cmd script query sql code path file_path".split())
PUT = ("new", "front", "behind", "prefix", "suffix", "value")
_ID = re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{7,}\b|\b\d{4,}\b|\b\w+_\d{3,}\b")
_WORD = re.compile(r"[\w@.:/\\+-]+")
_CODE = re.compile(r"`([^`]*)`")
_END = ".:,;!?"
_FORMAT = re.compile(r"[YMDHSTZ:/.-]{2,}", re.IGNORECASE)  # YYYY-MM-DD, hh:mm
_LITERAL = re.compile(
    r".*@.*|.*[/\\].*|.*\d{4}.*"  # an address, a path, a long number
    r"|(?=.*\d)(?=.*[^\W\d]).{6,}"  # letters and digits: an id, a host, a version
)


def is_private(repair: Repair) -> bool:
    """Tell whether a repair holds personal data or a secret, which is told to nobody."""
    text = "\n".join(literals(repair))
    return SECRET in text or without_pii(text) != text or redact(text) != text


def is_of_one_case(change: Repair) -> bool:
    """Tell whether a single change replaces an id, a hash or a number, which never comes again."""
    return any(_ID.search(str(edit.detail.get("old", ""))) for edit in change.edits)


def needs_witnesses(repair: Repair, made: Sequence[Trial]) -> bool:
    """Tell whether a repair holds a literal that its episodes did not show themselves.

    What it replaces in a parameter other than a program's text is somebody's value, too.
    """
    if any(edit.detail.get("old") and edit.path[-1] not in PROGRAMS for edit in repair.edits):
        return True
    words = {word for text in literals(repair) for word in _WORD.findall(text)}
    return any(
        not all(word.casefold() in _shown(trial) for trial in made)
        for word in words
        if any(map(str.isalnum, word))
    )


def foreign_words(text: str, known: str, pairs: Sequence[str]) -> list[str]:
    """Return the values in a text that neither `known` nor every one of `pairs` shows.

    Paths, addresses, long numbers and ids are values, and so is all that stands in code.

    >>> foreign_words("Give `day` as `YYYY-MM-DD`, as 17.03.2031 in /srv/a.", "Set `day`.", [])
    ['17.03.2031', '/srv/a']
    >>> foreign_words("Use `eu-west`.", "", ["eu-west ord_77", "eu-west ord_78"])
    []
    """
    coded = {word.strip(_END) for code in _CODE.findall(text) for word in _WORD.findall(code)}
    bare = [word.strip(_END) for word in _WORD.findall(_CODE.sub(" ", text))]
    values = [*(word for word in bare if _LITERAL.fullmatch(word)), *sorted(coded)]
    return [
        value
        for value in values
        if len(value) > 1
        and not _FORMAT.fullmatch(value)
        and not _says(known, value)
        and not (pairs and all(_says(pair, value) for pair in pairs))
    ]


def _says(text: str, value: str) -> bool:
    """Tell whether a value stands in a text, and not only as a part of another one."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None


def _shown(trial: Trial) -> str:
    return f"{canonical(trial.params)}\n{trial.error}".casefold()


def literals(repair: Repair) -> Iterator[str]:
    """Yield the values that a repair would put into other calls, as text."""
    for edit in repair.edits:
        yield from _texts({name: edit.detail.get(name) for name in PUT})
    for step in repair.steps:
        yield from _texts(dict(step.params))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
            if key not in ("result", "same", "source", "plan"):
                yield from _texts(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
