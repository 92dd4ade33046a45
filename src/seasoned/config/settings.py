"""Every setting with its default and its limits, a class a section."""

from dataclasses import dataclass, field

from seasoned.lessons.lesson import ACTIVE_FROM

SHARE = {"least": 0, "most": 1}
COUNT = {"least": 0}
POSITIVE = {"above": 0}
SECRET = {"secret": True}  # used, never shown


@dataclass(frozen=True, slots=True)
class KnowledgeConfig:
    enabled: bool = True
    max_context_per_layer: int = field(default=3, metadata=COUNT)
    analysis_turn_threshold: int = field(default=5, metadata=POSITIVE)
    analysis_token_threshold: int = field(default=2000, metadata=POSITIVE)
    context_tokens: int = field(default=1200, metadata=COUNT)  # limit of recall
    deadline_seconds: float = field(default=1.0, metadata=POSITIVE)  # for each part of recall


@dataclass(frozen=True, slots=True)
class AgentConfig:
    error_correction_enabled: bool = True
    auto_apply_confidence: float = field(default=ACTIVE_FROM, metadata=SHARE)
    model: str = ""  # e.g. openai:gpt-5.4-mini; empty: llm.model
    fallback: str = ""  # further models in order, comma-separated
    instructions: str = ""  # start of every system prompt
    tools: str = "knowledge,schedule"  # of files, shell, web, knowledge, schedule
    root: str = ""  # folder of files and shell; empty: the current folder
    mcp: str = ""  # JSON file of MCP servers
    max_steps: int = field(default=25, metadata=POSITIVE)  # model requests per turn
    turn_seconds: float = field(default=300, metadata=POSITIVE)
    turn_tokens: int = field(default=0, metadata=COUNT)  # 0: no limit
    history_tokens: int = field(default=24_000, metadata=POSITIVE)
    daily_budget_usd: float = field(default=0, metadata=COUNT)  # 0: no limit


@dataclass(frozen=True, slots=True)
class GraphConfig:
    enabled: bool = False
    propagation_rate: float = field(default=0.3, metadata=SHARE)
    batch: int = field(default=64, metadata=POSITIVE)


@dataclass(frozen=True, slots=True)
class BehavioralConfig:
    enabled: bool = True
    interval_seconds: float = field(default=120, metadata=POSITIVE)
    delay_seconds: float = field(default=2, metadata=POSITIVE)
    queue_cap: int = field(default=50, metadata=POSITIVE)
    duplicate_overlap: float = field(default=0.60, metadata=SHARE)
    conflict_overlap: float = field(default=0.35, metadata=SHARE)
    second_opinion: str = field(default="embedder", metadata={"one_of": ("embedder", "none")})


@dataclass(frozen=True, slots=True)
class SessionConfig:
    min_messages: int = field(default=4, metadata=COUNT)
    sample_above: int = field(default=20, metadata=POSITIVE)
    idle_minutes: float = field(default=30, metadata=POSITIVE)
    keep_days: float = field(default=0, metadata=COUNT)  # after its end; 0: for good


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    enabled: bool = True
    observe_tokens: int = field(default=1000, metadata=POSITIVE)
    reflect_tokens: int = field(default=2000, metadata=POSITIVE)
    max_reflections: int = field(default=5, metadata=COUNT)
    max_observations: int = field(default=20, metadata=COUNT)
    budget_tokens: int = field(default=4000, metadata=COUNT)


@dataclass(frozen=True, slots=True)
class LibrarianConfig:
    enabled: bool = True
    min_observations: int = field(default=2, metadata=COUNT)
    cooldown_turns: int = field(default=3, metadata=COUNT)
    max_pending: int = field(default=2, metadata=COUNT)


@dataclass(frozen=True, slots=True)
class EmbeddingConfig:
    provider: str = field(
        default="wordllama",
        metadata={"one_of": ("wordllama", "minilm", "openai", "gemini", "ollama", "none")},
    )
    model: str = ""  # empty: the provider's default
    url: str = ""  # empty: the provider's own address
    key: str = field(default="", repr=False, metadata=SECRET)
    dimensions: int = field(default=0, metadata=COUNT)  # 0: as the model returns them
    timeout_seconds: float = field(default=10, metadata=POSITIVE)
    batch: int = field(default=32, metadata=POSITIVE)


@dataclass(frozen=True, slots=True)
class BufferSettings:
    flush_seconds: float = field(default=2, metadata=POSITIVE)
    capacity: int = field(default=256, metadata=POSITIVE)


@dataclass(frozen=True, slots=True)
class ApprovalConfig:
    policy: str = field(
        default="dangerous", metadata={"one_of": ("dangerous", "all", "configured", "none")}
    )
    timeout_seconds: float = field(default=30, metadata=POSITIVE)
    sensitive: str = ""  # tools that always need approval, comma-separated
    exempt: str = ""  # tools that never need it


@dataclass(frozen=True, slots=True)
class SkillsConfig:
    enabled: bool = True
    distill_after: int = field(default=3, metadata=POSITIVE)  # successes of the same procedure


@dataclass(frozen=True, slots=True)
class PrivacyConfig:
    redact: bool = False  # keep personal data from providers
    literal_witnesses: int = field(default=2, metadata=POSITIVE)  # sessions that share a literal


@dataclass(frozen=True, slots=True)
class TrialConfig:
    """Planned: shares of turns that go without a lesson, to measure its effect. No effect yet."""

    candidate_holdout: float = field(default=0.5, metadata=SHARE)
    active_holdout: float = field(default=0.1, metadata=SHARE)
    proven_holdout: float = field(default=0.02, metadata=SHARE)


@dataclass(frozen=True, slots=True)
class LlmConfig:
    model: str = ""  # e.g. openai:gpt-5.4-mini; empty: learn without a model
    url: str = ""  # empty: the provider's own address
    key: str = field(default="", repr=False, metadata=SECRET)
    timeout_seconds: float = field(default=60, metadata=POSITIVE)
    input_usd_per_million: float = field(default=0, metadata=COUNT)  # 0: the list price
    output_usd_per_million: float = field(default=0, metadata=COUNT)
    daily_budget_usd: float = field(default=1.00, metadata=COUNT)


@dataclass(frozen=True, slots=True)
class NotifyConfig:
    channel: str = field(default="log", metadata={"one_of": ("log", "webhook", "chat", "none")})
    url: str = ""
    to: str = ""  # a place in a chat, as telegram:CHAT, for the channel `chat`
    secret: str = field(default="", repr=False, metadata=SECRET)  # signs the notices


@dataclass(frozen=True, slots=True)
class ServerConfig:
    host: str = "127.0.0.1"
    port: int = field(default=8420, metadata={"least": 0, "most": 65535})
    # Agents must send it; empty: the one in the home folder's file `token`.
    token: str = field(default="", repr=False, metadata=SECRET)
    needs_token: bool = True  # False: any program on this machine may teach
    names: str = ""  # under which the host is reached besides localhost, comma-separated
    body_megabytes: int = field(default=32, metadata=POSITIVE)  # of one request
    models: str = ""  # that a chat request may choose besides agent.model, comma-separated
    canary_minutes: float = field(default=15, metadata=COUNT)  # between two; 0: none
    origins: str = ""  # web pages of other origins that may call `serve`, comma-separated
    public_url: str = ""  # under which browsers reach `serve`, e.g. https://learn.example.com


@dataclass(frozen=True, slots=True)
class AuthConfig:
    requests_per_minute: int = field(default=1200, metadata=COUNT)  # of a key or login; 0: no limit
    token_requests_per_minute: int = field(default=60_000, metadata=COUNT)  # of the server's token
    failures_per_minute: int = field(default=30, metadata=POSITIVE)  # wrong keys of one address
    session_hours: float = field(default=12, metadata=POSITIVE)  # of a browser login
    oidc_issuer: str = ""  # e.g. https://login.example.com; empty: no identity provider
    oidc_audience: str = ""  # of accepted tokens, comma-separated; empty: the client id
    oidc_client_id: str = ""  # of the browser login
    oidc_client_secret: str = field(default="", repr=False, metadata=SECRET)
    oidc_role_claim: str = "groups"  # may be a path: realm_access.roles
    oidc_roles: str = ""  # value=role, comma-separated, e.g. staff=learn, ops=admin
    oidc_default_role: str = field(
        default="", metadata={"one_of": ("", "read", "learn", "operate", "admin")}
    )
    oidc_user_claim: str = "sub"
    oidc_tenant_claim: str = ""  # empty: the tenant that the server serves
    oidc_project_claim: str = ""
    oidc_scopes: str = "openid profile email"  # asked for at a browser login
    oidc_leeway_seconds: int = field(default=60, metadata={"least": 0, "most": 600})


@dataclass(frozen=True, slots=True)
class AssistantsConfig:
    idle_minutes: float = field(default=15, metadata=POSITIVE)  # then the local service ends
    start_tokens: int = field(default=600, metadata=COUNT)  # told when a session begins
    prompt_tokens: int = field(default=400, metadata=COUNT)  # told with a prompt


@dataclass(frozen=True, slots=True)
class ProxyConfig:
    """The providers behind the gateway's proxies: base URLs, as their SDKs know them."""

    openai: str = ""  # empty: the provider's own
    anthropic: str = ""
    gemini: str = ""
    learning: bool = True  # False: bytes go through as they are
    # auto: callers from other machines need one
    needs_token: str = field(default="auto", metadata={"one_of": ("auto", "yes", "no")})
    deadline_seconds: float = field(default=0.15, metadata=POSITIVE)  # that learning may take
    timeout_seconds: float = field(default=600, metadata=POSITIVE)  # of silence upstream


@dataclass(frozen=True, slots=True)
class VaultConfig:
    """The encrypted store of secrets and profiles."""

    passphrase_file: str = ""  # readable by its owner alone; empty: keyring, environment, prompt


@dataclass(frozen=True, slots=True)
class TelegramConfig:
    token: str = field(default="", repr=False, metadata=SECRET)  # of the bot; empty: off
    url: str = ""  # empty: Telegram's own
    users: str = ""  # ids or @names that may write, comma-separated; * for everybody
    operators: str = ""  # of these, whose word holds for the whole project


@dataclass(frozen=True, slots=True)
class DiscordConfig:
    token: str = field(default="", repr=False, metadata=SECRET)
    url: str = ""
    users: str = ""
    operators: str = ""


@dataclass(frozen=True, slots=True)
class SlackConfig:
    bot_token: str = field(default="", repr=False, metadata=SECRET)  # xoxb-; empty: off
    app_token: str = field(default="", repr=False, metadata=SECRET)  # xapp-: Socket Mode
    signing_secret: str = field(default="", repr=False, metadata=SECRET)  # events by HTTP
    url: str = ""
    users: str = ""
    operators: str = ""


@dataclass(frozen=True, slots=True)
class HookConfig:
    url: str = ""  # where answers are posted; empty: off
    secret: str = field(default="", repr=False, metadata=SECRET)  # signs both ways
    users: str = ""
    operators: str = ""


@dataclass(frozen=True, slots=True)
class JobsConfig:
    enabled: bool = True
    at_once: int = field(default=5, metadata=POSITIVE)  # scheduled jobs
    background_at_once: int = field(default=3, metadata=POSITIVE)
    steps_at_once: int = field(default=4, metadata=POSITIVE)  # of a workflow
    limit_minutes: float = field(default=30, metadata=POSITIVE)  # of one job
    timezone: str = "UTC"  # of schedules that name none
    deliver: str = "log"  # where reminders go, and results of jobs that name no place
    keep_days: float = field(default=30, metadata=POSITIVE)  # of what ended


@dataclass(frozen=True, slots=True)
class PaymentConfig:
    enabled: bool = False
    network: str = "eip155:84532"  # Base Sepolia, a test network
    key: str = field(default="", repr=False, metadata=SECRET)  # private key of the paying account
    rpc_url: str = field(default="", repr=False, metadata=SECRET)  # of a node; it may hold a key
    most_usd: float = field(default=1.00, metadata=COUNT)  # of one payment
    daily_usd: float = field(default=10.00, metadata=COUNT)
    ask_above_usd: float = field(default=0.10, metadata=COUNT)  # below it nobody is asked


@dataclass(frozen=True, slots=True)
class BackupConfig:
    keep: int = field(default=7, metadata=COUNT)  # of the backups in one folder; 0: all
    cron: str = ""  # when `serve` and `worker` make one, such as 30 2 * * *; empty: never


@dataclass(frozen=True, slots=True)
class QueueConfig:
    url: str = ""


@dataclass(frozen=True, slots=True)
class DatabaseConfig:
    url: str = ""  # empty: seasoned.db in the home folder
    busy_seconds: float = field(default=5, metadata=COUNT)


@dataclass(frozen=True, slots=True)
class Settings:
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
    skills: SkillsConfig = SkillsConfig()
    privacy: PrivacyConfig = PrivacyConfig()
    trial: TrialConfig = TrialConfig()
    llm: LlmConfig = LlmConfig()
    notify: NotifyConfig = NotifyConfig()
    server: ServerConfig = ServerConfig()
    auth: AuthConfig = AuthConfig()
    assistants: AssistantsConfig = AssistantsConfig()
    proxy: ProxyConfig = ProxyConfig()
    vault: VaultConfig = VaultConfig()
    telegram: TelegramConfig = TelegramConfig()
    discord: DiscordConfig = DiscordConfig()
    slack: SlackConfig = SlackConfig()
    hook: HookConfig = HookConfig()
    jobs: JobsConfig = JobsConfig()
    payment: PaymentConfig = PaymentConfig()
    backup: BackupConfig = BackupConfig()
    queue: QueueConfig = QueueConfig()
    database: DatabaseConfig = DatabaseConfig()
