"""Check that the models which the settings name can be asked."""

from collections.abc import Generator
from typing import TYPE_CHECKING

from seasoned.cli.checks.result import CheckResult

if TYPE_CHECKING:
    from seasoned.config import Configuration

SECONDS = 3.0  # for each server
FREE = "asked for its list of models, which is free"


def check_models(config: "Configuration") -> Generator[CheckResult]:
    """Check each model of the settings once, by a request that costs nothing."""
    from seasoned.llm.chat.credentials import credentials_from
    from seasoned.llm.chat.reachable import reach

    agent, llm = config.settings.agent, config.settings.llm
    first = llm.model.strip() or agent.model.strip()
    credentials = credentials_from(first, llm.url, llm.key, config.keys, config.addresses)
    for name, uses in named_models(config).items():
        reached = reach(name, credentials, SECONDS)
        said = f"{name} ({', '.join(uses)})"
        if not reached.problem:
            yield CheckResult("model", "fine", f"{said}: {reached.checked}; {FREE}")
        elif reached.usable:
            yield CheckResult("model", "warning", f"{said}: {reached.problem}", "check its name")
        else:
            yield CheckResult("model", "wrong", f"{said}: {reached.problem}", _advice(uses))


def named_models(config: "Configuration") -> dict[str, list[str]]:
    """Return the models of the settings, each with the settings that name it."""
    settings = config.settings
    named = [
        ("llm.model", settings.llm.model),
        ("agent.model", settings.agent.model),
        *(("agent.fallback", one) for one in settings.agent.fallback.split(",")),
    ]
    found: dict[str, list[str]] = {}
    for key, name in named:
        if name.strip():
            found.setdefault(name.strip(), []).append(key)
    return found


def _advice(uses: list[str]) -> str:
    effects: list[str] = []
    if "llm.model" in uses:
        effects.append("corrections and conversations wait for it")
    if "agent.model" in uses:
        effects.append("`seasoned chat` cannot answer")
    elif "agent.fallback" in uses:
        effects.append("there is one fallback less")
    return f"{' and '.join(effects)}: start its server, or correct {', '.join(uses)}"
