"""Turn the parts of a session into items, after the origin of the session."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from seasoned.transcripts.formats.parts import Pairing, Part, Utterance
from seasoned.transcripts.item import Item, SessionOrigin, TranscriptSource


class SessionLog:
    """One session: yields its origin, then the call or message that each part completes."""

    def __init__(
        self,
        source: TranscriptSource,
        session: str = "",
        *,
        folder: str = "",
        in_repository: bool = False,
        personal: bool = True,
        user: str = "",
    ) -> None:
        self.session = session or source.opening
        self._pairing = Pairing(self.session, source.tally)
        self._told: SessionOrigin | None = None
        self._origin = SessionOrigin(
            self.session, folder, in_repository, user=user, personal=personal
        )

    def locate(self, folder: str, in_repository: bool = False) -> None:
        """Set the folder, unless it is known; a later `cd` does not change the project."""
        if folder and not self._origin.folder:
            self._origin = replace(self._origin, folder=folder, in_repository=in_repository)

    def take(
        self,
        parts: Iterable[Part],
        position: object,
        at: int | None = None,
        *,
        by_user: bool = True,
    ) -> Iterator[Item]:
        """Yield the items of one record; `by_user` is False if its prompts are not a person's."""
        for number, part in enumerate(parts):
            if not by_user and isinstance(part, Utterance) and part.role == "user":
                continue
            found = self._pairing.take(part, (position, number), at)
            if found is None:
                continue
            if self._told != self._origin:
                self._told = self._origin
                yield self._origin
            yield found
