"""Judge changes by contrast: how often it worked with a change, against without it.

A `Trial` is one failure that was repaired. A change speaks for itself if it was made in several
trials of one error; each trial in which it could have been made and was not speaks against it.
Trials of one session depend on one another, so a session counts once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from seasoned.changes.error_text import read_error
from seasoned.changes.repair import Edit, Repair
from seasoned.changes.single import fits, identity, is_open, joined, parts_of, value_at
from seasoned.changes.swaps import rejected_words, says

LEAST_AFFIXED = 2  # different values of a parameter that were all completed the same way
LEAST_COMPLETED = 3  # different names in a text

Params = Mapping[str, Any]


@dataclass(frozen=True)
class Trial:
    """A failed call and the single changes with which it worked; none if it worked unchanged."""

    session: str
    params: Params
    error: str
    changes: tuple[Repair, ...] = ()
    user: str = ""
    worked: Params | None = None

    @cached_property
    def identities(self) -> frozenset[str]:
        return frozenset(map(identity, self.changes))


@dataclass(frozen=True)
class Finding:
    """A change that recurs, the trials that made it, and those that did without it."""

    repair: Repair
    made: Sequence[Trial]
    without: Sequence[Trial]

    @property
    def sessions(self) -> int:
        return len({trial.session for trial in self.made})


def makes(trial: Trial, repair: Repair) -> bool:
    """Tell whether a trial made every part of a repair, among other changes or not."""
    return _makes(trial, [(identity(part), part) for part in parts_of(repair)])


def _makes(trial: Trial, parts: Sequence[tuple[str, Repair]]) -> bool:
    return all(name in trial.identities or _took_effect(part, trial) for name, part in parts)


def _took_effect(part: Repair, trial: Trial) -> bool:
    """Tell whether the words of a swap stand in the call that worked, and the old ones do not."""
    if trial.worked is None or not part.edits or part.edits[0].kind != "swapped":
        return False
    edit = part.edits[0]
    if not edit.detail.get("old") or not edit.detail.get("new"):
        return False
    failed, worked = (value_at(params, edit.path) for params in (trial.params, trial.worked))
    if not isinstance(failed, str) or not isinstance(worked, str):
        return False
    old, new = edit.detail["old"], edit.detail["new"]
    return (
        says(failed, old) and not says(failed, new) and says(worked, new) and not says(worked, old)
    )


def does_without(trial: Trial, repair: Repair) -> bool:
    """Tell whether a trial could have made a repair, and worked without it."""
    return not makes(trial, repair) and fits(repair, trial.params, trial.error)


def recurring(new: Trial, past: Sequence[Trial]) -> list[Finding]:
    """Find the changes of a trial that other sessions made too, together with what they share.

    Changes that the same trials made belong together. A change of values of one kind (an affix, a
    parameter without its value) recurs only if the values differ: the same value twice shows
    nothing about others.
    """
    others = [trial for trial in past if trial.session != new.session]
    findings: dict[str, Finding] = {}
    named = [(identity(change), change) for change in new.changes]
    for one in named:
        made = [trial for trial in others if _makes(trial, [one])]
        if not made:
            continue
        shared = [other[1] for other in named if all(_makes(trial, [other]) for trial in made)]
        repair = joined([change for change in shared if _varies(change, new, made)])
        if repair.is_retry or identity(repair) in findings:
            continue
        trials = [new, *past]
        findings[identity(repair)] = Finding(
            repair,
            [trial for trial in trials if makes(trial, repair)],
            [trial for trial in trials if does_without(trial, repair)],
        )
    return list(findings.values())


def _varies(change: Repair, new: Trial, made: Sequence[Trial]) -> bool:
    """Tell whether a general change was made to different things, often enough to be one."""
    for edit in change.edits:
        wanted = LEAST_COMPLETED if _completes(edit) else LEAST_AFFIXED
        if edit.kind == "affixed" or _completes(edit) or is_open(edit):
            subjects = [_subject(edit, trial) for trial in (new, *made)]
            if len({repr(subject) for subject in subjects}) < wanted:
                return False
    return True


def _completes(edit: Edit) -> bool:
    return "prefix" in edit.detail or "suffix" in edit.detail


def _subject(edit: Edit, trial: Trial) -> object:
    """Return what a general change was applied to: the rejected name, or the whole value."""
    if _completes(edit):
        return sorted(rejected_words(read_error(trial.error)))
    return value_at(trial.params, edit.path)
