"""Who the bearer of an identity provider's token is here: claims become a role and a scope."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from seasoned.config.settings import AuthConfig
from seasoned.core.errors import ConfigError, NotAllowed
from seasoned.core.scope import Scope
from seasoned.security.api_keys import ROLES, Role
from seasoned.security.stored import stored_name
from seasoned.server.callers import OPERATORS, RequestCaller

LONGEST_CLAIM = 200


@dataclass(frozen=True, slots=True)
class ClaimRules:
    """How claims are read; built once from the settings."""

    config: AuthConfig
    roles: Mapping[str, Role]

    @staticmethod
    def of(config: AuthConfig) -> "ClaimRules":
        roles = dict(_pairs(config.oidc_roles))
        if not roles and not config.oidc_default_role:
            raise ConfigError(
                "auth.oidcIssuer is set, but no token gives anybody a role; set auth.oidcRoles, "
                "e.g. staff=learn, ops=admin, or auth.oidcDefaultRole"
            )
        return ClaimRules(config, roles)

    def caller(self, claims: Mapping[str, Any]) -> RequestCaller:
        """Return the caller; raise `NotAllowed` if the token gives no role, or lacks a claim.

        Who operates acts for the whole tenant or project; others for themselves.
        """
        subject = str(claims.get("sub", ""))[:LONGEST_CLAIM]
        role = self.role(claims)
        tenant = self._place(claims, self.config.oidc_tenant_claim)
        project = self._place(claims, self.config.oidc_project_claim)
        user = "" if role in OPERATORS else self._user(claims)
        name = next(
            (
                one[:LONGEST_CLAIM]
                for key in ("preferred_username", "email", "name")
                if isinstance(one := claims.get(key), str) and one.strip()
            ),
            subject,
        )
        scope = Scope(tenant, project, user)
        acts_in = scope if role in OPERATORS else None
        return RequestCaller(
            scope, acts_in, role, stored_name(name), f"login {stored_name(subject)}"
        )

    def role(self, claims: Mapping[str, Any]) -> Role:
        """Return the highest role that the claims give."""
        named = _values(claims, self.config.oidc_role_claim) & set(self.roles)
        given: set[Role] = {self.roles[one] for one in named}
        if self.config.oidc_default_role:
            given.add(cast("Role", self.config.oidc_default_role))
        if not given:
            raise NotAllowed(
                f"the token is genuine, but its claim {self.config.oidc_role_claim!r} gives no "
                "role here; an operator can map it in auth.oidcRoles"
            )
        return ROLES[max(map(ROLES.index, given))]

    def _place(self, claims: Mapping[str, Any], claim: str) -> str:
        return self._required(claims, claim) if claim else ""

    def _user(self, claims: Mapping[str, Any]) -> str:
        claim = self.config.oidc_user_claim or "sub"
        if claim == "email" and claims.get("email_verified") is not True:
            raise NotAllowed("the token's e-mail address is not verified by the provider")
        return self._required(claims, claim)

    def _required(self, claims: Mapping[str, Any], claim: str) -> str:
        """Return a claim that limits the caller: without it, the limit would be missing."""
        value = _at(claims, claim)
        text = stored_name(value.strip()) if isinstance(value, str) else ""
        if not text or len(text) > LONGEST_CLAIM:
            raise NotAllowed(
                f"the token has no claim {claim!r} that says whose it is; the provider must add it"
            )
        return text


def _pairs(text: str) -> Iterator[tuple[str, Role]]:
    """
    >>> list(_pairs("staff=learn, ops = admin"))
    [('staff', 'learn'), ('ops', 'admin')]
    """
    for part in filter(None, (one.strip() for one in text.split(","))):
        value, equals, role = (one.strip() for one in part.rpartition("="))
        if not equals or not value or role not in ROLES:
            raise ConfigError(
                f"auth.oidcRoles has {part!r}; write value=role, with one of {', '.join(ROLES)}"
            )
        yield value, role


def _values(claims: Mapping[str, Any], claim: str) -> set[str]:
    """Return a claim's values; it may be one text, texts with spaces between, or a list."""
    found = _at(claims, claim)
    if isinstance(found, str):
        return {found, *found.split()}
    return (
        {one for one in cast("list[Any]", found) if isinstance(one, str)}
        if isinstance(found, list)
        else set()
    )


def _at(claims: Mapping[str, Any], path: str) -> Any:
    """Return the claim of this name, or at the end of a path of names with dots between.

    >>> _at({"realm_access": {"roles": ["ops"]}}, "realm_access.roles")
    ['ops']
    """
    if path in claims:
        return claims[path]
    found: Any = claims
    for name in path.split("."):
        found = cast("dict[str, Any]", found).get(name) if isinstance(found, dict) else None
    return found
