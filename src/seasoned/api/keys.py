"""`s.keys`: who may call the gateway."""

from collections.abc import Sequence

from seasoned.api.face import AsyncFace, SyncFace, sync
from seasoned.core.scope import Scope
from seasoned.security.api_keys import ApiKey, NewKey, Role


class AsyncKeysFace(AsyncFace):
    """API keys of the scope in which the caller acts."""

    async def create(
        self, name: str, *, role: Role, scope: Scope | None = None, days: int | None = None
    ) -> NewKey:
        """Make a key; its text is returned once and stored nowhere. Default scope: the caller's."""
        place = scope if scope is not None else self._scope
        return await self._run(self._app.keys.create(name, role, place, self._caller, days))

    async def list(self, *, limit: int = 200) -> Sequence[ApiKey]:
        """List keys, newest first; revoked and expired ones, too."""
        return await self._run(self._app.keys.list(self._caller, limit))

    async def get(self, name: str) -> ApiKey:
        """Return a key by its id or name."""
        return await self._run(self._app.keys.get(name, self._caller))

    async def revoke(self, name: str) -> ApiKey:
        """Revoke a key; a running gateway refuses it within seconds."""
        return await self._run(self._app.keys.revoke(name, self._caller))

    async def rotate(self, name: str, *, keep_hours: int = 0) -> NewKey:
        """Replace a key by a new one; the old one counts for so many hours still."""
        return await self._run(self._app.keys.rotate(name, self._caller, keep_hours))


class KeysFace(SyncFace[AsyncKeysFace]):
    """The synchronous twin."""

    create = sync(AsyncKeysFace.create)
    list = sync(AsyncKeysFace.list)
    get = sync(AsyncKeysFace.get)
    revoke = sync(AsyncKeysFace.revoke)
    rotate = sync(AsyncKeysFace.rotate)
