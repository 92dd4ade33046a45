"""Compares what a document says now with what it said: a passage that stays keeps its lesson."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from seasoned.core.scope import Scope
from seasoned.documents.chunks import beside
from seasoned.documents.source import Loaded, Piece
from seasoned.learning.confidence import PRIORS
from seasoned.learning.document_store import Placed
from seasoned.learning.lesson import Draft, Evidence
from seasoned.learning.lessons import fingerprint_of


@dataclass(frozen=True, slots=True)
class Settled:
    """A passage as it should be stored, and the lesson that it is already, if it is one."""

    draft: Draft
    before: Placed | None

    @property
    def is_erased(self) -> bool:
        return self.before is not None and not self.before.content

    @property
    def has_moved(self) -> bool:
        """Whether it stands under another heading or beside other words now."""
        old, new = self.before, self.draft
        if old is None or self.is_erased:
            return False
        return (old.trigger, old.near, old.far) != (new.trigger, new.near, new.far)


def drafts_of(loaded: Loaded, document_id: str, scope: Scope, now: int) -> list[Draft]:
    """A lesson for each passage of a document."""
    seen: Counter[Piece] = Counter()
    prior = PRIORS["document"]
    said = Evidence(now, f"read in {loaded.name}", prior.worked, prior.failed)
    drafts: list[Draft] = []
    for piece in loaded.pieces:
        # The same words may stand in many documents, and more than once in each.
        identity = f"{document_id} {seen[piece]}\n{piece.text}"
        seen[piece] += 1
        drafts.append(
            Draft(
                kind="fact",
                status="active",
                scope=scope,
                trigger=piece.trigger,
                content=piece.text,
                belief=prior,
                source="document",
                identity=identity,
                evidence=(said,),
            )
        )
    return drafts


def settled(old: Sequence[Placed], drafts: Sequence[Draft]) -> tuple[list[Settled], list[Placed]]:
    """Each passage with the lesson that it is, and the lessons whose passages are gone."""
    left = {one.fingerprint: one for one in old}
    before = [left.pop(fingerprint_of(draft), None) for draft in drafts]
    by_content: defaultdict[str, list[Placed]] = defaultdict(list)
    for one in left.values():
        by_content[one.content].append(one)
    for place, draft in enumerate(drafts):  # the same words under another heading
        if before[place] is None and by_content[draft.content]:
            before[place] = by_content[draft.content].pop(0)
    gone = [one for rest in by_content.values() for one in rest]
    found = [Settled(draft, one) for draft, one in zip(drafts, before, strict=True)]
    return _beside(found), gone


def _beside(found: Sequence[Settled]) -> list[Settled]:
    """What was erased is not to be found through its neighbours either."""
    texts = ["" if one.is_erased else one.draft.content for one in found]
    around = zip(found, beside(texts), beside(texts, 2), strict=True)
    return [replace(one, draft=replace(one.draft, near=near, far=far)) for one, near, far in around]
