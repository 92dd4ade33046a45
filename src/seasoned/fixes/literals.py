"""Decide whose values a repair would tell: a literal stays with its owner until others share it."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from seasoned.changes.contrast import Trial
from seasoned.changes.repair import Repair
from seasoned.core.ids import canonical
from seasoned.security.pii import without_pii
from seasoned.security.redact import SECRET, redact

PUT = ("new", "front", "behind", "prefix", "suffix", "value")
_ID = re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{7,}\b|\b\d{4,}\b|\b\w+_\d{3,}\b")
_WORD = re.compile(r"[\w@.:/\\+-]+")


def is_private(repair: Repair) -> bool:
    """Tell whether a repair holds personal data or a secret, which is told to nobody."""
    text = "\n".join(literals(repair))
    return SECRET in text or without_pii(text) != text or redact(text) != text


def is_of_one_case(change: Repair) -> bool:
    """Tell whether a single change replaces an id, a hash or a number, which never comes again."""
    return any(_ID.search(str(edit.detail.get("old", ""))) for edit in change.edits)


def needs_witnesses(repair: Repair, made: Sequence[Trial]) -> bool:
    """Tell whether a repair holds a literal that its episodes did not show themselves."""
    words = {word for text in literals(repair) for word in _WORD.findall(text)}
    return any(
        not all(word.casefold() in _shown(trial) for trial in made)
        for word in words
        if len(word) > 1
    )


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
