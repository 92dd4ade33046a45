"""REST for API keys: an administrator's, of the tenant that the request works on."""

from typing import Annotated

from fastapi import Path, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.routing import BaseRoute

from seasoned.core.clock import iso
from seasoned.core.scope import Scope
from seasoned.security.api_keys import ApiKey, NewKey, Role
from seasoned.security.stored import stored_name
from seasoned.server.auth.identities import identities_of
from seasoned.server.gateway import Gateway
from seasoned.server.rest.resource import Resource

Name = Annotated[str, Path(description="Id or name of the key.", max_length=200)]


class KeyToMake(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=100)
    role: Role
    project: str = Field(default="", max_length=200, description="Empty: the caller's.")
    user: str = Field(default="", max_length=200, description="Empty: the caller's.")
    expires_days: int | None = Field(default=None, ge=1, le=3650)


class KeyToRotate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    keep_hours: int = Field(default=0, ge=0, le=720, description="How long the old key counts.")


class ShownKey(BaseModel):
    """A key without its secret."""

    id: str
    name: str
    role: Role
    tenant: str
    project: str
    user: str
    usable: bool
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    used_at: str | None


class MadeKey(ShownKey):
    key: str = Field(description="The key itself, this once.")


class ShownKeys(BaseModel):
    keys: list[ShownKey]


def routes(gateway: Gateway) -> list[BaseRoute]:
    resource = Resource("keys")

    def shown(key: ApiKey) -> dict[str, object]:
        now = gateway.seasoned.app.clock.now()
        tenant, project, user, _ = key.scope.fields()
        return {
            "id": key.id,
            "name": key.name,
            "role": key.role,
            "tenant": tenant,
            "project": project,
            "user": user,
            "usable": not key.fault(now),
            "created_at": iso(key.created_at),
            "expires_at": iso(key.expires_at) if key.expires_at else None,
            "revoked_at": iso(key.revoked_at) if key.revoked_at else None,
            "used_at": iso(key.used_at) if key.used_at else None,
        }

    def made(new: NewKey) -> MadeKey:
        return MadeKey.model_validate(shown(new.key) | {"key": new.text})

    @resource.operation("GET", "/keys", "admin", ShownKeys)
    async def list_keys(request: Request) -> ShownKeys:
        """List keys, newest first; revoked and expired ones, too."""
        s = await gateway.for_request(request)
        found = await s.keys.list()
        return ShownKeys(keys=[ShownKey.model_validate(shown(one)) for one in found])

    @resource.operation("POST", "/keys", "admin", MadeKey, status=201)
    async def create_key(request: Request, wanted: KeyToMake) -> MadeKey:
        """Make a key of the caller's tenant; the answer is the only place that has it."""
        s = await gateway.for_request(request)
        project, user = stored_name(wanted.project), stored_name(wanted.user)
        scope = Scope(s.scope.tenant, project or s.scope.project, user or s.scope.user)
        new = await s.keys.create(
            wanted.name, role=wanted.role, scope=scope, days=wanted.expires_days
        )
        return made(new)

    @resource.operation("DELETE", "/keys/{name}", "admin", ShownKey)
    async def revoke_key(request: Request, name: Name) -> ShownKey:
        """Revoke a key; what it has open ends within seconds."""
        s = await gateway.for_request(request)
        key = await s.keys.revoke(name)
        identities_of(request).keys.forget(key.id)
        return ShownKey.model_validate(shown(key))

    @resource.operation("POST", "/keys/{name}/rotate", "admin", MadeKey, status=201)
    async def rotate_key(
        request: Request, name: Name, wanted: KeyToRotate | None = None
    ) -> MadeKey:
        """Replace a key by a new one of the same name, role and scope."""
        s = await gateway.for_request(request)
        old = await s.keys.get(name)
        new = await s.keys.rotate(old.id, keep_hours=wanted.keep_hours if wanted else 0)
        identities_of(request).keys.forget(old.id)
        return made(new)

    return list(resource.routes)
