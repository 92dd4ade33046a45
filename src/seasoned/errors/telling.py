"""Find the line of an error that names the mistake, among everything else that was printed.

An error of many lines is mostly ceremony (exit codes, echoed commands, stack frames, usage text,
advice) and consequences ("script lint exited with code 127"). The complaint is what remains; among
several, the table of signs decides.
"""

import re
from functools import cache

from seasoned.errors.exit_code import command_end

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

# Put before each line by whoever passes the output on.
_PREFIX = re.compile(
    r"\s*(?:remote: |\[[\w:.-]{1,30}\] (?=\S)|std(?:err|out):?(?=\s|$)\s*|\S{1,40}\s+\| (?=\S))"
)
_LABEL = re.compile(
    r"\s*(?:npm (?:ERR!|error)|E(?= {2,})|error:(?=\s+\w+(?:\[\w+\])?:)"
    r"|Uncaught(?= \w+Error)|Caused by:|Exception in thread \"[^\"]*\"|Exit code \d{1,3}$"
    r"|\d: (?=\S))\s*"  # a numbered cause
)
_FRAME = re.compile(r"\s+(?:at |File \"|\^|~|\.\.\. \d+ more|from )|\s*$|={5,}|-{5,}|_{5,}")
_CEREMONY = re.compile(
    r"(?:A complete log of this run|Node\.js v\d|For further information visit|Command failed"
    r"|errno|syscall|path|A detailed|This is probably|Traceback \(most"
    r"|(?:\S{1,20}:\s+)?(?:Build failed with|While executing|The command failed|Run with))\b"
    r"|(?:Chunk ID|Wall time|Original token count|Total output lines): "
    r"|</?[a-z_]{2,40}>$|[>$] \S|throw err;|hint: |Require stack:|Finished in \d"
    r"|# \S+(?: \[\S+\])?$"
    r"|(?:For more (?:information|details|help)|Run|See|Try|Use)\b.{0,80}-{1,2}help\b"
    r"|(?:Usage|Flags|Options|Aliases|Examples|Commands|Global Flags|Positional\w*)\b.{0,20}:"
    r"|\s+or: |\s+-{1,2}\w[\w-]*(?:[ =,].*)?\s{2,}\S|\s+-\w, --\w"  # an option in a usage
    r"|===? (?:RUN|PAUSE|CONT|NAME)\b|\s*--- (?:PASS|SKIP)\b|(?:PASS|ok|\?)\s+\S|\(pass\) ",
    re.IGNORECASE,
)
# True, but others say more: what a program says about another one, and warnings.
_CONSEQUENCE = re.compile(
    r"(?:error: )?failed to push some refs|(?:fatal: )?could not read from remote repository"
    r"|.{0,80}\b(?:exited|terminated|failed|completed) with (?:exit )?(?:code|status)\b"
    r"|(?:ERROR )?task failed|\S*make(?:\[\d+\])?: \*\*\* .{0,200}Error \d+|exit status \d"
    r"|\s*ELIFECYCLE\b|FAIL(?:ED)?\b|Automatic merge failed|Aborting|Please "
    r"|.{0,80}\breturned (?:a )?non-?zero|Process completed with|error Command failed"
    r"|\W{0,4}warn(?:ing)?\b|(?:Found )?\d+ (?:errors?|problems?|issues|failures?|failed)\b"
    r"|Some \w+ (?:could|failed|were)",
    re.IGNORECASE,
)
_ECHO = re.compile(r"(?:String|Received|Input|Expected lines): ")
_CODE_LIKE = re.compile(
    r"[{};]\s*$|^\s*(?:[}\])@<]|//|/\*|\* |#|-- ?|\+ |- )|:=|=>|\w\([^)]*\)[;:{]?\s*$"
    r"|^\s*(?:import|from|const|let|var|func|def|class|return|if|for|type|package|export|async)\b"
    r"|^\s*>?\s*\d+ [│|]"  # a line with its number in front
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
_SAID_BY_A_PROGRAM = (  # "rg: libs: No such file or directory"
    r"\(?[\w./@-]{1,60}\)?:(?:\d+:)? .{0,300}(?:no such file|command not found|permission denied"
    r"|is a directory|not a directory|unrecognized|invalid option|illegal option|no matches found)"
)

_NAMED_ERROR = re.compile(rf"{_PLACE}(?:fatal )?error\b|{_EXCEPTION}: ", re.IGNORECASE)

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
    (r"\s*! \[(?:remote )?rejected\]|CONFLICT \(", ""),
    (_SAID_BY_A_PROGRAM, _ANY_CASE),
    (rf".{{0,80}}\b(?:{_STRONG})\b", _ANY_CASE),
    (rf".{{0,80}}\b(?:{_WEAK})\b", _ANY_CASE),
    (r"\S+\.\w{1,8}[:(]\d+(?:[:,]\d+)?\)?:? \S", ""),
)
_COUNTED = re.compile(r"\b\d+ validation errors? for \w+$")
_TRACEBACK = re.compile(rf"(?:{_EXCEPTION}|[A-Za-z_][\w.]*\.[A-Z]\w+|[A-Z]\w+)(?:: |$)")
_A_WORD = re.compile(r"\w")


def telling_line(error: str) -> str:
    """Return the line of an error that names the mistake.

    >>> telling_line("Exit code 1\\nTraceback (most recent call last):\\n  File 'a'\\nKeyError: 1")
    'KeyError: 1'
    >>> telling_line('{"error": {"message": "Rate limit reached", "code": "rate_limit"}}')
    'rate_limit: Rate limit reached'
    >>> telling_line("$ tidy .\\nbash: tidy: command not found\\nscript exited with code 127")
    'bash: tidy: command not found'
    """
    if len(error) > LONGEST_TEXT:
        error = error[: LONGEST_TEXT // 2] + "\n" + error[-LONGEST_TEXT // 2 :]
    if "\x1b" in error:
        error = _ANSI.sub("", error)
    if "near " in error:
        error = _NEAR.sub(r"\1\2<value>\2", error)
    if "</" in error and (wrapped := _WRAPPED.fullmatch(error)):
        error = wrapped[2]
    if (end := command_end(error)) and (end.code is not None or end.output.strip()):
        error = end.output if end.output.strip() else f"exit code {end.code}"
    if "{" in error:
        error = _spoken(error)
    lines = error.splitlines()
    return _chosen(lines) if len(lines) > 1 else error


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


def _chosen(given: list[str]) -> str:
    lines = _without_echo([_unprefixed(line) for line in given])
    index = _choice(lines)
    line = _unlabelled(lines[index])
    if line.rstrip().endswith(":") or _COUNTED.search(line):
        # The line only announces the message, as in "2 validation errors for X".
        for following in lines[index + 1 :]:
            told = following.strip()
            if told and not _FRAME.match(following) and " " in told:
                return line if _CODE_LIKE.search(following) else f"{line} {told}"
    return line


def _without_echo(lines: list[str]) -> list[str]:
    """Cut off what a tool quotes of its input after its message."""
    first = next((i for i, line in enumerate(lines) if line.strip() and not _boring(line)), 0)
    for index in range(first + 1, min(first + 3, len(lines))):
        quoted = lines[first].rstrip().endswith(":") and _CODE_LIKE.search(lines[index])
        if quoted or _ECHO.match(lines[index]):
            return lines[:index]
    return lines


def _choice(lines: list[str]) -> int:
    """Return the index of the line that names the mistake."""
    if any(line.startswith("Traceback (most") for line in lines):
        for index in range(len(lines) - 1, -1, -1):
            if _TRACEBACK.match(lines[index]):
                return index
    if cause := _cause(lines):
        return cause
    fallbacks: dict[str, int] = {}
    for sign, how in _SIGNS:
        matches = _compiled(sign, how).match
        for index in range(len(lines) - 1, -1, -1) if how == _LAST else range(len(lines)):
            if matches(lines[index]):
                rank = _rank(lines[index])
                if not rank:
                    return index
                fallbacks.setdefault(rank, index)
    unsigned = (i for i, line in enumerate(lines) if _A_WORD.search(line) and not _rank(line))
    best = [fallbacks[rank] for rank in ("code", "consequence") if rank in fallbacks]
    some = next((i for i, line in enumerate(lines) if line.strip()), 0)
    return best[0] if best else next(unsigned, fallbacks.get("ceremony", some))


def _rank(line: str) -> str:
    """Tell what a line is if it is no complaint; what comes first in `_choice` says more."""
    if _FRAME.match(line) or _boring(line):
        return "ceremony"
    if _CONSEQUENCE.match(line):
        return "consequence"
    return "code" if _is_code(line) else ""


def _cause(lines: list[str]) -> int | None:
    """Return the last of the indented lines below a "Caused by:" that stands alone."""
    for index in range(len(lines) - 1, -1, -1):
        if lines[index].strip() == "Caused by:":
            below = index
            while below + 1 < len(lines) and lines[below + 1][:1] in (" ", "\t"):
                below += 1
            return below if below > index else None
    return None


def _is_code(line: str) -> bool:
    return _CODE_LIKE.search(line) is not None and not _NAMED_ERROR.match(line)


@cache
def _compiled(sign: str, how: str) -> re.Pattern[str]:
    return re.compile(sign, re.IGNORECASE if how == _ANY_CASE else 0)


def _unprefixed(line: str) -> str:
    while ("[" in line or "| " in line or ": " in line or "std" in line) and (
        found := _PREFIX.match(line)
    ):
        line = line[found.end() :]
    return line


def _unlabelled(line: str) -> str:
    label = _LABEL.match(line)
    return line[label.end() :] if label else line


def _boring(line: str) -> bool:
    rest = _unlabelled(line)
    return not rest.strip() or _CEREMONY.match(rest) is not None
