"""Check that the vault is open, and say how to open it."""

from collections.abc import Generator
from typing import TYPE_CHECKING

from seasoned.cli.checks.result import CheckResult
from seasoned.core.private_files import is_private

if TYPE_CHECKING:
    from seasoned.config import Configuration


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
