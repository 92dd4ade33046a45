"""Decide whether a later call retries a failed one, and whether a step only looks around."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, cast

from seasoned.changes.words import OPERATORS, split_words, word_likeness

FLOOR = 0.6
MOSTLY = 0.5
MOST_TOKENS = 600
ALIKE = 0.6
MAX_TEXT = 2_000
# Parameters that identify what a call is about: another value means another task.
TARGETS = frozenset(
    "path file file_path filepath filename notebook_path dir directory cwd id url uri query sql "
    "name key table repo repository branch channel user email title pattern command cmd code "
    "resource bucket host".split()
)
BULK = frozenset("content contents body text old_string new_string new_source data patch".split())
WRAPPERS = frozenset("sudo env time nohup doas command exec nice".split())
LOOKERS = frozenset(
    "ls cat head tail less more grep rg ag find fd pwd cd echo which whereis type file stat wc "
    "tree du df ps env printenv date whoami id uname hostname man help history diff cmp jq sort "
    "uniq dir get-childitem get-content bat readlink realpath basename dirname lsof netstat ss "
    "test".split()
)
LOOKING_SUBCOMMANDS = frozenset(
    "status diff log show list ls info describe get ps help version branch remote search view "
    "inspect logs config outdated blame --version --help -v -h".split()
)
_LOOKING_NAME = re.compile(
    r"(?:^|[_.\-/])(?:read|glob|grep|list|ls|get|search|find|fetch|view|show|describe|query|lookup"
    r"|look|inspect|check|status|stat|count|exists?|cat|think|help)(?:$|[_.\-/])"
)
_LOOKING_QUERY = re.compile(r"\s*(?:select|show|describe|desc|explain|pragma|with)\b", re.I)
_WORD = re.compile(r"[^\W_]+(?:\.\d+)?")
_TOKEN = re.compile(r"\w+|[^\w\s]")
DESCRIBING = frozenset(
    "description explanation timeout timeout_ms run_in_background yield_time_ms max_output_tokens "
    "offset limit".split()
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True)
class Step:
    """A successful call between the failure and the success."""

    tool: str
    params: Mapping[str, Any]


def are_related(failed: Mapping[str, Any], worked: Mapping[str, Any], error: str = "") -> bool:
    """Tell whether a later call attempts the same thing as the failed one.

    Another number means another task (the next page, the next seat), unless the error mentions it
    or its parameter.

    >>> are_related({"command": "pythn a.py"}, {"command": "python a.py"})
    True
    >>> are_related({"command": "npm test"}, {"command": "npm install"})
    False
    """
    return relation(failed, worked, error) >= FLOOR


def is_reworded(failed: Mapping[str, Any], worked: Mapping[str, Any], error: str = "") -> bool:
    """Tell whether more than half of the words of two calls are the same, in the same order.

    >>> is_reworded({"q": "SELECT a FROM t WHERE b = 1"}, {"q": "SELECT x.a FROM t x WHERE b = 1"})
    True
    """
    if any(_is_another_number(key, failed, worked, error) for key in failed):
        return False  # the next page, the next seat
    one, other = _tokens(failed), _tokens(worked)
    if not one or not other or 2 * min(len(one), len(other)) <= 0.5 * (len(one) + len(other)):
        return False
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.quick_ratio() > MOSTLY and matcher.ratio() > MOSTLY


def _is_another_number(
    key: str, failed: Mapping[str, Any], worked: Mapping[str, Any], error: str
) -> bool:
    old, new = failed[key], worked.get(key)
    if not _is_number(old) or new is None or old == new or key.casefold() in DESCRIBING:
        return False
    return not _spoken_of(key, old, new, error)


def _tokens(params: Mapping[str, Any]) -> list[str]:
    """Return the words and signs of what a call was given, without how it was described."""
    texts = (str(value) for key, value in params.items() if key.casefold() not in DESCRIBING)
    return [token for text in texts for token in _TOKEN.findall(text[:MAX_TEXT])][:MOST_TOKENS]


def relation(failed: Mapping[str, Any], worked: Mapping[str, Any], error: str = "") -> float:
    """Rate from 0 to 1 how far two calls of one tool are about the same thing."""
    if failed == worked:
        return 1.0
    if not failed or not worked:
        return 0.7
    total = score = 0.0
    for key, value in failed.items():
        other = worked[key] if key in worked else _moved(value, key, failed, worked)
        weight = 2.0 if key.casefold() in TARGETS else 0.5 if key.casefold() in BULK else 1.0
        alike = _value_relation(value, other) if other is not None else 0.5
        numbers = _is_number(value) and _is_number(other) and value != other
        if numbers and (weight == 2.0 or not _spoken_of(key, value, other, error)):
            return 0.0
        if weight == 2.0 and alike < ALIKE:
            return alike
        if weight == 1.0 and alike < ALIKE and _is_named(key, error):
            continue  # the error asks for another value of it
        total += weight
        score += weight * alike
    return score / total if total else FLOOR


def _is_named(key: str, error: str) -> bool:
    """Tell whether the error names the parameter, in the singular or plural."""
    return re.search(rf"\b{re.escape(key)}s?\b", error[:MAX_TEXT], re.IGNORECASE) is not None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _spoken_of(key: str, old: Any, new: Any, error: str) -> bool:
    """Tell whether the error names the parameter, the wrong number or the right one."""
    said = [word.casefold() for word in _WORD.findall(_CAMEL.sub(" ", error[:MAX_TEXT]))]
    if str(old) in said or str(new) in said:
        return True
    parts = _WORD.findall(_CAMEL.sub(" ", key).replace("_", " ").casefold())
    return any(word[:4] == part[:4] for part in parts for word in said if len(part) > 2)


def _moved(value: Any, key: str, failed: Mapping[str, Any], worked: Mapping[str, Any]) -> Any:
    """Return the value of a removed key if it now stands under another name."""
    return next((v for k, v in worked.items() if k not in failed and v == value and k != key), None)


def _value_relation(old: Any, new: Any) -> float:
    if old == new or str(old)[:MAX_TEXT].strip() == str(new)[:MAX_TEXT].strip():
        return 1.0
    if isinstance(old, str) and isinstance(new, str):
        return _text_relation(old[:MAX_TEXT], new[:MAX_TEXT])
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return relation({**old}, {**new})
    # Another number, flag or list is most likely a setting of the same call.
    return 0.7


def _text_relation(old: str, new: str) -> float:
    a, b = _telling(old), _telling(new)
    if not a or not b:
        return 0.0
    if len(a) > 12:
        return _overlap(a, b)
    head, rest = a[0], a[1:]
    total = 0.5 if rest else 1.0
    score = total * max(_alike(head, w) for w in b)
    left = list(b)
    for index, word in enumerate(rest):
        weight = 0.5 if word.startswith("-") else 0.75 if not index and word.isalpha() else 1.0
        total += weight
        best = max(left, key=lambda other: _alike(word, other), default=None)
        if best is not None and _alike(word, best):
            score += weight * _alike(word, best)
            left.remove(best)
    return score / total


def _telling(text: str) -> list[str]:
    found = [w.text for w in split_words(text) if w.text not in OPERATORS]
    found = [w for w in found if any(c.isalnum() for c in w)]
    while len(found) > 1 and found[0] in WRAPPERS:
        found = found[1:]
    return found[:80]


def _overlap(a: list[str], b: list[str]) -> float:
    """Return the share of the failed text's words that occur in the other."""
    pool = set(b)
    return sum(w in pool for w in a) / len(a)


def _alike(a: str, b: str) -> float:
    """Return 1 for the same word, the same file elsewhere or a typo; 0 for another word."""
    if a == b or a.casefold() == b.casefold() or a.strip("-") == b.strip("-"):
        return 1.0
    if "/" in a or "/" in b:
        x, y = a.rstrip("/").rpartition("/")[2], b.rstrip("/").rpartition("/")[2]
        if x == y:
            return 1.0
        a, b = x, y
    stem_a, dot_a, end_a = a.rpartition(".")
    stem_b, dot_b, end_b = b.rpartition(".")
    if dot_a and dot_b and end_a == end_b:
        a, b = stem_a, stem_b
    if min(len(a), len(b)) >= 3 and (a in b or b in a):
        return 1.0
    if len(a) > 1 and b.startswith(a):
        return 1.0  # an abbreviation spelled out
    score = word_likeness(a, b)
    return score if score >= ALIKE else 0.0


def looks_only(step: Step) -> bool:
    """Tell whether a step only reads, so that it is unlikely to have repaired anything.

    >>> looks_only(Step("shell", {"command": "git status"})), looks_only(Step("Read", {}))
    (True, True)
    >>> looks_only(Step("shell", {"command": "cd app && npm install"}))
    False
    """
    query = next((step.params[key] for key in ("query", "sql") if key in step.params), None)
    if isinstance(query, str):
        return _LOOKING_QUERY.match(query) is not None
    command = _command(step.params)
    if command is not None:
        return all(_part_looks(part) for part in re.split(r"&&|\|\||[;|\n]", command[:MAX_TEXT]))
    name = _CAMEL.sub("_", step.tool).casefold()
    return _LOOKING_NAME.search(name) is not None


def _command(params: Mapping[str, Any]) -> str | None:
    for key in ("command", "cmd", "script"):
        value = params.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value:
            return " ".join(str(part) for part in cast("list[Any]", value))
    return None


def _part_looks(part: str) -> bool:
    found = [w for w in part.split() if "=" not in w or w.startswith("-")]
    while found and found[0] in WRAPPERS:
        found = found[1:]
    if not found:
        return True
    if ">" in part.replace("2>&1", "").replace("2>/dev/null", "").replace(">/dev/null", ""):
        return False
    head = found[0].rpartition("/")[2].casefold()
    if head in LOOKERS:
        return not (head == "find" and ("-delete" in found or "-exec" in found))
    return len(found) > 1 and found[1] in LOOKING_SUBCOMMANDS
