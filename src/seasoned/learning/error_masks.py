"""Mask in one line of an error what is a value of that one occurrence."""

import re

from seasoned.learning.error_values import masked_word, may_hold_a_value

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_DAY = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )"
_DATE = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}"
_CLOCK = r"\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?"
_ZONE = r"(?: ?(?:Z|UTC|GMT|[A-Z]{3,4}(?= \d{4})|[+-]\d{2}:?\d{2})(?![\w:]*\w))?"
_CLOCK_LIKE = re.compile(r"\d:\d\d")
_TIMESTAMP = re.compile(
    r"[\[(]?(?<![\w.:/-])(?:"
    rf"{_DATE}(?:[T_ ]| - )(?:{_CLOCK}|\d{{2}}:\d{{2}}(?![\d:])){_ZONE}"  # ISO
    rf"|\d{{1,2}}[/.-]\d{{1,2}}[/.-]\d{{2,4}},? {_CLOCK}(?: ?[AP]M)?{_ZONE}"  # slashes
    rf"|\d{{1,2}}/{_MONTH}/\d{{4}}:{_CLOCK}{_ZONE}"  # web servers
    rf"|{_DAY}?\d{{1,2}} {_MONTH} \d{{4}} {_CLOCK}{_ZONE}"  # RFC 2822
    rf"|{_DAY}?{_MONTH} \d{{1,2}} {_CLOCK}(?:{_ZONE} \d{{4}}(?!\d))?"  # syslog, ctime
    r")[\])]?(?!\w|:\d)"
)
# Spaces inside a Windows path are seen only where a backslash follows.
_PART = r"[^\s'\"`<>|:;,\\/]"
_WINDOWS_PATH = re.compile(
    rf"(?<![\w\\])[A-Za-z]:\\(?:{_PART}+(?: {_PART}+){{0,3}}\\)+[^\s'\"`<>|:;,\\/()]*"
)
_ESCAPED_PATH = re.compile(r"(?<![\w/.])[~.]{0,2}/(?:[^\s\\'\"`<>:]|\\.)+")

_END = r"(?=[\s)\]},.;:?!/|<&=+]|$)"
_QUOTED = re.compile(
    r"(?<![\w\\])(?:"
    rf"\"((?:[^\"]|\"(?!{_END})){{0,600}})\"{_END}"
    rf"|'((?:[^']|'(?!{_END})){{0,600}})'{_END}"
    r"|`([^`]{1,600})`|‘([^’]{0,600})’|“([^”]{0,600})”|«([^»]{0,600})»)"
)
_QUOTES = frozenset("'\"`‘“«")
_REQUEST = re.compile(r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S")
# A quoted keyword is part of the message: "return" outside a function is not "await" outside one.
_KEYWORDS = frozenset(
    "return yield await async break continue raise throw if else elif for while switch case try "
    "except catch finally and or not".split()
)
# Shells and their commands name the thing without quotes: "cat: notes: No such file or directory".
_NAMED = re.compile(
    r"(?<=: )[\w.+@-]+(?=: (?:command not found|not found$|[Nn]o such file"
    r"|(?:[Ii]s|[Nn]ot) a directory"
    r"|[Pp]ermission denied|[Ff]ile exists|unbound variable|cannot (?:open|execute|access)))"
    r"|(?<=command not found: )[^\s<]+"
)
_LIST = re.compile(
    r"((['\"`])<(?:value|path|url)>\2)(?:(?:, ?\1)+(?:,? (?:and|or) \1)?| or \1)"
    r"|(<(?:n|id|hex|hash|ip|path)>)(?:, ?\3)+"
)

_CODE_WORDS = frozenset("status code errno http error errors exit returned signal".split())
_HOST_WORDS = frozenset(
    "tcp udp dial to at from on via host hosts server address addr proxy connect connecting broker "
    "bind".split()
)
_STATUS = re.compile(r"[(\[]?[45]\d\d[)\]]?[:,.;)\]]*")
_SMALL = re.compile(r"[(\[]?-?\d{1,3}[)\]]?[:,.;)\]]*")
_CODE = re.compile(r"[(\[]?[A-Z]{1,8}-?\d{2,6}[)\]]?[:,.;]?")
_EXITS = frozenset("errno code exit signal".split())
_UNITS = frozenset("bytes b kb mb gb kib mib gib ms us ns s seconds rows items times".split())
_PUNCTUATION = "()[]{}:;,.=#\"'"


def masked(line: str) -> str:
    """One line with every value of the occurrence masked.

    >>> masked("dial tcp 10.0.0.7:5432: i/o timeout after 30s (attempt 3)")
    'dial tcp <ip>:<port>: i/o timeout after <n>s (attempt <n>)'
    """
    if "<*>" in line:
        line = line.replace("<*>", "<value>")  # the sign for a hole belongs to templates
    if ":" in line and _CLOCK_LIKE.search(line):
        line = _TIMESTAMP.sub("", line)
    if not _QUOTES.isdisjoint(line):
        line = _QUOTED.sub(_unquoted, line)
    if "\\" in line:
        line = _ESCAPED_PATH.sub("<path>", _WINDOWS_PATH.sub("<path>", line))
    line = _words_masked(line)
    if line.count(": ") > 1:
        line = _NAMED.sub("<value>", line)
    if ">" in line and ("," in line or " or " in line):
        line = _LIST.sub(r"\1\3", line)
    return line


def _words_masked(line: str) -> str:
    words = line.split(" ")
    before = ""
    for index, word in enumerate(words):
        if not word.isalpha() and may_hold_a_value(word):
            after = words[index + 1] if index + 1 < len(words) else ""
            lowered = before.strip(_PUNCTUATION).lower()
            coded = _is_coded(word, before, lowered, after)
            words[index] = masked_word(word, coded, lowered in _HOST_WORDS or not before)
        before = word
    return " ".join(words)


def _is_coded(word: str, before: str, lowered: str, after: str) -> bool:
    """Whether a number here identifies the error: a status, an exit code, an errno, TS2304."""
    if _STATUS.fullmatch(word) and (
        lowered in _CODE_WORDS or lowered.startswith("http/") or _is_reason(after)
    ):
        return True
    if _SMALL.fullmatch(word) and lowered in _EXITS:
        return True
    if _CODE.fullmatch(word):
        return not before or before.endswith(":") or lowered in _CODE_WORDS
    return False


def _is_reason(word: str) -> bool:
    """The word after a status, as in "404 Not Found"."""
    return word[:1].isupper() and word[1:2].islower() and word.lower() not in _UNITS


def _unquoted(match: re.Match[str]) -> str:
    whole, inside = match[0], match[match.lastindex or 0]
    if not inside or inside in _KEYWORDS or _is_key(match):
        return whole
    if _REQUEST.match(inside):
        return whole[0] + _words_masked(inside) + whole[-1]
    return f"{whole[0]}<{_kind(inside)}>{whole[-1]}"


def _is_key(match: re.Match[str]) -> bool:
    """The name of a field, as in {"name": 1}, stays; its value goes."""
    text, start, end = match.string, match.start(), match.end()
    return (
        text[end : end + 1] == ":"
        and text[:start].rstrip()[-1:] in ("{", ",")
        and match[0][1:-1].isidentifier()
    )


def _kind(inside: str) -> str:
    if inside.startswith(("/", "~/", "./", "../", "\\\\")) and len(inside) > 1:
        return "path"
    masked_inside = inside if " " in inside else masked_word(inside)
    return (
        masked_inside[1:-1] if masked_inside in ("<path>", "<url>", "<email>", "<ip>") else "value"
    )
