"""Decide what kind of failure a failed tool call was, before anything is learned from it.

Only misuse (a wrong argument, path, flag or command, a missing step) has a fix. A linter or a test
that fails has done its work, a person may refuse a call, a service may be away, and a search that
finds nothing is an answer.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

from seasoned.errors.exit_code import command_end

Nature = Literal["misuse", "check", "refused", "cancelled", "outage", "nothing_found"]

LONGEST_READ = 1_500  # characters of an error at either end
LONGEST_LINE = 300  # so that no pattern takes long
LONGEST_COMMAND = 2_000
BEGINNING = 400  # characters in which a refusal is announced

# Most patterns read lower-case text: ignoring the case of both takes four times as long. Where they
# read whole texts, a line begins with "\\n", and no alternative with \\b: that takes twice as long.
REFUSED = re.compile(
    r"user (?:doesn't|does not|did not|didn't) want to (?:proceed|take this action)"
    r"|(?:rejected|denied|refused|declined) by (?:the )?(?:user|operator|policy)"
    r"|user (?:has )?(?:rejected|denied|refused|declined|cancell?ed)|^refused: "
    r"|blocked by policy|operation cancelled|permission to use .{1,60} has been denied"
    r"|tool use was rejected|requires? approval|(?:permission|approval) (?:was )?not granted"
    r"|but you haven't granted it"
)
CANCELLED = re.compile(
    r"sibling tool call errored|interrupted by (?:the )?user|keyboardinterrupt|^cancell?ed\b"
    r"|(?:call|request|task|operation|execution) (?:was )?(?:cancell?ed|aborted)"
    r"|exited with code 130\b|exit code:? 130\b"
)
# One of these stands in every text that the two find; looking for words takes less time.
STOPS = tuple(
    "user refus reject denied declin approv polic cancel grant sibling interrupt abort 130".split()
)
OUTAGE = re.compile(
    r"could not resolve host|couldn't resolve host|name or service not known|no such host\b"
    r"|network is (?:unreachable|down)|no route to host|econnrefused|etimedout|econnreset"
    r"|connection (?:refused|reset|timed out|error)|socket hang up|getaddrinfo|i/o timeout"
    r"|tls handshake timeout|error connecting to|check your internet connection|fetch failed"
    r"|temporary failure|temporarily unavailable|service unavailable|bad gateway"
    r"|gateway time-?out|internal server error|overloaded|rate.?limit|too many requests"
    r"|quota exceeded|no space left on device|cannot allocate memory|out of memory"
    r"|timed out after \d|time(?:d )?out waiting|could not read from remote repository"
    r"|permission denied \(publickey|failed to log in to|token .{0,30}is invalid"
    r"|authentication failed|bad credentials|unsupported engine|unsupported environment"
    r"|cannot find module 'node:|index\.lock': file exists|failed to fetch http"
    r"|another git process seems to be running|cannot connect to the \S+ daemon"
    r"|is the (?:\S+ )?(?:server|daemon) running|could not find a package configuration file"
)
SPAWNED = re.compile(
    r"\b(?:posix_)?spawn\b.{0,200}\benoent\b|\benoent\b.{0,80}\b(?:posix_)?spawn\b"
)

# What a tester, linter or compiler says about the work.
_DIAGNOSED = r"\n\s*--- fail: |test result: failed|error ts\d+:|error\[e\d+\]|error cs\d+:"
DIAGNOSED = re.compile(_DIAGNOSED)  # whoever ran the compiler or the test
VERDICT = re.compile(  # it ran, and judged
    rf"{_DIAGNOSED}|\d (?:tests? |specs? |examples? |checks? )?fail(?:ed\b|ing\b|ures?\b|\n)"
    r"|\nfailed \S+::|assertionerror|assertion failed|panicked at|\nconflict\b|conflict \("
    r"|could not apply [0-9a-f]{7}|\d (?:problems?|issues|violations?)\b(?!: 0)"
    r"|found \d+ (?:errors?|warnings?)\b|\t(?:fail|pending)\t|files? would be reformatted"
    r"|code style issues|compilation (?:error|failed)|could not compile|build fail(?:ed|ure)"
    r"|pre-commit script failed|hook failed|hook id: "
)
COMPLAINT = re.compile(  # a place in a file with a complaint about it
    r"\n(?:\[[\w:-]{1,30}\] )?[^\s:(]{1,200}\.\w{1,8}[:(]\d+[:,)]"  # cli.go:12:3: …, a.ts(3,4): …
    r"|\n\s*(?:-->|at) \S+\.\w{1,8}:\d+|\.\w{1,8}:\d+:\d+ lint/|\d errors?\b"
    r"|(?:lint|test|typecheck|check)\b.{0,20}\bexited with code|formatter would have printed"
    r"|did not find expected key|unable to build|\[error\]"
)
FAILED_TEST = re.compile(r"\n\s*FAIL\b|FAILED\b")  # as it is spelled
_RUNNERS = r"(?:npm|pnpm|yarn|bun|bunx|npx|deno|mise|task|just|make|rake|nx|turbo|uv|poetry|hatch)"
TESTERS = re.compile(
    r"\b(?:go (?:test|vet|build|run)|golangci-lint|staticcheck|gofmt|eslint|biome|prettier|tsc"
    r"|vue-tsc|svelte-check|stylelint|mypy|pyright|ruff|flake8|pylint|black|pytest|unittest|tox|nox"
    r"|jest|vitest|mocha|playwright|cypress|bats|cargo (?:test|check|clippy|build)|rubocop|rspec"
    r"|shellcheck|hadolint|yamllint|markdownlint\S*|commitlint|phpunit|phpstan|ctest|ninja|javac"
    r"|rustc|gradlew?|mvnw?|sbt|mix test|dart analyze|flutter (?:test|analyze)"
    r"|dotnet (?:test|build)|swift (?:test|build)|xcodebuild|pre-commit|terraform validate"
    rf"|{_RUNNERS}\b[^|;&]{{0,80}}"
    r"\b(?:tests?|lint\S*|check\S*|typecheck|types|compile|build|fmt|format|ci|verify|validate)\b"
    r"|run-tests|safe_load|json\.tool|--noemit|gh pr checks)(?![\w-])"
)
# These run hooks, or stop at what does not fit together; most of their failures are misuse.
KEEPERS = re.compile(
    r"\bgit\b[^|;&]{0,60}\b(?:commit|merge|rebase|cherry-pick|am|revert|push|pull)\b|husky"
)
# The checker itself was called wrongly, or is not there.
MISCALLED = re.compile(
    r"unrecognized (?:subcommand|option|argument)|no such option|invalid choice"
    r"|unknown (?:flag|option|command|argument|shorthand|task)|is not recognized as"
    r"|unexpected argument|invalid option|command not found|no such file or directory"
    r"|cannot find main module|no go files in|not a git repository|exec format error|^fatal: "
    r"|\[rejected\]|updates were rejected|parse error near|^usage:|missing script|script not found"
    r"|no matches found|is outside|accepts at most|could not determine executable"
    r"|no rule to make target|no tests? (?:found|ran|matched)|collected 0 items"
    r"|python\S*: no module named|: not found$|not installed|requires at least",
    re.MULTILINE,
)
_ANY_PROGRAM = r"^\s*(?:sudo |time |env |command |rtk |\w+=\S* )*"
PROBES = re.compile(
    rf"{_ANY_PROGRAM}(rg|grep|egrep|fgrep|ag|ack|find|fd|ls|which|whereis|type"
    r"|test|\[|diff|cmp|ps|pgrep|lsof|ssh-add|git (?:-C \S+ )?(?:grep|ls-files|ls-tree|diff|branch"
    r"|log|rev-parse|config|ls-remote)|gh (?:search|auth)|curl|bun pm ls|jq -e)(?![\w-])"
)
# Commands that fetch one thing by its name: "gh pr view 7", "npm view shop@2", "tmux capture-pane".
LOOKUPS = re.compile(
    rf"{_ANY_PROGRAM}[\w./-]+ (?:[\w-]+ )?(?:show|view|get|list|search|info|describe|capture\S*"
    r"|inspect|find|lookup|query|history|exists|api)(?![\w-])"
    r"|\b(?:curl|wget|git (?:\S+ )?rev-parse)\b"
)
WRITES = re.compile(r"\s(?:-X|--method|--request|-[dfF]|--data\S*|--field)\b")
NOTHING_THERE = re.compile(
    r"(?:\be|error:? |http |status |returned )404\b|no match(?:es)? found for\b"
    r"|no (?:\S+ ){0,3}(?:found|running|configured|exists?)\b|can't find (?:session|window|pane)"
    r"|no such (?:object|container|image|issue|record|branch|remote|key)\b"
    r"|could not resolve to an? "
)
# The words of a lookup without a result; for a shell command the whole output counts instead.
ABSENT = re.compile(
    r"\b(?:user|order|customer|product|item|record|document|entry|account|booking|ticket|issue|page"
    r"|result|match|row|contact|resource|agent)s? (?:was |were )?not found\b(?! or)"
    r"|\bno (?:\w+ ){0,2}(?:found|running|matching|results?|matches|configured)\b"
)
CEREMONY = re.compile(
    r"^(?:exit code:?\s*\d+|chunk id:.*|wall time:.*|process exited with code \d+"
    r"|original token count:.*|output:|command:.*|<?/?tool_use_error>?|\(failed, no text\)|-+"
    r"|<shellId: \d+ completed with exit code \d+>)\s*$",
    re.IGNORECASE,
)
# A line that a search found in a file; what it says is about something else.
HIT = re.compile(r"^[^\s:]{0,200}[./][^\s:]{0,200}[:-]\d+[:-].*", re.MULTILINE)
STDERR = re.compile(  # what a program says of a call it cannot carry out
    r"^\s*\(?[\w./-]+\)?:(?:line )?(?:\d+:)? .*"
    r"(?:no such|not found|cannot|can't|denied|invalid|error"
    r"|unmatched|illegal|unknown|unrecognized|missing|not permitted|not allowed|bad "
    r"|no matches found)"
    r"|^(?:error|fatal|usage|warning|invalid)\b|\berror\b.*:|please (?:provide|specify|use)\b",
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
    beginning = error[:BEGINNING].lower()
    if any(word in beginning for word in STOPS):
        beginning = HIT.sub("", beginning)
        refused = refused or REFUSED.search(beginning) is not None
        cancelled = cancelled or CANCELLED.search(beginning) is not None
    if refused or cancelled:
        return "refused" if refused else "cancelled"
    command = command_of(params)
    text = _text_of(error)
    lowered = text.lower()
    testing = _tests(command, params)
    if (VERDICT if testing else DIAGNOSED).search(lowered):
        return "check"
    outage = OUTAGE.search(HIT.sub("", lowered) if command is not None else lowered)
    if outage or (command is None and SPAWNED.search(lowered)):
        return "outage"
    keeping = not testing and command is not None and KEEPERS.search(command) is not None
    if (testing or keeping) and _complains(
        text, lowered, VERDICT.search(lowered) if keeping else None
    ):
        return "check"
    return "nothing_found" if _finds_nothing(command, lowered) else "misuse"


def _text_of(error: str) -> str:
    """Return what was printed, without what the harness says, and not too much of it."""
    end = command_end(error)
    said = error if end is None else end.output
    if len(said) > 2 * LONGEST_READ:
        said = said[:LONGEST_READ] + "\n" + said[-LONGEST_READ:]
    lines = (line[:LONGEST_LINE] for line in said.splitlines())
    return "\n".join(("", *(line for line in lines if not CEREMONY.match(line.strip())), ""))


def _tests(command: str | None, params: Mapping[str, Any]) -> bool:
    """Tell whether the call judges work, or waits for the output of a command that may do so."""
    if command is not None:
        return TESTERS.search(command.lower()) is not None
    return "session_id" in params or "shell_id" in params


def _complains(text: str, lowered: str, verdict: re.Match[str] | None) -> bool:
    """Tell whether a call complains about the work, and not first about how it was called."""
    said = (COMPLAINT.search(lowered), FAILED_TEST.search(text), verdict)
    complaint = min((found.start() for found in said if found), default=None)
    wrong = MISCALLED.search(lowered) if complaint is not None else None
    return complaint is not None and (wrong is None or complaint < wrong.start())


def _finds_nothing(command: str | None, lowered: str) -> bool:
    if command is None:
        return ABSENT.search(lowered) is not None
    parts = re.split(r"&&|\|\||[;|\n]", command)
    probes = [found[1] for part in parts if (found := PROBES.match(part))]
    if probes:
        own = re.compile(
            rf"^(?:{'|'.join(re.escape(name) for name in set(probes))}): ", re.MULTILINE
        )
        if not STDERR.search(HIT.sub("", lowered)) and not own.search(lowered):
            return True
    looks_up = any(LOOKUPS.search(part) and not WRITES.search(part) for part in parts)
    return looks_up and NOTHING_THERE.search(lowered) is not None


def command_of(params: Mapping[str, Any]) -> str | None:
    """Return the command line of a tool that runs one."""
    for name in SHELL_PARAMS:
        value = params.get(name)
        if isinstance(value, str):
            return value[:LONGEST_COMMAND] if name in ("command", "cmd", "script") else None
        if isinstance(value, list):
            return " ".join(map(str, value))[:LONGEST_COMMAND]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return None
