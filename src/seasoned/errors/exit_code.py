"""Read the exit code that a harness wrote into the output of a command.

A command that fails is often recorded as a success: only the text says how it ended. A harness
writes that at the very beginning or the very end; the same words elsewhere are part of the output.
"""

import re
from dataclasses import dataclass

_FIELD = (
    r"(?:Command:|Directory:|Chunk ID:|Wall time:|Exit code\b|Process exited with code"
    r"|Process running with session ID|Original token count:|Total output lines:)"
)
_HEADER = re.compile(rf"{_FIELD}[^\n]*(?:\n{_FIELD}[^\n]*)*(?:\nOutput:[ \t]*(?=\n|$))?(?:\n|$)")
_LONG_HEADER = re.compile(r"Command: .{0,4000}?\nOutput:(?:\n|$)", re.DOTALL)  # it has many lines
_IN_HEADER = re.compile(r"^(?:Exit code:?|Process exited with code) (-?\d+)\s*$", re.MULTILINE)
_TAGGED = re.compile(r"\s*<returncode>(-?\d+)</returncode>\s*")
_OUTPUT = re.compile(r"<output>\n?(.*?)\n?(?:</output>\s*)?", re.DOTALL)
_AT_THE_END = re.compile(
    r"(?:^|\n)\s*(?:<shellId: \w+ completed with exit code (-?\d+)>"
    r"|(?:Command|Process) (?:exited with code|failed with exit code:?) (-?\d+)\.?"
    r"|Exit Code: (-?\d+)(?:\n(?:Signal|Error|Background PIDs|Process Group PGID): ?[^\n]*)*)\s*$"
)
_END = 400  # characters at the end that may hold the last line
_WORDS = re.compile(r"Command|Chunk|Wall|Exit|Process|Total|\s*<returncode>")


@dataclass(frozen=True, slots=True)
class CommandEnd:
    """How a command ended, and what it printed; `header` is what the harness printed before.

    `code` is None if the command had not ended yet.
    """

    code: int | None
    output: str
    header: str = ""


def command_end(text: str) -> CommandEnd | None:
    """Return how the command ended whose output this is; None if the text does not say.

    >>> command_end("Exit code 2\\nno such file")
    CommandEnd(code=2, output='no such file', header='Exit code 2\\n')
    >>> command_end("<returncode>1</returncode>\\n<output>\\nno match\\n</output>").output
    'no match'
    >>> command_end("no match\\n<shellId: 7 completed with exit code 1>").code
    1
    >>> command_end("a page about Exit code 2") is None
    True
    """
    if _WORDS.match(text):
        if tagged := _TAGGED.match(text):
            inside = _OUTPUT.fullmatch(text, tagged.end())
            rest = inside[1] if inside else text[tagged.end() :]
            return CommandEnd(int(tagged[1]), rest, tagged[0])
        header = _LONG_HEADER.match(text) or _HEADER.match(text)
        code = _IN_HEADER.search(header[0]) if header else None
        if header and (code or "\nOutput:" in header[0]):
            ended = int(code[1]) if code else None
            return CommandEnd(ended, text[header.end() :], header[0])
    if "xit" not in text[-_END:]:  # saves most texts the search
        return None
    last = _AT_THE_END.search(text, max(0, len(text) - _END))
    if last is None:
        return None
    return CommandEnd(int(last[last.lastindex or 0]), text[: last.start()], "")
