"""`s.librarian`: what it would be good to know; see it, answer it, or say that it is not wanted."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seasoned.core.errors import ConfigError
from seasoned.core.scope import Scope
from seasoned.core.waiting import begun, waited
from seasoned.faces.driving import Driven, Run, sync

if TYPE_CHECKING:
    from seasoned.app import App
    from seasoned.memory.inquiry import Inquiry
    from seasoned.memory.librarian import Looked
    from seasoned.memory.session import Session

LONGEST_SECONDS = 3600.0
ALL = 1000


class AsyncLibrarian:
    def __init__(self, app: "App", scope: Scope, run: Run) -> None:
        from seasoned.memory.inquiry_store import InquiryStore

        self._app = app
        self._scope = scope
        self._run = run
        self._inquiries = InquiryStore()

    async def list(self, *, status: str | None = None, limit: int = 50) -> "Sequence[Inquiry]":
        """The inquiries there are, the latest first; `status` is pending, resolved, dismissed."""

        async def listed() -> "Sequence[Inquiry]":
            async with self._app.db.read() as tx:
                return await self._inquiries.list(tx, self._scope, status, limit)

        return await self._run(listed())

    async def get(self, name: str) -> "Inquiry":
        """One inquiry, by its id or the beginning of it."""

        async def found() -> "Inquiry":
            async with self._app.db.read() as tx:
                return await self._inquiries.get(tx, name, self._scope)

        return await self._run(found())

    async def answer(self, name: str, text: str) -> "Inquiry":
        """Answers an inquiry: the answer is a fact from now on, and nobody is asked for it."""
        return await self._run(self._app.librarian.answer(name, text, self._scope))

    async def dismiss(self, name: str) -> "Inquiry":
        """Says that it is not to be asked, nor anything like it."""
        return await self._run(self._app.librarian.dismiss(name, self._scope))

    async def ask(self, session: str | None = None) -> "Looked":
        """Looks now, without waiting for more turns, at one session or all: what to ask?"""
        from seasoned.memory.librarian import Looked

        librarian = self._app.librarian
        if librarian.model is None:
            raise ConfigError(
                "the librarian needs a model to find questions; set llm.model, as openai:NAME"
            )
        meant = await self._run(self._meant(session))

        def every() -> "list[Looked]":
            return [looked for one in meant if (looked := librarian.look(one, early=True))]

        found = await waited(begun(every), LONGEST_SECONDS)
        if not self._app.db.is_here():
            self._app.bus.deliver()
        return Looked(
            [inquiry for one in found for inquiry in one.asked],
            [inquiry for one in found for inquiry in one.resolved],
        )

    async def _meant(self, session: str | None) -> "Sequence[Session]":
        from seasoned.memory.session_store import SessionStore

        async with self._app.db.read() as tx:
            if session is not None:
                return [await SessionStore().named(tx, self._scope, session)]
            return await SessionStore().list(tx, self._scope, ALL)


class Librarian(Driven[AsyncLibrarian]):
    """The same for synchronous code."""

    list = sync(AsyncLibrarian.list)
    get = sync(AsyncLibrarian.get)
    answer = sync(AsyncLibrarian.answer)
    dismiss = sync(AsyncLibrarian.dismiss)
    ask = sync(AsyncLibrarian.ask)
