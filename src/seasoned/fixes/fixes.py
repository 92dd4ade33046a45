"""Learn fixes from episodes that ended in success, and credit or debit them afterwards.

A success of the same tool after a failure shows what was different. `changes.contrast` tells which
of that recurs in other sessions when this error is repaired; that becomes a fix. What the error
itself states needs no second witness. Each session counts once, for a fix whose change it made, or
against a fix that it did without. So one session makes a candidate, and two that agree a fix that
agents are told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from seasoned.changes.agreement import agreeing, common_repair
from seasoned.changes.contrast import Finding, Trial, does_without, makes, recurring
from seasoned.changes.named_by_error import named_by_error, stated_changes, suggests
from seasoned.changes.power import power_between, power_of, power_of_steps
from seasoned.changes.repair import Edit, Repair, apply_repair, repair_between
from seasoned.changes.single import (
    Origins,
    identity,
    is_covered,
    is_masked,
    joined,
    parts_of,
    single_changes,
)
from seasoned.changes.wording import AS_THE_ERROR_SAYS, sentence_for
from seasoned.core.ids import canonical
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.db.unit import Change
from seasoned.errors.nature import nature_of
from seasoned.fixes.episodes import Episode, EpisodeStore
from seasoned.fixes.literals import is_of_one_case, is_private, needs_witnesses
from seasoned.lessons.lesson import (
    ACTIVE_FROM,
    PRIOR,
    PRIORS,
    USABLE,
    Belief,
    Draft,
    Evidence,
    FixDetail,
    Lesson,
)
from seasoned.lessons.lesson_store import LessonStore, repair_of
from seasoned.lessons.readable import reads_well
from seasoned.security.redact import SECRET

if TYPE_CHECKING:
    from seasoned.fixes.propagation import Propagation


@dataclass(frozen=True, slots=True)
class FixConfig:
    hint_confidence: float = ACTIVE_FROM  # agent.autoApplyConfidence
    literal_witnesses: int = 2  # privacy.literalWitnesses: sessions, and users where known
    most_candidates: int = 12  # per error, so that a noisy tool cannot fill the store
    most_parts: int = 3  # changes of a candidate: with more, one episode tells nothing
    young: int = 2  # sessions up to which a fix is reduced to what the next one shares with it


WORKED = "worked in an episode"
FOLLOWED = "hint followed by success"
STATED = "the error itself states it"
WITHOUT = "it worked without this change"
RETRACTED = "the failed call itself worked later"
GENERALISED = "reduced to what its episodes have in common"
WIDENED = "its error was seen with other values"
REFUSED = "an operator took the same fix back"
SHARED = "a second person did the same"


class Fixes:
    """`propagation` passes credit on to similar errors; None if there is no graph."""

    def __init__(
        self,
        lessons: LessonStore,
        episodes: EpisodeStore,
        config: FixConfig,
        propagation: "Propagation | None" = None,
    ) -> None:
        self.lessons = lessons
        self.episodes = episodes
        self.config = config
        self.propagation = propagation

    async def learn(
        self,
        change: Change,
        episode: Episode,
        worked: Mapping[str, Any],
        trigger: str,
        scope: Scope,
        at: int,
        origins: Origins | None = None,
    ) -> Lesson | None:
        """Learn from an episode that ended in success; return the fix that it speaks for."""
        if (
            is_masked(episode.params, worked)
            or nature_of(episode.message, episode.params) != "misuse"
        ):
            return None
        trial = _trial(episode, worked, origins)
        await self._lock(change)
        await self.episodes.keep_changes(change, episode, trial.changes, worked)
        known = await self._known(change, episode.error_id)
        case = _Case(episode, trial, worked, trigger, scope, at)
        found = await self._weigh_known(change, case, known)
        if not trial.changes:
            return None
        if not _is_all_known(trial, known):
            past = await self.episodes.trials(change, episode.error_id, episode)
            findings = recurring(trial, past)
            if not findings and found is None:
                findings = agreeing(trial, past)
            for finding in findings:
                found = await self._adopt(change, case, finding, known) or found
        if found is None or not _explains(found, case):
            found = await self._add_stated(change, case, known) or found
        if found is None and len(known) < self.config.most_candidates:
            found = await self._add_candidate(change, case)
        return found

    async def _known(self, change: Change, error_id: str) -> list[Lesson]:
        """Return the fixes of an error; derived ones that say the same become one.

        Two errors that turn out to be the same bring such twins together, and one that an operator
        took back with another that was learned since.
        """
        found: dict[tuple[str, Scope], Lesson] = {}
        every = await self.lessons.fixes_of(change, (error_id,))
        rest = [one for one in every if one.explicit or one.status not in USABLE]
        refused = {
            identity(repair)
            for one in rest
            if one.status in ("retired", "suspended") and (repair := repair_of(one))
        }
        for lesson in every:
            repair = repair_of(lesson)
            if repair is None or lesson in rest:
                continue
            key = (identity(repair), lesson.scope)
            if key[0] in refused:
                await self.lessons.move(change, lesson, "retired", REFUSED)
                continue
            twin = found.get(key)
            found[key] = lesson if twin is None else await self._merge(change, twin, lesson)
        return [*rest, *found.values()]

    async def _merge(self, change: Change, lesson: Lesson, twin: Lesson) -> Lesson:
        if twin.fix is not None and twin.fix.waits:
            lesson, twin = twin, lesson  # what waits for an operator goes on waiting
        one = await self.lessons.absorb(change, lesson, twin, _prior(change.at))
        status = one.status_with(one.belief, self.config.hint_confidence)
        return await self.lessons.move(change, one, status, None)

    async def _weigh_known(
        self, change: Change, case: "_Case", known: Sequence[Lesson]
    ) -> Lesson | None:
        """Credit the known fixes that this episode followed, debit those it did without."""
        best: Lesson | None = None
        for lesson in known:
            repair = repair_of(lesson)
            if repair is None or lesson.status not in USABLE or not _visible(lesson, case.scope):
                continue
            if followed(case.trial, repair):
                named = await self._renamed(change, case, lesson)
                credited = await self.count(change, named, _success(case, lesson))
                best = best or credited
            elif both := await self._common(change, case, lesson, repair):
                best = best or both
            elif does_without(case.trial, repair) and not lesson.explicit:
                debit = Evidence(case.at, WITHOUT, 0, 1, case.episode.session)
                await self.count(change, lesson, debit)
        return best

    async def _renamed(self, change: Change, case: "_Case", lesson: Lesson) -> Lesson:
        """Follow the error's template, which widens as it is seen with other values."""
        if lesson.explicit or lesson.fix is None or lesson.trigger == case.trigger:
            return lesson
        words = (case.trigger, lesson.content, lesson.fix.change)
        return await self.lessons.reword(change, lesson, *words, WIDENED)

    async def _common(
        self, change: Change, case: "_Case", lesson: Lesson, repair: Repair
    ) -> Lesson | None:
        """Reduce a young fix to what this episode shares with it, and credit it."""
        if lesson.explicit or lesson.fix is None:
            return None
        evidence = await self.lessons.evidence(change, lesson.id)
        if len({one.session for one in evidence if one.worked > 0}) > self.config.young:
            return None
        shared = [part for part in parts_of(repair) if identity(part) in case.trial.identities]
        both = joined(shared) if shared else _agreed(repair, case)
        if both is None or both == repair:
            return None
        text, words = canonical(both.to_json()), sentence_for(both, case.episode.tool)
        if not reads_well(words):
            return None
        changed = await self.lessons.reword(change, lesson, case.trigger, words, text, GENERALISED)
        return await self.count(change, changed, _success(case, lesson))

    async def count(self, change: Change, lesson: Lesson, evidence: Evidence) -> Lesson:
        """Add evidence unless this session has spoken already, for or against."""
        if await self.lessons.balance(change, lesson.id, evidence.session):
            return lesson
        return await self.credit(change, lesson, evidence)

    async def credit(self, change: Change, lesson: Lesson, evidence: Evidence) -> Lesson:
        """Add evidence for or against a fix, which may activate or deactivate it."""
        await self._lock(change)
        after = lesson.belief.plus(evidence.worked, evidence.failed)
        status = lesson.status_with(after, self.config.hint_confidence)
        changed = await self.lessons.believe(change, lesson, evidence, status)
        if self.propagation is not None:
            await self.propagation.spread(change, changed, evidence)
        return changed

    async def _lock(self, change: Change) -> None:
        if self.propagation is not None:
            await self.propagation.begin(change)

    async def retract(self, change: Change, episode: Episode, at: int) -> None:
        """Take back what an episode showed, because its failed call worked unchanged soon after."""
        await self._lock(change)
        await self.episodes.keep_changes(change, episode, (), episode.params)
        for lesson in await self.lessons.fixes_of(change, (episode.error_id,)):
            if lesson.explicit or lesson.status not in USABLE:
                continue
            evidence = await self.lessons.evidence(change, lesson.id)
            own = [one for one in evidence if one.session == episode.session]
            if not own:
                continue
            if not any(one.worked > 0 and one.session for one in evidence if one not in own):
                await self.lessons.remove(change, lesson, RETRACTED)
                continue
            worked, failed = sum(one.worked for one in own), sum(one.failed for one in own)
            if worked or failed:
                taken = Evidence(at, RETRACTED, -worked, -failed, episode.session)
                await self.credit(change, lesson, taken)

    async def _adopt(
        self, change: Change, case: "_Case", finding: Finding, known: Sequence[Lesson]
    ) -> Lesson | None:
        """Make a fix of a change that recurs, unless one says so already."""
        for lesson in known:
            repair = repair_of(lesson)
            if repair is not None and identity(repair) == identity(finding.repair):
                return await self._share(change, case, lesson, finding)
        if await self._is_covered(change, finding, known):
            return None
        scope = self._scope(case, finding.repair, finding.made)
        if scope is None:
            return None
        evidence = _evidence(case.at, finding, WORKED)
        return await self._add(change, case, finding.repair, scope, evidence)

    async def _is_covered(self, change: Change, finding: Finding, known: Sequence[Lesson]) -> bool:
        """Tell whether a known fix was just reduced to this change, or was taken back."""
        for lesson in known:
            fresh = await self.lessons.find(change, lesson.id)
            repair = repair_of(fresh) if fresh else None
            if repair is not None and identity(repair) == identity(finding.repair):
                return True
        return False

    async def _share(
        self, change: Change, case: "_Case", lesson: Lesson, finding: Finding
    ) -> Lesson | None:
        """Give one person's fix to the whole project once a second person made the change."""
        if lesson.status not in USABLE or not lesson.scope.user:
            return None
        scope = self._scope(case, finding.repair, finding.made)
        if scope is None or scope.user:
            return None
        evidence = _evidence(case.at, finding, SHARED)
        return await self._add(change, case, finding.repair, scope, evidence)

    async def _add_stated(
        self, change: Change, case: "_Case", known: Sequence[Lesson]
    ) -> Lesson | None:
        """Make a fix of what the error itself states: that is its second witness."""
        repair = _stated(case)
        if repair is None or is_private(repair):
            return None
        name = identity(repair)
        if any((was := repair_of(one)) and identity(was) == name for one in known):
            return None
        witnesses = [_prior(case.at), _success(case, None)]
        witnesses.append(Evidence(case.at, STATED, 1, 0, case.episode.session))
        return await self._add(change, case, repair, case.scope.shared(), witnesses)

    async def _add_candidate(self, change: Change, case: "_Case") -> Lesson | None:
        """Keep what one episode shows as a candidate, which nobody is told."""
        repair = joined(case.trial.changes)
        if len(repair.edits) + len(repair.steps) > self.config.most_parts or is_private(repair):
            return None
        if any(map(is_of_one_case, parts_of(repair))):
            return None
        witnesses = [_prior(case.at), _success(case, None)]
        scope = case.scope.shared()
        if case.episode.user and needs_witnesses(repair, [case.trial]):
            scope = replace(scope, user=case.episode.user)
        return await self._add(change, case, repair, scope, witnesses)

    def _scope(self, case: "_Case", repair: Repair, made: Sequence[Trial]) -> Scope | None:
        """Tell whose fix it is: the project's, or one person's while only theirs has its values."""
        shared = case.scope.shared()
        if is_private(repair):
            return None
        if not needs_witnesses(repair, made):
            return shared
        wanted = self.config.literal_witnesses
        if len({trial.session for trial in made}) < wanted:
            return None
        users = {trial.user for trial in made if trial.user}
        if not users or len(users) >= wanted:
            return shared
        return replace(shared, user=case.episode.user) if case.episode.user in users else None

    async def _add(
        self,
        change: Change,
        case: "_Case",
        repair: Repair,
        scope: Scope,
        evidence: Sequence[Evidence],
    ) -> Lesson | None:
        episode, text = case.episode, canonical(repair.to_json())
        content = sentence_for(repair, episode.tool)
        if not reads_well(content):
            return None  # a lesson that nobody can follow is none
        belief = Belief(sum(one.worked for one in evidence), sum(one.failed for one in evidence))
        waits = power_of(repair) or _power(case, repair)
        waits = waits or power_of_steps(repair, episode.steps)
        believed = belief.confidence >= self.config.hint_confidence and not waits
        lesson, is_new = await self.lessons.add(
            change,
            Draft(
                kind="fix",
                status="active" if believed else "candidate",
                scope=scope,
                trigger=case.trigger,
                content=content,
                belief=belief,
                source="episode",
                identity=f"{episode.tool}\n{episode.error_id}\n{text}",
                fix=FixDetail(episode.tool, episode.error_id, text, waits),
                evidence=tuple(evidence),
            ),
        )
        if is_new:
            await self._replace_personal(change, lesson)
            return lesson
        if lesson.status not in USABLE:
            return None  # an operator took it back: it does not return by itself
        return await self.count(change, lesson, _success(case, lesson))

    async def _replace_personal(self, change: Change, lesson: Lesson) -> None:
        """Take the place of fixes of single persons that say the same."""
        if lesson.scope.user or lesson.fix is None:
            return
        for other in await self.lessons.fixes_of(change, (lesson.fix.error_id,)):
            same = other.content == lesson.content and other.status in USABLE
            if same and other.scope.user and not other.explicit:
                await self.lessons.remove(change, other, SHARED)


@dataclass(frozen=True)
class _Case:
    """An episode that ended in success, and what it takes to make a fix of it."""

    episode: Episode
    trial: Trial
    worked: Mapping[str, Any]
    trigger: str
    scope: Scope
    at: int


def _trial(episode: Episode, worked: Mapping[str, Any], origins: Origins | None) -> Trial:
    changes: tuple[Repair, ...] = ()
    if SECRET not in canonical(episode.params) or episode.params != worked:
        changes = single_changes(episode.params, worked, episode.message, episode.steps, origins)
    changes = tuple(change for change in changes if SECRET not in canonical(change.to_json()))
    called = (episode.session, episode.params, episode.message, changes)
    return Trial(*called, user=episode.user, worked=worked)


def followed(trial: Trial, repair: Repair) -> bool:
    """Tell whether a trial did what a repair says."""
    if makes(trial, repair):
        return bool(repair.edits or repair.steps)
    wanted = apply_repair(repair, trial.params, trial.error)
    if wanted is None or repair.steps or trial.worked is None:
        return False
    return all(
        wanted.get(name) == trial.worked.get(name)
        for name in {str(edit.path[0]) for edit in repair.edits}
    )


def _agreed(repair: Repair, case: _Case) -> Repair | None:
    """Generalise a repair that the error states to this episode's, if the error states both."""
    if not any(edit.kind == "rewritten" or _is_planned(edit) for edit in repair.edits):
        return None
    episode = case.episode
    own = repair_between(episode.params, case.worked, episode.message)
    if own is None or not named_by_error(own, episode.message):
        return None
    return common_repair(repair, own)


def _is_all_known(trial: Trial, known: Sequence[Lesson]) -> bool:
    """Tell whether fixes that a trial followed say every change of it already."""
    shared = [one for one in known if one.status in USABLE and not one.scope.user]
    repairs = [repair for one in shared if (repair := repair_of(one)) and makes(trial, repair)]
    return all(any(is_covered(change, one) for one in repairs) for change in trial.changes)


def _is_planned(edit: Edit) -> bool:
    return "plan" in (edit.detail.get("value") or ())


def _stated(case: _Case) -> Repair | None:
    """Return what the error states, in a form that fits other values too where there is one."""
    episode = case.episode
    whole = repair_between(episode.params, case.worked, episode.message)
    if whole is not None and (whole.is_retry or not named_by_error(whole, episode.message)):
        whole = None
    if whole is not None and AS_THE_ERROR_SAYS not in sentence_for(whole, ""):
        return whole
    if not suggests(episode.message):
        whole = None
    stated = stated_changes(case.trial.changes, episode.message)
    stated = [change for change in stated if not is_of_one_case(change)]
    return joined(stated) if stated else whole


def _explains(lesson: Lesson, case: _Case) -> bool:
    """Tell whether a fix, applied to the failed call, gives the one that worked."""
    repair = repair_of(lesson)
    if repair is None:
        return False
    return apply_repair(repair, case.episode.params, case.episode.message) == case.worked


def _power(case: _Case, repair: Repair) -> str:
    """Say what power the repair added in this very episode, by values that the error named."""
    made = apply_repair(repair, case.episode.params, case.episode.message)
    return power_between(case.episode.params, made) if made is not None else ""


def _visible(lesson: Lesson, scope: Scope) -> bool:
    return not lesson.scope.user or lesson.scope.user == scope.user


def _evidence(at: int, finding: Finding, reason: str) -> list[Evidence]:
    """Count each session once: for the change if it ever made it, else against it."""
    made = _one_per_session(finding.made)
    speaking = {trial.session for trial in made}
    without = [one for one in _one_per_session(finding.without) if one.session not in speaking]
    return [
        _prior(at),
        *(Evidence(at, reason, 1, 0, trial.session, _quote(trial.error)) for trial in made),
        *(Evidence(at, WITHOUT, 0, 1, trial.session, _quote(trial.error)) for trial in without),
    ]


def _one_per_session(trials: Sequence[Trial]) -> list[Trial]:
    return list({trial.session: trial for trial in trials}.values())


def _prior(at: int) -> Evidence:
    prior = PRIORS["episode"]
    return Evidence(at, PRIOR, prior.worked, prior.failed)


def _success(case: _Case, lesson: Lesson | None) -> Evidence:
    hinted = lesson is not None and case.episode.hint == lesson.id
    reason = FOLLOWED if hinted else WORKED
    return Evidence(case.at, reason, 1, 0, case.episode.session, _quote(case.episode.message))


def _quote(error: str) -> str:
    return one_line(error, 300)
