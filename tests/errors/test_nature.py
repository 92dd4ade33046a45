"""The nature of a failed call; the examples are invented, in the style of real ones."""

import pytest

from seasoned.errors.nature import nature_of

MISUSE = [
    ("cat: notes.txt: No such file or directory", "cat notes.txt"),
    ("error: unexpected argument '--colour' found\n\nUsage: paint [OPTIONS]", "paint --colour red"),
    ("zsh: command not found: ripgrep", "ripgrep -n total src"),
    ("zsh:1: no matches found: plans/*.md", "ls plans/*.md 2>/dev/null"),
    ("rg: libs: No such file or directory (os error 2)", "rg -n total libs"),
    (" ! [rejected] main -> main (fetch first)\nerror: failed to push some refs", "git push"),
    ("go: cannot find main module", "go test ./..."),
    ("error: unknown flag: --shuffel\nFAIL", "go test --shuffel ./..."),
    ("Error: Cannot find module './sums'", "node run.js"),
    ('rg: the literal "\\n" is not allowed in a regex', "rg -n 'a\\nb' src"),
    ("make: *** No rule to make target 'tset'.  Stop.", "make tset && make test"),
    ('error: Script not found "lint"', "bun run lint"),
    ("/usr/bin/python3: No module named pytest", "python3 -m pytest"),
    ("fatal: pathspec 'a.go' did not match any files", "git add a.go && go test ./..."),
    ("fatal: 'main' is already used by worktree", "git checkout main"),
    ("collected 0 items\nno tests ran in 0.01s", "pytest -k tottal"),
    ("gh: Not Found (HTTP 404)", "gh api repos/x/y/issues --method POST -f title=a"),
    ("remote: error: GH006: Protected branch update failed.", "git push origin main"),
    ("src/log.go:3: the user rejected it\ncat: b.go: No such file", "cat a.go b.go"),
]
CHECK = [
    ("sums/add.go:12:2: result is not checked (errcheck)\n1 issues:", "golangci-lint run ./..."),
    ("--- FAIL: TestAdd (0.00s)\n    add_test.go:9: got 3, want 4\nFAIL", "go test ./sums"),
    ("src/cart.ts(14,9): error TS2345: Argument of type 'string'", "npx tsc --noEmit"),
    ("tests/test_cart.py:7: AssertionError\n1 failed, 12 passed", "python -m pytest tests"),
    ("CONFLICT (content): Merge conflict in README.md", "git merge origin/main"),
    ("docs/a.md:3 MD040 fenced code\nhusky - pre-commit script failed (code 1)", "git commit -m x"),
    ("$ biome check .\n × Some errors were emitted\n Found 3 errors.", "bun run lint 2>&1"),
    ("open cart.db: no such file or directory\n\n3 tests failed.", "pnpm test"),
    ("--- FAIL: TestDial (0.1s)\n    dial_test.go:9: connection refused\nFAIL", "go test ./net"),
    ("error[E0308]: mismatched types\n --> src/cart.rs:4:5", "cargo build --release"),
    ("cart.ts(3,4): error TS2304: Cannot find name 'x'.", "pnpm generate"),
    ("[ERROR] COMPILATION ERROR :\n[ERROR] Cart.java:[3,4] ';' expected", "mvn -q package"),
    ("lint\tfail\t24s\thttps://x\ntest\tpass\t1m", "gh pr checks 7"),
    ("2 files would be reformatted, 9 files would be left unchanged.", "ruff format --check ."),
    ("test result: FAILED. 3 passed; 1 failed", "./ci.sh"),
]
NOTHING_FOUND = [
    ("Exit code 1", "rg -n OldName src"),
    ("Process exited with code 1\nOutput:\n", "git branch -vv | grep gone"),
    ("Exit code 1\nsrc/a.py:1:import os", "grep -n os src/a.py; grep -n sys src/a.py"),
    ("src/net.py:9: raise RateLimit('too many requests')", "grep -rn Too src; grep -rn No lib"),
    ("npm error code E404\nnpm error 404 No match found for version 9", "npm view shop@9 version"),
    ('no pull requests found for branch "a"', "gh pr view --json url"),
    ("Error: No such container: shop", "docker inspect shop"),
    ("    PID TTY CMD", "ps -p 4711"),
]
OUTAGE = [
    ("curl: (6) Could not resolve host: example.org", "curl -fsS https://example.org"),
    ("fatal: Could not read from remote repository.", "git fetch origin"),
    ("Error: connect ECONNREFUSED 127.0.0.1:5432", "node migrate.js"),
    ("ERR_PNPM_UNSUPPORTED_ENGINE  Unsupported environment", "pnpm test"),
    ("429 Too Many Requests", "gh api repos/x/y"),
    (
        "Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?",
        "docker ps",
    ),
    ("Timeout waiting for: shop", "wait-for shop"),
    ("ssh: Could not resolve hostname git.example.org", "git pull"),
]


@pytest.mark.parametrize(
    ("error", "command", "nature"),
    [
        (error, command, nature)
        for nature, rows in {
            "misuse": MISUSE,
            "check": CHECK,
            "nothing_found": NOTHING_FOUND,
            "outage": OUTAGE,
        }.items()
        for error, command in rows
    ],
)
def test_a_failed_command_has_a_nature(error: str, command: str, nature: str) -> None:
    assert nature_of(error, {"command": command}) == nature


@pytest.mark.parametrize(
    ("error", "nature"),
    [
        ("The user doesn't want to proceed with this tool use.", "refused"),
        ("Rejected by the user: not now", "refused"),
        ("[Operation Cancelled] Reason: User denied execution.", "refused"),
        ("The user has declined to run this tool.", "refused"),
        ("ENOENT: no such file or directory, posix_spawn '/opt/shop/rg'", "outage"),
        ("Sibling tool call errored", "cancelled"),
        ("[Request interrupted by user]", "cancelled"),
        ("Order not found", "nothing_found"),
        ("missing field: order_id", "misuse"),
        ("File has not been read yet. Read it first.", "misuse"),
    ],
)
def test_a_failed_call_of_any_tool_has_a_nature(error: str, nature: str) -> None:
    assert nature_of(error, {"id": "7"}) == nature


def test_the_caller_decides_whether_a_call_was_refused_or_cancelled() -> None:
    assert nature_of("no", {}, refused=True) == "refused"
    assert nature_of("stopped", {}, cancelled=True) == "cancelled"


def test_a_command_that_was_started_before_may_be_a_check() -> None:
    output = "Process exited with code 1\n--- FAIL: TestAdd (0.00s)\nFAIL"
    assert nature_of(output, {"session_id": 7}) == "check"


def test_a_huge_error_is_read_at_both_ends() -> None:
    middle = "x" * 100_000
    assert nature_of(f"{middle}\n--- FAIL: TestAdd", {"command": "go test ./..."}) == "check"
