"""Which line of a long error names the mistake; the examples are invented, in the style of real
output."""

import pytest

from seasoned.errors.pattern import pattern_of
from seasoned.errors.telling import telling_line

PROTECTED = """\
remote: error: GH006: Protected branch update failed for refs/heads/main.
remote: error: Changes must be made through a pull request.
To github.com:shop/api.git
 ! [remote rejected] main -> main (protected branch hook declined)
error: failed to push some refs to 'github.com:shop/api.git'"""
BEHIND = """\
To github.com:shop/api.git
 ! [rejected]        main -> main (fetch first)
error: failed to push some refs to 'github.com:shop/api.git'
hint: Updates were rejected because the remote contains work that you do not
hint: have locally. Use 'git pull' before pushing again."""
BEHIND_ELSEWHERE = BEHIND.replace("main", "feature/basket").replace("shop/api", "shop/web")

CASES = {
    "the header of a harness is not the message": (
        "Chunk ID: 7a1b2c\nWall time: 0.1 seconds\nProcess exited with code 1\n"
        "Original token count: 9\nOutput:\nno open orders for branch main",
        "no open orders for branch main",
    ),
    "nor is the command that it echoes": (
        "Command: /bin/sh -lc \"cat <<'EOF'\nerror: this is input\nEOF\"\nChunk ID: 1f\n"
        "Process exited with code 2\nOutput:\nrg: unrecognized flag --nam",
        "rg: unrecognized flag --nam",
    ),
    "without output the exit code is all there is": (
        "Exit code: 3\nWall time: 1.2 seconds\nOutput:\n",
        "exit code 3",
    ),
    "a runner that reports an exit code only passes it on": (
        "$ biome check .\n/usr/bin/bash: line 1: biome: command not found\n"
        'error: script "lint" exited with code 127',
        "/usr/bin/bash: line 1: biome: command not found",
    ),
    "so does a task runner, which puts its name before each line": (
        "[lint] $ tidy ./...\n[lint] shop/cart.go:12:3: undefined: total\n[lint] ERROR task failed",
        "shop/cart.go:12:3: undefined: total",
    ),
    "and make": (
        "cc -c cart.c\n/bin/sh: 1: cc: not found\nmake: *** [Makefile:4: cart.o] Error 127",
        "/bin/sh: 1: cc: not found",
    ),
    "usage text lists options, whatever they are called": (
        "must give --title when nobody can be asked\n\nUsage:  gg pr create [flags]\n\nFlags:\n"
        "      --recover string   Recover input from a failed run\n  -t, --title string   Title",
        "must give --title when nobody can be asked",
    ),
    "a tool quotes its input after its message": (
        "Found 2 matches of the text, but only one may be replaced.\nString: \tif err != nil {\n"
        "\t\t// we cannot load\n\t}",
        "Found 2 matches of the text, but only one may be replaced.",
    ),
    "or the lines of the file that it did not find": (
        "patch failed: could not find these lines in cart.go:\nfunc total() (int, error) {\n"
        "\treturn 0, errMissing\n}",
        "patch failed: could not find these lines in cart.go:",
    ),
    "a cause stands below its own heading": (
        "Error: could not make the worktree\n\nCaused by:\n    0: git said no\n"
        "    1: branch 'a' is checked out elsewhere",
        "branch 'a' is checked out elsewhere",
    ),
    "code that mentions an error is no message": (
        "shop/cart.go:7:2: result of fetch is ignored\n\treturn fmt.Errorf(\"%w\", err)\n1 issues:",
        "shop/cart.go:7:2: result of fetch is ignored",
    ),
    "a lost connection says more than the remote that could not be read": (
        "ssh: Could not resolve hostname git.example.org\nfatal: Could not read from remote "
        "repository.\n\nPlease make sure you have the correct access rights",
        "ssh: Could not resolve hostname git.example.org",
    ),
    "a warning is told only if there is nothing worse": (
        "WARN failed to clean the cache\n--- FAIL: TestTotal (0.00s)\n    cart_test.go:3: got 1",
        "--- FAIL: TestTotal (0.00s)",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("error", "line"), CASES.values(), ids=CASES.keys())
def test_the_line_that_names_the_mistake(error: str, line: str) -> None:
    assert telling_line(error) == line


def test_a_protected_branch_is_not_a_branch_that_is_behind() -> None:
    assert "Protected branch update failed" in pattern_of(PROTECTED)
    assert pattern_of(BEHIND) == "! [rejected] <value> -> <value> (fetch first)"
    assert pattern_of(BEHIND) == pattern_of(BEHIND_ELSEWHERE)


def test_harnesses_that_report_the_same_exit_code_report_the_same_error() -> None:
    outputs = (
        "Exit code: 1\nWall time: 2 seconds\nOutput:\n",
        "Chunk ID: 8f\nWall time: 0 seconds\nProcess exited with code 1\nOutput:\n",
        "<returncode>1</returncode>\n<output>\n</output>",
    )
    assert {pattern_of(output) for output in outputs} == {"exit code 1"}
