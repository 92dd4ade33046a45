"""New requests for the demo: their words and arguments are here, what is said to them is learned.

No scene holds an answer. Each is played against what the samples taught: recall, the failing
call, the hint that comes back, and the retry that the hint proposes.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from seasoned.cli.render import many
from seasoned.cli.shapes import hint_shape, recalled_shape
from seasoned.core.text import one_line
from seasoned.facade import Seasoned
from seasoned.learning.hint import Hint
from seasoned.recall.context import Context


@dataclass(frozen=True, slots=True)
class Scene:
    request: str
    tool: str
    params: Mapping[str, Any]
    error: str
    result: Any = field(default_factory=lambda: {"ok": True})  # what the retry comes to


@dataclass(frozen=True, slots=True)
class Played:
    scene: Scene
    context: Context
    hint: Hint | None
    confidence_after: float

    @property
    def call(self) -> str:
        return _spelt(self.scene.params)

    @property
    def retry(self) -> str:
        return _spelt(self.hint.params) if self.hint and self.hint.params else ""


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


def play(s: Seasoned, scene: Scene) -> Played:
    """What an agent with this request would be told, and what comes of following it."""
    with s.session(f"demo {scene.tool}"):
        context = s.recall(scene.request, tool=scene.tool)
        hint = s.observe(scene.tool, scene.params, error=scene.error)
        if hint and hint.params is not None:
            s.observe(scene.tool, hint.params, scene.result)
    after = s.lesson(hint.lesson).confidence if hint else 0.0
    return Played(scene, context, hint, after)


def connected(s: Seasoned, lesson: str) -> list[tuple[str, str]]:
    """What the graph says of a fix: what it resolves, how surely, and where that was learned."""
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
            *(("of the tool", one.object.removeprefix("tool:")) for one in tools),
            ("was met in", many(len(met), "session")),
        ]
        rows += [("is like", many(len(alike), "other error"))] if alike else []
    return [*rows, ("learned in", many(len(taught), "session"))]


def played_shape(played: Played) -> dict[str, Any]:
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


def _spelt(params: Mapping[str, Any]) -> str:
    return json.dumps(params, ensure_ascii=False)
