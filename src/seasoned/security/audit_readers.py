"""Tell who may read an audit event: those who may read what it is about, by the scopes it tells."""

import json
from collections.abc import Iterator
from typing import Any, cast

from seasoned.core.authority import Caller
from seasoned.core.scope import Scope
from seasoned.security.audit import AuditEvent


def may_read(caller: Caller, event: AuditEvent) -> bool:
    """An event that tells no scope is for those alone who act for everybody."""
    if caller.realm == Scope():
        return True
    told = list(scopes_in(json.loads(event.detail)))
    return bool(told) and all(caller.may("read", scope) for scope in told)


def scopes_in(detail: Any) -> Iterator[Scope]:
    """Yield the scopes that an event's details tell.

    >>> list(scopes_in({"tenant": "acme", "project": "web", "triples": 1}))
    [Scope(tenant='acme', project='web', user='', session='')]
    """
    if not isinstance(detail, dict):
        return
    fields = cast("dict[str, Any]", detail)
    scope = fields.get("scope")
    if isinstance(scope, list):
        yield Scope(*map(str, cast("list[Any]", scope)[:4]))
    if isinstance(fields.get("tenant"), str):
        yield Scope(*(str(fields.get(name, "")) for name in ("tenant", "project", "user")))
    for name in ("before", "after"):
        yield from scopes_in(fields.get(name))
