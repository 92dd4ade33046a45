"""Logins of browsers: with a pasted key, or at the provider; and what other pages cannot do."""

import re
from collections.abc import Generator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from tests.server.auth.conftest import IdentityProvider
from tests.server.auth.probing import TOKEN, Probed, probed
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from seasoned.core.clock import FixedClock
from seasoned.security.api_keys import key_id

CLIENT = "seasoned-dashboard"
SESSION = "seasoned_session"


class Browser:
    """A client that keeps cookies and says where its requests come from, as browsers do."""

    def __init__(self, gateway: Probed) -> None:
        self.gateway = gateway
        self.client = httpx.Client(base_url=gateway.url, timeout=30)
        self.csrf = ""

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self.client.get(path, headers={"sec-fetch-site": "same-origin"} | _dashed(headers))

    def post(self, path: str, body: Any = None, **headers: str) -> httpx.Response:
        usual = {"origin": self.gateway.url, "sec-fetch-site": "same-origin"}
        if self.csrf:
            usual["x-seasoned-csrf"] = self.csrf
        return self.client.post(path, json=body, headers=usual | _dashed(headers))

    def visit(self, address: str) -> httpx.Response:
        """Open a page by a link on another site."""
        came = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
        return self.client.get(address, headers=came | {"sec-fetch-dest": "document"})

    def log_in(self, key: str) -> httpx.Response:
        answer = self.post("/auth/login", {"key": key})
        self.csrf = answer.json().get("csrf", "")
        return answer


def _dashed(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


@pytest.fixture
def browser(gateway: Probed) -> Generator[Browser]:
    one = Browser(gateway)
    yield one
    one.client.close()


@pytest.fixture(scope="module")
def with_provider(
    tmp_path_factory: pytest.TempPathFactory, provider: IdentityProvider
) -> Generator[Probed]:
    variables = {
        "SEASONED_AUTH__OIDC_ISSUER": provider.issuer,
        "SEASONED_AUTH__OIDC_CLIENT_ID": CLIENT,
        "SEASONED_AUTH__OIDC_CLIENT_SECRET": "a-secret-of-the-client",
        "SEASONED_AUTH__OIDC_ROLES": "agents=learn, ops=operate",
    }
    with probed(tmp_path_factory.mktemp("home"), variables=variables) as one:
        yield one


@pytest.fixture
def guest(with_provider: Probed) -> Generator[Browser]:
    one = Browser(with_provider)
    yield one
    one.client.close()


@pytest.fixture
def victim(with_provider: Probed) -> Generator[Browser]:
    one = Browser(with_provider)
    yield one
    one.client.close()


def test_a_pasted_key_logs_in_until_logout(gateway: Probed, browser: Browser) -> None:
    assert browser.get("/auth/session").json() == {"logged_in": False, "provider": False}
    answer = browser.log_in(gateway.key("operate", "pasted", tenant="acme"))
    assert answer.json()["role"] == "operate"
    cookie = answer.headers["set-cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=lax", "Path=/", "Max-Age="))
    assert "Secure" not in cookie
    assert browser.get("/probe/operate").json()["scope"] == ["acme", "", ""]
    told = browser.get("/auth/session").json()
    assert (told["name"], told["tenant"], told["csrf"]) == ("pasted", "acme", browser.csrf)
    held = browser.client.cookies[SESSION]
    assert browser.post("/auth/logout").status_code == 200
    assert browser.client.cookies.get(SESSION) is None
    browser.client.cookies.set(SESSION, held)
    assert browser.get("/probe/read").status_code == 401  # a stolen cookie, too


def test_a_wrong_key_does_not_log_in(gateway: Probed, browser: Browser) -> None:
    key = gateway.key("read", "gone")
    gateway.call("DELETE", f"/v1/keys/{key_id(key)}")
    for wrong in ("wrong", key, TOKEN[:-1], "sk-seasoned-x"):
        answer = browser.log_in(wrong)
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers


def test_the_token_logs_in_as_the_operator(browser: Browser) -> None:
    assert browser.log_in(TOKEN).json()["role"] == "admin"
    assert browser.get("/v1/keys").status_code == 200


def test_a_login_ends_with_its_key(gateway: Probed, browser: Browser) -> None:
    key = gateway.key("read", "ends")
    browser.log_in(key)
    assert browser.get("/probe/read").status_code == 200
    gateway.call("DELETE", f"/v1/keys/{key_id(key)}")
    assert browser.get("/probe/read").status_code == 401


def test_a_login_ends_with_its_time(tmp_path: Path) -> None:
    clock = FixedClock()
    with probed(tmp_path, clock, variables={"SEASONED_AUTH__SESSION_HOURS": "2"}) as gateway:
        browser = Browser(gateway)
        browser.log_in(gateway.key("read"))
        clock.advance(seconds=2 * 3600 - 1)
        assert browser.get("/probe/read").status_code == 200
        clock.advance(seconds=2)
        assert browser.get("/probe/read").status_code == 401
        browser.client.close()


def test_a_change_by_cookie_needs_the_origin_and_the_csrf_token(
    gateway: Probed, browser: Browser
) -> None:
    browser.log_in(gateway.key("operate", "changes"))
    path = "/probe/rules?text=Be%20brief."
    assert browser.post(path).status_code == 200
    bare = browser.client.post(path)
    assert bare.status_code == 403
    assert "CSRF" in bare.json()["error"]["message"]
    for headers in (
        {"x_seasoned_csrf": "0" * 64},
        {"x_seasoned_csrf": ""},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ):
        assert browser.post(path, **headers).status_code == 403, headers
    no_origin = browser.client.post(path, headers={"x-seasoned-csrf": browser.csrf})
    assert no_origin.status_code == 403
    assert browser.post("/auth/logout", x_seasoned_csrf="").status_code == 403
    assert browser.get("/probe/read").status_code == 200  # it did not log out


def test_a_key_beside_a_cookie_decides(gateway: Probed, browser: Browser) -> None:
    browser.log_in(gateway.key("operate", "cookie's"))
    other = gateway.key("read", "header's")
    told = browser.get("/probe/read", authorization=f"Bearer {other}").json()
    assert told["name"] == "header's"
    assert browser.get("/probe/operate", authorization=f"Bearer {other}").status_code == 403


def test_a_websocket_by_cookie_must_come_from_our_own_page(
    gateway: Probed, browser: Browser
) -> None:
    browser.log_in(gateway.key("read", "socket"))
    cookie = {"Cookie": f"{SESSION}={browser.client.cookies[SESSION]}"}
    address = gateway.url.replace("http", "ws") + "/probe/socket"
    with connect(address, additional_headers=cookie, origin=gateway.url) as socket:  # type: ignore[arg-type]
        socket.send("hello")
        assert socket.recv(30) == "hello"
    for origin in ("https://evil.example", None):
        with pytest.raises(InvalidStatus) as refused:
            connect(address, additional_headers=cookie, origin=origin)  # type: ignore[arg-type]
        assert refused.value.response.status_code == 403


def test_odd_cookies_are_nobody(gateway: Probed) -> None:
    for odd in (f"{SESSION}=", f"{SESSION}={'x' * 5000}", f"{SESSION}=é", f"a;{SESSION}", "=;=;"):
        shown = {b"cookie": odd.encode("utf-8")}
        assert gateway.client.get("/probe/read", headers=shown).status_code == 401, odd


def login_at_provider(browser: Browser, provider: IdentityProvider, subject: str) -> httpx.Response:
    """Go the whole way as a browser does; return the answer to the callback."""
    began = browser.get("/auth/login?return_to=/dashboard?tab=rules")
    assert began.status_code == 302
    there = provider.client.post(began.headers["location"], data={"sub": subject})
    assert there.status_code == 302, there.text
    return browser.visit(there.headers["location"])


def test_the_provider_logs_in_and_the_page_leads_back(
    with_provider: Probed, guest: Browser, provider: IdentityProvider
) -> None:
    provider.set_user("ana-1", preferred_username="ana", groups=["agents"])
    page = login_at_provider(guest, provider, "ana-1")
    assert page.status_code == 200, page.text
    assert 'content="0;url=/dashboard?tab=rules"' in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    told = guest.get("/probe/learn").json()
    assert (told["name"], told["scope"]) == ("ana", ["", "", "ana-1"])
    assert guest.get("/probe/operate").status_code == 403
    assert login_at_provider(guest, provider, "ana-1").status_code == 200  # once more
    guest.csrf = guest.get("/auth/session").json()["csrf"]
    assert guest.post("/auth/logout").status_code == 200
    assert guest.get("/probe/learn").status_code == 401


def test_what_goes_to_the_provider_is_fresh_each_time(
    guest: Browser, provider: IdentityProvider
) -> None:
    asked = [
        parse_qs(urlsplit(guest.get("/auth/login").headers["location"]).query) for _ in range(2)
    ]
    for name in ("state", "nonce", "code_challenge"):
        first, second = asked[0][name][0], asked[1][name][0]
        assert first != second
        assert len(first) >= 32
    assert asked[0]["client_id"] == [CLIENT]
    assert asked[0]["code_challenge_method"] == ["S256"]
    held = guest.client.cookies["seasoned_login"]
    assert asked[1]["nonce"][0] not in held


def test_a_login_that_another_browser_began_is_refused(
    guest: Browser, victim: Browser, provider: IdentityProvider
) -> None:
    provider.set_user("eve", groups=["agents"])
    began = guest.get("/auth/login")
    there = provider.client.post(began.headers["location"], data={"sub": "eve"})
    back = there.headers["location"]
    assert victim.visit(back).status_code == 403  # no cookie: a planted login
    victim.get("/auth/login")
    assert victim.visit(back).status_code == 403  # another state
    state = parse_qs(urlsplit(back).query)["state"][0]
    assert guest.visit(back.replace(state, "x" * len(state))).status_code == 403
    held = guest.client.cookies["seasoned_login"]
    assert guest.visit(back).status_code == 200
    assert guest.client.cookies.get("seasoned_login") is None
    guest.client.cookies.set("seasoned_login", held, path="/auth")
    assert guest.visit(back).status_code == 401  # the code was used


def test_a_forged_attempt_and_a_refused_login_end(guest: Browser) -> None:
    began = guest.get("/auth/login")
    state = parse_qs(urlsplit(began.headers["location"]).query)["state"][0]
    denied = guest.visit(f"/auth/callback?state={state}&error=access_denied")
    assert denied.status_code == 403
    assert "access_denied" in denied.json()["error"]["message"]
    body, _, _ = guest.client.cookies["seasoned_login"].partition(".")
    guest.client.cookies.clear()
    for forged in (body, f"{body}.", f"{body}.{'A' * 43}", ".", "é", "A.B"):
        shown = {b"cookie": f"seasoned_login={forged}".encode()}
        answer = guest.client.get(f"/auth/callback?state={state}&code=x", headers=shown)
        assert answer.status_code == 403, forged


def test_a_user_without_a_role_gets_no_session(guest: Browser, provider: IdentityProvider) -> None:
    provider.set_user("bob", groups=["others"])
    page = login_at_provider(guest, provider, "bob")
    assert page.status_code == 403
    assert guest.client.cookies.get(SESSION) is None


@pytest.mark.parametrize(
    "there",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/%09/evil.example",
        "/%0a/evil.example",
        "javascript:alert(1)",
        "evil.example",
        "",
        "/%C3%A9",
    ],
)
def test_a_login_never_ends_on_another_host(guest: Browser, there: str) -> None:
    assert guest.get(f"/auth/login?return_to={there}").status_code == 400


def test_where_a_login_ends_is_text_and_no_markup(
    guest: Browser, provider: IdentityProvider
) -> None:
    provider.set_user("ana-1", groups=["agents"])
    began = guest.client.get("/auth/login", params={"return_to": '/"><script>alert(1)</script>'})
    there = provider.client.post(began.headers["location"], data={"sub": "ana-1"})
    page = guest.visit(there.headers["location"])
    assert page.status_code == 200
    assert "<script>" not in page.text
    assert re.search(r"&quot;&gt;&lt;script", page.text)


def test_only_the_pages_of_a_login_may_be_opened_from_elsewhere(guest: Browser) -> None:
    assert guest.visit("/auth/login").status_code == 302
    assert guest.visit("/auth/session").status_code == 403
    assert guest.visit("/probe/read").status_code == 403
    framed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    for more in ({"sec-fetch-dest": "iframe"}, {"sec-fetch-dest": "document", "host": "evil.com"}):
        assert guest.client.get("/auth/login", headers=framed | more).status_code == 403


def test_behind_https_cookies_are_secure_and_bound_to_the_host(tmp_path: Path) -> None:
    public = {"SEASONED_SERVER__PUBLIC_URL": "https://learn.example.com"}
    with probed(tmp_path, variables=public) as gateway:
        made = gateway.client.post("/auth/login", json={"key": TOKEN})
        cookie = made.headers["set-cookie"]
        assert cookie.startswith("__Host-seasoned=")
        assert "Secure" in cookie
        assert "Domain" not in cookie


def test_without_a_provider_the_answer_says_what_to_do(browser: Browser) -> None:
    refused = browser.get("/auth/login")
    assert refused.status_code == 409
    assert "oidcIssuer" in refused.json()["error"]["message"]
