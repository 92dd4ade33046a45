"""Which lines can stand in a file that people and agents read."""

import pytest

from seasoned.lessons.readable import LONGEST_LINE, flaw_of, reads_well


@pytest.mark.parametrize(
    "line",
    [
        "Use yarn, not npm.",
        "`rg` is not installed; use `grep -rn`.",
        "Wrap `<Suspense>` around a lazy component.",
        "Use a `<button>`, never a clickable `<div>`.",
        "Return `Array<string>`, not `any`.",
        "Keep the settings in `~/.config/shop.toml`.",
        "Écris les commentaires en anglais.",
        "总是使用 yarn。",
        "When it fails with `no region for app …`: Add `region=eu-west`.",
    ],
)
def test_a_sentence_reads_well(line: str) -> None:
    assert flaw_of(line) is None


@pytest.mark.parametrize(
    ("line", "flaw"),
    [
        ("Use `<value>` instead.", "it has a placeholder"),
        ("Run `cat <the path in the error>` first.", "it has a placeholder"),
        ("Put `-c` before word -1 from the end.", "it has a placeholder"),
        ("Set `token=<secret>`.", "it held a secret"),
        ("Read /Users/ana/shop/main.go first.", "it names somebody's folder"),
        (r"Read C:\\Users\\ana\\main.go first.", "it names somebody's folder"),
        ("Put `-c in front.", "its backticks are not balanced"),
        ("then try again.", "it does not begin like a sentence"),
        ("- Use yarn.", "it does not begin like a sentence"),
        ("", "it does not begin like a sentence"),
        ("Retry.", "it is a single word"),
        ("Do it " * LONGEST_LINE, "it is too long"),
        ("Use the long name of the thing that was…", "it is too long"),
    ],
)
def test_anything_else_does_not_and_says_why(line: str, flaw: str) -> None:
    assert flaw_of(line) == flaw
    assert not reads_well(line)
