"""Calls that a coding assistant makes, and how they fail."""

from stories.steps import RNG, Step, no, ok


def sh(command: str, result: str, why: str = "") -> Step:
    extra = {"description": why} if why else {}
    return ok("Bash", result, command=command, **extra)


def sh_no(command: str, error: str, why: str = "") -> Step:
    extra = {"description": why} if why else {}
    return no("Bash", error, command=command, **extra)


def look(path: str, *lines: str) -> Step:
    numbered = "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, 1))
    return ok("Read", numbered, file_path=path)


def edit(path: str, old: str, new: str) -> Step:
    said = f"The file {path} has been updated."
    return ok("Edit", said, file_path=path, old_string=old, new_string=new)


def edit_no(path: str, old: str, new: str, error: str) -> Step:
    told = f"<tool_use_error>{error}</tool_use_error>"
    return no("Edit", told, file_path=path, old_string=old, new_string=new)


def not_found(old: str) -> str:
    return f"String to replace not found in file.\nString: {old}"


UNREAD = "File has not been read yet. Read it first before writing to it."

EVERYDAY: dict[str, list[Step]] = {
    "/home/dev/parcel-tracker": [
        sh("git status --short", " M src/parcels/routes.py\n?? notes.txt"),
        sh("ls src/parcels", "__init__.py\ncarriers.py\nmodels.py\nroutes.py\nstore.py"),
        sh("git log --oneline -3", "4be1f0a Add carrier webhooks\n91c22d7 Tidy models\n0d5a3be CI"),
        sh("ruff check src", "All checks passed!"),
        sh("wc -l src/parcels/*.py | tail -1", "  812 total"),
        look(
            "/home/dev/parcel-tracker/src/parcels/models.py",
            "from dataclasses import dataclass",
            "",
            "@dataclass",
            "class Parcel:",
            "    code: str",
            "    weight_g: int",
        ),
        look(
            "/home/dev/parcel-tracker/pyproject.toml",
            "[project]",
            'name = "parcels"',
            'dependencies = ["fastapi", "httpx"]',
        ),
        ok(
            "Grep",
            "src/parcels/routes.py:41:    parcel = store.find(code)\n"
            "src/parcels/store.py:18:def find(code: str) -> Parcel | None:",
            pattern=r"find\(",
            path="src",
            output_mode="content",
        ),
        ok(
            "Grep",
            "src/parcels/carriers.py\nsrc/parcels/routes.py",
            pattern="error_code",
            path="src",
        ),
        ok(
            "Glob",
            "tests/test_routes.py\ntests/test_store.py\ntests/test_carriers.py",
            pattern="tests/**/*.py",
        ),
    ],
    "/home/dev/ledgerline": [
        sh("git diff --stat", " ledgerline/rates.py | 14 +++++++-------\n 1 file changed"),
        sh("git branch --show-current", "rounding-fixes"),
        sh("ls", "CHANGES.md\nledgerline\npyproject.toml\ntests"),
        sh("grep -c def ledgerline/*.py", "ledgerline/book.py:22\nledgerline/rates.py:9"),
        look(
            "/home/dev/ledgerline/ledgerline/book.py",
            "class Book:",
            "    def __init__(self):",
            "        self.entries = []",
        ),
        look("/home/dev/ledgerline/CHANGES.md", "# Changes", "", "## 0.9", "- faster imports"),
        ok(
            "Glob",
            "ledgerline/rates.py\nledgerline/book.py\nledgerline/csv_import.py",
            pattern="ledgerline/*.py",
        ),
        ok(
            "Grep",
            "ledgerline/rates.py:30:    # errors are collected, not raised",
            pattern="errors",
            path="ledgerline",
            output_mode="content",
        ),
    ],
    "/home/dev/recipe-box": [
        sh("git status --short", " M web/src/App.tsx"),
        sh("ls web/src", "App.tsx\napi.ts\ncomponents\nmain.tsx"),
        sh("node --version", "v22.9.0"),
        sh("npx tsc --noEmit", ""),
        look(
            "/home/dev/recipe-box/web/package.json",
            "{",
            '  "scripts": {',
            '    "dev": "vite",',
            '    "test": "vitest run",',
            '    "lint": "eslint ."',
            "  }",
            "}",
        ),
        look(
            "/home/dev/recipe-box/web/src/api.ts",
            "const base = '/api';",
            "",
            "export async function recipes() {",
            "  return fetch(`${base}/recipes`);",
            "}",
        ),
        ok(
            "Grep",
            "web/src/components/Card.tsx:12:  if (props.error) return null;",
            pattern="error",
            path="web/src",
            output_mode="content",
        ),
        ok(
            "Glob",
            "web/src/components/Card.tsx\nweb/src/components/List.tsx",
            pattern="web/src/components/*.tsx",
        ),
    ],
}


def everyday(place: str, count: int) -> list[Step]:
    return RNG.sample(EVERYDAY[place], count)


PT, LL, RB = "/home/dev/parcel-tracker", "/home/dev/ledgerline", "/home/dev/recipe-box"
NO_PYTEST = "Exit code 127\n/bin/bash: line 1: pytest: command not found"


def no_module(script: str, line: int, name: str) -> str:
    return (
        "Exit code 1\nTraceback (most recent call last):\n"
        f'  File "{script}", line {line}, in <module>'
        f"\n    import {name}\nModuleNotFoundError: No module named '{name}'"
    )


def rejected(remote: str, branch: str) -> str:
    return (
        f"Exit code 1\nTo {remote}\n ! [rejected]        {branch} -> {branch} (fetch first)\n"
        f"error: failed to push some refs to '{remote}'\nhint: Updates were rejected because the "
        "remote contains work that you do not have locally."
    )


def port_taken(port: int) -> str:
    return (
        "Exit code 1\nERROR:    [Errno 98] error while attempting to bind on address "
        f"('127.0.0.1', {port}): address already in use"
    )
