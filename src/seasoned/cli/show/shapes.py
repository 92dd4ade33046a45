"""Lessons, errors, hints and recalled entries as JSON, with the same names in every command."""

from typing import Any

from seasoned.core.clock import iso
from seasoned.errors.error_store import KnownError
from seasoned.fixes.hint import Hint
from seasoned.lessons.lesson import Evidence, Lesson
from seasoned.recall.context import ContextEntry, ContextLesson
from seasoned.transcripts.item import TranscriptProblem


def lesson_shape(lesson: Lesson) -> dict[str, Any]:
    tenant, project, user, session = lesson.scope.fields()
    return {
        "id": lesson.id,
        "kind": lesson.kind,
        "status": lesson.status,
        "trigger": lesson.trigger,
        "content": lesson.content,
        "confidence": round(lesson.confidence, 4),
        "worked": lesson.belief.worked,
        "failed": lesson.belief.failed,
        "source": lesson.source,
        "trust": lesson.trust,
        "tool": lesson.fix.tool if lesson.fix else None,
        "error": lesson.fix.error_id if lesson.fix else None,
        "scope": {"tenant": tenant, "project": project, "user": user, "session": session},
        "created": iso(lesson.created_at),
        "updated": iso(lesson.updated_at),
        "times_given": lesson.times_given,
        "superseded_by": lesson.superseded_by,
    }


def kind_of(lesson: Lesson) -> str:
    """Return a lesson's kind for people; a bad example shows what not to do."""
    is_bad = lesson.example is not None and lesson.example.polarity == "negative"
    return f"bad {lesson.kind}" if is_bad else lesson.kind


def error_shape(error: KnownError) -> dict[str, Any]:
    return {
        "id": error.id,
        "tool": error.tool,
        "pattern": error.template,
        "category": error.category,
        "seen": error.seen,
        "first_seen": iso(error.first_seen_at),
        "last_seen": iso(error.last_seen_at),
    }


def evidence_shape(evidence: Evidence) -> dict[str, Any]:
    return {
        "at": iso(evidence.at),
        "reason": evidence.reason,
        "worked": evidence.worked,
        "failed": evidence.failed,
        "session": evidence.session,
        "quote": evidence.quote,
    }


def entry_shape(entry: ContextEntry) -> dict[str, Any]:
    match, lesson = entry.match, entry.lesson
    likeness = match.likeness if match else None
    return {
        "layer": entry.layer,
        "line": entry.line,
        "score": round(entry.score, 4),
        "covered": round(match.covered, 4) if match else None,
        "likeness": round(likeness, 4) if likeness is not None else None,
        "confidence": round(lesson.confidence, 4) if lesson else None,
        "source": entry.source,
        "lesson": lesson.id if lesson else None,
        "why": entry.why,
    }


def recalled_shape(recalled: ContextLesson) -> dict[str, Any]:
    return {
        "score": round(recalled.score, 4),
        "why": recalled.why,
        **lesson_shape(recalled.lesson),
    }


def hint_shape(hint: Hint) -> dict[str, Any]:
    return {
        "lesson": hint.lesson,
        "text": hint.text,
        "confidence": round(hint.confidence, 4),
        "params": hint.params,
        "source": hint.source,
        "steps": [{"tool": tool, "params": params} for tool, params in hint.steps],
        "trigger": hint.trigger,
        "similarity": round(hint.similarity, 4),
    }


def problem_shape(problem: TranscriptProblem) -> dict[str, Any]:
    return {"file": str(problem.path), "line": problem.line or None, "reason": problem.reason}
