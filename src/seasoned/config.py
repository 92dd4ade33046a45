"""Typed settings: defaults, a TOML profile, `SEASONED_*` variables.

The only reader of the environment. Every key is accepted in camelCase as documented, in
snake_case, and as `SEASONED_SECTION__KEY`. What is unknown or out of range is an error that
names the key.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel, to_snake

from seasoned.core.errors import ConfigError

PREFIX = "SEASONED_"
SECTION_SEPARATOR = "__"


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class KnowledgeConfig(Section):
    enabled: bool = True
    max_context_per_layer: int = Field(default=3, ge=0)
    analysis_turn_threshold: int = Field(default=5, ge=1)
    analysis_token_threshold: int = Field(default=2000, ge=1)
    context_tokens: int = Field(default=1200, ge=0, description="what recall may add to a prompt")


class AgentConfig(Section):
    error_correction_enabled: bool = True
    auto_apply_confidence: float = Field(default=0.7, ge=0, le=1)


class GraphConfig(Section):
    enabled: bool = False
    propagation_rate: float = Field(default=0.3, ge=0, le=1)
    batch: int = Field(default=64, ge=1)


class BehavioralConfig(Section):
    enabled: bool = True
    interval_seconds: float = Field(default=120, gt=0)
    queue_cap: int = Field(default=50, ge=1)
    duplicate_overlap: float = Field(default=0.60, ge=0, le=1)
    conflict_overlap: float = Field(default=0.35, ge=0, le=1)


class SessionConfig(Section):
    min_messages: int = Field(default=4, ge=0)
    sample_above: int = Field(default=20, ge=1)
    idle_minutes: float = Field(default=30, gt=0)


class MemoryConfig(Section):
    observe_tokens: int = Field(default=1000, ge=1)
    reflect_tokens: int = Field(default=2000, ge=1)
    max_reflections: int = Field(default=5, ge=0)
    max_observations: int = Field(default=20, ge=0)
    budget_tokens: int = Field(default=4000, ge=0)


class LibrarianConfig(Section):
    min_observations: int = Field(default=2, ge=0)
    cooldown_turns: int = Field(default=3, ge=0)
    max_pending: int = Field(default=2, ge=0)


class EmbeddingConfig(Section):
    batch: int = Field(default=32, ge=1)


class BufferSettings(Section):
    flush_seconds: float = Field(default=2, gt=0)
    capacity: int = Field(default=256, ge=1)


class ApprovalConfig(Section):
    policy: Literal["dangerous", "all", "configured", "none"] = "dangerous"
    timeout_seconds: float = Field(default=30, gt=0)


class TrialConfig(Section):
    candidate_holdout: float = Field(default=0.5, ge=0, le=1)
    active_holdout: float = Field(default=0.1, ge=0, le=1)
    proven_holdout: float = Field(default=0.02, ge=0, le=1)


class LlmConfig(Section):
    daily_budget_usd: float = Field(default=1.00, ge=0)


class ServerConfig(Section):
    host: str = "127.0.0.1"
    port: int = Field(default=8420, ge=0, le=65535)


class QueueConfig(Section):
    url: str = ""


class DatabaseConfig(Section):
    url: str = Field(default="", description="empty: seasoned.db in the home folder")
    busy_seconds: float = Field(default=5, ge=0)


class Settings(Section):
    knowledge: KnowledgeConfig = KnowledgeConfig()
    agent: AgentConfig = AgentConfig()
    graph: GraphConfig = GraphConfig()
    behavioral: BehavioralConfig = BehavioralConfig()
    session: SessionConfig = SessionConfig()
    memory: MemoryConfig = MemoryConfig()
    librarian: LibrarianConfig = LibrarianConfig()
    embedding: EmbeddingConfig = EmbeddingConfig()
    buffer: BufferSettings = BufferSettings()
    approval: ApprovalConfig = ApprovalConfig()
    trial: TrialConfig = TrialConfig()
    llm: LlmConfig = LlmConfig()
    server: ServerConfig = ServerConfig()
    queue: QueueConfig = QueueConfig()
    database: DatabaseConfig = DatabaseConfig()


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings, where each came from, and the home folder."""

    settings: Settings
    home: Path
    profile: Path
    origins: Mapping[str, str]

    @property
    def database_url(self) -> str:
        return self.settings.database.url or str(self.home / "seasoned.db")

    def rows(self) -> list[tuple[str, Any, str]]:
        """Each key in its documented spelling, its value, and its origin."""
        return [
            (key, getattr(getattr(self.settings, section), name), self.origins.get(key, "default"))
            for section, name, key in _keys()
        ]


def load(
    environment: Mapping[str, str] | None = None, profile: Path | None = None
) -> Configuration:
    """The settings in force: a variable beats the profile, the profile beats the default."""
    variables = os.environ if environment is None else environment
    home = Path(variables.get("SEASONED_HOME") or "~/.seasoned").expanduser()
    chosen = profile or Path(variables.get("SEASONED_PROFILE") or home / "seasoned.toml")
    values: dict[str, dict[str, Any]] = {}
    origins: dict[str, str] = {}
    for layer, origin in (
        (_from_profile(chosen, required=profile is not None), str(chosen)),
        (_from_variables(variables), "environment"),
    ):
        for section, name, key, value in layer:
            values.setdefault(section, {})[name] = value
            origins[key] = origin
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        raise ConfigError(_complaint(error, origins)) from error
    return Configuration(settings, home, chosen, origins)


def _keys() -> list[tuple[str, str, str]]:
    return [
        (section, name, f"{section}.{to_camel(name)}")
        for section, field in Settings.model_fields.items()
        for name in cast("type[Section]", field.annotation).model_fields
    ]


Setting = tuple[str, str, str, Any]  # section, name, documented key, value


def _from_profile(path: Path, *, required: bool) -> list[Setting]:
    if not path.exists() and not required:
        return []
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"cannot read the profile {path}: {error}") from error
    found: list[Setting] = []
    for section, entries in content.items():
        if not isinstance(entries, dict):
            raise ConfigError(f"{path}: {section!r} must be a table, like [{section}]")
        for name, value in cast("dict[str, Any]", entries).items():
            found.append(_setting(to_snake(section), to_snake(name), value, str(path)))
    return found


def _from_variables(variables: Mapping[str, str]) -> list[Setting]:
    found: list[Setting] = []
    for variable, value in sorted(variables.items()):
        if variable.startswith(PREFIX) and SECTION_SEPARATOR in variable:
            section, _, name = variable[len(PREFIX) :].partition(SECTION_SEPARATOR)
            found.append(_setting(section.lower(), name.lower(), value, variable))
    return found


def _setting(section: str, name: str, value: Any, origin: str) -> Setting:
    known = {(s, n): key for s, n, key in _keys()}
    squeezed = {(s, n.replace("_", "")): n for s, n in known}
    name = squeezed.get((section, re.sub("_", "", name)), name)
    if (section, name) not in known:
        raise ConfigError(
            f"{origin}: there is no setting {section}.{to_camel(name)}; "
            "`seasoned config show` lists those there are"
        )
    return section, name, known[section, name], value


def _complaint(error: ValidationError, origins: Mapping[str, str]) -> str:
    first = error.errors()[0]
    section, name = (str(part) for part in first["loc"][:2])
    key = f"{section}.{to_camel(name)}"
    return f"{key} = {first['input']!r} (from {origins.get(key, 'default')}): {first['msg']}"
