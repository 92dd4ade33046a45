"""Run a model from a file of weights (GGUF) in this process: no network, no key, no bill.

llama.cpp serves it on a loopback port whose key only this process has. A file is loaded once, at
the first question, and freed at the end of the process.
"""

import atexit
import os
import secrets
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio.to_thread
from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings

from seasoned.core.errors import ConfigError, ModelError
from seasoned.core.extras import missing_extra

MAGIC = b"GGUF"
CONTEXT_TOKENS = 8192
TIMEOUT_SECONDS = 600.0  # a CPU writes a dozen tokens a second
NOWHERE = "http://127.0.0.1:9/v1"  # the address until the file is loaded


@dataclass(frozen=True, slots=True)
class WeightServer:
    """A loaded file, and the address and key of its server."""

    url: str
    key: str = field(repr=False)
    server: Any = field(repr=False)


_servers: dict[tuple[Path, int], WeightServer] = {}
_loading = threading.Lock()


class LocalModel(OpenAIChatModel):
    """A file of weights; its answers can be enforced by a JSON schema."""

    def __init__(self, path: Path, threads: int, settings: ModelSettings | None = None) -> None:
        profile = OpenAIModelProfile(
            supports_json_schema_output=True,
            supports_json_object_output=True,
            default_structured_output_mode="native",
            openai_supports_strict_tool_definition=False,
        )
        provider = OpenAICompatibleProvider("local", base_url=NOWHERE, api_key="none")
        given: ModelSettings = {**(settings or ModelSettings()), "timeout": TIMEOUT_SECONDS}
        super().__init__(path.stem, provider=provider, profile=profile, settings=given)
        self.path = path
        self.threads = threads

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        await self._begin()
        return await super().request(messages, model_settings, model_request_parameters)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        await self._begin()
        async with super().request_stream(
            messages, model_settings, model_request_parameters, run_context
        ) as stream:
            yield stream

    async def _begin(self) -> None:
        served = await anyio.to_thread.run_sync(load_weights, self.path, self.threads)
        self.client.base_url, self.client.api_key = served.url, served.key


def local_model(
    path: str, *, threads: int = 0, settings: ModelSettings | None = None
) -> LocalModel:
    """Return the model in a file; raise `ConfigError` if the file cannot be one."""
    file = Path(path).expanduser().absolute()
    try:
        with file.open("rb") as weights:
            begins = weights.read(len(MAGIC))
    except OSError as error:
        raise ConfigError(
            f"local:{path}: the weights cannot be read ({error.strerror}); "
            "name a file that ends in .gguf"
        ) from error
    if begins != MAGIC:
        raise ConfigError(f"local:{path} is not a GGUF file; llama.cpp reads no other")
    _import_library()
    return LocalModel(file, threads or max(1, (os.cpu_count() or 2) - 1), settings)


def load_weights(path: Path, threads: int) -> WeightServer:
    """Load a file once; concurrent callers wait for it."""
    with _loading:
        if (path, threads) not in _servers:
            _servers[path, threads] = _start(path, threads)
        return _servers[path, threads]


def stop_serving() -> None:
    """Free all loaded files; a later question loads its file again."""
    with _loading:
        _servers.clear()


def _start(path: Path, threads: int) -> WeightServer:
    xllamacpp = _import_library()
    key = secrets.token_urlsafe(24)
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.api_keys = [key]
    parameters.ui = False
    parameters.warmup = False
    parameters.verbosity = 0
    try:
        server = xllamacpp.Server(parameters)
    except Exception as error:  # the library raises anything for a bad file
        raise ModelError(f"{path} cannot be loaded ({error}); is the file whole?") from error
    atexit.register(stop_serving)
    return WeightServer(f"{server.listening_address}/v1", key, server)


def _import_library() -> Any:
    try:
        import xllamacpp  # comes with the extra `local`
    except ImportError as error:
        need = "local models need xllamacpp, which is not installed"
        raise missing_extra("local", need) from error
    return xllamacpp
