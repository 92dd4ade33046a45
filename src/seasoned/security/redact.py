"""Keep secrets out of everything that is stored: keys, tokens, passwords, credentials in URLs."""

import functools
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

from seasoned.core.ids import canonical
from seasoned.core.plain import safe_repr, safe_text, short_integer
from seasoned.core.text import storable
from seasoned.security import secret_shapes as shapes
from seasoned.security.secret_kinds import (
    ARMOUR,
    ARMOUR_MARKS,
    ASSIGNED_VALUE,
    AWS_SECRET,
    AWS_SECRET_CHARS,
    LONG_RUN,
    LONGEST_BEFORE,
    LONGEST_SIGN,
    MAY_ASSIGN,
    PLACES,
    SECRET_NAME,
    STRETCH,
    marks_pattern,
    name_pattern,
    place_pattern,
    token_pattern,
)

SECRET = "<secret>"
Put = Callable[[str], str]  # the replacement for a secret

MOST_PASSES = 4  # a replacement may bare the next secret: "password password hunter2"
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
ENDING = re.compile(r"""\\[nrtu"']|[,;&|](?=$|\s|[\w.-]*[=:])|\)(?=[.,;)]|$)""")
IDENTIFIER = re.compile(r"[\w.$-]*$")
MORE = re.compile(r"[^\w\n]{0,9}\w")  # on the same line
KEY_OF_A_SECRET = re.compile(
    r'(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|key|authorization|credentials?|cookie)":'
)
COOKIE = re.compile(r"(?P<name>[^=;,\s]{1,200})=(?P<value>[^;\s\"']{1,4000})")
SESSION = re.compile(r"(?i)sess|auth|token|sid|jwt|csrf|xsrf|key|remember|login")
NO_SECRET_KEY = re.compile(
    r"(?i)public|publishable|primary|foreign|sort|cache|partition|anon|hot|host_key"
)
PASSWORD_WORD = re.compile(r"(?i)pass|pwd|pin\b|contrase|senha|wachtwoord|парол")


def redact(text: str) -> str:
    """Replace every secret that can be recognised.

    >>> redact("curl -H 'Authorization: Bearer abcdef0123456789' https://ana:pw@example.com")
    "curl -H 'Authorization: Bearer <secret>' https://ana:<secret>@example.com"
    >>> redact("max_tokens=100 in token bucket; the tests pass: wonderful news")
    'max_tokens=100 in token bucket; the tests pass: wonderful news'
    """
    return replace_secrets(text, _hidden)


def _hidden(secret: str) -> str:
    return SECRET


def replace_secrets(text: str, put: Put) -> str:
    """Replace each secret by what `put` returns, which must begin with `<`.

    >>> replace_secrets("password=hunter2 for ana", lambda secret: f"<{len(secret)}>")
    'password=<7> for ana'
    """
    for _ in range(MOST_PASSES):
        before = text
        text = _replace_once(text, put)
        if text == before:
            break
    return text


def _replace_once(text: str, put: Put) -> str:
    if any(map(text.__contains__, ARMOUR_MARKS)):
        text = ARMOUR.sub(lambda match: put(match[0]), text)
    text = LONG_RUN.sub(lambda run: _without_tokens(run[0], put), text)
    lower = text.lower()
    for marks, places in PLACES.items():
        if any(map(lower.__contains__, marks)) and marks_pattern(places).search(lower):
            for place in places:
                if any(map(lower.__contains__, place.marks)):
                    replace = functools.partial(_replace_placed, place.shape, put)
                    text = place_pattern(place).sub(replace, text)
    return _without_assigned(text, lower, put)


def _without_tokens(run: str, put: Put) -> str:
    if STRETCH.search(run):
        run = token_pattern().sub(lambda match: put(match[0]), run)
    if len(run) < AWS_SECRET_CHARS:
        return run
    return AWS_SECRET.sub(
        lambda match: put(match[0]) if shapes.is_aws_secret(match[0]) else match[0], run
    )


def _replace_placed(shape: str, put: Put, match: re.Match[str]) -> str:
    if "cookies" in match.re.groupindex:
        return _put_into(match, *match.span("cookies"), COOKIE.sub(
            functools.partial(_replace_cookie, put), match["cookies"]))  # fmt: skip
    value, start, quoted = _value_of(match)
    is_secret = (
        not shapes.is_stand_in(value)
        and not (quoted and shape != "any" and re.search(r"\s", value))
        and JUDGES[shape](value, match[0][: start - match.start()], quoted)
    )
    return _put_into(match, start, start + len(value), put(value)) if is_secret else match[0]


def _value_of(match: re.Match[str]) -> tuple[str, int, bool]:
    """Return the value in a place, where it starts, and whether it stands in quotes."""
    if "quoted" in match.re.groupindex and match["quoted"] is not None:
        return match["quoted"], match.start("quoted"), True
    value = match["value"]
    if ends := ENDING.search(value):
        value = value[: ends.start()]
    return value.rstrip(".,;:!?)]}*\\"), match.start("value"), False


def _put_into(match: re.Match[str], start: int, end: int, new: str) -> str:
    text, offset = match[0], match.start()
    return text[: start - offset] + new + text[end - offset :]


def _replace_cookie(put: Put, match: re.Match[str]) -> str:
    value = match["value"]
    long = len(value) >= 16 and any(map(str.isdigit, value))
    named = SESSION.search(match["name"]) and shapes.is_shaped(value)
    if (long or named) and not shapes.is_stand_in(value):
        return f"{match['name']}={put(value)}"
    return match[0]


def _is_told(value: str, before: str, quoted: bool) -> bool:
    if quoted:
        return len(value) >= 4
    if PASSWORD_WORD.search(before):
        return shapes.is_password(value)
    return shapes.is_shaped(value) and len(value) >= 8


# How much like a secret a value must look, by the shape that a place asks for; each is given the
# value, the text before it, and whether the value is quoted.
JUDGES: Mapping[str, Callable[[str, str, bool], bool]] = {
    "any": lambda value, before, quoted: True,
    "word": lambda value, before, quoted: (
        bool(PASSWORD_WORD.search(before)) or shapes.is_shaped(value)
    ),
    "shaped": lambda value, before, quoted: (
        shapes.is_shaped(value) or shapes.is_user_and_password(value)
    ),
    "password": lambda value, before, quoted: shapes.is_shaped(value) or shapes.is_password(value),
    "told": _is_told,
    "random": lambda value, before, quoted: (
        shapes.is_random(value) or (len(value) >= 8 and shapes.is_user_and_password(value))
    ),
}


def _without_assigned(text: str, lower: str, put: Put) -> str:
    """Replace secrets behind a name and a sign: only there the slow patterns are tried."""
    if len(lower) != len(text):
        lower = "".join(one.lower() if len(one.lower()) == 1 else one for one in text)
    pieces: list[str] = []
    done = 0
    for hit in MAY_ASSIGN.finditer(lower):
        before = max(done, hit.start() - LONGEST_BEFORE)
        name = name_pattern().search(text, before, hit.end() + LONGEST_SIGN)
        value = name and ASSIGNED_VALUE.match(text, name.end())
        if name and value and name.start() >= done:
            new = _replace_assigned(name, value, put)
            if new != value[0]:
                pieces += [text[done : value.start()], new]
                done = value.end()
    return "".join([*pieces, text[done:]]) if pieces else text


def _replace_assigned(named: re.Match[str], match: re.Match[str], put: Put) -> str:
    value, start, quoted = _value_of(match)
    if shapes.is_stand_in(value):
        return match[0]
    found = IDENTIFIER.search(named.string, max(0, named.start() - 60), named.start())
    name = (found[0] if found else "") + named["name"]
    is_setting = name.isupper() and named["sign"].strip(" \\\"'") == "="
    judge = _is_password_for if named["password"] else _is_key_for
    if judge(Assignment(name, named, match, value, quoted, is_setting)):
        return _put_into(match, start, start + len(value), put(value))
    return match[0]


class Assignment(NamedTuple):
    """A name, a sign and a value; `is_setting` as in NAME=value, of the environment."""

    name: str
    named: re.Match[str]
    match: re.Match[str]
    value: str
    quoted: bool
    is_setting: bool


def _is_password_for(given: Assignment) -> bool:
    """Whether the value of a password's name is one: it may be a word, if nothing else speaks."""
    name, value, match, sign = given.name, given.value, given.match, given.named["sign"]
    if given.is_setting or re.search(r"\s", value):
        return given.is_setting
    if name.lower() in ("pass", "pw"):  # "the tests pass: …", "PASS: test_login_2"
        goes_on = shapes.NUMBERED.fullmatch(value) and MORE.match(match.string, match.end())
        return shapes.is_password(value) and not (value.isdigit() or name.isupper() or goes_on)
    if value.isdigit():
        return len(value) >= 4
    after = match.string[match.end() : match.end() + 1]
    if sign == "=" and not given.quoted:
        in_code = match[0][-1] in ",)" or after in (",", ")")
        return not (in_code and shapes.WORDS.fullmatch(value))
    is_line = after in ("", "\n", "\r", "\\") and _begins_line(given.named)
    is_word = is_line and ":" in sign and value.islower() and len(value) >= 6
    return given.quoted or is_word or shapes.is_password(value)


def _begins_line(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - 200) : match.start()].rpartition("\n")[2]
    return re.fullmatch(r"[\s\w.\"'-]*", before) is not None


def _is_key_for(given: Assignment) -> bool:
    """Whether the value of a key's or token's name is one; words and numbers are not."""
    value, own = given.value, given.named["other"].lower()
    if re.search(r"\s", value) or NO_SECRET_KEY.search(given.name):
        return False
    if own in ("key", "salt"):
        return shapes.is_random(value)
    if given.is_setting:
        return len(value) >= 8 or shapes.is_shaped(value)
    if value.isdigit():
        return own != "token" and len(value) >= 6
    least = 6 if given.quoted and own not in ("token", "secret") else 8
    return len(value) >= least and shapes.is_shaped(value)


def without_keys(text: str) -> str:
    """Replace private keys, before a text is cut into pieces that no longer show one.

    >>> without_keys("-----BEGIN PRIVATE KEY-----\\nabc\\n-----END PRIVATE KEY----- stays")
    '<secret> stays'
    """
    found = any(map(text.__contains__, ARMOUR_MARKS))
    return ARMOUR.sub(SECRET, text) if found else text


def may_hide_a_secret(text: str) -> bool:
    """Whether a text needs a closer look; most do not."""
    lower = text.lower()
    return (
        any(any(map(lower.__contains__, marks)) for marks in PLACES)
        or any(map(text.__contains__, ARMOUR_MARKS))
        or any(
            len(run) >= AWS_SECRET_CHARS or STRETCH.search(run) for run in LONG_RUN.findall(text)
        )
    )


def redacted_json(value: Any, *, longest: int = 4000) -> str:
    """Write parameters as JSON for storage, without secrets and with long texts cut.

    >>> redacted_json({"b": 1, "apiKey": "12345"}), redacted_json({"b": (1, 2)})
    ('{"apiKey":"<secret>","b":1}', '{"b":[1,2]}')
    """
    text = canonical(value)
    plain = text.startswith("{") and "\\ud" not in text and "\\u0000" not in text
    # Escapes may hide where a line or a quotation begins.
    plain = plain and "\\" not in text and not KEY_OF_A_SECRET.search(text.lower())
    if plain and len(text) <= longest and redact(text) == text:
        return text  # most calls: nothing to look for, nothing to cut
    return canonical(redacted(json.loads(text), longest=longest))


def redacted(value: Any, *, longest: int = 4000, deepest: int = 12) -> Any:
    """Copy parameters for storage, without secrets and with long texts cut.

    >>> redacted({"url": "x", "apiKey": "12345", "max_tokens": 5, "tags": ("a", 1.5)})
    {'url': 'x', 'apiKey': '<secret>', 'max_tokens': 5, 'tags': ['a', 1.5]}
    """
    if isinstance(value, str):
        return cut(storable(value), longest)
    if value is None or isinstance(value, bool | int | float):
        return short_integer(value) if type(value) is int else value
    if deepest == 0:
        return "<nested too deeply>"
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        return {
            redact(name): SECRET
            if hides_a_secret(name) and not _is_empty(item)
            else redacted(item, longest=longest, deepest=deepest - 1)
            for name, item in ((safe_text(name), item) for name, item in items)
        }
    if isinstance(value, list | tuple | set | frozenset):
        members = cast("list[Any]", value)
        return [redacted(member, longest=longest, deepest=deepest - 1) for member in members]
    return cut(safe_repr(value), longest)


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value)


@functools.lru_cache(maxsize=4096)
def hides_a_secret(name: str) -> bool:
    """Whether a parameter of this name holds a secret.

    >>> hides_a_secret("accessToken"), hides_a_secret("X-Api-Key"), hides_a_secret("token_count")
    (True, True, False)
    """
    return bool(SECRET_NAME.search(CAMEL.sub("_", name).replace("-", "_")))


def cut(text: str, longest: int) -> str:
    """Remove secrets, then shorten: the other way round, half a secret could stay."""
    window = 4 * longest + 20_000  # scanning all of a very long text would take too long
    if len(text) > window:
        text = text[: window // 2] + text[-window // 2 :]
    return shortened(redact(text), longest)


def shortened(text: str, longest: int) -> str:
    """Keep the beginning and the end of a long text, and say how much was left out.

    >>> shortened("abcdefghij", 4)
    'abc…[6 left out]…j'
    """
    if len(text) <= longest:
        return text
    head = longest * 3 // 4
    tail = longest - head
    return f"{text[:head]}…[{len(text) - longest} left out]…{text[len(text) - tail :]}"
