"""Make, list, revoke and rotate API keys; every such act is audited."""

from collections.abc import Sequence
from dataclasses import replace

from seasoned.core.authority import Caller, owner
from seasoned.core.clock import DAY, HOUR, MINUTE
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope
from seasoned.db.connection import Connection
from seasoned.db.unit import Change, Unit
from seasoned.security.api_keys import ROLES, ApiKey, NewKey, Role, key_digest, new_key_text
from seasoned.security.key_store import KeyStore
from seasoned.security.stored import stored_name

LONGEST_KEY_NAME = 100
MOST_DAYS = 3650
MOST_HOURS = 24 * 30
USED_EVERY = 10 * MINUTE  # precision of a key's last use


class Keys:
    """The keys of one database."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._store = KeyStore()

    async def create(
        self, name: str, role: Role, scope: Scope, caller: Caller, days: int | None = None
    ) -> NewKey:
        """Make a key for a scope in which the caller acts; it counts for so many days."""
        label = _label(name)
        if role not in ROLES:
            raise BadInput(f"the role is {role!r}; it must be one of {', '.join(ROLES)}")
        if days is not None and not 1 <= days <= MOST_DAYS:
            raise BadInput(f"a key may count for 1 to {MOST_DAYS} days, not {days}")
        place = Scope(*map(stored_name, scope.fields()[:3]))
        caller.require("change", place, "the scope of the new key")

        async def work(change: Change) -> NewKey:
            for one in await self._store.named(change, label, change.at):
                if one.scope.tenant == place.tenant:
                    raise BadInput(
                        f"there is a key {label!r} already ({one.id}); choose another name, or "
                        f"replace it with `seasoned keys rotate {one.id}`"
                    )
            expires = change.at + days * DAY if days is not None else 0
            return await self._add(change, label, role, place, expires)

        return await self._unit.change(work)

    async def list(self, caller: Caller, limit: int = 200) -> Sequence[ApiKey]:
        """List the keys that the caller may manage, newest first."""
        realm = caller.realm
        async with self._unit.read() as tx:
            found = await self._store.list(tx, limit, None if realm == Scope() else realm.tenant)
        return [one for one in found if caller.may("change", one.scope)]

    async def get(self, name: str, caller: Caller) -> ApiKey:
        """Return a key by its id, or by the name that one usable key has."""
        async with self._unit.read() as tx:
            return await self._get(tx, name, caller)

    async def revoke(self, name: str, caller: Caller) -> ApiKey:
        """Revoke a key for good; return it as it is now."""

        async def work(change: Change) -> ApiKey:
            key = await self._get(change, name, caller)
            if key.revoked_at:
                return key
            await self._store.revoke(change, key.id, change.at)
            change.record("key.revoked", key.id, _shape(key))
            return replace(key, revoked_at=change.at)

        return await self._unit.change(work)

    async def rotate(self, name: str, caller: Caller, keep_hours: int = 0) -> NewKey:
        """Make a new key in place of an old one, which counts for so many hours still."""
        if not 0 <= keep_hours <= MOST_HOURS:
            raise BadInput(f"an old key may count for 0 to {MOST_HOURS} hours, not {keep_hours}")

        async def work(change: Change) -> NewKey:
            old = await self._get(change, name, caller)
            if fault := old.fault(change.at):
                raise BadInput(f"key {old.id} {fault}; make a new one with `seasoned keys create`")
            until = change.at + keep_hours * HOUR
            if not keep_hours:
                await self._store.revoke(change, old.id, change.at)
            elif not old.expires_at or old.expires_at > until:
                await self._store.expire(change, old.id, until)
            expires = change.at + old.expires_at - old.created_at if old.expires_at else 0
            made = await self._add(change, old.name, old.role, old.scope, expires)
            detail = _shape(old) | {"replaced_by": made.key.id, "keep_hours": keep_hours}
            change.record("key.rotated", old.id, detail)
            return made

        return await self._unit.change(work)

    async def find(self, name: str) -> ApiKey | None:
        """Return a key by its id, whoever asks: to recognise a caller."""
        async with self._unit.read() as tx:
            return await self._store.find(tx, name)

    async def note_use(self, key: ApiKey) -> ApiKey:
        """Note that a key was used, at most once per `USED_EVERY`."""
        now = self._unit.now()
        if now - key.used_at < USED_EVERY:
            return key
        async with self._unit.db.write() as tx:
            await self._store.use(tx, key.id, now)
        return replace(key, used_at=now)

    async def any_usable(self) -> bool:
        async with self._unit.read() as tx:
            return await self._store.has_usable(tx, self._unit.now())

    async def _add(
        self, change: Change, name: str, role: Role, scope: Scope, expires: int
    ) -> NewKey:
        made, text = new_key_text()
        key = ApiKey(made, name, role, scope, key_digest(text), change.at, expires)
        await self._store.add(change, key)
        change.record("key.created", key.id, _shape(key))
        return NewKey(key, text)

    async def _get(self, tx: Connection, name: str, caller: Caller) -> ApiKey:
        """Find a key that the caller may manage; those of others are not found."""
        found = [one] if (one := await self._store.find(tx, name)) else []
        found = found or list(await self._store.named(tx, name, self._unit.now()))
        mine = [one for one in found if caller.may("change", one.scope)]
        if len(mine) > 1:
            ids = ", ".join(f"{one.id} of {owner(one.scope)}" for one in mine)
            raise BadInput(f"several keys are called {name!r}: {ids}; give the id")
        if not mine:
            raise NotFound(f"no key {name!r}; `seasoned keys list` shows those there are")
        return mine[0]


def _label(name: str) -> str:
    label = stored_name(" ".join(name.split()))
    if not label or len(label) > LONGEST_KEY_NAME or not label.isprintable():
        raise BadInput(f"a key needs a name of 1 to {LONGEST_KEY_NAME} characters, such as ci")
    return label


def _shape(key: ApiKey) -> dict[str, object]:
    tenant, project, user, _ = key.scope.fields()
    return {
        "name": key.name,
        "role": key.role,
        "tenant": tenant,
        "project": project,
        "user": user,
        "expires_at": key.expires_at,
    }
