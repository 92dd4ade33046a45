"""`audit verify`, `config show`, `doctor` and `lessons status`."""

import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import Result

Answer = Callable[..., Any]
Call = Callable[..., Result]


def tamper(database: Path) -> None:
    """Change an event after dropping the triggers that protect it."""
    connection = sqlite3.connect(database)
    guards = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit'"
    )
    for (name,) in guards.fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("UPDATE audit SET detail = '{}' WHERE seq = 2")
    connection.commit()
    connection.close()


def test_an_intact_chain_verifies(seasoned: Call, answer: Answer, three: Path) -> None:
    seasoned("learn", three)
    assert "chain intact" in seasoned("audit", "verify").stdout
    told = answer("audit", "verify")
    assert told["intact"]
    assert told["events"] == answer("lessons", "status")["audit_events"]


def test_a_tampered_event_is_named_and_the_exit_code_is_one(
    seasoned: Call, three: Path, home: Path
) -> None:
    seasoned("learn", three)
    tamper(home / "seasoned.db")
    result = seasoned("audit", "verify", "--json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert (told["intact"], told["broken_at"], told["reason"]) == (False, 2, "event 2 was changed")
    assert "event 2 was changed" in seasoned("audit", "verify").stderr


def test_config_show_names_the_origin_of_each_key(
    seasoned: Call, answer: Answer, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir()
    (home / "seasoned.toml").write_text("[agent]\nautoApplyConfidence = 0.8\n")
    monkeypatch.setenv("SEASONED_KNOWLEDGE__MAX_CONTEXT_PER_LAYER", "5")
    rows = {
        row["key"]: (row["value"], row["origin"]) for row in answer("config", "show")["settings"]
    }
    assert rows["agent.autoApplyConfidence"] == (0.8, str(home / "seasoned.toml"))
    assert rows["knowledge.maxContextPerLayer"] == (5, "environment")
    assert rows["graph.enabled"] == (False, "default")
    assert "agent.autoApplyConfidence" in seasoned("config", "show").stdout
    assert not (home / "seasoned.db").exists()


def test_config_show_hides_passwords(seasoned: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEASONED_DATABASE__URL", "postgresql://ana:s3cret@localhost/x")
    for args in (("config", "show"), ("config", "show", "--json")):
        result = seasoned(*args)
        assert result.exit_code == 0
        assert "s3cret" not in result.output
        assert "ana" in result.output


@pytest.mark.parametrize(
    ("variable", "value"),
    [("SEASONED_AGENT__AUTO_APPLY_CONFIDENCE", "2"), ("SEASONED_AGENT__NONSENSE", "1")],
)
def test_an_invalid_setting_is_refused_by_name(
    seasoned: Call, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    result = seasoned("config", "show")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert "agent." in result.stderr


def test_the_doctor_finds_everything_in_order(seasoned: Call, answer: Answer, three: Path) -> None:
    seasoned("learn", three)
    states = {check["name"]: check["state"] for check in answer("doctor")["checks"]}
    assert states["database"] == states["audit"] == states["settings"] == states["home"] == "fine"
    assert "Everything is in order." in seasoned("doctor").stdout


def test_the_doctor_makes_no_database(seasoned: Call, home: Path) -> None:
    assert seasoned("doctor").exit_code == 0
    assert not home.exists()


def test_the_doctor_finds_a_tampered_audit(seasoned: Call, three: Path, home: Path) -> None:
    seasoned("learn", three)
    tamper(home / "seasoned.db")
    result = seasoned("doctor")
    assert result.exit_code == 1
    assert "✗ audit: event 2 was changed" in result.stdout


def test_the_doctor_finds_a_file_that_is_no_database(seasoned: Call, home: Path) -> None:
    home.mkdir()
    (home / "seasoned.db").write_bytes(b"this is not a database" * 100)
    result = seasoned("doctor", "--json")
    assert result.exit_code == 1
    found = {c["name"]: c for c in json.loads(result.stdout)["checks"]}["database"]
    assert found["state"] == "wrong"
    assert "not a Seasoned database" in found["detail"]


def test_the_doctor_finds_a_wrong_setting(seasoned: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEASONED_AGENT__NONSENSE", "1")
    result = seasoned("doctor")
    assert result.exit_code == 1
    assert "✗ settings" in result.stdout


def test_the_doctor_warns_of_secrets_that_others_may_read(
    seasoned: Call, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir()
    profile = home / "seasoned.toml"
    profile.write_text("[llm]\nkey = 'sk-planted-in-plain-text'\n")
    profile.chmod(0o644)
    told = seasoned("doctor")
    assert f"others may read {profile}, which holds llm.key" in told.stdout.replace("\n", "")
    assert "seasoned secrets set" in told.stdout
    assert "planted" not in told.stdout
    profile.chmod(0o600)
    assert "others may read" not in seasoned("doctor").stdout


def test_the_doctor_finds_a_home_that_cannot_be_made(
    seasoned: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("SEASONED_HOME", str(tmp_path / "file" / "home"))
    result = seasoned("doctor")
    assert result.exit_code == 1
    assert "✗ home" in result.stdout
    assert "SEASONED_HOME" in result.stdout


@pytest.mark.skipif(os.getuid() == 0, reason="permissions do not bind root")
def test_the_doctor_finds_a_home_that_may_not_be_written(seasoned: Call, home: Path) -> None:
    home.mkdir(mode=0o500)
    assert "✗ home" in seasoned("doctor").stdout


def test_status_shows_the_configuration_and_the_counts(
    seasoned: Call, answer: Answer, three: Path
) -> None:
    assert "none yet" in seasoned("lessons", "status").stdout
    seasoned("learn", three)
    told = answer("lessons", "status")
    assert (told["calls"], told["failures"], told["errors"]) == (6, 3, 1)
    assert told["lessons"] == {"fix": {"active": 1}}
    shown = seasoned("lessons", "status").stdout
    for word in ("seasoned.db", "from confidence 0.70", "episodes resolved", "active"):
        assert word in shown


def test_the_doctor_asks_the_queue_where_one_is_set(
    seasoned: Call, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> dict[str, Any]:
        checks = json.loads(seasoned("doctor", "--json").stdout)["checks"]
        return {check["name"]: check for check in checks}

    assert "queue" not in found()
    monkeypatch.setenv("SEASONED_QUEUE__URL", redis_url)
    told = found()["queue"]
    assert (told["state"], told["detail"]) == (
        "fine",
        f"{redis_url}: 0 corrections pending, 0 archived",
    )
    for url in ("redis://me:s3cret@127.0.0.1:1/0", "http://me:s3cret@host"):
        monkeypatch.setenv("SEASONED_QUEUE__URL", url)
        told = found()["queue"]
        assert told["state"] == "wrong"
        assert "s3cret" not in json.dumps(told)


def checks(seasoned: Call, *args: str) -> dict[str, dict[str, Any]]:
    told = json.loads(seasoned("doctor", "--json", *args).stdout)["checks"]
    return {check["name"]: check for check in told}


@pytest.mark.parametrize(
    ("number", "state", "colour", "code"),
    [(19, "fine", "green", 0), (20, "warning", "yellow", 0), (40, "wrong", "red", 1)],
)
def test_the_doctor_tells_how_full_the_queue_of_corrections_is(
    seasoned: Call,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    state: str,
    colour: str,
    code: int,
) -> None:
    from seasoned import Seasoned

    monkeypatch.setenv("SEASONED_LLM__MODEL", "ollama:none@http://127.0.0.1:1")
    with Seasoned(home / "seasoned.db") as s:
        for n in range(number):
            s.correct(f"No, use tool{n}, not other{n}.", request="a", reply="b", session=f"s{n}")
    monkeypatch.delenv("SEASONED_LLM__MODEL")
    told = seasoned("doctor", "--json")
    found = {one["name"]: one for one in json.loads(told.stdout)["checks"]}["corrections"]
    assert found["detail"].startswith(f"{number} of 50 pending ({colour})")
    assert (found["state"], told.exit_code) == (state, code)
    if state != "fine":
        assert "`seasoned corrections learn`" in found["advice"]


class ModelServer(BaseHTTPRequestHandler):
    """Lists the model qwen3 for the key sk-good."""

    def do_GET(self) -> None:
        good = self.headers.get("Authorization") == "Bearer sk-good"
        body = json.dumps({"data": [{"id": "qwen3"}]} if good else {"error": "no"}).encode()
        self.send_response(200 if good else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as its base calls it
        """Keep the test's output clean."""


@pytest.fixture
def model_server() -> Generator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), ModelServer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize(
    ("model", "key", "state", "said"),
    [
        ("openai:qwen3", "sk-good", "fine", "/v1/models answers; asked for its list of models"),
        ("openai:other", "sk-good", "warning", "does not list other"),
        ("openai:qwen3", "sk-bad", "wrong", "refuses the key (401)"),
    ],
)
def test_the_doctor_asks_the_server_of_a_model_for_its_list(
    seasoned: Call,
    model_server: str,
    monkeypatch: pytest.MonkeyPatch,
    model: str,
    key: str,
    state: str,
    said: str,
) -> None:
    monkeypatch.setenv("SEASONED_LLM__MODEL", model)
    monkeypatch.setenv("SEASONED_LLM__URL", model_server)
    monkeypatch.setenv("SEASONED_LLM__KEY", key)
    found = checks(seasoned)["model"]
    assert (found["state"], said in found["detail"]) == (state, True), found
    assert key not in json.dumps(found)


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("LLM__MODEL", "ollama:none@http://127.0.0.1:1", "does not answer"),
        ("AGENT__MODEL", "ollama:none@http://127.0.0.1:1", "does not answer"),
        ("AGENT__FALLBACK", "local:/nowhere.gguf", "there is no file /nowhere.gguf"),
        ("AGENT__MODEL", "openai:gpt-5", "needs a key"),
    ],
)
def test_the_doctor_finds_a_model_that_cannot_be_asked(
    seasoned: Call, monkeypatch: pytest.MonkeyPatch, setting: str, value: str, said: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv(f"SEASONED_{setting}", value)
    found = checks(seasoned)["model"]
    assert (found["state"], said in found["detail"]) == ("wrong", True), found
    assert found["advice"]
    assert seasoned("doctor").exit_code == 1


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def test_the_doctor_finds_a_disk_that_is_nearly_full(
    seasoned: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Usage(0, 0, 0)

    def measured(_: Path) -> Usage:
        return told

    monkeypatch.setattr(shutil, "disk_usage", measured)
    for free, state in ((10_000_000, "wrong"), (100_000_000, "warning"), (10**10, "fine")):
        told = Usage(10**12, 10**12 - free, free)
        assert checks(seasoned)["disk"]["state"] == state
