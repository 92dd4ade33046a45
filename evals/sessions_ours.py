"""Seasoned as it is: one store for a source, a scope for each project and user in it."""

from collections.abc import Sequence
from pathlib import Path

from seasoned import Seasoned
from sessions_data import TOKEN, Event
from sessions_score import Advice


class Ours:
    def __init__(self, database: Path) -> None:
        self.database = database
        self.opened: dict[tuple[str, str], Seasoned] = {}
        self.session = ""
        self.noted: frozenset[str] = frozenset()

    def observe(self, event: Event) -> Advice | None:
        if event.session != self.session:  # what an agent would read before it begins
            self.session = event.session
            notes = self._for(event).tool_notes(session=event.session, given=False)
            self.noted = frozenset(note.lesson for note in notes)
        hint = self._for(event).observe(
            event.tool, event.params, event.result, event.error, session=event.session
        )
        if hint is None:
            return None
        removed, added = (
            frozenset(token for swap in hint.swaps for token in TOKEN.findall(swap[side]))
            for side in (0, 1)
        )
        both = removed & added
        return Advice(
            *(str(hint), hint.params, removed - both, added - both, hint.steps),
            foretold=hint.lesson in self.noted,
        )

    def end_session(self, events: Sequence[Event]) -> None:
        """Nothing to do: each call is learned from as it comes."""

    def close(self) -> None:
        for one in self.opened.values():
            one.close()

    def _for(self, event: Event) -> Seasoned:
        scope = (event.project, event.user)
        if scope not in self.opened:
            self.opened[scope] = Seasoned(self.database, project=event.project, user=event.user)
        return self.opened[scope]
