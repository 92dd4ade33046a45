"""An OpenID Connect provider: discovery, its keys, and whether a token is genuine.

Keys are fetched again when they are ten minutes old, or when a token names an unknown one.
Strangers can invent names of keys, so that is limited. While the provider is down, known keys count
for a day.
"""

import asyncio
import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, cast
from urllib.parse import urlsplit

import httpx2
import jwt

from seasoned.core.errors import ConfigError
from seasoned.server.auth.buckets import Buckets
from seasoned.server.callers import NotAuthenticated, ProviderUnavailable

log = logging.getLogger("seasoned.server")

# By kind of key. None with a shared secret, and not `none`.
ALGORITHMS = {
    "RSA": ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    "EC": ("ES256", "ES384", "ES512"),
    "OKP": ("EdDSA",),
}
ALLOWED = frozenset(name for names in ALGORITHMS.values() for name in names)
CLAIMS = ("exp", "iss", "aud", "sub")
LOOPBACK = ("127.0.0.1", "::1", "localhost")
LONGEST_TOKEN = 16 * 1024
LARGEST_ANSWER = 2**20
TIMEOUT_SECONDS = 10.0
SILENT_SECONDS = 3.0  # after a failure
FRESH_SECONDS = 600.0
USABLE_SECONDS = 24 * 3600.0
FETCHES_A_MINUTE, FETCHES_AT_ONCE = 6, 4


@dataclass(frozen=True, slots=True)
class Metadata:
    """What discovery says."""

    issuer: str
    jwks: str
    authorization: str
    token: str
    auth_methods: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProviderKeys:
    """The provider's public keys at one moment."""

    keys: tuple[jwt.PyJWK, ...]
    fetched_at: float = field(default_factory=monotonic)

    def find(self, kid: str | None, algorithm: str) -> jwt.PyJWK | None:
        """Return the key that a token names; without a name, the only one that fits."""
        fitting = [one for one in self.keys if algorithm in ALGORITHMS.get(one.key_type or "", ())]
        if kid is None:
            return fitting[0] if len(fitting) == 1 else None
        return next((one for one in fitting if one.key_id == kid), None)

    @property
    def age(self) -> float:
        return monotonic() - self.fetched_at


class Provider:
    """The provider at one issuer; asked only when its keys or metadata are needed."""

    def __init__(self, issuer: str, leeway_seconds: int) -> None:
        self.issuer = _checked_url(issuer, "auth.oidcIssuer").rstrip("/")
        self._leeway = leeway_seconds
        self._metadata: Metadata | None = None
        self._keys: ProviderKeys | None = None
        self._fetches = Buckets(FETCHES_A_MINUTE, FETCHES_AT_ONCE)
        self._fetching = asyncio.Lock()
        self._silent_until = 0.0

    def issued(self, token: str) -> bool:
        """Whether a token claims to come from this provider; proves nothing."""
        if len(token) > LONGEST_TOKEN or token.count(".") != 2:
            return False
        try:
            claims = jwt.decode(token, options={"verify_signature": False})
        except (jwt.PyJWTError, ValueError, RecursionError):
            return False
        return str(claims.get("iss", "")).rstrip("/") == self.issuer

    async def verified(self, token: str, audience: Iterable[str]) -> Mapping[str, Any]:
        """Return the claims of a genuine token; raise `NotAuthenticated` for any other."""
        if len(token) > LONGEST_TOKEN:
            raise NotAuthenticated("the token is too long to be one of the provider's")
        try:
            header = jwt.get_unverified_header(token)
        except (jwt.PyJWTError, ValueError, RecursionError):
            raise NotAuthenticated("the token cannot be read; ask the provider for one") from None
        algorithm, kid = header.get("alg"), header.get("kid")
        if not isinstance(algorithm, str) or algorithm not in ALLOWED:
            raise NotAuthenticated(
                f"the token is signed by {str(algorithm)[:20]!r}, which is not accepted"
            )
        key = await self._key(kid if isinstance(kid, str) else None, algorithm)
        metadata = await self.metadata()
        try:
            return jwt.decode(
                token,
                key.key,
                algorithms=[algorithm],
                audience=list(audience),
                issuer=metadata.issuer,
                leeway=self._leeway,
                options={"require": list(CLAIMS)},
            )
        except jwt.ExpiredSignatureError:
            raise NotAuthenticated(
                "the token has expired; ask the provider for a new one"
            ) from None
        except jwt.InvalidAudienceError:
            raise NotAuthenticated(
                "the token is for another audience; it must be for auth.oidcAudience"
            ) from None
        except (jwt.PyJWTError, ValueError, RecursionError) as error:
            raise NotAuthenticated(f"the token is not genuine ({error})") from None

    async def metadata(self) -> Metadata:
        if self._metadata is None:
            async with self._fetching:
                return await self._discovered()
        return self._metadata

    async def redeem(self, form: Mapping[str, str], client_id: str, secret: str) -> str:
        """Exchange an authorization code for an id token."""
        metadata = await self.metadata()
        given: dict[str, str] = {**form, "client_id": client_id}
        auth: httpx2.BasicAuth | httpx2.Auth = httpx2.Auth()
        if secret and "client_secret_basic" in metadata.auth_methods:
            auth = httpx2.BasicAuth(client_id, secret)
        elif secret:
            given["client_secret"] = secret
        try:
            async with _client() as client:
                answer = await client.post(metadata.token, data=given, auth=auth)
                content = answer.content[:LARGEST_ANSWER]
        except httpx2.HTTPError as error:
            raise self._down(error) from error
        if answer.status_code >= 500:
            raise self._down(f"it answered {answer.status_code}")
        found = _object(content)
        token = found.get("id_token")
        if answer.status_code != 200 or not isinstance(token, str):
            why = str(found.get("error", answer.status_code))[:100]
            raise NotAuthenticated(f"the provider refused the login ({why}); log in again")
        return token

    async def _key(self, kid: str | None, algorithm: str) -> jwt.PyJWK:
        keys = self._keys
        if keys is None or keys.age > FRESH_SECONDS:
            keys = await self._refreshed(keys)
        found = keys.find(kid, algorithm)
        if found is None:  # the provider may have a new one
            keys = await self._refreshed(keys)
            found = keys.find(kid, algorithm)
        if found is None:
            raise NotAuthenticated("the token is signed by a key that the provider does not have")
        return found

    async def _refreshed(self, seen: ProviderKeys | None) -> ProviderKeys:
        """Fetch the keys, unless somebody just did, or too often; keep the old ones if it fails."""
        async with self._fetching:
            if self._keys is not None and self._keys is not seen:
                return self._keys
            if seen is not None and self._fetches.take("keys"):
                return seen
            try:
                self._keys = await self._fetched_keys(await self._discovered())
            except ProviderUnavailable as down:
                if seen is None or seen.age > USABLE_SECONDS:
                    raise
                log.warning("%s; its keys of %d s ago go on", down, seen.age)
                return seen
            return self._keys

    async def _fetched_keys(self, metadata: Metadata) -> ProviderKeys:
        listed = (await self._get(metadata.jwks)).get("keys")
        found: list[jwt.PyJWK] = []
        for one in cast("list[Any]", listed) if isinstance(listed, list) else []:
            if isinstance(one, dict) and cast("dict[str, Any]", one).get("use", "sig") == "sig":
                try:
                    found.append(jwt.PyJWK(cast("dict[str, Any]", one)))
                except (jwt.PyJWTError, ValueError, TypeError, KeyError):  # of a newer kind
                    continue
        if not found:
            raise self._down(f"{metadata.jwks} has no key for signatures")
        return ProviderKeys(tuple(found))

    async def _discovered(self) -> Metadata:
        if self._metadata is None:
            self._metadata = await self._discover()
        return self._metadata

    async def _discover(self) -> Metadata:
        found = await self._get(f"{self.issuer}/.well-known/openid-configuration")
        issuer = found.get("issuer")
        if not isinstance(issuer, str) or issuer.rstrip("/") != self.issuer:
            raise self._down(f"it calls itself {str(issuer)[:200]!r}")
        try:
            endpoints = [
                _checked_url(str(found.get(name, "")), name)
                for name in ("jwks_uri", "authorization_endpoint", "token_endpoint")
            ]
        except ConfigError as error:
            raise self._down(error) from None
        methods = found.get("token_endpoint_auth_methods_supported")
        named = cast("list[Any]", methods) if isinstance(methods, list) else ["client_secret_basic"]
        return Metadata(issuer, *endpoints, auth_methods=tuple(map(str, named)))

    async def _get(self, url: str) -> dict[str, Any]:
        """Fetch a JSON object; for some seconds after a failure, fail at once."""
        if monotonic() < self._silent_until:
            raise self._down("it did not answer a moment ago")
        try:
            return await self._fetched(url)
        except ProviderUnavailable:
            self._silent_until = monotonic() + SILENT_SECONDS
            raise

    async def _fetched(self, url: str) -> dict[str, Any]:
        try:
            async with _client() as client, client.stream("GET", url) as answer:
                content = b""
                async for part in answer.aiter_bytes():
                    content += part
                    if len(content) > LARGEST_ANSWER:
                        raise self._down(f"{url} answers with more than {LARGEST_ANSWER} bytes")
        except httpx2.HTTPError as error:
            raise self._down(error) from error
        found = _object(content) if answer.status_code == 200 else {}
        if not found:
            raise self._down(f"{url} answered {answer.status_code} without a JSON object")
        return found

    def _down(self, why: object) -> ProviderUnavailable:
        return ProviderUnavailable(
            f"the identity provider {self.issuer} cannot be asked "
            f"({str(why) or type(why).__name__}); try again later, or use a key"
        )


def _client() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(timeout=TIMEOUT_SECONDS, follow_redirects=False)


def _object(content: bytes) -> dict[str, Any]:
    try:
        found: Any = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _checked_url(url: str, what: str) -> str:
    """Return an address that may be trusted: https, or http on this machine."""
    parts = urlsplit(url)
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK):
        return url
    raise ConfigError(f"{what} is {url[:200]!r}; it must be an https address")
