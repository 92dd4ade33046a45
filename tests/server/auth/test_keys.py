"""API keys: what one may do, whose lessons it reaches, and when it counts no more."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from tests.server.auth.probing import TOKEN, Probed, probed
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from seasoned import Seasoned
from seasoned.core.clock import FixedClock
from seasoned.security.api_keys import ROLES, key_id
from seasoned.security.redact import redact

SOON = 30  # seconds: much longer than it takes, because the machine may be busy


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + SOON
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def test_each_role_may_do_what_the_roles_below_it_may(gateway: Probed) -> None:
    for place, role in enumerate(ROLES):
        key = gateway.key(role)
        for other_place, other in enumerate(ROLES):
            answer = gateway.get(f"/probe/{other}", key)
            assert answer.status_code == (200 if other_place <= place else 403), (role, other)
            if answer.status_code == 403:
                assert answer.json()["error"]["type"] == "NotAllowed"
                assert other in answer.json()["error"]["message"]


def test_a_key_works_as_a_bearer_and_in_our_own_header(gateway: Probed) -> None:
    key = gateway.key("read", "twice")
    assert gateway.get("/probe/read", key).json()["name"] == "twice"
    assert gateway.get("/probe/read", None, x_seasoned_token=key).json()["name"] == "twice"
    both = gateway.get("/probe/read", "sk-of-a-model-provider-12345678", x_seasoned_token=key)
    assert both.json()["name"] == "twice"


def test_a_key_in_the_address_is_not_accepted(gateway: Probed) -> None:
    key = gateway.key("read", "in the address")
    for name in ("token", "key", "api_key", "access_token", "authorization"):
        assert gateway.get(f"/probe/read?{name}={key}", None).status_code == 401


def test_a_mistyped_key_is_told_from_one_that_nobody_made(gateway: Probed) -> None:
    key = gateway.key("read", "typed")
    swapped = key[:40] + key[41] + key[40] + key[42:]
    assert swapped != key
    mistyped = gateway.get("/probe/read", swapped).json()["error"]["message"]
    assert "mistyped" in mistyped
    assert "cut off" in gateway.get("/probe/read", key[:-1]).json()["error"]["message"]
    for text in (mistyped, gateway.get("/probe/read", key + "x" * 5000).text):
        assert key[30:] not in text


def test_huge_and_odd_keys_are_refused(gateway: Probed) -> None:
    for odd in ("x" * 20_000, "sk-seasoned-" + "a" * 20_000, "sk-seasoned-", "a.b.c", "é" * 83):
        shown = {b"authorization": b"Bearer " + odd.encode("utf-8")}
        assert gateway.client.get("/probe/read", headers=shown).status_code == 401


def test_only_a_digest_of_a_key_is_stored_and_the_key_is_a_secret_anywhere(
    gateway: Probed,
) -> None:
    key = gateway.key("read", "stored")
    folder = Path(gateway.seasoned.app.db.where).parent
    # By another process: if this one closed the file, SQLite would lose its locks on it.
    found = ["grep", "-r", "--text", "--count"]
    assert (
        subprocess.run(
            [*found, key[25:], folder], check=False, stdout=subprocess.DEVNULL
        ).returncode
        == 1
    )
    assert (
        subprocess.run(
            [*found, key_id(key), folder], check=False, stdout=subprocess.DEVNULL
        ).returncode
        == 0
    )
    assert key not in redact(f"I use {key} here")
    listed = gateway.get("/v1/keys").text
    assert key_id(key) in listed
    assert key[25:] not in listed
    assert "digest" not in listed


def test_a_revoked_key_is_refused_by_a_running_server_at_once(gateway: Probed) -> None:
    key = gateway.key("read", "doomed")
    assert gateway.get("/probe/read", key).status_code == 200
    revoked = gateway.call("DELETE", f"/v1/keys/{key_id(key)}")
    assert revoked.json()["usable"] is False
    refused = gateway.get("/probe/read", key)
    assert refused.status_code == 401
    assert "doomed" in refused.json()["error"]["message"]
    assert "revoked" in refused.json()["error"]["message"]


def test_a_key_that_another_process_revokes_is_refused_within_seconds(gateway: Probed) -> None:
    key = gateway.key("read", "revoked elsewhere")
    assert gateway.get("/probe/read", key).status_code == 200
    with Seasoned(gateway.seasoned.app.db.where) as s:
        s.keys.revoke("revoked elsewhere")
    until(lambda: gateway.get("/probe/read", key).status_code == 401)


def test_an_open_websocket_ends_soon_after_its_key_was_revoked(gateway: Probed) -> None:
    key = gateway.key("read", "on a socket")
    address = gateway.url.replace("http", "ws") + "/probe/socket"
    with connect(address, additional_headers={"Authorization": f"Bearer {key}"}) as socket:
        socket.send("hello")
        assert socket.recv(SOON) == "hello"
        gateway.call("DELETE", f"/v1/keys/{key_id(key)}")
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(SOON)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008
    assert "revoked" in closed.value.rcvd.reason


def test_an_open_stream_ends_soon_after_its_key_was_revoked(gateway: Probed) -> None:
    key, other = gateway.key("read", "on a stream"), gateway.key("read", "beside it")
    with (
        gateway.client.stream("GET", "/probe/stream", headers=_bearer(key)) as stream,
        gateway.client.stream("GET", "/probe/stream", headers=_bearer(other)) as beside,
    ):
        lines, goes_on = stream.iter_lines(), beside.iter_lines()
        assert next(lines) == "data: tick"
        gateway.call("DELETE", f"/v1/keys/{key_id(key)}")
        with pytest.raises(httpx.RemoteProtocolError):
            for _ in lines:
                pass
        assert next(goes_on) == "data: tick"


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def test_a_websocket_may_show_the_key_as_a_subprotocol_and_a_request_may_not(
    gateway: Probed,
) -> None:
    key = gateway.key("read", "subprotocol")
    address = gateway.url.replace("http", "ws") + "/probe/socket"
    with connect(address, subprotocols=["events", f"seasoned.token.{key}"]) as socket:  # type: ignore[list-item]
        assert socket.subprotocol == "events"
        socket.send("hello")
        assert socket.recv(SOON) == "hello"
    shown = {"sec-websocket-protocol": f"seasoned.token.{key}"}
    assert gateway.client.get("/probe/read", headers=shown).status_code == 401
    with pytest.raises(Exception, match="401"):
        connect(address, subprotocols=["events", "seasoned.token.wrong"])  # type: ignore[list-item]


def test_a_key_expires(tmp_path: Path) -> None:
    clock = FixedClock()
    with probed(tmp_path / "home", clock) as gateway:
        key = gateway.key("read", "short", expires_days=2)
        assert gateway.get("/probe/read", key).status_code == 200
        clock.advance(days=1.99)
        assert gateway.get("/probe/read", key).status_code == 200
        clock.advance(days=0.02)
        refused = gateway.get("/probe/read", key)
        assert refused.status_code == 401
        assert "expired" in refused.json()["error"]["message"]


def test_the_last_use_of_a_key_is_known_coarsely(tmp_path: Path) -> None:
    clock = FixedClock()
    with probed(tmp_path / "home", clock) as gateway:
        key = gateway.key("read", "used")

        def used() -> str | None:
            return gateway.get("/v1/keys").json()["keys"][0]["used_at"]

        assert used() is None
        gateway.get("/probe/read", key)
        first = used()
        assert first is not None
        clock.advance(seconds=30)
        gateway.get("/probe/read", key)
        assert used() == first


def test_a_rotated_key_may_count_for_a_while(tmp_path: Path) -> None:
    clock = FixedClock()
    with probed(tmp_path / "home", clock) as gateway:
        old = gateway.key("learn", "agent", tenant="acme", project="web")
        made = gateway.post("/v1/keys/agent/rotate", TOKEN, {"keep_hours": 2})
        new = made.json()["key"]
        assert [gateway.get("/probe/learn", one).status_code for one in (old, new)] == [200, 200]
        assert gateway.get("/probe/learn", new).json()["scope"] == ["acme", "web", ""]
        clock.advance(seconds=3 * 3600)
        assert [gateway.get("/probe/learn", one).status_code for one in (old, new)] == [401, 200]
        at_once = gateway.post(f"/v1/keys/{key_id(new)}/rotate", TOKEN, {}).json()["key"]
        assert [gateway.get("/probe/learn", one).status_code for one in (new, at_once)] == [
            401,
            200,
        ]


def test_headers_narrow_a_key_and_never_widen_it(gateway: Probed) -> None:
    key = gateway.key("operate", "web's operator", tenant="acme", project="web")
    told = gateway.get("/probe/operate", key, x_seasoned_user="ana").json()
    assert told["scope"] == ["acme", "web", "ana"]
    assert told["acts_in"] == ["acme", "web", ""]
    for name, value in (("tenant", "other"), ("project", "api"), ("tenant", "ACME")):
        refused = gateway.get("/probe/operate", key, **{f"x_seasoned_{name}": value})
        assert refused.status_code == 403, (name, value)
    blank = gateway.get("/probe/operate", key, x_seasoned_tenant="", x_seasoned_project="")
    assert blank.json()["scope"] == ["acme", "web", ""]


def test_a_learning_key_acts_for_whom_the_request_names(gateway: Probed) -> None:
    key = gateway.key("learn", "web's agents", tenant="acme", project="web")
    told = gateway.get("/probe/learn", key, x_seasoned_user="ana").json()
    assert told["acts_in"] == ["acme", "web", "ana"]


def test_a_header_that_comes_twice_is_refused(gateway: Probed) -> None:
    key, other = gateway.key("read", "one"), gateway.key("read", "two")
    for name, values in {
        "Authorization": (f"Bearer {key}", f"Bearer {other}"),
        "X-Seasoned-Token": (key, other),
        "X-SEASONED-Tenant": ("a", "b"),
        "cookie": ("a=b", "c=d"),
    }.items():
        twice = [(name, values[0]), (name.swapcase(), values[1])]
        answer = gateway.client.get("/probe/read", headers=[*twice, ("x-seasoned-token", key)])
        assert answer.status_code == 400, name
        assert "twice" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "path",
    [
        "//v1/keys",
        "/V1/keys",
        "/health/live/../../v1/keys",
        "/health/live/%2e%2e/%2e%2e/v1/keys",
        "/auth/login/..%2f..%2fv1/keys",
        "/health/live/..\\..\\v1/keys",
        "/health/live%00/../v1/keys",
        "/health/livev1/keys",
        "/v1/keys;/health/live",
        "/v1/keys/",
    ],
)
def test_no_spelling_of_a_path_gets_past_the_door(gateway: Probed, path: str) -> None:
    import socket

    with socket.create_connection(("127.0.0.1", gateway.port), 30) as line:
        line.sendall(
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        )
        answer = line.makefile("rb").read()
    status = int(answer.split(b" ", 2)[1])
    assert status in (400, 401, 404), answer
    assert b'"keys"' not in answer


def test_administrators_manage_the_keys_of_their_own_tenant_only(gateway: Probed) -> None:
    ours = gateway.key("admin", "acme's admin", tenant="acme")
    theirs = gateway.key("admin", "other's admin", tenant="other")
    made = gateway.post("/v1/keys", ours, {"name": "new one", "role": "learn", "project": "web"})
    assert made.json()["tenant"] == "acme"
    assert made.json()["project"] == "web"
    name = made.json()["id"]
    listed = {one["tenant"] for one in gateway.get("/v1/keys", theirs).json()["keys"]}
    assert listed == {"other"}
    for method, path in (("DELETE", f"/v1/keys/{name}"), ("POST", f"/v1/keys/{name}/rotate")):
        assert gateway.call(method, path, theirs, {}).status_code == 404
    for body in ({"name": "x", "role": "admin", "tenant": "other"}, {"name": "x", "role": "boss"}):
        assert gateway.post("/v1/keys", ours, body).status_code == 422
    escaping = gateway.post(
        "/v1/keys", ours, {"name": "x", "role": "admin"}, x_seasoned_tenant="other"
    )
    assert escaping.status_code == 403
    assert gateway.get("/probe/learn", made.json()["key"]).status_code == 200


def test_an_administrator_of_a_project_makes_no_key_to_the_tenant(gateway: Probed) -> None:
    key = gateway.key("admin", "web's admin", tenant="acme", project="web")
    made = gateway.post("/v1/keys", key, {"name": "ana", "role": "learn", "user": "ana"})
    assert [made.json()[name] for name in ("tenant", "project", "user")] == ["acme", "web", "ana"]
    refused = gateway.post("/v1/keys", key, {"name": "wide", "role": "learn", "project": "api"})
    assert refused.status_code == 403


def test_a_server_for_one_tenant_refuses_the_keys_of_others(tmp_path: Path) -> None:
    with Seasoned(tmp_path / "home" / "seasoned.db") as s:
        from seasoned.core.scope import Scope

        other = s.keys.create("other", role="admin", scope=Scope("other")).text
        wide = s.keys.create("wide", role="admin", scope=Scope()).text
    with probed(tmp_path / "home", tenant="acme") as gateway:
        assert gateway.get("/probe/read", other).status_code == 403
        told = gateway.get("/probe/read", wide).json()
        assert (told["scope"], told["acts_in"]) == (["acme", "", ""], ["acme", "", ""])
        assert gateway.get("/probe/read", wide, x_seasoned_tenant="other").status_code == 403


def test_the_command_line_makes_keys_that_a_server_takes(gateway: Probed) -> None:
    def seasoned(*args: str) -> subprocess.CompletedProcess[str]:
        home = str(Path(gateway.seasoned.app.db.where).parent)
        return subprocess.run(
            [sys.executable, "-m", "seasoned", "keys", *args],
            env={**os.environ, "SEASONED_HOME": home},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    made = seasoned("create", "from a shell", "--role", "learn", "--tenant", "shell")
    key = made.stdout.strip()
    assert "shown this once" in made.stderr
    assert gateway.get("/probe/learn", key).json()["scope"] == ["shell", "", ""]
    listed = json.loads(seasoned("list", "--tenant", "shell", "--json").stdout)
    assert [(one["name"], one["role"], one["state"]) for one in listed] == [
        ("from a shell", "learn", "usable")
    ]
    again = seasoned("create", "from a shell", "--role", "learn", "--tenant", "shell")
    assert (again.returncode, "rotate" in again.stderr) == (2, True)
    assert "Revoked" in seasoned("revoke", "from a shell", "--tenant", "shell").stdout
    until(lambda: gateway.get("/probe/learn", key).status_code == 401)
