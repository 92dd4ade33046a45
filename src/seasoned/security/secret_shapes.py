"""Judge whether a value looks like a secret, or like a word, a name, a variable or a placeholder."""

import base64
import binascii
import re

# Stand-ins for a secret, and code that fetches one.
VARIABLE = re.compile(
    r"""(?xi)
      \$(?:\{|\(|[a-z_]|\d\b|$) | %\( | %[a-z_]+% | %[sdvq]?$ | \{ | \[ | @\w+@ | < | &[lg]t;
    | [*x•·.#_-]{3,} | (?:\*+|x+|\.+|-+)$ | \S*?(?:\*{3}|•{3}|x{6}|\.{3}|…)
    | (?:your|example|placeholder|dummy|redacted|masked|hidden|insert|replace|change|todo|tbd)(?![a-z0-9])
    | (?:os\.|process\.env|env[.\[(]|getenv|secrets\.|vars\.|self\.|this\.|config\.|settings\.|import\.meta)
    """
)
CALL = re.compile(
    r"[A-Za-z_][\w.]*(?:\(|\[[\"'\w]|::|->|=>)|\$\{|\{\{|^[A-Za-z_]\w*\?{0,2}[|&]{1,2}"
)
DOTTED = re.compile(r"[A-Za-z_]+\d?\??(?:\.[A-Za-z_]+\d?)+")
NAMED = re.compile(
    r"(?i)(?:[a-z]+[_.-])+(?:password|passwd|pass|pwd|token|key|secret|auth|credentials?|hash|file|path|name|id)s?"
    r"|(?:password|passwd|passphrase|pwd|pass|token|key|secret|api_?key|auth|credentials?|access_?token)s?"
    r"|[a-z]+(?:Password|Token|Key|Secret|Pass|Pwd|Hash)"
)
PLACE = re.compile(
    r"(?:[~.]{0,2}/|\\|[A-Za-z]:\\|[a-z][a-z0-9+.-]{1,20}://)(?![A-Za-z0-9+/]{30,}=*$)"
)
FILE = re.compile(r"[\w./@-]*\.(?:py|tsx?|jsx?|mjs|go|md|json|ya?ml|txt|toml|rs|java|kt|rb|sh|html?|css|log"
                  r"|pem|key|sql|php|cs|cpp|hp?p?|c|env|lock|cfg|ini|xml|csv|svg|png)(?:[:#]L?\d+)*")  # fmt: skip
# Versions, dates, times, sizes, numbers with their unit, lists of numbers.
MEASURE = re.compile(
    r"(?i)v?\d+(?:[.:/,_-]\d+)+[a-z]{0,2}(?:[.+-][\w.]+)?|[+-]?\d+(?:\.\d+)?(?:[a-z%]{1,5})?|\d{1,3}(?:st|nd|rd|th)"
    r"|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-][\d:]+)?|0x[0-9a-f]{1,8}"
)
WORDS = re.compile(r"[^\W\d_]+(?:[-_'’./][^\W\d_]+)*")  # letters only
# line2, test_user_1, Uint8Array
NUMBERED = re.compile(
    r"[A-Za-z]{2,}(?:[_-][A-Za-z]+)*[_-]?\d{1,2}|[A-Za-z][a-z]+\d{1,2}(?:[A-Z][a-z]+)+"
)
LONGEST_NUMBERED = 24  # characters; a longer one is a key that ends in digits by chance
STOPPED = frozenset(
    """true false none null nil undefined void str string int integer bytes any object bool boolean number
    text optional required mandatory missing invalid valid wrong incorrect correct empty blank set unset
    expired changed reset here there yes no on off ok error failed fail success default value type field
    input hidden redacted masked encrypted hashed stored unknown private public self const let var
    function return new async await oauth oauth2 basic bearer digest include omit same-origin inherit
    prompt ask stdin env file vault weak strong short long too not also the a an it is was in at to""".split()
)
SIGNS = frozenset("!@#$%^&*+=?~")
CLASSES = re.compile(r"[a-z]+|[A-Z]+|\d+|[^A-Za-z\d]+")
SEPARATED = re.compile(
    r"(?:[A-Za-z]+[-_./ :]+){2,}[A-Za-z]*[-_]?\d{0,4}"
)  # words, perhaps numbered


def is_stand_in(value: str) -> bool:
    """Whether a value is a variable, a call, a name, a place or a placeholder.

    >>> [is_stand_in(one) for one in ("$TOKEN", "os.getenv(x)", "db_password", "/etc/pw", "hunter2")]
    [True, True, True, True, False]
    """
    return bool(
        not value
        or value.lower() in STOPPED
        or VARIABLE.match(value)
        or CALL.search(value)
        or DOTTED.fullmatch(value)
        or NAMED.fullmatch(value)
        or PLACE.match(value)
        or FILE.fullmatch(value)
        or len(set(value)) == 1
    )


def is_shaped(value: str) -> bool:
    """Whether a value has digits or signs among its letters, as words have not.

    >>> [is_shaped(one) for one in ("hunter2!", "a1b2c3d4", "wonderful", "v1.2.3", "line2", "12px")]
    [True, True, False, False, False, False]
    """
    if MEASURE.fullmatch(value) or (len(value) < LONGEST_NUMBERED and NUMBERED.fullmatch(value)):
        return False
    if len(value) < 6:
        return len(CLASSES.findall(value)) >= 4  # P4ss, but not x1
    letters = sum(character.isalpha() for character in value)
    digits = sum(character.isdigit() for character in value)
    return (letters > 0 and (digits > 0 or bool(SIGNS & set(value[:-1])))) or is_random(value)


def is_password(value: str) -> bool:
    """Whether a value told as a password is one: not a word, and not a small number.

    >>> [is_password(one) for one in ("hunter2", "482913", "required", "8", "winter-42")]
    [True, True, False, False, True]
    """
    if value.isdigit():
        return len(value) >= 4
    if MEASURE.fullmatch(value) or WORDS.fullmatch(value) or len(value) < 4:
        return False
    has_letter = any(map(str.isalpha, value))
    return has_letter and (any(map(str.isdigit, value)) or bool(SIGNS & set(value[:-1])))


def is_random(value: str) -> bool:
    """Whether nobody would write a value by hand: long, with digits and letters in turn.

    >>> [is_random(one) for one in ("9f86d081884c7d65", "the-quick-brown-fox-2", "src/main/App1.java")]
    [True, False, False]
    """
    if len(value) < 16 or value.isdigit():
        return False
    if FILE.fullmatch(value) or MEASURE.fullmatch(value) or SEPARATED.fullmatch(value):
        return False
    changes = len(CLASSES.findall(value))
    if not any(map(str.isdigit, value)):
        return changes >= 0.4 * len(value) and bool(re.search("[a-z][A-Z].*[a-z][A-Z]", value))
    return changes >= max(5, len(value) // 8)


def is_aws_secret(value: str) -> bool:
    """Whether 40 characters of base64 are a key and no path or hash."""
    return (
        sum(map(str.isupper, value)) >= 4
        and sum(map(str.islower, value)) >= 4
        and sum(map(str.isdigit, value)) >= 1
        and len(CLASSES.findall(value)) >= 15
    )


def is_user_and_password(value: str) -> bool:
    """Whether a value is `user:password` in base64, as basic authentication sends it.

    >>> is_user_and_password("YW5hOnB3"), is_user_and_password("usage123")
    (True, False)
    """
    try:
        return b":" in base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
