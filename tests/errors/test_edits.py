"""Which calls edit files, and which only prepare another call."""

from typing import Any

import pytest

from seasoned.errors.edits import edits_files


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("Edit", {"file_path": "a.go", "old_string": "a", "new_string": "b"}),
        ("write_file", {"path": "a.py", "content": "x"}),
        ("apply_patch", {"input": "*** Begin Patch"}),
        ("str_replace_editor", {"command_name": "x", "path": "a", "old_str": "a", "new_str": "b"}),
        ("bash", {"command": "cat > src/a.py <<'EOF'\nx = 1\nEOF"}),
        ("bash", {"command": "sed -i 's/a/b/' a.py"}),
        ("shell", {"cmd": ["bash", "-c", "echo x >> notes.md"]}),
        ("bash", {"command": "eslint --fix src"}),
    ],
)
def test_these_edit(tool: str, params: dict[str, Any]) -> None:
    assert edits_files(tool, params)


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("Read", {"file_path": "a.go"}),
        ("write_stdin", {"session_id": 7, "chars": "y"}),
        ("delete_order", {"order_id": "W71"}),
        ("bash", {"command": "grep -n x a.py 2>/dev/null"}),
        ("bash", {"command": "go test ./... 2>&1 | tail -3"}),
        ("bash", {"command": "pip install pyyaml"}),
        ("bash", {"command": "mkdir -p out && git stash"}),
        ("bash", {"command": "git log --format='%an -> %s'"}),
    ],
)
def test_these_do_not(tool: str, params: dict[str, Any]) -> None:
    assert not edits_files(tool, params)
