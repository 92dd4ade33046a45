"""Memory and inquiries as JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from seasoned.core.clock import iso

if TYPE_CHECKING:
    from seasoned.api.memory import MemoryReport, MemoryStory, SessionMemory
    from seasoned.memory.inquiries import Inquiry
    from seasoned.memory.observation import Observation, Reflection
    from seasoned.sessions.session import Session


def session_memory_shape(one: "SessionMemory") -> dict[str, Any]:
    counts = {"observations": one.observations, "reflections": one.reflections}
    return _session_shape(one.session) | counts


def story_shape(story: "MemoryStory") -> dict[str, Any]:
    return _session_shape(story.session) | {
        "summary": story.session.summary,
        "observations": [observation_shape(one) for one in story.observations],
        "reflections": [reflection_shape(one) for one in story.reflections],
    }


def _session_shape(session: "Session") -> dict[str, Any]:
    return {
        "session": session.name,
        "user": session.scope.user,
        "messages": session.last_seq,
        "observed_to": session.observed_to,
        "compacted_to": session.compacted_to,
        "active": iso(session.active_at),
    }


def observation_shape(one: "Observation") -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind,
        "text": one.text,
        "messages": [one.from_seq, one.to_seq],
        "open": one.binding,
        "made_by": one.made_by,
        "reflection": one.reflection or None,
        "at": iso(one.at),
    }


def reflection_shape(one: "Reflection") -> dict[str, Any]:
    return {
        "id": one.id,
        "text": one.text,
        "generation": one.generation,
        "consolidated_in": one.consolidated_in or None,
        "made_by": one.made_by,
        "at": iso(one.at),
    }


def memory_report_shape(report: "MemoryReport") -> dict[str, Any]:
    return asdict(report)


def inquiry_shape(one: "Inquiry") -> dict[str, Any]:
    tenant, project, user, _ = one.scope.fields()
    return {
        "id": one.id,
        "status": one.status,
        "question": one.question,
        "reason": one.reason,
        "answer": one.answer or None,
        "lesson": one.lesson or None,
        "scope": {"tenant": tenant, "project": project, "user": user},
        "asked": iso(one.asked_at),
        "resolved": iso(one.resolved_at) if one.resolved_at is not None else None,
    }
