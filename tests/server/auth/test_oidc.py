"""Tokens of an identity provider: which count, as whom, and while the provider is away."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Generator
from typing import Any

import pytest
from tests.server.auth.conftest import IdentityProvider
from tests.server.auth.probing import Probed, probed

from seasoned.core.errors import ConfigError

AUDIENCE = "seasoned-gateway"


def settings(provider: IdentityProvider, **more: str) -> dict[str, str]:
    return {
        "SEASONED_AUTH__OIDC_ISSUER": provider.issuer,
        "SEASONED_AUTH__OIDC_AUDIENCE": AUDIENCE,
        "SEASONED_AUTH__OIDC_ROLES": "readers=read, agents=learn, ops=operate, root=admin",
        "SEASONED_AUTH__OIDC_TENANT_CLAIM": "org.name",
        "SEASONED_AUTH__FAILURES_PER_MINUTE": "10000",
        **more,
    }


@pytest.fixture(scope="module")
def gateway(
    tmp_path_factory: pytest.TempPathFactory, provider: IdentityProvider
) -> Generator[Probed]:
    with probed(tmp_path_factory.mktemp("home"), variables=settings(provider)) as one:
        yield one


def claims(provider: IdentityProvider, **more: Any) -> dict[str, Any]:
    now = int(time.time())
    usual = {
        "iss": provider.issuer,
        "aud": AUDIENCE,
        "sub": "ana-1",
        "iat": now,
        "exp": now + 300,
        "groups": ["agents", "unknown"],
        "org": {"name": "acme"},
        "preferred_username": "ana",
    }
    return {name: value for name, value in (usual | more).items() if value is not None}


def refusal(gateway: Probed, token: str) -> tuple[int, str]:
    answer = gateway.get("/probe/read", token)
    return answer.status_code, answer.json()["error"]["message"]


def test_a_genuine_token_is_its_subject_in_its_tenant(
    gateway: Probed, provider: IdentityProvider
) -> None:
    told = gateway.get("/probe/learn", provider.sign(claims(provider))).json()
    assert told == {
        "name": "ana",
        "role": "learn",
        "scope": ["acme", "", "ana-1"],
        "acts_in": ["acme", "", "ana-1"],
    }


def test_claims_give_the_highest_of_their_roles(
    gateway: Probed, provider: IdentityProvider
) -> None:
    for groups, role in ((["readers"], "read"), (["readers", "ops"], "operate"), ("root", "admin")):
        token = provider.sign(claims(provider, groups=groups))
        assert gateway.get("/probe/read", token).json()["role"] == role


def test_who_operates_acts_for_the_tenant_and_stays_in_it(
    gateway: Probed, provider: IdentityProvider
) -> None:
    token = provider.sign(claims(provider, groups=["ops"]))
    told = gateway.get("/probe/operate", token, x_seasoned_project="web").json()
    assert (told["scope"], told["acts_in"]) == (["acme", "web", ""], ["acme", "", ""])
    assert gateway.get("/probe/read", token, x_seasoned_tenant="other").status_code == 403


def test_a_user_is_nobody_else(gateway: Probed, provider: IdentityProvider) -> None:
    token = provider.sign(claims(provider))
    assert gateway.get("/probe/read", token, x_seasoned_user="bob").status_code == 403


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"aud": "another-service"}, "audience"),
        ({"aud": None}, "genuine"),
        ({"exp": 1_700_000_000}, "expired"),
        ({"exp": None}, "genuine"),
        ({"iat": 4_000_000_000}, "genuine"),
        ({"nbf": 4_000_000_000}, "genuine"),
        ({"sub": None}, "genuine"),
        ({"iss": "https://login.example.com"}, "send a key"),
    ],
)
def test_a_token_with_a_wrong_claim_is_refused(
    gateway: Probed, provider: IdentityProvider, wrong: dict[str, Any], said: str
) -> None:
    status, message = refusal(gateway, provider.sign(claims(provider, **wrong)))
    assert status == 401
    assert said in message


@pytest.mark.parametrize(
    "lacking", [{"groups": ["unknown"]}, {"groups": None}, {"org": {}}, {"org": {"name": 7}}]
)
def test_a_genuine_token_without_role_or_tenant_is_not_allowed(
    gateway: Probed, provider: IdentityProvider, lacking: dict[str, Any]
) -> None:
    status, message = refusal(gateway, provider.sign(claims(provider, **lacking)))
    assert status == 403
    assert "claim" in message


def test_clocks_may_differ_a_little(gateway: Probed, provider: IdentityProvider) -> None:
    now = int(time.time())
    for near in ({"exp": now - 10}, {"iat": now + 10}, {"nbf": now + 10}):
        assert (
            gateway.get("/probe/read", provider.sign(claims(provider, **near))).status_code == 200
        )


def encoded(value: dict[str, Any] | bytes) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def test_tokens_that_are_not_signed_by_the_provider_are_refused(
    gateway: Probed, provider: IdentityProvider
) -> None:
    genuine = provider.sign(claims(provider))
    head, body, signature = genuine.split(".")
    assert gateway.get("/probe/read", genuine).status_code == 200
    admin = encoded(claims(provider, groups=["root"]))
    kid = json.loads(base64.urlsafe_b64decode(head + "=="))["kid"]
    for algorithm in ("none", "None", "NONE", "", None):
        unsigned = encoded({"alg": algorithm, "kid": kid})
        assert refusal(gateway, f"{unsigned}.{admin}.")[0] == 401
        assert refusal(gateway, f"{unsigned}.{admin}.{signature}")[0] == 401
    assert refusal(gateway, f"{head}.{admin}.{signature}")[0] == 401  # another payload
    assert refusal(gateway, f"{head}.{body}.{signature[:-4]}AAAA")[0] == 401
    assert refusal(gateway, f"{head}.{body}.")[0] == 401


def test_the_public_key_is_no_shared_secret(gateway: Probed, provider: IdentityProvider) -> None:
    from jwt import PyJWK

    (key,) = provider.client.get("/jwks").json()["keys"]
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    public: Any = PyJWK(key | {"alg": "RS256"}).key
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for secret in (pem, pem.strip(), json.dumps(key).encode(), key["n"].encode()):
        for name, algorithm in (("HS256", hashlib.sha256), ("HS512", hashlib.sha512)):
            head = encoded({"alg": name, "kid": key["kid"], "typ": "JWT"})
            signed = f"{head}.{encoded(claims(provider, groups=['root']))}"
            mark = hmac.new(secret, signed.encode(), algorithm).digest()
            status, message = refusal(gateway, f"{signed}.{encoded(mark)}")
            assert (status, name in message) == (401, True)


def test_a_key_that_a_token_brings_along_is_not_used(
    gateway: Probed, provider: IdentityProvider
) -> None:
    import jwt
    from cryptography.hazmat.primitives.asymmetric import rsa
    from jwt.algorithms import RSAAlgorithm

    own = rsa.generate_private_key(65537, 2048)
    public = json.loads(RSAAlgorithm.to_jwk(own.public_key()))
    (key,) = provider.client.get("/jwks").json()["keys"]
    for header in (
        {"kid": key["kid"]},
        {"kid": "mine", "jwk": public},
        {"kid": "../../dev/null", "jku": f"{provider.issuer}/mine"},
        {},
    ):
        forged = jwt.encode(claims(provider), own, "RS256", headers=header)
        assert refusal(gateway, forged)[0] == 401


def test_a_new_key_of_the_provider_is_fetched(gateway: Probed, provider: IdentityProvider) -> None:
    old = provider.sign(claims(provider))
    assert gateway.get("/probe/read", old).status_code == 200
    provider.rotate()
    new, end = provider.sign(claims(provider)), time.monotonic() + 60
    while gateway.get("/probe/read", new).status_code != 200:  # others may have asked too often
        assert time.monotonic() < end
        time.sleep(0.1)
    late = provider.sign(claims(provider, jti="2"))
    assert gateway.get("/probe/read", late).status_code == 200


def test_invented_keys_do_not_make_us_ask_the_provider_without_end(
    gateway: Probed, provider: IdentityProvider
) -> None:
    before = provider.asked("/jwks")
    for number in range(60):
        invented = provider.sign(claims(provider), kid=f"invented-{number}")
        assert refusal(gateway, invented)[0] == 401
    assert provider.asked("/jwks") - before <= 15
    assert gateway.get("/probe/read", provider.sign(claims(provider))).status_code == 200


def test_known_keys_go_on_while_the_provider_is_away(tmp_path: Any) -> None:
    provider = IdentityProvider()
    token, later = provider.sign(claims(provider)), provider.sign(claims(provider, jti="later"))
    unknown = provider.sign(claims(provider), kid="unknown")
    with (
        probed(tmp_path / "one", variables=settings(provider)) as knows,
        probed(tmp_path / "two", variables=settings(provider)) as never_asked,
    ):
        assert knows.get("/probe/read", token).status_code == 200
        provider.stop()
        assert knows.get("/probe/read", later).status_code == 200
        assert knows.get("/probe/read", unknown).status_code == 401
        for _ in range(2):
            away = never_asked.get("/probe/read", token)
            assert away.status_code == 503
            assert "cannot be asked" in away.json()["error"]["message"]
            assert away.headers["retry-after"]
        assert never_asked.get("/probe/read", never_asked.key("read")).status_code == 200
        again = IdentityProvider(provider.port)
        try:
            fresh = again.sign(claims(again))
            end = time.monotonic() + 30
            while never_asked.get("/probe/read", fresh).status_code != 200:
                assert time.monotonic() < end
                time.sleep(0.1)
        finally:
            again.stop()


def test_an_email_address_counts_only_if_it_is_verified(
    tmp_path: Any, provider: IdentityProvider
) -> None:
    more = {"SEASONED_AUTH__OIDC_USER_CLAIM": "email"}
    with probed(tmp_path, variables=settings(provider, **more)) as gateway:
        given = claims(provider, email="ana@example.com")
        assert refusal(gateway, provider.sign(given))[0] == 403
        assert refusal(gateway, provider.sign(given | {"email_verified": "false"}))[0] == 403
        told = gateway.get("/probe/read", provider.sign(given | {"email_verified": True})).json()
        assert told["scope"] == ["acme", "", "ana@example.com"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"OIDC_ISSUER": "http://login.example.com"}, "https"),
        ({"OIDC_AUDIENCE": ""}, "oidcAudience"),
        ({"OIDC_ROLES": ""}, "oidcRoles"),
        ({"OIDC_ROLES": "ops=boss"}, "ops=boss"),
    ],
)
def test_settings_that_cannot_work_are_refused_at_the_start(
    tmp_path: Any, provider: IdentityProvider, wrong: dict[str, str], said: str
) -> None:
    given = {f"SEASONED_AUTH__{name}": value for name, value in wrong.items()}
    with (
        pytest.raises(ConfigError, match=said),
        probed(tmp_path, variables=settings(provider, **given)),
    ):
        pass
