"""Decide what kind of failure a failed tool call was, before anything is learned from it.

Only misuse (a wrong argument, path, flag or command, a missing step) has a fix. A linter or a test
that fails has done its work, a person may refuse a call, a service may be away, and a search that
finds nothing is an answer.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

Nature = Literal["misuse", "check", "refused", "cancelled", "outage", "nothing_found"]

LONGEST_READ = 1_500  # characters of an error at either end
LONGEST_LINE = 300  # so that no pattern takes long
LONGEST_COMMAND = 2_000

# Most patterns read lower-case text: ignoring the case of both takes four times as long.
REFUSED = re.compile(
    r"user (?:doesn't|does not|did not|didn't) want to (?:proceed|take this action)"
    r"|(?:rejected|denied|refused|declined) by (?:the )?(?:user|operator|policy)"
    r"|user (?:rejected|denied|refused|declined|cancell?ed)"
    r"|blocked by policy|operation cancelled|permission to use .{1,60} has been denied"
    r"|tool use was rejected|requires? approval|\Arefused:",
)
CANCELLED = re.compile(
    r"sibling tool call errored|interrupted by (?:the )?user|keyboardinterrupt"
    r"|(?:call|request|task|operation) was (?:cancell?ed|aborted)|exited with code 130\b"
    r"|exit code:? 130\b",
)
OUTAGE = re.compile(
    r"could not resolve host|couldn't resolve host|name or service not known|no such host"
    r"|network is unreachable|connection (?:refused|reset|timed out|error)|econnrefused|etimedout"
    r"|error connecting to|check your internet connection|temporary failure|temporarily unavailable"
    r"|service unavailable|bad gateway|gateway time-?out|internal server error|overloaded"
    r"|rate.?limit|too many requests|quota exceeded|no space left on device|timed out after \d"
    r"|could not read from remote repository|permission denied \(publickey|failed to log in to"
    r"|token .{0,30}is invalid|authentication failed|unsupported engine|unsupported environment"
    r"|cannot find module 'node:|index\.lock': file exists|another git process seems to be running"
    r"|failed to fetch http",
    re.MULTILINE,
)

# A place in a file with a complaint about it, a test that fails, a merge that conflicts.
COMPLAINT = re.compile(
    r"^(?:\[[\w:-]{1,30}\] )?[^\s:(]{1,200}\.\w{1,8}[:(]\d+[:,)]"  # cli.go:12:3: …, a.ts(3,4): …
    r"|^\s*(?:-->|at) \S+\.\w{1,8}:\d+|\.\w{1,8}:\d+:\d+ lint/"
    r"|\d+ (?:failed|fail|failing|failures|errors?|problems?|issues)\b"
    r"|assertionerror|assertion failed|panicked at|error ts\d+|error\[e\d+\]"
    r"|conflict \(|^conflict\b|could not apply [0-9a-f]{7}|pre-commit script failed|hook failed"
    r"|\b(?:lint|test|typecheck|check)\b.{0,20}\bexited with code|formatter would have printed"
    r"|did not find expected key|unable to build|\[error\]|\tfail\t",
    re.MULTILINE,
)
FAILED_TEST = re.compile(r"^\s*--- FAIL|^FAIL\b|\bFAILED\b", re.MULTILINE)  # as it is spelled
CHECKERS = re.compile(
    r"\b(?:go (?:test|vet|build|run)|golangci-lint|staticcheck|gofmt|eslint|biome|prettier|tsc"
    r"|mypy|pyright|ruff|flake8|pylint|black|pytest|unittest|tox|nox|jest|vitest|mocha|playwright"
    r"|cargo (?:test|check|clippy|build)|rubocop|rspec|shellcheck|markdownlint\S*|phpunit|ctest"
    r"|gradlew?|mvn|dotnet (?:test|build)|swift (?:test|build)|xcodebuild|pre-commit|husky"
    r"|(?:npm|pnpm|yarn|bun|deno|mise|task|just|make|rake|nx|turbo)\b[^|;&]{0,80}"
    r"\b(?:tests?|lint\S*|check\S*|typecheck|types|compile|build|fmt|format|ci|verify|validate)\b"
    r"|git (?:commit|merge|rebase|cherry-pick|am|revert|push)|gh pr checks|yaml\.safe_load"
    r"|run-tests|safe_load|json\.tool|--noemit)",
)
# The checker itself was called wrongly, or is not there.
MISCALLED = re.compile(
    r"unrecognized (?:subcommand|option|argument)"
    r"|unknown (?:flag|option|command|argument|shorthand)"
    r"|unexpected argument|invalid option|command not found|no such file or directory"
    r"|cannot find main module|no go files in|not a git repository|exec format error"
    r"|\[rejected\]|updates were rejected|parse error near|^usage:|missing script"
    r"|no matches found|is outside|accepts at most|could not determine executable",
    re.MULTILINE,
)
PROBES = re.compile(
    r"^\s*(?:sudo |time |env |command )*(?:rg|grep|egrep|fgrep|ag|ack|find|fd|ls|which|whereis|type"
    r"|test|\[|diff|cmp|pgrep|lsof|ssh-add|git (?:grep|ls-files|ls-tree|diff|branch|log|rev-parse"
    r"|config)|gh (?:search|auth)|curl|bun pm ls|jq -e)\b"
)
# The words of a lookup without a result; for a shell command the whole output counts instead.
ABSENT = re.compile(
    r"\b(?:user|order|customer|product|item|record|document|entry|account|booking|ticket|issue|page"
    r"|result|match|row|contact|resource|agent)s? (?:was |were )?not found\b"
    r"|\bno (?:\w+ ){0,2}(?:found|running|matching|results?|matches|configured)\b",
)
CEREMONY = re.compile(
    r"^(?:exit code:?\s*\d+|chunk id:.*|wall time:.*|process exited with code \d+"
    r"|original token count:.*|output:|command:.*|<?/?tool_use_error>?|\(failed, no text\)|-+"
    r"|<shellId: \d+ completed with exit code \d+>)\s*$",
    re.IGNORECASE,
)
STDERR = re.compile(  # what a program says of a call it cannot carry out
    r"^\s*\(?[\w./-]+\)?:(?:line )?(?:\d+:)? .*"
    r"(?:no such|not found|cannot|can't|denied|invalid|error"
    r"|unmatched|illegal|unknown|missing|not permitted|bad |no matches found)"
    r"|^(?:error|fatal|usage|warning)\b|\berror\b.*:",
    re.MULTILINE,
)
SHELL_PARAMS = ("command", "cmd", "script", "input", "code")


def nature_of(
    error: str, params: Mapping[str, Any], *, refused: bool = False, cancelled: bool = False
) -> Nature:
    """Tell the nature of a failure from the call and its error.

    >>> nature_of("unknown flag: --stat", {"command": "gh pr diff 88 --stat"})
    'misuse'
    >>> nature_of("a_test.go:12: expected 3, got 2\\n--- FAIL: TestSum", {"command": "go test ./…"})
    'check'
    >>> nature_of("Exit code 1", {"command": "rg -n OldName src"})
    'nothing_found'
    >>> nature_of("curl: (6) Could not resolve host: example.org", {"command": "curl example.org"})
    'outage'
    """
    said = error if len(error) <= 2 * LONGEST_READ else error[:LONGEST_READ] + error[-LONGEST_READ:]
    lowered = said.lower()
    if refused or REFUSED.search(lowered):
        return "refused"
    if cancelled or CANCELLED.search(lowered):
        return "cancelled"
    command = _command(params)
    lines = (line[:LONGEST_LINE] for line in said.splitlines())
    text = "\n".join(line for line in lines if not CEREMONY.match(line.strip()))
    lowered = text.lower()
    if OUTAGE.search(lowered):
        return "outage"
    if _checks(command, params) and _complains(text, lowered):
        return "check"
    return "nothing_found" if _finds_nothing(command, lowered) else "misuse"


def _checks(command: str | None, params: Mapping[str, Any]) -> bool:
    """Tell whether the call judges work, or waits for the output of a command that may do so."""
    if command is not None:
        return CHECKERS.search(command.lower()) is not None
    return "session_id" in params or "shell_id" in params


def _complains(text: str, lowered: str) -> bool:
    """Tell whether a checker complains about the work, and not first about how it was called."""
    complaint = COMPLAINT.search(lowered) or FAILED_TEST.search(text)
    wrong = MISCALLED.search(lowered) if complaint else None
    return complaint is not None and (wrong is None or complaint.start() < wrong.start())


def _finds_nothing(command: str | None, lowered: str) -> bool:
    if command is None:
        return ABSENT.search(lowered) is not None
    parts = re.split(r"&&|\|\||[;|\n]", command)
    return any(PROBES.match(part) for part in parts) and not STDERR.search(lowered)


def _command(params: Mapping[str, Any]) -> str | None:
    """Return the command line of a tool that runs one."""
    for name in SHELL_PARAMS:
        value = params.get(name)
        if isinstance(value, str):
            return value[:LONGEST_COMMAND] if name in ("command", "cmd", "script") else None
        if isinstance(value, list):
            return " ".join(map(str, value))[:LONGEST_COMMAND]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return None
