"""Recognise API keys: the database decides, and its answer is believed for two seconds."""

import logging
from collections import OrderedDict
from dataclasses import dataclass
from time import monotonic

from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput, DatabaseError
from seasoned.db.unit import Run
from seasoned.security.api_keys import ApiKey, key_digest, key_id
from seasoned.security.keys import Keys
from seasoned.server.callers import NotAuthenticated

log = logging.getLogger("seasoned.server")

BELIEVED_SECONDS = 2.0
MOST_KNOWN = 1000
UNKNOWN = "no such key; `seasoned keys list` shows those there are"


@dataclass(slots=True)
class _Known:
    key: ApiKey
    checked_at: float


class KnownKeys:
    """The keys that were shown lately, by the digest of what was shown."""

    def __init__(self, keys: Keys, run: Run, clock: Clock) -> None:
        self._keys = keys
        self._run = run
        self._clock = clock
        self._known: OrderedDict[str, _Known] = OrderedDict()

    async def recognise(self, text: str, *, only_known: bool = False) -> ApiKey | None:
        """Return the key that a text is; None if it is not one of the known ones.

        Raise `NotAuthenticated` for any other text that is no key, or a key that counts no more.
        """
        try:
            name = key_id(text)
        except BadInput as mistyped:
            raise NotAuthenticated(f"{mistyped}; copy it again") from None
        digest = key_digest(text)
        known = self._known.get(digest)
        if known is None and only_known:
            return None
        if known is None or monotonic() - known.checked_at > BELIEVED_SECONDS:
            known = await self._look_up(name, text, digest)
        if fault := known.key.fault(self._clock.now()):
            raise NotAuthenticated(
                f"key {known.key.id} ({known.key.name}) {fault}; ask for a new one"
            )
        return known.key

    async def by_id(self, name: str) -> ApiKey:
        """Return the key of this id as the database has it now; raise if it counts no more."""
        key = await self._run(self._keys.find(name))
        if key is None or key.fault(self._clock.now()):
            raise NotAuthenticated("the key of this login counts no more; log in again")
        return key

    def forget(self, name: str) -> None:
        """Forget a key, so that the database is asked the next time."""
        for digest in [one for one, known in self._known.items() if known.key.id == name]:
            del self._known[digest]

    async def _look_up(self, name: str, text: str, digest: str) -> _Known:
        key = await self._run(self._keys.find(name))
        if key is None or not key.opens(text):
            self._known.pop(digest, None)
            raise NotAuthenticated(UNKNOWN)
        if not key.fault(self._clock.now()):
            key = await self._note_use(key)
        known = self._known[digest] = _Known(key, monotonic())
        self._known.move_to_end(digest)
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return known

    async def _note_use(self, key: ApiKey) -> ApiKey:
        try:
            return await self._run(self._keys.note_use(key))
        except DatabaseError as error:  # the next use tries again
            log.info("the last use of key %s is not stored: %s", key.id, error)
            return key
