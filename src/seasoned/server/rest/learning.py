"""The routes that agents call: observe, recall, turn, correct, teach, notes of tools."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import Request
from pydantic import Field

from seasoned.core.errors import BadInput
from seasoned.core.limits import LONGEST_DURATION_MS
from seasoned.corrections import CorrectionKind
from seasoned.fixes.hint import Hint
from seasoned.lessons.lesson import Lesson, Polarity
from seasoned.recall.context import SECTIONS, Context, Layer, section_of
from seasoned.recall.tool_notes import ToolNotes
from seasoned.rules.case import Reach
from seasoned.rules.turns import Reaction
from seasoned.server.callers import caller_of
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.views import (
    Body,
    GivenObject,
    LessonView,
    Name,
    Plain,
    Text,
    Values,
    View,
)
from seasoned.server.roles import includes

MOST_TOOLS = 1000
MOST_CALLS = 1000

resource = Resource("learning")
Session = Annotated[
    Name | None,
    Field(description="The session's name; default: the header X-Seasoned-Session."),
]
ToolNames = Annotated[list[Name], Field(max_length=MOST_TOOLS, default_factory=list)]
ReachField = Annotated[
    Reach | None,
    Field(description="Who a resulting rule is for; default: this user in this project."),
]


class Observation(Body):
    """A tool call that ended. It failed if there is an error, or its result says so."""

    tool: Annotated[str, Field(min_length=1, max_length=500)]
    params: GivenObject
    result: Any = None
    error: Text | None = None
    refused: Annotated[bool, Field(description="A person refused the call.")] = False
    cancelled: bool = False
    duration_ms: Annotated[float, Field(ge=0, le=LONGEST_DURATION_MS)] | None = None
    session: Session = None


class CallView(View):
    """A call: a tool and its parameters."""

    tool: str
    params: Values


class HintView(View):
    """A known fix for the error; `text` is what to show to the model."""

    lesson: str
    text: str
    fix: str
    confidence: float
    params: Annotated[Plain, Field(description="The repaired parameters of the failed call.")]
    steps: list[CallView]
    source: str
    trigger: str
    similarity: float


class ObserveAnswer(View):
    """A hint if the call failed and a fix is known; else null."""

    hint: HintView | None


@resource.operation("POST", "/observe", "learn", ObserveAnswer, quick=True)
async def observe(s: CallersSeasoned, body: Observation) -> Mapping[str, Any]:
    """Report a tool call; the answer has a hint if it failed and a fix is known."""
    hint = await s.observe(
        body.tool,
        body.params,
        body.result,
        body.error,
        session=body.session,
        duration_ms=body.duration_ms,
        refused=body.refused,
        cancelled=body.cancelled,
    )
    return {"hint": _hint(hint)}


def _hint(hint: Hint | None) -> Mapping[str, Any] | None:
    if hint is None:
        return None
    return {
        "lesson": hint.lesson,
        "text": str(hint),
        "fix": hint.text,
        "confidence": hint.confidence,
        "params": hint.params,
        "steps": [{"tool": tool, "params": params} for tool, params in hint.steps],
        "source": hint.source,
        "trigger": hint.trigger,
        "similarity": hint.similarity,
    }


class RecallRequest(Body):
    """A user's request, and what is known about the coming turn."""

    query: Text
    session: Session = None
    tool: Annotated[Name | None, Field(description="The tool about to be used.")] = None
    tools: ToolNames
    runtime: dict[str, Any] | None = None
    limit: Annotated[int, Field(ge=0, le=100, description="Entries of each layer.")] | None = None
    explain: Annotated[bool, Field(description="Say of each entry why it is there.")] = False
    given: Annotated[
        bool, Field(description="False: only look, do not count the lessons as given.")
    ] = True


class EntryView(View):
    """One line for the prompt."""

    layer: Layer
    line: str
    score: float
    lesson: str | None
    source: str
    confidence: float | None
    why: str | None = None
    covered: float | None = None
    likeness: float | None = None


class SectionView(View):
    """The lines of one section of the prompt."""

    title: str
    lines: list[str]


class RecallAnswer(View):
    """`text` goes into the prompt. For prompt caches: `stable` into the system prompt instead, and

    `turn` beside the user's message.
    """

    text: str
    stable: str
    turn: str
    sections: list[SectionView]
    entries: list[EntryView]
    messages: list[dict[str, str]]
    notes: Annotated[list[str], Field(description="Parts that failed or were too slow.")]


@resource.operation("POST", "/recall", "read", RecallAnswer, quick=True)
async def recall(s: CallersSeasoned, body: RecallRequest) -> Mapping[str, Any]:
    """Return the lessons that matter for a request, as text for the prompt."""
    context = await s.recall(
        body.query,
        session=body.session,
        tool=body.tool,
        tools=body.tools,
        runtime=body.runtime,
        limit=body.limit,
        given=body.given,
    )
    return {
        "text": context.text,
        "stable": context.stable,
        "turn": context.turn,
        "sections": _sections(context),
        "entries": [_entry(one, explain=body.explain) for one in context.entries],
        "messages": context.messages,
        "notes": context.notes,
    }


def _sections(context: Context) -> Sequence[Mapping[str, Any]]:
    found = {
        title: [one.line for one in context.entries if section_of(one.layer) == title]
        for title in SECTIONS
    }
    return [{"title": title, "lines": lines} for title, lines in found.items() if lines]


def _entry(entry: Any, *, explain: bool) -> Mapping[str, Any]:
    lesson: Lesson | None = entry.lesson
    shown: dict[str, Any] = {
        "layer": entry.layer,
        "line": entry.line,
        "score": entry.score,
        "lesson": lesson.id if lesson else None,
        "source": entry.source,
        "confidence": lesson.confidence if lesson else None,
    }
    if explain:
        match = entry.match
        shown["why"] = entry.why
        shown["covered"] = match.covered if match else None
        shown["likeness"] = match.likeness if match else None
    return shown


class Denial(Body):
    """A tool call that the user refused."""

    tool: Name
    reason: Text = ""


class Turn(Body):
    """A user's message and, if there is one already, the agent's reply."""

    user: Text
    reply: Text | None = None
    tool_calls: Annotated[list[dict[str, Any]], Field(max_length=MOST_CALLS, default_factory=list)]
    edited: Annotated[Text | None, Field(description="The reply as the user changed it.")] = None
    interrupted: bool = False
    denied: Name | Denial | None = None
    reach: ReachField = None
    session: Session = None


class CorrectionView(View):
    """How a message corrects, and how certain that is."""

    kind: CorrectionKind
    score: float
    span: tuple[int, int]
    language: str | None
    wanted: str | None
    unwanted: str | None


class ReactionView(View):
    """How a user reacted; `corrects` if it is a correction.

    `rule` holds in this session at once; `case` is the correction's id in the queue.
    """

    corrects: bool
    correction: CorrectionView | None
    case: str | None
    rule: LessonView | None
    approval: Polarity | None
    example: LessonView | None
    against: list[LessonView]
    replaced: list[LessonView]
    lasts: bool


@resource.operation("POST", "/turn", "learn", ReactionView, quick=True)
async def turn(s: CallersSeasoned, body: Turn) -> Mapping[str, Any]:
    """Report a turn: a user's message and the reply to it."""
    denied = (
        (body.denied.tool, body.denied.reason) if isinstance(body.denied, Denial) else body.denied
    )
    if body.reply is None and (body.edited is not None or body.interrupted or denied):
        raise BadInput("edited, interrupted and denied are about a reply; send the reply, too")
    reaction = await s.turn(
        body.user,
        body.reply,
        session=body.session,
        tool_calls=body.tool_calls,
        edited=body.edited,
        interrupted=body.interrupted,
        denied=denied,
        reach=body.reach or "",
    )
    return _reaction(reaction)


def _reaction(reaction: Reaction) -> Mapping[str, Any]:
    fields = ("correction", "case", "rule", "approval", "example", "against", "replaced", "lasts")
    return {"corrects": bool(reaction), **{name: getattr(reaction, name) for name in fields}}


class CorrectionReport(Body):
    """A message that corrects the agent, however it is worded."""

    message: Annotated[str, Field(min_length=1, max_length=1_000_000)]
    request: Text | None = None
    reply: Text | None = None
    session: Session = None
    reach: ReachField = None


@resource.operation("POST", "/correct", "learn", ReactionView, quick=True)
async def correct(s: CallersSeasoned, body: CorrectionReport) -> Mapping[str, Any]:
    """Report a correction; without `request` and `reply`, of the session's last exchange."""
    reaction = await s.correct(
        body.message,
        request=body.request,
        reply=body.reply,
        session=body.session,
        reach=body.reach or "",
    )
    return _reaction(reaction)


class Teaching(Body):
    """A lesson to teach: exactly one of fix, rule, fact and preference."""

    trigger: Annotated[
        Text, Field(description="The error message for a fix, the situation for other kinds.")
    ] = ""
    fix: Text | None = None
    rule: Text | None = None
    fact: Text | None = None
    preference: Text | None = None
    tool: Name | None = None


@resource.operation("POST", "/teach", "learn", LessonView, status=201)
async def teach(request: Request, s: CallersSeasoned, body: Teaching) -> Lesson:
    """Teach a lesson in the caller's own scope.

    It applies at once. An operator's word counts as the operator's, that of others as a user's.
    """
    is_operator = includes(caller_of(request).role, "operate")
    return await s.teach(
        body.trigger,
        fix=body.fix,
        rule=body.rule,
        fact=body.fact,
        preference=body.preference,
        tool=body.tool,
        source="operator" if is_operator else "user",
    )


class ToolNotesRequest(Body):
    """Tools whose notes are wanted; none means all."""

    tools: ToolNames
    descriptions: Annotated[
        dict[str, Text],
        Field(description="Descriptions to return with notes in them.", default_factory=dict),
    ]
    session: Session = None
    given: bool = True


class NoteView(View):
    """One line about a tool."""

    tool: str
    text: str
    lesson: str


class ToolNotesAnswer(View):
    """Notes, most important first; `text` is all of them under a heading."""

    notes: list[NoteView]
    text: str
    descriptions: dict[str, str]


@resource.operation("POST", "/tool-notes", "read", ToolNotesAnswer, quick=True)
async def tool_notes(s: CallersSeasoned, body: ToolNotesRequest) -> Mapping[str, Any]:
    """Return what was learned about tools, for their descriptions."""
    tools = list(dict.fromkeys((*body.tools, *body.descriptions)))
    notes: ToolNotes = await s.tool_notes(*tools, session=body.session, given=body.given)
    described = {
        tool: notes.describe(tool, description) for tool, description in body.descriptions.items()
    }
    return {"notes": list(notes), "text": notes.text, "descriptions": described}
