"""Keep secrets out of everything that is stored: keys, tokens, passwords, credentials in URLs."""

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from seasoned.core.ids import canonical
from seasoned.core.text import storable

SECRET = "<secret>"

# Secrets with a form of their own. Each begins with a literal, so scanning is cheap.
TELLTALE = re.compile(
    r"""
    (?: \b(?:sk|pk|rk)[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{16,}     # OpenAI, Anthropic, Stripe
      | \bgh[pousr]_[A-Za-z0-9]{20,} | \bgithub_pat_\w{20,}     # GitHub
      | \bglpat-[\w-]{16,}                                      # GitLab
      | \bxox[abeoprs]-[\w-]{10,}                               # Slack
      | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b                           # AWS
      | \bAIza[\w-]{30,}                                        # Google
      | \bhf_[A-Za-z0-9]{20,} | \bnpm_[A-Za-z0-9]{30,} | \bpypi-[\w-]{30,}
      | \beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*                       # a JSON web token
      | -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----
        (?:[\s\S]{0,10000}?-----END\ [A-Z ]*PRIVATE\ KEY-----|[\s\S]*)
    )
    """,
    re.VERBOSE,
)
PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]{0,10000}?-----END [A-Z ]*PRIVATE KEY-----"
)
# Secrets that the word before gives away; the word stays.
INTRODUCED = re.compile(
    r"""(?ix)
    ( \b(?:bearer|basic)\s+ (?=[\w.+/=~-]{12})
    | authorization["']?\s*[=:]\s*["']?(?:token\s+|bearer\s+|basic\s+)?
    | \bcurl\b[^\n]{0,200}?\s(?:-u|--user)\s*[^\s:]{1,100}:
    | (?:pass(?:word|wd|phrase)?|pwd|secret(?:[-_]?key)?|api[-_]?key|access[-_]?key
        |auth[-_]?token|access[-_]?token|client[-_]?secret|private[-_]?key|token)["']?\s*[=:]\s*["']?
    | --(?:password|token|secret|api-key)\s+
    | ://[^/\s:@]{0,100}: (?=[^/\s]{1,200}@)
    ) (?: (?<=:) [^\s/]{1,200} (?=@) | [^\s"'&,;<>]{1,500} )
    """
)
SECRET_NAME = re.compile(
    r"(?i)(?:^|[_-])(?:pass(?:word|wd|phrase)?|pwd|secret(?:_?key)?|token|api_?key|access_?key"
    r"|private_?key|authorization|credentials?|cookie)$"
)
# No pattern matches a text without any of these: most texts stop here.
MARKS = tuple(
    """sk- sk_ pk- pk_ rk- rk_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xox akia asia aiza hf_
    npm_ pypi- eyj -----begin bearer basic pass pwd secret key token authorization cookie credential
    curl ://""".split()
)
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def redact(text: str) -> str:
    """Replace every secret that can be recognised.

    >>> redact("curl -H 'Authorization: Bearer abcdef0123456789' https://ana:pw@example.com")
    "curl -H 'Authorization: Bearer <secret>' https://ana:<secret>@example.com"
    >>> redact("max_tokens=100 in token bucket")
    'max_tokens=100 in token bucket'
    """
    if not may_hide_a_secret(text):
        return text
    return INTRODUCED.sub(rf"\g<1>{SECRET}", TELLTALE.sub(SECRET, text))


def replace_secrets(text: str, put: Callable[[str], str]) -> str:
    """Replace each secret by what `put` returns.

    >>> replace_secrets("password=hunter2 for ana", lambda secret: f"[{len(secret)}]")
    'password=[7] for ana'
    """
    if not may_hide_a_secret(text):
        return text
    text = TELLTALE.sub(lambda match: put(match[0]), text)
    return INTRODUCED.sub(lambda match: match[1] + put(match[0][len(match[1]) :]), text)


def without_keys(text: str) -> str:
    """Replace private keys, before a text is cut into pieces that no longer show one.

    >>> without_keys("-----BEGIN PRIVATE KEY-----\\nabc\\n-----END PRIVATE KEY----- stays")
    '<secret> stays'
    """
    return PRIVATE_KEY.sub(SECRET, text) if "PRIVATE KEY-----" in text else text


def may_hide_a_secret(text: str) -> bool:
    return any(map(text.lower().__contains__, MARKS))


def redacted_json(value: Any, *, longest: int = 4000) -> str:
    """Write parameters as JSON for storage, without secrets and with long texts cut.

    >>> redacted_json({"b": 1, "apiKey": "12345"}), redacted_json({"b": (1, 2)})
    ('{"apiKey":"<secret>","b":1}', '{"b":[1,2]}')
    """
    text = canonical(value)
    plain = text.startswith("{") and "\\ud" not in text
    if plain and len(text) <= longest and not may_hide_a_secret(text):
        return text  # most calls: nothing to look for, nothing to cut
    return canonical(redacted(value, longest=longest))


def redacted(value: Any, *, longest: int = 4000, deepest: int = 12) -> Any:
    """Copy parameters for storage, without secrets and with long texts cut.

    >>> redacted({"url": "x", "apiKey": "12345", "max_tokens": 5, "tags": ("a", 1.5)})
    {'url': 'x', 'apiKey': '<secret>', 'max_tokens': 5, 'tags': ['a', 1.5]}
    """
    if isinstance(value, str):
        return cut(storable(value), longest)
    if value is None or isinstance(value, bool | int | float):
        return value
    if deepest == 0:
        return "<nested too deeply>"
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        return {
            storable(str(name)): SECRET
            if hides_a_secret(str(name)) and item not in (None, "")
            else redacted(item, longest=longest, deepest=deepest - 1)
            for name, item in items
        }
    if isinstance(value, list | tuple | set | frozenset):
        members = cast("list[Any]", value)
        return [redacted(member, longest=longest, deepest=deepest - 1) for member in members]
    return cut(storable(repr(value)), longest)


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
