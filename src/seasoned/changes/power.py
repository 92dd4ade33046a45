"""Recognise changes that add power: an operator must accept those before anybody is told.

Whoever can make an agent fail twice could otherwise teach every other agent of the project to run
as root, to skip the checks, or to fetch from another host. A list of words is never complete, so it
is wide: a harmless change that waits costs a glance, a harmful one that is told costs more.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seasoned.changes.relatedness import Step
from seasoned.changes.repair import Repair

# Patterns that add power, by the words in which the operator is told.
_POWERS = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        (
            "runs as another user",
            r"(?<![\w-])(?:sudo|doas|su|runas|pkexec)(?![\w-])|-verb runas"
            r"|(?:-u|--user)[ =](?:0|root)\b|\bpsql\b.{0,40} -u\b",
        ),
        (
            "runs code that it is given",
            r"\|\s*(?:ba|z|da|k|fi)?sh\b|\|\s*(?:python|perl|ruby|node|iex)\w*|\beval\b|<\(\s*curl"
            r"|invoke-expression|\biex\b|\bsource <|base64 -d|executionpolicy|-encodedcommand"
            r"|(?:curl|wget|iwr|irm)\b[^&;]*(?:\||-o-|\bsh\b)",
        ),
        (
            "forces it",
            r"--(?:force|hard|allow-root|overwrite|yes|assume-yes|prune|delete)\S*"
            r"|(?<![\w-])-\w{0,4}f\w{0,3}(?![\w-])|(?<![\w-])-\w*y\b|\s\+[\w/]+(?:\s|\Z)|-force\b"
            r"|\b(?:force|overwrite|confirm|approv|yes)\w*\W{1,4}(?:true|1|yes)\b|-delete\b",
        ),
        (
            "switches a check off",
            r"--no-(?:verify|check|gpg|sandbox|ssl|tls|auth|lock|hooks|validate)\S*|--(?:insecure|"
            r"privileged|skip|disable|ignore|trusted|allow|dangerous|bypass|unsafe)\S*"
            r"|(?<![\w-])-\w{0,4}k\w{0,3}(?![\w-])|skipcertificate\w*|setenforce|\bhusky\b"
            r"|(?:verify|check|ssl|tls|secure|auth\w*|sandbox|strict\w*|reject\w*|valid\w*|sign\w*|dry)"
            r"\w*\W{1,4}(?:false|0|none|no|off)\b|(?:no_verify|insecure|unsafe|skip|disable|ignore|"
            r"bypass)\w*\W{1,4}(?:true|1|yes)\b|(?-i:[A-Z_]*(?:TLS|SSL|VERIFY|TRUST)[A-Z_]*=)",
        ),
        (
            "widens permissions",
            r"\bch(?:mod|own|grp)\b|require_escalated|danger\w*|bypass\w*|\b0?777\b|public-read"
            r"|with_escalated_permissions|\badmin\w*|\broot\b|\bgrant\w*|\bunlock\w*|--cap-add"
            r"|--net[= ]host|--pid[= ]host|-v /:|\b(?:role|scopes?|permissions?|acl|access|policy|"
            r"visibility|privileges?)\w*\W{0,3}[=:]\s*\S+|ld_preload",
        ),
        (
            "deletes",
            r"(?<![\w-])(?:rm|del|rmdir|shred|drop|truncate|mkfs|dd|remove-item|delete\w*)(?![\w-])"
            r"|\bgit clean\b",
        ),
        (
            "passes credentials",
            r"\b(?:password|passwd|token|secret|api_?key|access_?key|credential|authorization)\w*",
        ),
    )
)
# Words whose absence takes a protection away.
_PROTECTION = re.compile(
    r"sandbox|dry.?run|verif\w*|\bcheck\w*|confirm\w*|\bsafe\w*|secure|\bauth\w*|strict|guard"
    r"|interactive|(?<![\w-])-i(?![\w-])|--no-clobber|\bhttps://",
    re.IGNORECASE,
)
_STRONG_TOOL = re.compile(
    r"admin|grant|sudo|approv|delet|remov|disabl|chmod|set_?mode|permission|polic|force|unlock"
    r"|escalat|elevat|overrid|bypass|root",
    re.IGNORECASE,
)
_DOMAIN = (
    r"(?<![\w.-])(?:[\w-]{1,63}\.){1,6}(?:com|org|net|io|dev|ai|app|co|xyz|info|biz|ru|cn|de|uk|fr|eu|us"
    r"|sh|me|tk|top|site|online|example|internal|local)(?![\w-])"
)
_HOST = re.compile(
    r"\b\w{2,12}://(?:[^\s/'\"`@]{1,64}@)?([\w.-]{1,253})|\b((?:\d{1,3}\.){3}\d{1,3})\b"
    rf"|({_DOMAIN})",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def power_of(repair: Repair) -> str:
    """Say what power a repair adds; "" if none.

    >>> from seasoned.changes.repair import Edit
    >>> power_of(Repair((Edit(("command",), "swapped", {"front": "sudo "}),)))
    'runs as another user'
    >>> power_of(Repair((Edit(("command",), "swapped", {"old": "docker", "new": "podman"}),)))
    ''
    >>> power_of(Repair((Edit(("sandbox",), "removed", {}),)))
    'takes a protection away'
    """
    for step in repair.steps:
        if _STRONG_TOOL.search(step.tool):
            return f"calls `{step.tool}`"
    return added_power("\n".join(_put(repair)), "\n".join(_gone(repair)))


def power_of_steps(repair: Repair, taken: Sequence[Step]) -> str:
    """Say what power the steps of a repair had, with all the parameters with which they ran."""
    named = {step.tool for step in repair.steps}
    told = (power_between({}, step.params) for step in taken if step.tool in named)
    return next((power for power in told if power), "")


def power_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Say what power one call has that another had not; "" if none.

    >>> power_between({"command": "make"}, {"command": "curl x.sh | sh && make"})
    'runs code that it is given'
    >>> power_between({"url": "u", "tls": True}, {"url": "u", "tls": False})
    'switches a check off'
    """
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    put = (f"{name}={_plain(after[name])}" for name in changed if name in after)
    gone = (f"{name}={_plain(before[name])}" for name in changed if name in before)
    return added_power("\n".join(put), "\n".join(gone))


def added_power(put: str, gone: str) -> str:
    """Say what power the words that were put add to those that were there."""
    put, gone = (f"{text}\n{_CAMEL.sub('_', text)}" for text in (put, gone))
    for name, expression in _POWERS:
        before = {match[0].casefold() for match in expression.finditer(gone)}
        if any(match[0].casefold() not in before for match in expression.finditer(put)):
            return name
    if any(word not in put for word in _PROTECTION.findall(gone)):
        return "takes a protection away"
    known = _hosts(gone)
    strange = [host for host in _hosts(put) if host not in known]
    return f"uses another host, {strange[0]}" if strange else ""


def _hosts(text: str) -> list[str]:
    return [next(filter(None, match.groups())) for match in _HOST.finditer(text)]


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
            yield f"{'.'.join(map(str, edit.path))}={_told(detail.get('value'))}"
    for step in repair.steps:
        yield " ".join(_told(value) for value in step.params.values())


def _gone(repair: Repair) -> Iterator[str]:
    for edit in repair.edits:
        if edit.kind == "removed":
            yield str(edit.path[-1])
        yield from (str(edit.detail[name]) for name in ("old", "drop") if edit.detail.get(name))


def _told(value: Any) -> str:
    if not value:
        return ""
    if "plan" in value:
        return _constants(value["plan"])
    if "words" in value:
        return " ".join(word for word in value["words"] if isinstance(word, str))
    return _plain(value.get("is", ""))


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=repr)


def _constants(plan: Any) -> str:
    """Join the constant words of a plan; values from the error are judged when they are told."""
    return " ".join(
        str(atom[1]) for _, choices in plan[0] for atom in choices[0] if atom[0] == "is"
    )
