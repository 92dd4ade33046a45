"""Who comes in, and how: by a key, or by the identity provider of an organisation."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.server.auth.conftest import IdentityProvider
from tests.server.auth.probing import TOKEN, Probed, probed
from tests.server.desk.visiting import Visits

pytestmark = pytest.mark.sqlite_only

CLIENT = "seasoned-dashboard"


@pytest.fixture(scope="module")
def provider() -> Generator[IdentityProvider]:
    one = IdentityProvider()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def gateway(
    tmp_path_factory: pytest.TempPathFactory, provider: IdentityProvider
) -> Generator[Probed]:
    variables = {
        "SEASONED_AUTH__OIDC_ISSUER": provider.issuer,
        "SEASONED_AUTH__OIDC_CLIENT_ID": CLIENT,
        "SEASONED_AUTH__OIDC_CLIENT_SECRET": "a-secret-of-the-client",
        "SEASONED_AUTH__OIDC_ROLES": "agents=learn",
    }
    with probed(tmp_path_factory.mktemp("home"), variables=variables) as one:
        yield one


def test_a_key_logs_in_a_wrong_one_is_told_why_and_logging_out_ends_it(
    gateway: Probed, visits: Visits
) -> None:
    page = visits.open(gateway.url).page
    page.goto(f"{gateway.url}/inbox")
    page.get_by_label("Key, or the server's token").fill("not-a-key")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("alert").get_by_text("key").wait_for()
    assert page.locator("nav").count() == 0

    page.get_by_label("Key, or the server's token").fill(gateway.key("operate", "Ana's"))
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("heading", level=1, name="Inbox").wait_for()  # where she wanted to go
    assert page.get_by_text("Ana's · operate").is_visible()
    held = page.context.cookies()

    page.get_by_role("button", name="Log out").click()
    page.get_by_label("Key, or the server's token").wait_for()
    page.context.add_cookies(held)  # a copy of the cookie is worth nothing now
    page.reload()
    page.get_by_label("Key, or the server's token").wait_for()


def test_a_key_in_the_address_is_used_and_removed_from_it(gateway: Probed, visits: Visits) -> None:
    person = visits.open(gateway.url).log_in(TOKEN)
    assert TOKEN not in person.page.url
    assert person.page.evaluate("history.length") <= 2
    assert person.page.get_by_text("· admin").is_visible()


def test_the_organisation_logs_in_and_leads_back(
    gateway: Probed, provider: IdentityProvider, visits: Visits
) -> None:
    provider.set_user("ana-1", preferred_username="ana", groups=["agents"])
    page = visits.open(gateway.url).page
    page.goto(f"{gateway.url}/behavioral-rules")
    page.get_by_role("link", name="Log in with your organisation").click()
    page.get_by_placeholder("sub").fill("ana-1")
    page.get_by_placeholder("sub").press("Enter")
    page.get_by_role("heading", level=1, name="Behavioral rules").wait_for()
    assert page.url == f"{gateway.url}/behavioral-rules"
    assert page.get_by_text("ana · learn").is_visible()


def test_files_of_the_desk_do_not_use_up_the_requests_of_a_login(tmp_path: Path) -> None:
    """One page loads a dozen of them; walking through the desk must not end in a blank page."""
    few = {"SEASONED_AUTH__REQUESTS_PER_MINUTE": "30"}
    with probed(tmp_path, variables=few) as gateway:
        key = gateway.key("read")
        loaded = [gateway.get("/assets/app.js", key).status_code for _ in range(60)]
        asked = [gateway.get("/v1/status", key).status_code for _ in range(60)]
    assert {*loaded} == {200}
    assert 429 in asked
