"""The scenes that `seasoned demo` plays: three failing calls and one correction by a user.

No scene holds an answer. Each is played against the lessons learned from the samples: recall, the
failing call, the hint that comes back, and the retry that the hint proposes.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from seasoned.api import Seasoned
from seasoned.cli.show.render import many
from seasoned.cli.show.shapes import hint_shape, recalled_shape
from seasoned.core.text import one_line
from seasoned.fixes.hint import Hint
from seasoned.recall.context import Context
from seasoned.rules.learner import CaseResult


@dataclass(frozen=True, slots=True)
class Scene:
    request: str
    tool: str
    params: Mapping[str, Any]
    error: str
    result: Any = field(default_factory=lambda: {"ok": True})  # of the retry


@dataclass(frozen=True, slots=True)
class PlayedScene:
    scene: Scene
    context: Context
    hint: Hint | None
    confidence_after: float

    @property
    def call(self) -> str:
        return _json(self.scene.params)

    @property
    def retry(self) -> str:
        return _json(self.hint.params) if self.hint and self.hint.params else ""


SCENES = (
    Scene(
        request="How many vouchers were redeemed in April?",
        tool="run_sql",
        params={"query": "select count(*) from vouchers where redeemed_on >= '2025-04-01'"},
        error='UndefinedTable: relation "vouchers" does not exist',
        result=[{"count": 318}],
    ),
    Scene(
        request="Check the types in the billing package",
        tool="Bash",
        params={"command": "mypy src/billing", "description": "Check the types"},
        error="/bin/bash: line 1: mypy: command not found",
        result="Success: no issues found in 14 source files",
    ),
    Scene(
        request="Where is my order 71904?",
        tool="get_order",
        params={"order_id": "71904"},
        error="invalid_id: order id must start with 'ord_', got '71904'",
        result={"id": "ord_71904", "state": "on its way"},
    ),
)


def play(s: Seasoned, scene: Scene) -> PlayedScene:
    """Recall for the request, report the failure, and retry as the hint says."""
    with s.session(f"demo {scene.tool}"):
        context = s.recall(scene.request, tool=scene.tool)
        hint = s.observe(scene.tool, scene.params, error=scene.error)
        if hint and hint.params is not None:
            s.observe(scene.tool, hint.params, scene.result)
    after = s.lesson(hint.lesson).confidence if hint else 0.0
    return PlayedScene(scene, context, hint, after)


def connected(s: Seasoned, lesson: str) -> list[tuple[str, str]]:
    """List what the graph knows of a fix: its errors, their tools and sessions."""
    node = f"fix:{lesson}"
    resolved = s.graph.query(predicate="resolvedBy", object=node)
    taught = s.graph.query(node, "learnedFrom", limit=1000)
    rows: list[tuple[str, str]] = []
    for edge in resolved:
        error = s.graph.labels([edge.subject])[edge.subject]
        met = s.graph.query(edge.subject, "inSession", limit=1000)
        alike = s.graph.query(edge.subject, "similarTo", limit=1000)
        tools = s.graph.query(edge.subject, "causedBy")
        rows += [
            ("resolves", f"{one_line(error, 50)}  ({edge.weight:.2f})"),
            *(("tool", one.object.removeprefix("tool:")) for one in tools),
            ("seen in", many(len(met), "session")),
        ]
        rows += [("similar to", many(len(alike), "other error"))] if alike else []
    return [*rows, ("learned in", many(len(taught), "session"))]


def played_shape(played: PlayedScene) -> dict[str, Any]:
    return {
        "request": played.scene.request,
        "tool": played.scene.tool,
        "context": played.context.text,
        "lessons": [recalled_shape(one) for one in played.context.lessons],
        "params": dict(played.scene.params),
        "error": played.scene.error,
        "hint": hint_shape(played.hint) if played.hint else None,
        "confidence_after": round(played.confidence_after, 4) if played.hint else None,
    }


def _json(params: Mapping[str, Any]) -> str:
    return json.dumps(params, ensure_ascii=False)


REQUEST = "Send Ms Okafor the quote for the new server"
REPLY = "Done: I sent her the quote as a Word document."
SAID = "no, use PDF, not Word"
LATER = "Send the quote to the next customer"
OTHER = "What is the weather like in Lagos?"


@dataclass(frozen=True, slots=True)
class PlayedCorrection:
    """Prompt additions after a correction: at once, later, and for an unrelated request."""

    at_once: str
    learned: CaseResult | None
    later: str
    other: str


def play_correction(s: Seasoned) -> PlayedCorrection:
    """Play a correction, and recall in a later session."""
    talk = s.conversation("demo correction")
    talk.user(REQUEST)
    talk.assistant(REPLY)
    at_once = talk.user(SAID).stable
    learned = next((one for one in s.corrections.learn() if one.rule is not None), None)
    return PlayedCorrection(
        at_once=at_once,
        learned=learned,
        later=s.recall(LATER, session="demo later").text,
        other=s.recall(OTHER, session="demo later").text,
    )


def correction_shape(corrected: PlayedCorrection) -> dict[str, Any]:
    rule = corrected.learned.rule if corrected.learned else None
    return {
        "request": REQUEST,
        "reply": REPLY,
        "said": SAID,
        "at_once": corrected.at_once,
        "rule": rule.id if rule else None,
        "later": corrected.later,
        "other": corrected.other,
    }
