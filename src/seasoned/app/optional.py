"""Parts that the settings may leave out, and those that may be missing."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from seasoned.core.errors import ConfigError, Unsupported

if TYPE_CHECKING:
    from seasoned.channels.notifying import Notifying
    from seasoned.config import Configuration
    from seasoned.db.database import Database
    from seasoned.learning.lessons import LessonStore
    from seasoned.learning.propagation import Propagation
    from seasoned.llm.embedder import Embedder
    from seasoned.recall.graph_rag import GraphRag

log = logging.getLogger("seasoned.app")


def notices_of(config: Configuration) -> Notifying | None:
    """Who is told of new rules; a channel that cannot be used is said, and the rest goes on."""
    from seasoned.channels.notifiers import notifier_from
    from seasoned.channels.notifying import Notifying

    try:
        notifier = notifier_from(config.settings.notify)
    except ConfigError as error:
        log.warning("nobody is told of new rules: %s", error)
        return None
    return Notifying(notifier) if notifier is not None else None


def propagation_of(config: Configuration, lessons: LessonStore) -> Propagation:
    from seasoned.learning.propagation import Propagation, PropagationConfig

    rate = config.settings.graph.propagation_rate
    threshold = config.settings.agent.auto_apply_confidence
    return Propagation(lessons, PropagationConfig(rate, threshold))


def graph_rag_of(config: Configuration, db: Database, lessons: LessonStore) -> GraphRag | None:
    if not config.settings.graph.enabled:
        return None
    from seasoned.graph.store import GraphStore
    from seasoned.recall.graph_rag import GraphRag, GraphRagConfig

    threshold = config.settings.agent.auto_apply_confidence
    return GraphRag(GraphStore(db), lessons, GraphRagConfig(least_confidence=threshold))


def embedder_of(config: Configuration) -> tuple[Embedder | None, str]:
    """The embedder that the settings ask for; else why there is none, and words must do."""
    from seasoned.llm.cached import Cached
    from seasoned.llm.embedders import embedder_from
    from seasoned.llm.sifted import Sifted

    try:
        embedder = embedder_from(config.settings.embedding)
    except Unsupported as error:
        log.warning("search by meaning is off: %s", error)
        return None, str(error)
    if embedder is None:
        return None, "embedding.provider is none"
    return Cached(Sifted(embedder)), ""
