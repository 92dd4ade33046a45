"""Ask a chat model from a worker thread, one question at a time, each in its own event loop.

Background learning runs in threads without an event loop; the model clients need one. Here is the
only place where the two meet: `answer` starts a loop, opens the clients, asks, and closes both.
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from seasoned.core.errors import ModelUnavailable
from seasoned.core.extras import install_command
from seasoned.llm.model import ModelAnswer, ModelQuestion

if TYPE_CHECKING:
    from seasoned.llm.chat.supervisor import Supervised

DEFAULT_TIMEOUT_SECONDS = 60.0  # if the model's settings have none


class BackgroundModel:
    """Implement `llm.model.Model` on a supervised chat model, which `connect` builds once.

    With `redact`, no personal data or secret of a question reaches the provider.
    """

    def __init__(
        self, name: str, connect: "Callable[[], Supervised]", *, redact: bool = False
    ) -> None:
        self.name = name
        self._connect = connect
        self._redact = redact
        self._supervised: Supervised | None = None
        self._turn = threading.Lock()  # the clients belong to one event loop at a time

    def status(self) -> list[dict[str, Any]]:
        """Return what became of the latest questions; asks none."""
        return self._supervised.status() if self._supervised is not None else []

    def answer(self, question: ModelQuestion) -> ModelAnswer:
        # pydantic-ai takes a second to import, and a base installation doesn't have it.
        try:
            import anyio
            import pydantic_ai  # noqa: F401  # pyright: ignore[reportUnusedImport]
        except ImportError as missing:
            raise ModelUnavailable(
                f"{self.name} cannot be asked: pydantic-ai is not installed; install the extra "
                f"with: {install_command('llm')}"
            ) from missing
        with self._turn:
            self._supervised = self._supervised or self._connect()
            return anyio.run(self._ask, self._supervised, question)

    async def _ask(self, supervised: "Supervised", question: ModelQuestion) -> ModelAnswer:
        import anyio

        from seasoned.llm.chat.redacting import Redacting
        from seasoned.llm.chat.structured import answer_to
        from seasoned.security.placeholders import Placeholders

        model = Redacting(supervised, Placeholders()) if self._redact else supervised
        seconds = _timeout_seconds(supervised)
        failed_before = supervised.failures
        async with supervised:
            try:
                with anyio.fail_after(seconds):
                    return await answer_to(model, question)
            except TimeoutError as error:
                cause = supervised.last_error if supervised.failures > failed_before else ""
                raise ModelUnavailable(
                    f"{self.name} gave no whole answer within {seconds:g} s "
                    f"({cause or 'timed out'}); it is asked again later, or set "
                    "llm.timeoutSeconds"
                ) from error


def _timeout_seconds(supervised: "Supervised") -> float:
    """Return the time for one question with all its retries: that of the model's settings."""
    timeout = cast("dict[str, Any]", supervised.models[0].settings or {}).get("timeout")
    return timeout if isinstance(timeout, int | float) else DEFAULT_TIMEOUT_SECONDS
