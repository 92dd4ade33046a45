"""`s.librarian`: list, answer and dismiss open questions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seasoned.api.face import AsyncFace, RunWork, SyncFace, sync
from seasoned.core.errors import ConfigError
from seasoned.core.threads import run_in_thread, wait_for
from seasoned.memory.inquiries import InquiryStore
from seasoned.sessions.session_store import SessionStore

if TYPE_CHECKING:
    from seasoned.app import App
    from seasoned.core.authority import Caller
    from seasoned.db.keyset import Place
    from seasoned.memory.inquiries import Inquiry
    from seasoned.memory.librarian import LookResult
    from seasoned.sessions.session import Session

ASK_SECONDS = 3600.0  # limit for the model
ALL_SESSIONS = 1000


class AsyncLibrarianFace(AsyncFace):
    """Inquiries of one scope."""

    def __init__(self, app: "App", caller: "Caller", run: RunWork) -> None:
        super().__init__(app, caller, run)
        self._inquiries = InquiryStore()

    async def list(
        self, *, status: str | None = None, limit: int = 50, after: "Place | None" = None
    ) -> "Sequence[Inquiry]":
        """List inquiries, latest first; `status` is pending, resolved or dismissed.

        `after` is the `place` of the last one of the page before.
        """
        return await self._read(
            lambda tx: self._inquiries.list(tx, self._scope, status, limit, after)
        )

    async def get(self, name: str) -> "Inquiry":
        """Return an inquiry by its id or a prefix of it."""
        return await self._read(lambda tx: self._inquiries.get(tx, name, self._caller.realm))

    async def answer(self, name: str, text: str) -> "Inquiry":
        """Answer an inquiry; the answer becomes a fact."""
        return await self._run(self._app.librarian.answer(name, text, self._caller.realm))

    async def dismiss(self, name: str) -> "Inquiry":
        """Drop an inquiry, and do not ask similar ones."""
        return await self._run(self._app.librarian.dismiss(name, self._caller.realm))

    async def ask(self, session: str | None = None) -> "LookResult":
        """Find new questions and answers now, in one session or all, without waiting for turns."""
        from seasoned.memory.librarian import LookResult

        librarian = self._app.librarian
        if librarian.model is None:
            raise ConfigError(
                "the librarian needs a model to find questions; set llm.model, e.g. openai:NAME"
            )
        meant = await self._run(self._sessions_for(session))

        def every() -> "list[LookResult]":
            return [looked for one in meant if (looked := librarian.look(one, early=True))]

        found = await wait_for(run_in_thread(every), ASK_SECONDS)
        if not self._app.db.is_here():
            self._app.bus.deliver()
        return LookResult(
            [inquiry for one in found for inquiry in one.asked],
            [inquiry for one in found for inquiry in one.resolved],
        )

    async def _sessions_for(self, session: str | None) -> "Sequence[Session]":
        async with self._app.db.read() as tx:
            if session is not None:
                return [await SessionStore().seen(tx, self._caller, session)]
            return await SessionStore().list(tx, self._scope, ALL_SESSIONS)


class LibrarianFace(SyncFace[AsyncLibrarianFace]):
    """The synchronous twin."""

    list = sync(AsyncLibrarianFace.list)
    get = sync(AsyncLibrarianFace.get)
    answer = sync(AsyncLibrarianFace.answer)
    dismiss = sync(AsyncLibrarianFace.dismiss)
    ask = sync(AsyncLibrarianFace.ask)
