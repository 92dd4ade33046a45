"""Picks the model that the agent talks to: a chain that is supervised, and redacted where asked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from seasoned.core.clock import Clock
from seasoned.db.database import Database
from seasoned.llm.credentials import credentials_from
from seasoned.llm.prices import Price
from seasoned.llm.providers import ChatConfig, ChatModel, chat_models

if TYPE_CHECKING:
    from pydantic_ai.models import Model


class AgentSettings(Protocol):
    """The part of the section `agent` that says which models, and what they may cost."""

    @property
    def model(self) -> str: ...
    @property
    def fallback(self) -> str: ...
    @property
    def daily_budget_usd(self) -> float: ...


class LlmSettings(Protocol):
    """The section `llm`: its address, key and price belong to the model that it names."""

    @property
    def model(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def timeout_seconds(self) -> float: ...
    @property
    def input_usd_per_million(self) -> float: ...
    @property
    def output_usd_per_million(self) -> float: ...


def agent_model(
    agent: AgentSettings,
    llm: LlmSettings,
    *,
    db: Database,
    clock: Clock,
    redact: bool = False,
    environment: Mapping[str, str] | None = None,
) -> "Model | None":
    """The model to talk to; None where the settings name none.

    `environment` has the providers' keys. Raises `ConfigError` when the settings cannot be used.
    `status()` of what is returned tells what became of the questions.
    """
    chain = agent_chain(agent, llm, environment)
    return attended(chain, agent, db=db, clock=clock, redact=redact) if chain else None


def attended(
    chain: "Sequence[ChatModel | Model]",
    agent: AgentSettings,
    *,
    db: Database,
    clock: Clock,
    redact: bool = False,
) -> "Model":
    """Models behind a supervisor, and behind what keeps personal data here if that is wanted."""
    from seasoned.llm.daily_budget import DailyBudget
    from seasoned.llm.redacting import Redacting
    from seasoned.llm.supervisor import Supervised

    budget = DailyBudget(db, clock, daily_usd=agent.daily_budget_usd)
    supervised = Supervised(chain, budget=budget, clock=clock)
    return Redacting(supervised) if redact else supervised


def agent_chain(
    agent: AgentSettings, llm: LlmSettings, environment: Mapping[str, str] | None = None
) -> list[ChatModel]:
    """The agent's own model, else that of the section `llm`; then those to go on with."""
    first = agent.model.strip() or llm.model.strip()
    if not first:
        return []
    named = llm.model.strip() or first
    credentials = credentials_from(named, llm.url, llm.key, environment)
    chats = chat_models(f"{first},{agent.fallback}", credentials, ChatConfig(llm.timeout_seconds))
    given = Price(llm.input_usd_per_million, llm.output_usd_per_million)
    if given.free:  # nobody gave a price
        return chats
    provider = f"{named.partition(':')[0].strip()}:"
    return [
        replace(chat, price=given) if chat.name.startswith(provider) else chat for chat in chats
    ]
