"""What belongs to the whole installation is not for those who look after a part of it."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.server.auth.probing import Probed, probed

pytestmark = pytest.mark.sqlite_only

HOOK = "https://bridge.example.com/secret-path"


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Generator[Probed]:
    home: Path = tmp_path_factory.mktemp("home")
    with probed(home, variables={"SEASONED_NOTIFY__URL": HOOK}) as one:
        yield one


@pytest.mark.parametrize(
    "scope", [{"tenant": "acme"}, {"project": "web"}, {"project": "web", "user": "ana"}], ids=str
)
def test_the_admin_of_a_part_reads_neither_the_settings_nor_the_servers_health(
    gateway: Probed, scope: dict[str, str]
) -> None:
    key = gateway.key("admin", **scope)
    refused = gateway.call("GET", "/v1/settings", key)
    assert refused.status_code == 403
    assert "whole installation" in refused.text
    assert HOOK not in refused.text
    assert "buffers" not in gateway.call("GET", "/health", key).json()
    assert gateway.call("GET", "/metrics", key).status_code in (401, 403)


def test_the_installations_own_admin_reads_them(gateway: Probed) -> None:
    key = gateway.key("admin", "of everything")
    assert HOOK in gateway.call("GET", "/v1/settings", key).text
    assert "buffers" in gateway.call("GET", "/health", key).json()


def test_only_operators_speak_for_people_of_channels(gateway: Probed) -> None:
    """What such a user plans is told in the chat that the session is named after."""
    learner, operator = gateway.key("learn"), gateway.key("operate")
    for user in ("hook-777", "telegram-42"):
        refused = gateway.call("GET", "/v1/lessons", learner, x_seasoned_user=user)
        assert refused.status_code == 403
        assert "channel" in refused.text
        assert gateway.call("GET", "/v1/lessons", operator, x_seasoned_user=user).is_success
    assert gateway.call("GET", "/v1/lessons", learner, x_seasoned_user="ana").is_success
