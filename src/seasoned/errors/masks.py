"""Mask the values in one line of an error: paths, numbers, ids, quoted names, addresses."""

import re
from functools import lru_cache

LONGEST_CACHED = 80

may_hold_a_value = re.compile(r"[\d/\\@]|\.\w").search
_UUID = re.compile(
    r"[{(\[]?(?<![0-9a-fA-F-])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9a-fA-F-])[})\]]?"
)
_EPOCH = re.compile(r"[(\[]?1[4-9]\d{8}(?:\d{3}|\d{6}|\.\d{1,9})?[)\]]?(?=[,;:.]?$)")
_COMPACT_TIME = re.compile(r"\[?(?<!\w)\d{8}T\d{6}(?:\.\d+)?Z?(?!\w)\]?")

_URL = re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s'\"`<>]*[^\s'\"`<>.,;:!?)\]}]")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,6}[a-zA-Z]{2,24}\b")
_EXTENSION = (
    r"(?:py[cxiw]?|ipynb|[cm]?[jt]sx?|json[lc5]?|ya?ml|toml|ini|cfg|conf|properties|env|lock|txt|md|rst|log"
    r"|csv|tsv|xlsx?|docx?|pptx?|pdf|xml|html?|css|scss|svg|png|jpe?g|gif|webp|mp[34]|wav|zip|tar|t?gz|bz2"
    r"|xz|7z|whl|jar|war|class|java|kts?|scala|go|rs|rb|php|pl|lua|swift|dart|vue|cs|cpp|cc|cxx|hpp?|[chod]"
    r"|so(?:\.\d+)*|dll|dylib|exe|bat|ps1|b?a?z?sh|sql|sqlite3?|db|parquet|pem|key|crt|tmp|bak|pid|sock|tf)"
)
_REQUIREMENT = re.compile(
    r"(?<![\w/.-])[A-Za-z@][\w./\[\]-]*(?:[=<>~!]=|@)[~^]?\d[\w.*+-]*(?<![.])"
)
_PART = r"[^\s'\"`<>|:;,()\[\]{}=*?\\/]"
_PATH = re.compile(
    r"(?:file:)?(?:"
    rf"(?<![\w\\])[A-Za-z]:(?:[\\/]+{_PART}+)+[\\/]*"  # C:\a\b
    rf"|(?<![\w\\])\\\\[\w.$-]+(?:\\+{_PART}+)+\\*"  # \\server\share
    rf"|(?<![\w/.~$%>)\]-])(?:~\w*|\.{{1,2}}|\$\w+)?(?:/+(?:{_PART}|[@+=*?])+)+/*"  # /a/b
    rf"|(?<![\w/.<>-])(?:[\w@+-][\w.@+-]*/)+[\w.@+-]*?\.{_EXTENSION}(?![\w/])"  # a/b.py
    r"|(?<![\w/.<>-])[a-z_.][\w.@+-]*(?:/[\w@+-][\w.@+-]*){2,}/?"  # a/b/c
    rf"|(?<![\w/.<>$-])(?!(?i:node|next|nuxt|vue|react|express|three)\.js\b)\w[\w@+-]*"
    rf"(?:\.[\w@+-]+)*?\.{_EXTENSION}(?![\w/(]|\.\w)"  # b.py
    r")"
)
_DOTTED = re.compile(
    r"(?<![\w/.<>-])\w[\w.@+-]*(?:/\w[\w.@+-]*)*/\.{1,2}(?:/[\w.@+-]+)+/?"
)  # a/../b
_POSITION = re.compile(r"(?<=<path>)[:(]\d+(?:[:,]\d+){0,3}")
_IP = r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_HEX = r"[0-9a-fA-F]{1,4}"
_IPV6 = (  # all eight groups, or a gap: three numbers with colons are a time
    rf"(?:{_HEX}:){{7}}{_HEX}|(?:{_HEX}(?::{_HEX}){{0,6}})?::{_HEX}(?::{_HEX}){{0,6}}(?:%\w+)?"
    r"|(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}"  # a hardware address
)
_ADDRESS = re.compile(
    rf"(?<![\w.])/?{_IP}(?:/\d{{1,2}}(?!\d))?(?!\w|\.\d)"
    rf"|\[(?:{_IPV6})\](?!\w)|(?<![\w:.])(?:{_IPV6})(?![\w:])"
)
_PORT = re.compile(
    r"(?:(?<=<ip>)|(?<=<url>)|(?<=\])):\d{1,5}\b(?![.:]\d)"
    r"|\b([a-zA-Z][\w.-]*):\d{2,5}\b(?![.:,]\d)"
)
_HOST = re.compile(r"localhost|.*\w-\w.*|.*\w\.[a-z]{2,}|[a-z]+\d+")
_NUMBERED = re.compile(
    r"(?:(?<![\w.>)\]])[-+])?(?<![\w.])[\w$]*?\d[\w$]*(?:[.:+~-]+\w*\d\w*|,\d{3}(?!\w))*%?"
)

_UNIT = (
    r"(?:[numµμ]?s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|[kKMGTP]i?[bB]?|B|bytes?|px|em|pt"
    r"|%|x|k?Hz|[MG]Hz|[MG]?bps|fps|st|nd|rd|th)"
)
_NUMBER = re.compile(rf"[-+]?\d[\d_]*(?:,\d{{3}})*(?:\.\d+)?(?:[eE][-+]?\d+)?({_UNIT})?")
_SPAN = re.compile(rf"(?:\d+(?:\.\d+)?{_UNIT}){{2,6}}")
_DIGITS = re.compile(r"\d+")
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("<hex>", re.compile(r"0[xX][0-9a-fA-F]+")),
    ("<date>", re.compile(r"\d{4}[-/.]\d{2}[-/.]\d{2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}")),
    ("<n>", re.compile(r"\d{1,3}(?::\d{2}){1,2}(?:[.,]\d+)?")),  # a duration
    ("<version>", re.compile(r"v?\d+(?:\.\d+){2,5}(?:[-+.]?\w+)*|v\d+(?:\.\d+)*")),
    (
        "<hash>",
        re.compile(
            r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,128}|(?=[A-F]*\d)(?=\d*[A-F])[0-9A-F]{8,128}"
        ),
    ),
)
_ERROR_CODE = re.compile(r"[A-Z]{1,8}-?\d{2,6}")
_GLUED_CODE = re.compile(r"(?:status|code|errno|http|error)[=:(\[]{1,2}$", re.IGNORECASE)


def mask_word(word: str, coded: bool = False, hosted: bool = False) -> str:
    """Mask the values in a word.

    `coded`: the words around say that a number here is a code, which is part of the message.
    `hosted`: the words around say that this is a place to connect to.

    >>> [mask_word(word) for word in ("/tmp/x.txt:", "10.0.0.7:5432", "timeout=30s,")]
    ['<path>:', '<ip>:<port>', 'timeout=<n>s,']
    >>> mask_word("404"), mask_word("404", coded=True)
    ('<n>', '404')
    """
    if len(word) > LONGEST_CACHED:
        return _masked(word, coded, hosted)
    return _cached(word, coded, hosted)


def _masked(word: str, coded: bool, hosted: bool) -> str:
    if "-" in word:
        word = _UUID.sub("", word)
    if "://" in word:
        word = _URL.sub("<url>", word)
    if "@" in word:
        word = _EMAIL.sub("<email>", word)
    if "=" in word or "@" in word:
        word = _REQUIREMENT.sub("<package>", word)
    if "/" in word or "\\" in word or "." in word:
        if "/." in word:
            word = _DOTTED.sub(_located, word)
        word = _PATH.sub(_located, word)
        word = _POSITION.sub(lambda found: _DIGITS.sub("<n>", found[0]), word)
    if not _DIGITS.search(word):
        return word
    word = _COMPACT_TIME.sub("", word)
    if not coded:
        word = _EPOCH.sub("", word) if _EPOCH.match(word) else word
    if "." in word or ":" in word:
        word = _ADDRESS.sub("<ip>", word)
        word = _PORT.sub(lambda match: _ported(match, hosted), word)
    return _NUMBERED.sub(lambda match: _counted(match, coded), word)


_cached = lru_cache(maxsize=4096)(_masked)


def _located(match: re.Match[str]) -> str:
    path = match[0].rstrip(".")
    if not path.strip("/.~") or _ADDRESS.fullmatch(path):
        return match[0]
    return "<path>" + match[0][len(path) :]


def _ported(match: re.Match[str], hosted: bool) -> str:
    host = match[1]
    if host is None:
        return ":<port>"
    return f"{host}:<port>" if hosted or _HOST.fullmatch(host) else match[0]


def _counted(match: re.Match[str], coded: bool) -> str:
    token, text, start, end = match[0], match.string, match.start(), match.end()
    if token.isdigit():
        if len(token) <= 5 and (coded or _GLUED_CODE.search(text, 0, start)):
            return token
    elif _ERROR_CODE.fullmatch(token) and (coded or _stands_as_code(text, start, end)):
        return token
    return mask_token(token)


def _stands_as_code(text: str, start: int, end: int) -> bool:
    """Tell whether this is a code like E0308 or ORA-00942, in brackets or before a colon."""
    return text[start - 1 : start] in ("[", "(") or (
        text[end : end + 1] in (":", "]") and text[end : end + 2] != ":<"
    )


def mask_token(token: str) -> str:
    """Mask a token that contains digits.

    >>> [mask_token(token) for token in ("30s", "0x7f3a", "deadbee1", "utf8", "req_81723", "1.2.3")]
    ['<n>s', '<hex>', '<hash>', 'utf8', '<id>', '<version>']
    """
    if number := _NUMBER.fullmatch(token):
        unit = number[1] or ""
        return "<n>" + ("th" if unit in ("st", "nd", "rd") else unit)
    for placeholder, kind in _KINDS:
        if kind.fullmatch(token):
            return placeholder
    if _SPAN.fullmatch(token):
        return re.sub(r"\d+(?:\.\d+)?", "<n>", token)
    groups = _DIGITS.findall(token)
    # utf8, sha1, ssh2 are words; req_81723 and rdd_3_1 name one thing of many.
    return "<id>" if len(groups) > 1 or len(groups[0]) > 2 else token


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
# A Windows path may contain a space only if a backslash follows.
_WINDOWS_PART = r"[^\s'\"`<>|:;,\\/]"
_WINDOWS_PATH = re.compile(
    rf"(?<![\w\\])[A-Za-z]:\\(?:{_WINDOWS_PART}+(?: {_WINDOWS_PART}+){{0,3}}\\)+"
    r"[^\s'\"`<>|:;,\\/()]*"
)
_ESCAPED_PATH = re.compile(r"(?<![\w/.])[~.]{0,2}/(?:[^\s\\'\"`<>:]|\\.)+")

_END = r"(?=[\s)\]},.;:?!/|<&=+]|$)"
_QUOTED = re.compile(
    r"(?<![\w\\])(?:"
    rf"\"((?:[^\"]|\"(?!{_END})){{0,600}})\"{_END}"
    rf"|'((?:[^']|'(?!{_END})){{0,600}})'{_END}"
    rf"|`([^`']{{1,200}})'{_END}|`([^`]{{1,600}})`"
    r"|‘([^’]{0,600})’|“([^”]{0,600})”|«([^»]{0,600})»)"
)
_QUOTES = frozenset("'\"`‘“«")
_REQUEST = re.compile(r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S")
# Quoted keywords belong to the message: 'return' outside a function differs from 'await'.
_KEYWORDS = frozenset(
    "return yield await async break continue raise throw if else elif for while switch case try "
    "except catch finally and or not".split()
)
# Shells name the thing without quotes: "cat: notes: No such file or directory".
_NAMED = re.compile(
    r"(?<=: )(?!E(?:ACCES|PERM|NOENT|EXIST|ISDIR|NOTDIR|NOTEMPTY|MFILE|ROFS|LOOP|BUSY|XDEV)\b)"
    r"[\w.+@-]+(?=: (?:command not found|not found$|[Nn]o such file"
    r"|(?:[Ii]s|[Nn]ot) a directory"
    r"|[Pp]ermission denied|[Ff]ile exists|unbound variable|cannot (?:open|execute|access)))"
    r"|(?<=command not found: )[^\s<]+"
)
# Git names both ends of an update: " ! [rejected] main -> main (fetch first)".
_REFS = re.compile(r"(?<=rejected\] )(?:\S+ -> \S+)(?= \()")
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


def mask_line(line: str) -> str:
    """Mask every value of the occurrence in one line.

    >>> mask_line("dial tcp 10.0.0.7:5432: i/o timeout after 30s (attempt 3)")
    'dial tcp <ip>:<port>: i/o timeout after <n>s (attempt <n>)'
    """
    if "<*>" in line:
        line = line.replace("<*>", "<value>")  # <*> is reserved for templates
    if ":" in line and _CLOCK_LIKE.search(line):
        line = _TIMESTAMP.sub("", line)
    if not _QUOTES.isdisjoint(line):
        line = _QUOTED.sub(_unquoted, line)
    if "\\" in line:
        line = _ESCAPED_PATH.sub("<path>", _WINDOWS_PATH.sub("<path>", line))
    line = _words_masked(line)
    if line.count(": ") > 1:
        line = _NAMED.sub("<value>", line)
    if "rejected] " in line:
        line = _REFS.sub("<value> -> <value>", line)
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
            words[index] = mask_word(word, coded, lowered in _HOST_WORDS or not before)
        before = word
    return " ".join(words)


def _is_coded(word: str, before: str, lowered: str, after: str) -> bool:
    """Tell whether a number identifies the error: a status, exit code, errno or TS2304."""
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
    """Tell whether this is the word after a status, as in "404 Not Found"."""
    return word[:1].isupper() and word[1:2].islower() and word.lower() not in _UNITS


def _unquoted(match: re.Match[str]) -> str:
    whole, inside = match[0], match[match.lastindex or 0]
    if not inside or inside in _KEYWORDS or _is_key(match):
        return whole
    if _REQUEST.match(inside):
        return whole[0] + _words_masked(inside) + whole[-1]
    return f"{whole[0]}<{_kind(inside)}>{whole[-1]}"


def _is_key(match: re.Match[str]) -> bool:
    """Tell whether the quoted word is the name of a field, as in {"name": 1}."""
    text, start, end = match.string, match.start(), match.end()
    return (
        text[end : end + 1] == ":"
        and text[:start].rstrip()[-1:] in ("{", ",")
        and match[0][1:-1].isidentifier()
    )


def _kind(inside: str) -> str:
    if inside.startswith(("/", "~/", "./", "../", "\\\\")) and len(inside) > 1:
        return "path"
    masked_inside = inside if " " in inside else mask_word(inside)
    return (
        masked_inside[1:-1] if masked_inside in ("<path>", "<url>", "<email>", "<ip>") else "value"
    )
