"""Joins the parts: which fact wakes which worker, and who is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seasoned.core.events import (
    Corrected,
    LessonChanged,
    LessonLearned,
    RuleConflicted,
    RuleLearned,
    SessionEnded,
    ToolFinished,
    TurnEnded,
)

if TYPE_CHECKING:
    from seasoned.app.app import App
    from seasoned.llm.embedder import Embedder


def join(app: App, embedder: Embedder | None) -> None:
    """Subscribes whoever works on what happened."""
    bus, settings = app.bus, app.config.settings
    bus.subscribe(Corrected, lambda _: app.nudge("corrections"))
    if settings.knowledge.enabled:
        for ended in (TurnEnded, SessionEnded):
            bus.subscribe(ended, lambda _: app.nudge("conversations"))
    if settings.skills.enabled:
        bus.subscribe(TurnEnded, lambda _: app.nudge("skills"))
        app.retriever.sources.provide(
            "skills",
            lambda request: app.skills.lines(request),  # noqa: PLW0108 - there are none yet
            when=lambda: app.skills.may_have_some,
        )
    if settings.memory.enabled:
        bus.subscribe(TurnEnded, lambda _: app.nudge("memory"))
        bus.subscribe(TurnEnded, lambda _: app.remember())
    if settings.librarian.enabled and settings.llm.model:
        bus.subscribe(TurnEnded, lambda _: app.nudge("librarian"))
    # Only the first that waits wakes the worker: to be observed must stay cheap.
    bus.subscribe(
        ToolFinished,
        lambda call: app.nudge("performance") if app.performance.gather(call) else None,
    )
    if app.notices is not None:
        from seasoned.channels.notices import conflict_notice, rule_notice

        bus.subscribe(RuleLearned, lambda event: tell(rule_notice(event)))
        bus.subscribe(RuleConflicted, lambda event: tell(conflict_notice(event)))
        tell = app.notices.notify
    for event in (LessonLearned, LessonChanged):
        if embedder is not None:
            bus.subscribe(event, lambda _: app.nudge("embedding"))
        if settings.graph.enabled:
            bus.subscribe(event, lambda _: app.nudge("graph"))
    if embedder is not None and not embedder.local:
        bus.subscribe(ToolFinished, lambda call: app.nudge("embedding") if call.error else None)
    if settings.graph.enabled:
        bus.subscribe(ToolFinished, lambda call: app.nudge("graph") if call.error else None)
