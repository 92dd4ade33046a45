"""Without the extra `llm`: nothing breaks, and the error says what to install."""

import os
import subprocess
import sys
from pathlib import Path

CORRECTED = """
import sys
from seasoned import Seasoned

s = Seasoned(sys.argv[1], session="s0")
s.turn("start the container", "I ran docker")
s.turn("no, use podman, not docker")
for learned in s.corrections.learn():
    print("learned:", learned.outcome, learned.reason)
print("pending:", s.corrections.status()["pending"])
print("rules:", [rule.content for rule in s.rules.list()])
"""
BLOCKED = "import sys\nsys.modules['pydantic_ai'] = None\n"
LOADED = "print('loaded:', 'pydantic_ai' in sys.modules)\n"


def run(code: str, tmp_path: Path, **settings: str) -> str:
    variables = {f"SEASONED_{name.upper()}": value for name, value in settings.items()}
    plain = {name: value for name, value in os.environ.items() if not name.startswith("SEASONED_")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, str(tmp_path / "seasoned.db")],
        env={**plain, **variables, "SEASONED_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_model_without_its_clients_says_which_extra_to_install(tmp_path: Path) -> None:
    for redact in ("false", "true"):
        place = tmp_path / redact
        place.mkdir()
        model = {"llm__model": "openai:m", "llm__key": "key", "privacy__redact": redact}
        said = run(BLOCKED + CORRECTED, place, **model)
        assert "learned: failed openai:m cannot be asked" in said
        assert "install the extra with: " in said
        assert "[llm]" in said
        assert "pending: 1" in said


def test_learning_without_a_model_needs_no_clients_and_loads_none(tmp_path: Path) -> None:
    said = run(CORRECTED + LOADED, tmp_path, privacy__redact="true")
    assert "learned: learned" in said
    assert "rules: ['Use podman, not docker.']" in said
    assert "loaded: False" in said


def test_a_model_that_is_set_is_loaded_when_it_is_asked(tmp_path: Path) -> None:
    code = "import sys\nfrom seasoned import Seasoned\ns = Seasoned(sys.argv[1], session='s0')\n"
    code += "s.turn('hello', 'hi')\ns.memory.list()\ns.recall('hello')\n" + LOADED
    said = run(code, tmp_path, llm__model="openai:m", llm__key="key")
    assert "loaded: False" in said
