"""The vault through the command line: layers, secrets, what locks it, what opens it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Answer = Callable[..., Any]
Call = Callable[..., Result]

PASSPHRASE = "several words of a passphrase"


@pytest.fixture
def vault(seasoned: Call, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault with an empty profile; its passphrase is in the environment."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    monkeypatch.setenv("SEASONED_PASSPHRASE", PASSPHRASE)
    made = seasoned("config", "init")
    assert made.exit_code == 0, made.output
    return home / "vault.json"


def settings(answer: Answer) -> dict[str, tuple[Any, str]]:
    rows = answer("config", "show")["settings"]
    return {row["key"]: (row["value"], row["origin"]) for row in rows}


def check(answered: Result, name: str = "vault") -> dict[str, Any]:
    return next(one for one in json.loads(answered.stdout)["checks"] if one["name"] == name)


def test_each_layer_overrides_the_one_before(
    vault: Path, seasoned: Call, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault.parent / "seasoned.toml").write_text(
        "[agent]\nmaxSteps = 3\nturnSeconds = 4\nturnTokens = 5\n"
    )
    seasoned("config", "set", "agent.turn_seconds", "40")
    seasoned("config", "set", "agent.turnTokens", "50")
    monkeypatch.setenv("SEASONED_AGENT__TURN_TOKENS", "500")
    rows = settings(answer)
    assert rows["agent.historyTokens"] == (24_000, "default")
    assert rows["agent.maxSteps"] == (3, str(vault.parent / "seasoned.toml"))
    assert rows["agent.turnSeconds"] == (40.0, "vault (profile default)")
    assert rows["agent.turnTokens"] == (500, "environment")
    seasoned("config", "unset", "agent.turnSeconds")
    assert settings(answer)["agent.turnSeconds"][0] == 4.0


def test_a_profile_is_made_used_and_left(vault: Path, seasoned: Call, answer: Answer) -> None:
    seasoned("config", "set", "graph.enabled", "true")
    seasoned("config", "init", "work")
    assert settings(answer)["graph.enabled"] == (False, "default")
    assert answer("config", "profiles") == [
        {"name": "default", "in_use": False, "settings": 1},
        {"name": "work", "in_use": True, "settings": 0},
    ]
    seasoned("config", "use", "default")
    assert settings(answer)["graph.enabled"][0] is True
    missing = seasoned("config", "use", "nowhere")
    assert missing.exit_code == 3
    assert "seasoned config profiles" in missing.stderr


def test_a_secret_fills_the_setting_of_its_name_unless_that_is_set(
    vault: Path, seasoned: Call, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from seasoned.config import load

    seasoned("secrets", "set", "embedding.key", "--stdin", input="xoxb-of-the-vault\n")
    seasoned("secrets", "set", "llm.key", "--stdin", input="key-of-the-vault")
    assert load().settings.embedding.key == "xoxb-of-the-vault"
    assert settings(answer)["embedding.key"] == ("(set, not shown)", "vault")
    monkeypatch.setenv("SEASONED_LLM__KEY", "key-of-the-environment")
    assert load().settings.llm.key == "key-of-the-environment"
    assert [one["name"] for one in answer("secrets", "list")] == ["embedding.key", "llm.key"]
    seasoned("secrets", "remove", "embedding.key")
    assert load().settings.embedding.key == ""


def test_a_text_that_names_a_secret_becomes_it_and_is_not_shown(
    vault: Path, seasoned: Call, answer: Answer
) -> None:
    from seasoned.config import load

    address = "https://hooks.example.com/T0/distinctive"
    seasoned("secrets", "set", "hook", "--stdin", input=address)
    assert seasoned("config", "set", "notify.url", "secret:hook").exit_code == 0
    assert load().settings.notify.url == address
    assert settings(answer)["notify.url"] == ("(set, not shown)", "vault")
    seasoned("secrets", "remove", "hook")
    told = seasoned("config", "show")
    assert told.exit_code == 2
    assert "notify.url" in told.stderr
    assert "`seasoned secrets list`" in told.stderr
    assert seasoned("config", "unset", "notify.url").exit_code == 0  # the way out


def test_a_name_of_a_secret_is_not_taken_for_the_secret_where_there_is_no_vault(
    home: Path, seasoned: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_LLM__KEY", "secret:mine")
    told = seasoned("config", "show")
    assert told.exit_code == 2
    assert "llm.key" in told.stderr
    assert "seasoned config init" in told.stderr


def test_a_locked_vault_is_told_and_everything_else_goes_on(
    vault: Path, seasoned: Call, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from seasoned.config import load

    seasoned("config", "set", "agent.maxSteps", "3")
    monkeypatch.delenv("SEASONED_PASSPHRASE")
    monkeypatch.setenv("SEASONED_LLM__KEY", "secret:mine")
    config = load()
    assert (config.vault.state, config.vault.waiting) == ("locked", ("llm.key",))
    assert config.settings.llm.key == ""
    rows = settings(answer)
    assert rows["agent.maxSteps"] == (25, "default")
    assert rows["llm.key"] == ("", "vault (locked)")
    found = check(seasoned("doctor", "--json"))
    assert found["state"] == "warning"
    assert "locked" in found["detail"]
    assert "llm.key" in found["detail"]
    assert "SEASONED_PASSPHRASE_FILE" in found["advice"]
    refused = seasoned("secrets", "list")
    assert refused.exit_code == 2
    assert "locked" in refused.stderr
    assert "SEASONED_PASSPHRASE" in refused.stderr


def test_a_wrong_passphrase_or_a_damaged_file_stops_commands_and_the_doctor_reports_it(
    vault: Path, seasoned: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_PASSPHRASE", "another one")
    for args in (("config", "show"), ("lessons", "status"), ("secrets", "list")):
        told = seasoned(*args)
        assert told.exit_code == 2, told.output
        assert f"does not open the vault {vault}" in told.stderr
    doctor = seasoned("doctor", "--json")
    assert doctor.exit_code == 1
    assert "from SEASONED_PASSPHRASE" in check(doctor)["detail"]
    monkeypatch.setenv("SEASONED_PASSPHRASE", PASSPHRASE)
    vault.write_bytes(vault.read_bytes()[:-40])
    assert "damaged" in seasoned("config", "show").stderr
    assert "damaged" in check(seasoned("doctor", "--json"))["detail"]


@pytest.mark.parametrize("named_by", ["SEASONED_PASSPHRASE_FILE", "seasoned.toml"])
def test_a_passphrase_file_opens_it_only_if_others_cannot_read_it(
    vault: Path,
    seasoned: Call,
    answer: Answer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    named_by: str,
) -> None:
    monkeypatch.delenv("SEASONED_PASSPHRASE")
    file = tmp_path / "passphrase"
    file.write_text(f"{PASSPHRASE}\n")
    if named_by == "seasoned.toml":
        text = f"[vault]\npassphraseFile = '{file}'\n"
        (vault.parent / named_by).write_text(text)
    else:
        monkeypatch.setenv(named_by, str(file))
    for mode in (0o644, 0o640, 0o604):
        file.chmod(mode)
        told = seasoned("config", "show")
        assert told.exit_code == 2, oct(mode)
        assert f"chmod 600 {file}" in told.stderr
        assert PASSPHRASE not in told.output
    file.chmod(0o600)
    assert answer("config", "show")["vault"]["state"] == "open"
    file.unlink()
    assert "cannot read the passphrase file" in seasoned("config", "show").stderr


def test_a_secret_is_not_taken_from_the_command_line(vault: Path, seasoned: Call) -> None:
    told = seasoned("config", "set", "payment.key", "123:abc")
    assert told.exit_code == 2
    assert "`seasoned secrets set payment.key`" in told.stderr
    assert "123:abc" not in told.output
    told = seasoned("config", "set", "vault.passphraseFile", "x")
    assert told.exit_code == 2
    assert "seasoned.toml" in told.stderr


def test_what_is_imported_is_exported_without_its_secrets(
    vault: Path, seasoned: Call, answer: Answer, tmp_path: Path
) -> None:
    file, copy = tmp_path / "in.toml", tmp_path / "out.toml"
    instructions = 'Say "hello"\nand \\ be brief.'
    file.write_text(
        f"[agent]\ninstructions = {json.dumps(instructions)}\nmaxSteps = 7\n"
        '[llm]\nkey = "sk-planted"\n[database]\nurl = "postgresql://ana:planted@127.0.0.1:1/x"\n'
    )
    took = seasoned("config", "import", file)
    assert took.exit_code == 0, took.output
    assert answer("secrets", "list") == [{"name": "llm.key", "fills": "llm.key"}]
    wrote = seasoned("config", "export", copy)
    assert "left out database.url" in wrote.stderr
    assert "planted" not in copy.read_text() + wrote.output + took.output
    assert copy.stat().st_mode & 0o777 == 0o600
    assert seasoned("config", "export", copy).exit_code == 2  # it is not overwritten
    seasoned("config", "init", "copy")
    seasoned("config", "import", copy)
    rows = settings(answer)
    assert rows["agent.instructions"] == (instructions, "vault (profile copy)")
    assert rows["agent.maxSteps"][0] == 7


def test_the_profile_is_edited_in_a_file_that_others_cannot_read(
    vault: Path, seasoned: Call, answer: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor, seen = tmp_path / "editor.py", tmp_path / "seen"
    editor.write_text(
        "import os, sys\n"
        f"open({str(seen)!r}, 'w').write(oct(os.stat(sys.argv[1]).st_mode) + ' ' + sys.argv[1])\n"
        "open(sys.argv[1] + '~', 'w').write('an editor keeps a copy')\n"
        "open(sys.argv[1], 'w').write(os.environ['WRITES'])\n"
    )
    monkeypatch.setenv("VISUAL", f"{sys.executable} {editor}")
    monkeypatch.setenv("WRITES", "[agent]\nmaxSteps = 9\n[llm]\nkey = 'sk-planted'\n")
    assert seasoned("config", "edit").exit_code == 0
    mode, path = seen.read_text().split()
    assert mode.endswith("600")
    assert not Path(path).parent.exists()
    assert settings(answer)["agent.maxSteps"] == (9, "vault (profile default)")
    assert settings(answer)["llm.key"] == ("(set, not shown)", "vault")
    monkeypatch.setenv("WRITES", "[agent]\nmaxSteps = -1\n")
    assert seasoned("config", "edit").exit_code == 2
    assert settings(answer)["agent.maxSteps"][0] == 9


def test_the_passphrase_changes_and_the_key_rotates(
    vault: Path, seasoned: Call, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    seasoned("secrets", "set", "mine", "--stdin", input="v")
    changed = seasoned("config", "passphrase", "--passphrase-stdin", input="a new one\n")
    assert changed.exit_code == 0, changed.output
    assert "SEASONED_PASSPHRASE has the old one still" in changed.stderr
    assert seasoned("secrets", "list").exit_code == 2
    monkeypatch.setenv("SEASONED_PASSPHRASE", "a new one")
    before = json.loads(vault.read_text())["records"]
    assert seasoned("config", "rotate").exit_code == 0
    assert all(one not in before for one in json.loads(vault.read_text())["records"])
    assert [one["name"] for one in answer("secrets", "list")] == ["mine"]
    assert seasoned("config", "init").exit_code == 2  # the one that is there stays


def test_a_profile_that_cannot_be_named_so_leaves_no_vault(home: Path, seasoned: Call) -> None:
    told = seasoned("config", "init", "a b", "--passphrase-stdin", input=f"{PASSPHRASE}\n")
    assert told.exit_code == 2
    assert not (home / "vault.json").exists()
    listed = seasoned("secrets", "list")
    assert listed.exit_code == 0
    assert "no vault yet" in listed.stderr
    assert "seasoned config init" in listed.stderr
    assert seasoned("secrets", "set", "mine", "--stdin", input="v").exit_code == 3


def test_a_name_that_is_nearly_a_setting_is_doubted(vault: Path, seasoned: Call) -> None:
    told = seasoned("secrets", "set", "slack.bottoken", "--stdin", input="v")
    assert told.exit_code == 0
    assert "did you mean slack.botToken?" in told.stderr
    assert "did you mean" not in seasoned("secrets", "set", "hook", "--stdin", input="v").stderr


def test_an_import_says_when_it_replaces_a_secret(
    vault: Path, seasoned: Call, tmp_path: Path
) -> None:
    file = tmp_path / "in.toml"
    file.write_text("[llm]\nkey = 'sk-one'\n")
    assert "llm.key is in the vault now" in seasoned("config", "import", file).stderr
    assert "llm.key replaced the vault's" in seasoned("config", "import", file).stderr


def test_a_wrong_passphrase_is_named_by_its_source(
    vault: Path, seasoned: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_PASSPHRASE", "another")
    told = seasoned("config", "profiles")
    assert told.exit_code == 2
    assert "the passphrase is from SEASONED_PASSPHRASE" in told.stderr


def test_a_link_to_a_vault_that_is_away_is_not_taken_for_no_vault(
    vault: Path, seasoned: Call
) -> None:
    vault.rename(vault.with_name("elsewhere.json"))
    vault.symlink_to("gone.json")
    for command in (("config", "show"), ("config", "init"), ("secrets", "list")):
        told = seasoned(*command)
        assert told.exit_code == 2, told.output
        assert "is a link to gone.json" in told.stderr
    assert vault.is_symlink()


def test_without_a_vault_nothing_of_it_is_loaded(home: Path) -> None:
    script = (
        "import sys; from seasoned.config import load; load();"
        "print([name for name in sys.modules if name.partition('.')[0] in"
        " ('cryptography', 'keyring') or name.startswith('seasoned.security.vault')"
        " or name in ('seasoned.config.passphrase', 'seasoned.config.vault_layer')])"
    )
    variables = {**os.environ, "SEASONED_PASSPHRASE": PASSPHRASE}
    told = subprocess.run(
        [sys.executable, "-c", script], env=variables, capture_output=True, text=True, check=True
    )
    assert told.stdout == "[]\n"
