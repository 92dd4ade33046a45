"""`AsyncSeasoned`: all of it together, and the rooms that have a face of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from seasoned.core.events import Event
from seasoned.facade.looking import Looking
from seasoned.facade.talking import Talking

if TYPE_CHECKING:
    from seasoned.faces.adaptation import AsyncAdaptation
    from seasoned.faces.corrections import AsyncCorrections
    from seasoned.faces.examples import AsyncExamples
    from seasoned.faces.experiences import AsyncExperiences
    from seasoned.faces.feedback import AsyncFeedback
    from seasoned.faces.graph import AsyncGraph
    from seasoned.faces.knowledge import AsyncKnowledge
    from seasoned.faces.librarian import AsyncLibrarian
    from seasoned.faces.memory import AsyncMemory
    from seasoned.faces.rules import AsyncRules
    from seasoned.faces.sessions import AsyncSessions
    from seasoned.faces.skills import AsyncSkills

E = TypeVar("E", bound=Event)


class AsyncSeasoned(Talking, Looking):
    """Learns from what an agent does and recalls it; for code that runs in an event loop.

    `database` is a path, ":memory:" or "postgresql://…"; None takes it from the settings, which
    is `seasoned.db` in `SEASONED_HOME` (`~/.seasoned`) unless they say otherwise.
    """

    def on(self, event: type[E], listener: Callable[[E], object]) -> None:
        """Calls the listener whenever such a fact has happened (see `seasoned.core.events`)."""
        self.app.bus.subscribe(event, listener)

    @property
    def graph(self) -> AsyncGraph:
        """What was learned as a graph: `s.graph.neighbours(…)`."""
        from seasoned.faces.graph import AsyncGraph

        return AsyncGraph(self.app.graph, self.scope, self._run)

    @property
    def rules(self) -> AsyncRules:
        """How the agent is to behave: list, add, edit, activate, deactivate, resolve…"""
        from seasoned.faces.rules import AsyncRules

        return AsyncRules(self.app.rulebook, self.app.search, self.scope, self._run)

    @property
    def skills(self) -> AsyncSkills:
        """Procedures worth repeating: add, load, list, search, adopt, retire, distill…"""
        from seasoned.faces.skills import AsyncSkills

        return AsyncSkills(self.app, self.scope, self._run)

    @property
    def examples(self) -> AsyncExamples:
        """Exchanges that went well, or badly."""
        from seasoned.faces.examples import AsyncExamples

        parts = (self.app.examples, self.app.teacher, self.app.search)
        return AsyncExamples(*parts, self.scope, self._run)

    @property
    def feedback(self) -> AsyncFeedback:
        """What people, the environment and the agent itself think of answers."""
        from seasoned.faces.feedback import AsyncFeedback

        return AsyncFeedback(self.app.feedbacks, self.scope, self._run)

    @property
    def corrections(self) -> AsyncCorrections:
        """What users corrected: pending, history, learn, retry, clear."""
        from seasoned.faces.corrections import AsyncCorrections

        return AsyncCorrections(self.app, self.scope, self._run)

    @property
    def experiences(self) -> AsyncExperiences:
        """What was done in which state and what came of it: add, sample, prioritise, list."""
        from seasoned.faces.experiences import AsyncExperiences

        return AsyncExperiences(self.app.experiences, self.scope, self._run)

    @property
    def adaptation(self) -> AsyncAdaptation:
        """Choosing by what was earned; its methods stand below as well."""
        from seasoned.faces.adaptation import AsyncAdaptation

        return AsyncAdaptation(self.app, self.scope, self._run)

    @property
    def adapt(self):
        """Chooses between variants by what they earned: `s.adapt("search", "ucb1")`."""
        return self.adaptation.adapt

    @property
    def reward(self):
        """Says what a variant earned: `s.reward("search", "bm25", 1.0)`."""
        return self.adaptation.reward

    @property
    def stats(self):
        """How skills and tools perform: `s.stats(days=7)`."""
        return self.adaptation.stats

    @property
    def evaluate(self):
        """What a strategy would have earned on what was logged: `s.evaluate("thompson")`."""
        return self.adaptation.evaluate

    @property
    def knowledge(self) -> AsyncKnowledge:
        """Documents that the agent may draw on: add, list, get, search, update, remove."""
        from seasoned.faces.knowledge import AsyncKnowledge

        return AsyncKnowledge(self.app.library, self.app.search, self.scope, self._run)

    @property
    def sessions(self) -> AsyncSessions:
        """The conversations that agents had: list, messages, turns, end, delete."""
        from seasoned.faces.sessions import AsyncSessions

        return AsyncSessions(self.app, self.scope, self._run)

    @property
    def memory(self) -> AsyncMemory:
        """What is remembered of conversations: list, show, observe, reflect, clear."""
        from seasoned.faces.memory import AsyncMemory

        return AsyncMemory(self.app, self.scope, self._run)

    @property
    def librarian(self) -> AsyncLibrarian:
        """What it would be good to know: list, answer, dismiss, ask."""
        from seasoned.faces.librarian import AsyncLibrarian

        return AsyncLibrarian(self.app, self.scope, self._run)
