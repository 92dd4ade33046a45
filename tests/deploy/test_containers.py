"""The image and compose.yaml run commands that exist, with settings that exist, and not as root."""

import json
import re
from pathlib import Path
from typing import Any

import yaml

from seasoned.cli.tree import SHOWN
from seasoned.config import load

HOUSE = Path(__file__).parents[2]
DEPLOY = HOUSE / "deploy"
IMAGE = (DEPLOY / "Dockerfile").read_text("utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
EXAMPLE = "SEASONED_SECTION__KEY"  # in a comment
OURS = ("gateway", "worker")


def test_every_variable_in_the_folder_is_a_setting() -> None:
    files = [*DEPLOY.glob("*.service"), DEPLOY / "Dockerfile", DEPLOY / "compose.yaml"]
    texts = "".join(path.read_text("utf-8") for path in files)
    named = set(re.findall(r"\bSEASONED_[A-Z_]+", texts)) - {"SEASONED_HOME"} - {EXAMPLE}
    assert named >= {"SEASONED_QUEUE__URL", "SEASONED_JOBS__ENABLED", "SEASONED_SERVER__TOKEN"}
    values = {"SEASONED_QUEUE__URL": "redis://valkey", "SEASONED_JOBS__ENABLED": "false"}
    load(environment={name: values.get(name, "x") for name in named})  # refuses unknown ones


def test_the_image_runs_an_existing_command_without_root() -> None:
    first, second = (
        json.loads(one) for one in re.findall(r"^(?:ENTRYPOINT|CMD) (.*)$", IMAGE, re.M)
    )
    assert first == ["seasoned"]
    assert second[0] in SHOWN
    assert re.findall(r"^USER (.*)$", IMAGE, re.M) == ["seasoned"]
    assert re.findall(r"^VOLUME (.*)$", IMAGE, re.M) == ["/var/lib/seasoned"]
    assert "HEALTHCHECK" in IMAGE


def test_the_image_installs_from_the_lock_with_hashes_what_is_there() -> None:
    assert "--require-hashes -r locks/all.lock" in IMAGE
    for line in re.findall(r"^COPY (?!--)(.*)$", IMAGE, re.M):
        *sources, _ = line.split()
        assert all((HOUSE / one).exists() for one in sources), line


def test_compose_starts_existing_commands_and_checks_each_service() -> None:
    services = COMPOSE["services"]
    assert set(services) == {*OURS, "postgres", "valkey"}
    for name in OURS:
        assert services[name]["command"][0] in SHOWN
        assert (DEPLOY / services[name]["build"]["context"]).resolve() == HOUSE
        assert services[name]["read_only"]
        for needed, how in services[name]["depends_on"].items():
            assert (needed in services, how["condition"]) == (True, "service_healthy")
    for name in ("worker", "postgres", "valkey"):  # the gateway's check is in its image
        assert services[name]["healthcheck"]["test"]
    assert services["worker"]["healthcheck"]["test"][1:3] == ["seasoned", "lessons"]
    assert {one.partition(":")[0] for one in COMPOSE["services"]["gateway"]["ports"]} == {
        "127.0.0.1"
    }


def test_no_two_services_build_an_image_of_the_same_name() -> None:
    """Compose builds them at the same time, and the second export finds the name taken."""
    built = [one["image"] for one in COMPOSE["services"].values() if "build" in one]
    assert len(built) == len(set(built)) == 2


def test_compose_has_no_secret_in_it_and_no_open_port_of_a_store() -> None:
    services = COMPOSE["services"]
    assert all("ports" not in services[name] for name in ("worker", "postgres", "valkey"))
    text = json.dumps(COMPOSE)
    assert "POSTGRES_PASSWORD_FILE" in text
    assert '"POSTGRES_PASSWORD"' not in text
    used = {one.partition(":")[0] for each in services.values() for one in each["volumes"]}
    assert used == set(COMPOSE["volumes"])
