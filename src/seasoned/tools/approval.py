"""Decides whether a call must be allowed by somebody first: exempt, then sensitive, then policy."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from seasoned.core.errors import ConfigError

Policy = Literal["dangerous", "all", "configured", "none"]
POLICIES: dict[str, str] = {  # what is asked for, of what is neither exempt nor sensitive
    "dangerous": "it can change or reveal things",
    "all": "every tool is asked for",
    "configured": "",
    "none": "",
}


@dataclass(frozen=True, slots=True)
class ApprovalRules:
    """`exempt` and `sensitive` are names of tools; a * in them stands for anything."""

    policy: str = "dangerous"
    timeout_seconds: float = 30
    sensitive: Sequence[str] = ()
    exempt: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise ConfigError(
                f"approval.policy is {self.policy!r}; it must be one of {', '.join(POLICIES)}"
            )


@dataclass(frozen=True, slots=True)
class Wanted:
    """That a call must be allowed, and why; an "always" of earlier counts unless `each_time`."""

    reason: str
    each_time: bool = False


def approval_wanted(rules: ApprovalRules, tool: str, *, dangerous: bool) -> Wanted | None:
    """None when the tool may be called without asking.

    >>> rules = ApprovalRules(sensitive=["mail_*"], exempt=["mail_list"])
    >>> approval_wanted(rules, "mail_send", dangerous=False).each_time
    True
    >>> approval_wanted(rules, "mail_list", dangerous=True)
    >>> approval_wanted(rules, "run_program", dangerous=True).reason
    'it can change or reveal things'
    """
    if _among(tool, rules.exempt):
        return None
    if _among(tool, rules.sensitive):
        return Wanted("it is set as sensitive", each_time=True)
    if rules.policy == "all" or (rules.policy == "dangerous" and dangerous):
        return Wanted(POLICIES[rules.policy])
    return None


def names_in(setting: str) -> tuple[str, ...]:
    """The names in a setting with commas between them.

    >>> names_in(" run_program, mail_* ,")
    ('run_program', 'mail_*')
    """
    return tuple(name for part in setting.split(",") if (name := part.strip()))


def _among(tool: str, names: Sequence[str]) -> bool:
    return any(fnmatchcase(tool, name) for name in names)
