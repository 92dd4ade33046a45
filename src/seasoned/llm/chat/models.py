"""Build the models that the settings name: the agent's chain, and the background model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from seasoned.core.clock import Clock
from seasoned.db.database import Database
from seasoned.llm.chat.background import BackgroundModel
from seasoned.llm.chat.credentials import credentials_from
from seasoned.llm.chat.providers import (
    ChatConfig,
    ChatModel,
    ModelName,
    chat_model,
    chat_models,
    check_name,
)
from seasoned.llm.cost.prices import Price

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from seasoned.llm.chat.supervisor import Supervised
    from seasoned.llm.model import Model as LearnerModel

# Functions import pydantic-ai and its wrappers when they need them: that takes a second, and a base
# installation doesn't have it.


class AgentSettings(Protocol):
    """The settings of section `agent` that choose its models and limit their cost."""

    @property
    def model(self) -> str: ...
    @property
    def fallback(self) -> str: ...
    @property
    def daily_budget_usd(self) -> float: ...


class LlmSettings(Protocol):
    """Section `llm`: its address, key and price belong to the provider of `model`."""

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
    @property
    def daily_budget_usd(self) -> float: ...


def agent_model(
    agent: AgentSettings,
    llm: LlmSettings,
    *,
    db: Database,
    clock: Clock,
    redact: bool = False,
    environment: Mapping[str, str] | None = None,
    addresses: Mapping[str, str] | None = None,
) -> "Model | None":
    """Return the model that the agent talks to; None if the settings name none.

    `environment` holds the providers' keys, `addresses` their addresses. Raises `ConfigError` for
    settings that cannot work. `status()` of the result reports what became of the requests.
    """
    chain = agent_chain(agent, llm, environment, addresses)
    return supervise(chain, agent, db=db, clock=clock, redact=redact) if chain else None


def supervise(
    chain: "Sequence[ChatModel | Model]",
    agent: AgentSettings,
    *,
    db: Database,
    clock: Clock,
    redact: bool = False,
) -> "Model":
    """Put a chain of models behind a supervisor, and behind redaction if `redact`."""
    from seasoned.llm.chat.redacting import Redacting
    from seasoned.llm.chat.supervisor import Supervised
    from seasoned.llm.cost.daily_budget import DailyBudget

    budget = DailyBudget(db, clock, daily_usd=agent.daily_budget_usd or None)
    supervised = Supervised(chain, budget=budget, clock=clock)
    return Redacting(supervised) if redact else supervised


def agent_chain(
    agent: AgentSettings,
    llm: LlmSettings,
    environment: Mapping[str, str] | None = None,
    addresses: Mapping[str, str] | None = None,
) -> list[ChatModel]:
    """Return the agent's own model, else that of section `llm`; then the fallbacks."""
    first = agent.model.strip() or llm.model.strip()
    if not first:
        return []
    named = llm.model.strip() or first
    credentials = credentials_from(named, llm.url, llm.key, environment, addresses)
    chats = chat_models(f"{first},{agent.fallback}", credentials, ChatConfig(llm.timeout_seconds))
    return [_with_set_price(chat, named, llm) for chat in chats]


def background_model(
    llm: LlmSettings,
    purpose: str,
    *,
    db: Database,
    clock: Clock,
    redact: bool = False,
    environment: Mapping[str, str] | None = None,
    addresses: Mapping[str, str] | None = None,
) -> "LearnerModel | None":
    """Return the model that background learning asks; None if `llm.model` is empty.

    `purpose` is what its cost is booked under. Raises `ConfigError` for a name, address or key that
    cannot work. The clients load when the first question is asked.
    """
    named = llm.model.strip()
    if not named:
        return None
    credentials = credentials_from(named, llm.url, llm.key, environment, addresses)
    check_name(named, credentials)

    def connect() -> "Supervised":
        from seasoned.llm.chat.conceding import Conceding
        from seasoned.llm.chat.supervisor import Supervised, SupervisorConfig
        from seasoned.llm.cost.daily_budget import DailyBudget

        chat = chat_model(named, credentials, ChatConfig(llm.timeout_seconds))
        chat = _with_set_price(replace(chat, model=Conceding(chat.model)), named, llm)
        budget = DailyBudget(db, clock, purpose=purpose, daily_usd=llm.daily_budget_usd)
        config = SupervisorConfig(alternative="llm.model")
        return Supervised([chat], config, budget=budget, clock=clock)

    return BackgroundModel(str(ModelName.of(named)), connect, redact=redact)


def _with_set_price(chat: ChatModel, named: str, llm: LlmSettings) -> ChatModel:
    """Apply the price in the settings, if any, to models of the provider that `named` has."""
    given = Price(llm.input_usd_per_million, llm.output_usd_per_million)
    same_provider = chat.name.startswith(f"{named.partition(':')[0].strip()}:")
    return replace(chat, price=given) if same_provider and not given.free else chat
