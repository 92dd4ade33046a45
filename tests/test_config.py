from pathlib import Path
from typing import Any

import pytest

from seasoned.config import load
from seasoned.core.errors import ConfigError


def value(key: str, **kwargs: Any) -> tuple[Any, str]:
    return {name: (given, origin) for name, given, origin in load(**kwargs).rows()}[key]


def profile(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "seasoned.toml"
    path.write_text(text)
    return path


def test_the_documented_defaults_hold() -> None:
    rows = {key: given for key, given, _ in load({}).rows()}
    documented = {
        "knowledge.enabled": True,
        "knowledge.maxContextPerLayer": 3,
        "knowledge.analysisTurnThreshold": 5,
        "knowledge.analysisTokenThreshold": 2000,
        "agent.errorCorrectionEnabled": True,
        "agent.autoApplyConfidence": 0.7,
        "graph.enabled": False,
        "graph.propagationRate": 0.3,
        "graph.batch": 64,
        "behavioral.enabled": True,
        "behavioral.intervalSeconds": 120,
        "behavioral.delaySeconds": 2,
        "behavioral.queueCap": 50,
        "behavioral.duplicateOverlap": 0.6,
        "behavioral.conflictOverlap": 0.35,
        "session.minMessages": 4,
        "session.sampleAbove": 20,
        "session.idleMinutes": 30,
        "memory.observeTokens": 1000,
        "memory.reflectTokens": 2000,
        "memory.maxReflections": 5,
        "memory.maxObservations": 20,
        "memory.budgetTokens": 4000,
        "librarian.minObservations": 2,
        "librarian.cooldownTurns": 3,
        "librarian.maxPending": 2,
        "embedding.batch": 32,
        "buffer.flushSeconds": 2,
        "buffer.capacity": 256,
        "approval.policy": "dangerous",
        "approval.timeoutSeconds": 30,
        "trial.candidateHoldout": 0.5,
        "trial.activeHoldout": 0.1,
        "trial.provenHoldout": 0.02,
        "llm.dailyBudgetUsd": 1.0,
        "server.host": "127.0.0.1",
        "server.port": 8420,
    }
    assert documented.items() <= rows.items()


@pytest.mark.parametrize("name", ["queueCap", "queue_cap"])
def test_a_profile_may_spell_a_key_either_way(tmp_path: Path, name: str) -> None:
    path = profile(tmp_path, f"[behavioral]\n{name} = 7\n")
    assert value("behavioral.queueCap", environment={}, profile=path) == (7, str(path))


def test_a_variable_beats_the_profile(tmp_path: Path) -> None:
    path = profile(tmp_path, "[server]\nport = 1\n")
    found = value("server.port", environment={"SEASONED_SERVER__PORT": "2"}, profile=path)
    assert found == (2, "environment")


def test_the_profile_in_the_home_folder_is_read(tmp_path: Path) -> None:
    profile(tmp_path, "[database]\nurl = 'postgresql://db/agents'\n")
    assert load({"SEASONED_HOME": str(tmp_path)}).database_url == "postgresql://db/agents"


@pytest.mark.parametrize(
    ("variable", "given", "complaint"),
    [
        ("SEASONED_SERVER__PORT", "99999", "at most 65535"),
        ("SEASONED_SERVER__PORT", "many", "a whole number"),
        ("SEASONED_SERVER__PORT", "2.5", "a whole number"),
        ("SEASONED_GRAPH__PROPAGATION_RATE", "nan", "a number"),
        ("SEASONED_PAYMENT__DAILY_USD", "inf", "a number"),
        ("SEASONED_PAYMENT__DAILY_USD", "1e400", "a number"),
        ("SEASONED_AGENT__MAX_STEPS", "1" * 400, "a whole number"),
        ("SEASONED_GRAPH__ENABLED", "perhaps", "true or false"),
        ("SEASONED_APPROVAL__POLICY", "maybe", "one of dangerous"),
        ("SEASONED_BUFFER__FLUSH_SECONDS", "0", "above 0"),
        ("SEASONED_NONSENSE__KEY", "1", "unknown setting nonsense.key"),
        ("SEASONED_SERVER__NONSENSE", "1", "unknown setting server.nonsense"),
    ],
)
def test_a_wrong_setting_is_named_with_what_it_must_be(
    variable: str, given: str, complaint: str
) -> None:
    with pytest.raises(ConfigError, match=complaint):
        load({variable: given})


@pytest.mark.parametrize(
    "text", ["port = 1", "[server\n", "[server]\nport = '1x'", f"[server]\nport = {'1' * 400}"]
)
def test_a_broken_profile_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match=r"seasoned\.toml"):
        load({}, profile(tmp_path, text))


def test_a_profile_that_was_asked_for_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read the profile"):
        load({}, tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="cannot read the profile"):
        load({"SEASONED_PROFILE": str(tmp_path / "none.toml")})


def test_a_key_in_two_spellings_is_refused(tmp_path: Path) -> None:
    text = "[agent]\nautoApplyConfidence = 0.8\nauto_apply_confidence = 0.9\n"
    with pytest.raises(ConfigError, match="given twice"):
        load({}, profile(tmp_path, text))
