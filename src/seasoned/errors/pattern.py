"""Turn an error message into the pattern that stays the same each time it happens."""

import re
from functools import cache, lru_cache

from seasoned.errors.masks import mask_line

LONGEST_LINE = 1_000
LONGEST_PATTERN = 500
_ROUNDS = 6


def pattern_of(error: str) -> str:
    """Return the part of an error that is the same in every occurrence.

    >>> pattern_of("open /tmp/a1/x.txt: timed out after 30s")
    'open <path>: timed out after <n>s'
    >>> pattern_of("KeyError: 'user_7'") == pattern_of("KeyError: 'user_8'")
    True
    """
    return _settled(_once(error))


@lru_cache(maxsize=4096)
def _settled(pattern: str) -> str:
    """Repeat until nothing changes, because one mask can expose a value to another."""
    for _ in range(_ROUNDS):
        previous, pattern = pattern, _once(pattern)
        if pattern == previous:
            break
    return pattern


def _once(text: str) -> str:
    line = " ".join(telling_line(text).split())[:LONGEST_LINE]
    folded = " ".join(mask_line(line).split())
    if len(folded) > LONGEST_PATTERN:
        folded = folded[:LONGEST_PATTERN].rsplit(" ", 1)[0]
    return folded


LONGEST_TEXT = 8_000
"""Characters read: half from the start, half from the end, where most messages are."""

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\-_])")
_NEAR = re.compile(r"(\bnear )(['\"])(.{0,2000})\2(?= at line \d|,? line \d|\s*$)", re.DOTALL)
_WRAPPED = re.compile(r"\s*<([a-z][a-z_-]{2,40})>(.*)</\1>\s*", re.DOTALL)
_SAYS = r"""["']{key}["']\s*:\s*(?:"((?:[^"\\]|\\.)+)"|'((?:[^'\\]|\\.)+)')"""
_SPOKEN = [
    re.compile(_SAYS.format(key=key))
    for key in ("message", "msg", "detail", "error_description", "error", "reason", "title")
]
_CODE = re.compile(
    r"""["'](?:code|type|status)["']\s*:\s*["']?(?!error["'])([A-Za-z][\w.-]{1,60}|[45]\d\d)\b"""
)
_ESCAPE = re.compile(r"\\(?:[nrt]|(.))")

_FRAME = re.compile(r"\s+(?:at |File \"|\^|~|\.\.\. \d+ more|from )|\s*$|={5,}|-{5,}|_{5,}")
_LABEL = re.compile(
    r"\s*(?:npm (?:ERR!|error)|E(?= {2,})|error:(?=\s+\w+(?:\[\w+\])?:)|std(?:err|out):?(?=\s|$)"
    r"|Uncaught(?= \w+Error)|Caused by:|Exception in thread \"[^\"]*\"|Exit code \d{1,3}$)\s*"
)
_EXCEPTION = (
    r"(?:[A-Za-z_][\w.$]*\.)?[A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit|Timeout|Fault)"
)
_PLACE = r"(?:\S+[:(]\d+(?:[:,]\d+)?\)?:?\s+)?"
_STRONG = "error|fatal|exception|denied|not found|no such|cannot|can't"
_WEAK = (
    "fail(?:ed|ure)?|could not|unable|invalid|unexpected|unknown|undefined|refused|missing"
    "|timed? ?out|not"
)
_NOT_A_MESSAGE = re.compile(
    r"(?:A complete log of this run|Node\.js v\d|For further information visit|Command failed"
    r"|errno|syscall|path|A detailed|This is probably|Traceback \(most"
    r"|(?:\S{1,20}:\s+)?(?:Build failed with|While executing|The command failed|Run with))\b",
    re.IGNORECASE,
)

# The first row that matches any line decides; it picks the first such line, with LAST the last.
_ANY_CASE, _LAST = "any case", "last"
_SIGNS = (
    (r"\s*Caused by: ", _LAST),
    (rf"E {{2,}}(?:{_EXCEPTION}\b|assert )", ""),
    (rf"{_PLACE}(?:fatal )?error(?:\[\w+\]| \w+\d+)?: ", _ANY_CASE),
    (rf"(?:Uncaught |Exception in thread \S+ )?{_EXCEPTION}(?:: | \[|$)", ""),
    (r".{0,80}\b(?:permission|access) denied\b", _ANY_CASE),
    (r"npm (?:ERR!|error) (?!code|errno|syscall|path)[\w!]+ [\w\"'].*\w", ""),
    (r"(?:fatal|panic|npm (?:ERR!|error) code)\b|E: \S", _ANY_CASE),
    (rf".{{0,80}}\b(?:{_STRONG})\b", _ANY_CASE),
    (rf".{{0,80}}\b(?:{_WEAK})\b", _ANY_CASE),
    (r".*\w", ""),
)
_COUNTED = re.compile(r"\b\d+ validation errors? for \w+$")
_TRACEBACK = re.compile(rf"(?:{_EXCEPTION}|[A-Za-z_][\w.]*\.[A-Z]\w+|[A-Z]\w+)(?:: |$)")


def telling_line(error: str) -> str:
    """Return the line of an error that names the mistake.

    >>> telling_line("Exit code 1\\nTraceback (most recent call last):\\n  File 'a'\\nKeyError: 1")
    'KeyError: 1'
    >>> telling_line('{"error": {"message": "Rate limit reached", "code": "rate_limit"}}')
    'rate_limit: Rate limit reached'
    """
    if len(error) > LONGEST_TEXT:
        error = error[: LONGEST_TEXT // 2] + "\n" + error[-LONGEST_TEXT // 2 :]
    if "\x1b" in error:
        error = _ANSI.sub("", error)
    if "near " in error:
        error = _NEAR.sub(r"\1\2<value>\2", error)
    if "</" in error and (wrapped := _WRAPPED.fullmatch(error)):
        error = wrapped[2]
    if "{" in error:
        error = _spoken(error)
    if "\n" in error or "\r" in error or len(error.splitlines()) > 1:
        error = _chosen(error.splitlines())
    return error


def _spoken(error: str) -> str:
    """Extract the message from a JSON body (or its repr), with the text before the body."""
    body = error.index("{")
    for says in _SPOKEN:
        if found := says.search(error, body):
            message = _ESCAPE.sub(lambda m: m[1] or "\n", found[1] or found[2])
            before = error[:body].strip()
            code = None if before else _CODE.search(error, body)
            return f"{code[1]}: {message}" if code else f"{before} {message}"
    return error


def _chosen(lines: list[str]) -> str:
    index = _choice(lines)
    line = _unlabelled(lines[index])
    if line.rstrip().endswith(":") or _COUNTED.search(line):
        # The line only announces the message, as in "2 validation errors for X".
        for following in lines[index + 1 :]:
            if following.strip() and not _FRAME.match(following) and " " in following.strip():
                return f"{line} {following.strip()}"
    return line


def _choice(lines: list[str]) -> int:
    """Return the index of the line that names the mistake."""
    if any(line.startswith("Traceback (most") for line in lines):
        for index in range(len(lines) - 1, -1, -1):
            if _TRACEBACK.match(lines[index]):
                return index
    candidates = [i for i, line in enumerate(lines) if not _FRAME.match(line)]
    candidates = [i for i in candidates if not _boring(lines[i])] or candidates
    for sign, how in _SIGNS:
        matches = _compiled(sign, how).match
        for index in reversed(candidates) if how == _LAST else candidates:
            if matches(lines[index]):
                return index
    return next((i for i, line in enumerate(lines) if line.strip()), 0)


@cache
def _compiled(sign: str, how: str) -> re.Pattern[str]:
    return re.compile(sign, re.IGNORECASE if how == _ANY_CASE else 0)


def _unlabelled(line: str) -> str:
    return _LABEL.sub("", line, count=1) if _LABEL.match(line) else line


def _boring(line: str) -> bool:
    rest = _unlabelled(line)
    return not rest.strip() or _NOT_A_MESSAGE.match(rest) is not None
