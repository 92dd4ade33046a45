"""Check that the vault is open, and say how to open it."""

from collections.abc import Generator
from dataclasses import fields
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from seasoned.cli.checks.result import CheckResult
from seasoned.config import camel
from seasoned.core.private_files import is_private

if TYPE_CHECKING:
    from seasoned.config import Configuration

SHORTEST = 4  # a shorter text would hide half of what is said


def hidden_texts(config: "Configuration") -> list[str]:
    """Return what other checks must not show: secrets of the vault, and how they may be shortened.

    An address is shown with another end; so its path counts as well.
    """
    found: set[str] = set()
    for key in config.vault.filled:
        section, _, name = key.partition(".")
        for setting in fields(getattr(config.settings, section)):
            if camel(setting.name) == name:
                found |= _shapes(str(getattr(getattr(config.settings, section), setting.name)))
    return sorted(found, key=len, reverse=True)


def _shapes(value: str) -> set[str]:
    found = {value, value.rstrip("/")}
    if "://" in value:
        base = value.rstrip("/").removesuffix("/chat/completions").removesuffix("/messages")
        parts = urlsplit(base)
        found |= {base, parts.netloc, parts.path.removesuffix("/v1"), parts.query}
    return {one for one in found if len(one) >= SHORTEST}


def check_vault(config: "Configuration") -> Generator[CheckResult]:
    vault = config.vault
    if vault.path is None:
        return
    if not is_private(vault.path):
        advice = f"run `chmod 600 {vault.path}`"
        yield CheckResult("vault", "warning", f"others may read {vault.path}", advice)
    if vault.state == "open":
        used = f"profile {vault.profile}" if vault.profile else "no profile in use"
        yield CheckResult("vault", "fine", f"{vault.path}: open, {used}")
        return
    empty = f"; empty until then: {', '.join(vault.waiting)}" if vault.waiting else ""
    detail = f"{vault.path} is locked: {vault.reason}{empty}"
    yield CheckResult("vault", "warning", detail, vault.remedy)
