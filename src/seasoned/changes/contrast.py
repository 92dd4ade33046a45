"""Judge changes by contrast: how often it worked with a change, against without it.

A `Trial` is one failure that was repaired. A change speaks for itself if it was made in several
trials of one error; each trial in which it could have been made and was not speaks against it.
Trials of one session depend on one another, so a session counts once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seasoned.changes.repair import Repair
from seasoned.changes.single import fits, identity, joined, parts_of, value_at
from seasoned.changes.swaps import says

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

    @property
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
    return all(
        identity(part) in trial.identities or _took_effect(part, trial) for part in parts_of(repair)
    )


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
    for change in new.changes:
        made = [trial for trial in others if makes(trial, change)]
        if not made:
            continue
        shared = [one for one in new.changes if all(makes(trial, one) for trial in made)]
        repair = joined([one for one in shared if _varies(one, new, made)])
        if not repair.edits and not repair.steps:
            continue
        trials = [new, *past]
        findings[identity(repair)] = Finding(
            repair,
            [trial for trial in trials if makes(trial, repair)],
            [trial for trial in trials if does_without(trial, repair)],
        )
    return list(findings.values())


def _varies(change: Repair, new: Trial, made: Sequence[Trial]) -> bool:
    general = [edit for edit in change.edits if edit.kind == "affixed"]
    return not general or any(
        trial.params.get(str(edit.path[0])) != new.params.get(str(edit.path[0]))
        for edit in general
        for trial in made
    )
