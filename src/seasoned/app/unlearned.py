"""Corrections that hold in their own session only, until the worker has learned from them.

Without a model that takes milliseconds, so another session of the same user need not begin without
them: its recall lets the worker begin at once, and waits for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from itertools import count

from seasoned.core.events import Corrected
from seasoned.core.scope import Scope
from seasoned.core.threads import Buffer, may_block, run_in_thread, wait_for

LONGEST_WAIT = 1.0  # seconds; an agent that waits for its prompt waits no longer


class Unlearned:
    """The sessions whose corrections wait, by user; empty at nearly all times."""

    def __init__(self, worker: Callable[[], Buffer]) -> None:
        self._worker = worker
        self._sessions: dict[tuple[str, str, str], int] = {}  # when each was corrected last
        self._serials = count()
        self._lock = threading.Lock()

    def note(self, event: Corrected) -> None:
        with self._lock:
            scope = event.scope
            self._sessions[scope.tenant, scope.user, scope.session] = next(self._serials)

    def while_learning(self, work: Callable[[int], int], most: int) -> int:
        """Do the worker's work; then strike out the sessions that waited when it began."""
        with self._lock:
            begun = next(self._serials)
        done = work(most)
        with self._lock:
            self._sessions = {
                session: said for session, said in self._sessions.items() if said > begun
            }
        return done

    async def learn_from_others(self, session: Scope) -> None:
        """Wait until the corrections of this user's other sessions are learned from."""
        with self._lock:
            others = any(
                (tenant, user) == (session.tenant, session.user) and name != session.session
                for tenant, user, name in self._sessions
            )
        if others:
            await self.learn()

    async def learn(self) -> None:
        """Wait, but not for long, until all that waits is learned from."""
        if not self._sessions:
            return
        worker = self._worker()
        if may_block():
            worker.settle(LONGEST_WAIT)
        else:
            with suppress(TimeoutError):
                await wait_for(run_in_thread(worker.settle, LONGEST_WAIT), 2 * LONGEST_WAIT)
