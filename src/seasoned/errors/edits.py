"""Tell whether a call edits files: if a check comes out differently after that, it was the work.

Steps that prepare a call (an installation, a new folder, another branch) are no edits: they may be
what the call was missing.
"""

import re
from collections.abc import Mapping
from typing import Any

from seasoned.errors.nature import command_of

_TOOLS = re.compile(r"(?i)edit|write|patch|replace|insert|create_?file|rename|delete|move|update")
_TEXTS = frozenset("old_string new_string old_str new_str new_text patch diff edits".split())
_PLACES = frozenset("path file_path filePath filename file notebook_path target_file".split())
_COMMANDS = re.compile(
    r"(?<![<>&\d=-])>>?\s*(?!/dev/|&)[^\s&>|;]+|\btee\b|\b(?:sed|perl)\b[^|;&]*\s-\w*i|\bpatch\s"
    r"|\bgit (?:-C \S+ )?apply\b|gofmt -w|--fix\b|--write\b|\bfmt\b"
)


def edits_files(tool: str, params: Mapping[str, Any]) -> bool:
    """Tell whether a call edits files.

    >>> edits_files("Edit", {"file_path": "a.go", "old_string": "a", "new_string": "b"})
    True
    >>> edits_files("shell", {"command": "gofmt -w a.go"}), edits_files("shell", {"command": "ls"})
    (True, False)
    """
    command = command_of(params)
    if command is not None:
        return _COMMANDS.search(command) is not None
    placed = not _PLACES.isdisjoint(params) or "patch" in tool.lower()
    return not _TEXTS.isdisjoint(params) or (placed and _TOOLS.search(tool) is not None)
