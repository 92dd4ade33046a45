"""Match the passages of a changed document with those stored, so that each keeps its lesson."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from seasoned.core.scope import Scope
from seasoned.documents.chunks import beside
from seasoned.documents.document_store import StoredPassage
from seasoned.documents.source import LoadedDocument, Piece
from seasoned.lessons.lesson import PRIORS, Draft, Evidence
from seasoned.lessons.lesson_store import fingerprint_of


@dataclass(frozen=True, slots=True)
class PassageChange:
    """A passage to store, and the stored passage that it replaces, if any."""

    draft: Draft
    before: StoredPassage | None

    @property
    def is_erased(self) -> bool:
        return self.before is not None and not self.before.content

    @property
    def has_moved(self) -> bool:
        """Whether its heading or its neighbours have changed."""
        old, new = self.before, self.draft
        if old is None or self.is_erased:
            return False
        return (old.trigger, old.near, old.far) != (new.trigger, new.near, new.far)


def drafts_of(loaded: LoadedDocument, document_id: str, scope: Scope, now: int) -> list[Draft]:
    """Draft a lesson for each passage of a document."""
    seen: Counter[Piece] = Counter()
    prior = PRIORS["document"]
    said = Evidence(now, f"read in {loaded.name}", prior.worked, prior.failed)
    drafts: list[Draft] = []
    for piece in loaded.pieces:
        # The same text may be in several documents, and several times in one.
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


def match_passages(
    old: Sequence[StoredPassage], drafts: Sequence[Draft]
) -> tuple[list[PassageChange], list[StoredPassage]]:
    """Match drafts with stored passages; return the changes, and the passages that are gone."""
    left = {one.fingerprint: one for one in old}
    before = [left.pop(fingerprint_of(draft), None) for draft in drafts]
    by_content: defaultdict[str, list[StoredPassage]] = defaultdict(list)
    for one in left.values():
        by_content[one.content].append(one)
    for place, draft in enumerate(drafts):  # the same text under another heading
        if before[place] is None and by_content[draft.content]:
            before[place] = by_content[draft.content].pop(0)
    gone = [one for rest in by_content.values() for one in rest]
    found = [PassageChange(draft, one) for draft, one in zip(drafts, before, strict=True)]
    return _beside(found), gone


def _beside(found: Sequence[PassageChange]) -> list[PassageChange]:
    """Add the neighbours' text, except of passages that were erased."""
    texts = ["" if one.is_erased else one.draft.content for one in found]
    around = zip(found, beside(texts), beside(texts, 2), strict=True)
    return [replace(one, draft=replace(one.draft, near=near, far=far)) for one, near, far in around]
