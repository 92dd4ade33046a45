"""What every answer says to browsers, who may call from pages, and how often anybody may."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.server.auth.probing import TOKEN, Probed, probed

from seasoned import Seasoned
from seasoned.core.actor import acting_as, actor
from seasoned.core.errors import ConfigError
from seasoned.server.auth.buckets import Buckets

APP = "https://app.example.com"


def test_every_answer_protects_browsers(gateway: Probed) -> None:
    key = gateway.key("read", "headers")
    for answer in (
        gateway.get("/health/live", None),
        gateway.get("/probe/read", key),
        gateway.get("/probe/read", None),
        gateway.get("/nothing", key),
        gateway.get("/probe/admin", key),
        gateway.get("/health/live", None, host="evil.example"),
        gateway.post("/auth/login", None, {"key": "wrong"}),
        gateway.post("/auth/login", None, {"nothing": 1}),
        gateway.get("/probe/read", key, x_request_id="one"),
    ):
        headers = answer.headers
        assert headers["x-content-type-options"] == "nosniff", answer
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert headers["x-request-id"]
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers or "uvicorn" not in headers["server"]


def test_pages_of_other_origins_are_refused_unless_they_are_listed(
    gateway: Probed, tmp_path: Path
) -> None:
    asked = {"origin": APP, "access-control-request-method": "POST"}
    closed = gateway.client.options("/v1/keys", headers=asked)
    assert closed.status_code == 403
    assert "access-control-allow-origin" not in closed.headers
    with probed(
        tmp_path, variables={"SEASONED_SERVER__ORIGINS": f"{APP}, http://localhost:3000"}
    ) as listed:
        may = listed.client.options("/v1/keys", headers=asked)
        assert may.status_code == 204
        assert may.headers["access-control-allow-origin"] == APP
        assert "authorization" in may.headers["access-control-allow-headers"]
        assert "access-control-allow-credentials" not in may.headers
        told = listed.get("/probe/read", TOKEN, origin=APP, sec_fetch_site="cross-site")
        assert told.status_code == 200
        assert told.headers["access-control-allow-origin"] == APP
        assert "Origin" in told.headers["vary"]
        assert listed.get("/probe/read", None, origin=APP).status_code == 401
        for other in ("https://evil.example", f"{APP}.evil.example", "null", APP.upper(), "*"):
            refused = listed.get("/probe/read", TOKEN, origin=other)
            assert refused.status_code == 403, other
            assert "access-control-allow-origin" not in refused.headers
        logged_in = listed.client.post("/auth/login", json={"key": TOKEN})
        assert logged_in.status_code == 200
        by_cookie = listed.get("/probe/read", None, origin=APP, sec_fetch_site="cross-site")
        assert by_cookie.status_code == 403  # a listed page sends a key, never a login


@pytest.mark.parametrize("wrong", ["*", "app.example.com", f"{APP}/", "null", "ftp://a.b"])
def test_origins_are_written_whole(tmp_path: Path, wrong: str) -> None:
    with (
        pytest.raises(ConfigError, match="origins"),
        probed(tmp_path, variables={"SEASONED_SERVER__ORIGINS": wrong}),
    ):
        pass


def test_a_key_that_asks_too_often_waits_and_others_do_not(tmp_path: Path) -> None:
    with probed(tmp_path, variables={"SEASONED_AUTH__REQUESTS_PER_MINUTE": "20"}) as gateway:
        busy, other = gateway.key("read", "busy"), gateway.key("read", "other")
        answers = [gateway.get("/probe/read", busy) for _ in range(8)]
        assert [one.status_code for one in answers[:5]] == [200] * 5
        late = answers[-1]
        assert late.status_code == 429
        assert 1 <= int(late.headers["retry-after"]) <= 60
        assert late.json()["error"]["type"] == "TooMany"
        assert gateway.get("/probe/read", other).status_code == 200
        assert gateway.get("/probe/read", TOKEN).status_code == 200
        again = gateway.get("/probe/read", None, x_seasoned_token=busy)
        assert again.status_code == 429  # however it is shown


def test_wrong_keys_are_limited_by_address_and_those_known_there_go_on(tmp_path: Path) -> None:
    with probed(tmp_path, variables={"SEASONED_AUTH__FAILURES_PER_MINUTE": "5"}) as gateway:
        known, fresh = gateway.key("read", "known"), gateway.key("read", "fresh")
        assert gateway.get("/probe/read", known).status_code == 200
        guesses = [gateway.get("/probe/read", f"guess-{number}") for number in range(5)]
        assert {one.status_code for one in guesses} == {401}
        refused = gateway.get("/probe/read", fresh)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 1
        assert gateway.client.post("/auth/login", json={"key": fresh}).status_code == 429
        assert gateway.get("/probe/read", known).status_code == 200
        assert gateway.get("/probe/read", TOKEN).status_code == 200
        assert gateway.get("/health/live", None).status_code == 200


def test_what_is_shown_to_an_open_path_may_be_for_somebody_else(tmp_path: Path) -> None:
    with probed(tmp_path, variables={"SEASONED_AUTH__FAILURES_PER_MINUTE": "3"}) as gateway:
        for _ in range(10):
            assert gateway.get("/health/live", "sk-of-a-provider").status_code == 200
        assert gateway.get("/probe/read", gateway.key("read")).status_code == 200


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(0, 5)), max_size=60))
def test_a_bucket_never_gives_more_than_its_rate(steps: list[tuple[str, float]]) -> None:
    now = [0.0]
    buckets = Buckets(60, 3, lambda: now[0], most=4)
    given_to: dict[str, list[float]] = {}
    for name, pause in steps:
        now[0] += pause
        if not buckets.take(name):
            given_to.setdefault(name, []).append(now[0])
        assert len(buckets) <= 4
    if len({name for name, _ in steps}) <= 4:
        for times in given_to.values():
            assert len(times) <= 3 + now[0] + 1e-6


def test_a_task_that_outlives_its_request_acts_for_nobody() -> None:
    async def run() -> list[str]:
        said: list[str] = []
        go_on = asyncio.Event()

        async def later() -> None:
            said.append(actor())
            await go_on.wait()
            said.append(actor())

        with acting_as("ci (key k3x9)"):
            task = asyncio.create_task(later())
            await asyncio.sleep(0)
        go_on.set()
        await task
        return said

    assert asyncio.run(run()) == ["ci (key k3x9)", ""]


def test_the_audit_names_who_changed_something_through_the_gateway(
    gateway: Probed,
) -> None:
    key = gateway.key("operate", "release bot", tenant="acme")
    name = gateway.post("/probe/rules?text=Sign%20releases.", key).json()["id"]
    with Seasoned(gateway.seasoned.app.db.where, tenant="acme") as s:
        by_hand = s.teach(rule="Say please.")
        details = {one: [event.detail for event in s.why(one).events] for one in (name, by_hand.id)}
        assert s.verify_audit().intact
        made = next(one for one in s.keys.list() if one.name == "release bot")
    assert all(f'"actor":"release bot (key {made.id})"' in one for one in details[name])
    assert all("actor" not in one for one in details[by_hand.id])


def test_other_machines_are_served_only_when_somebody_has_a_key(tmp_path: Path) -> None:
    def serve(**variables: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "seasoned", "serve", "--http", "0.0.0.0:0"],
            env={**os.environ, "SEASONED_HOME": str(tmp_path), **variables},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stderr

    code, said = serve()
    assert code == 2
    assert "seasoned keys create NAME --role learn" in said
    with Seasoned(tmp_path / "seasoned.db") as s:
        key = s.keys.create("gone", role="learn")
        s.keys.revoke(key.key.id)
    assert serve()[0] == 2  # a revoked key is nobody's
    code, said = serve(SEASONED_SERVER__NEEDS_TOKEN="false")
    assert code == 2


def test_other_machines_get_in_with_a_key(tmp_path: Path) -> None:
    with Seasoned(tmp_path / "seasoned.db") as s:
        key = s.keys.create("colleague", role="admin").text
    with subprocess.Popen(
        [sys.executable, "-m", "seasoned", "serve", "--http", "0.0.0.0:0"],
        env={**os.environ, "SEASONED_HOME": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        try:
            said = process.stderr.readline()
            port = said.rpartition(":")[2].strip()
            with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
                shown = {"Authorization": f"Bearer {key}"}
                assert client.get("/v1/keys", headers=shown).status_code == 200
                refused = client.get("/v1/keys")
            assert refused.status_code == 401
            assert str(tmp_path) not in refused.text + said  # nothing about this machine's folders
        finally:
            process.terminate()
