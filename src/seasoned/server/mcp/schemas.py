"""The exact input and output schemas of the tools, and the check of arguments."""

from collections.abc import Mapping
from typing import Any

from seasoned.core.errors import BadInput
from seasoned.feedback.feedback import POLARITIES
from seasoned.lessons.lesson import KINDS, STATUSES
from seasoned.llm.json_schema import complaint

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
FREE_OBJECT: Schema = {"type": "object", "additionalProperties": True}
ANYTHING: Schema = {"type": ["object", "array", "string", "number", "boolean", "null"]}
TEACHABLE = ("fix", "rule", "fact", "preference")


def text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def one_of(description: str, values: tuple[str, ...]) -> Schema:
    return {"type": "string", "enum": list(values), "description": description}


def record(required: str, **properties: Schema) -> Schema:
    """Return the schema of an object with just these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def strict(**properties: Schema) -> Schema:
    """Return the schema of an object that has all of these properties."""
    return record(" ".join(properties), **properties)


def listed(items: Schema) -> Schema:
    return {"type": "array", "items": items}


REACH = one_of(
    "Whom it is for; leave it out for this user in this project. session: this session only; "
    "user: this user in all projects; project: everybody in this project.",
    ("session", "user", "project"),
)
STEP = strict(tool=TEXT, params=FREE_OBJECT)
LESSON = strict(
    id=TEXT,
    kind={"type": "string", "enum": list(KINDS)},
    status={"type": "string", "enum": list(STATUSES)},
    text=TEXT,
    when=text("The situation or error it is for; empty: always."),
    tool=TEXT,
    confidence=NUMBER,
    source=TEXT,
)
HINT = strict(
    lesson=text("The lesson's id, for why and feedback."),
    text=text("What helped before."),
    confidence=NUMBER,
    source=text("operator and user: a person said so; episode: it was seen to work."),
    params={
        "type": ["object", "null"],
        "additionalProperties": True,
        "description": "The failed call's parameters, repaired; null if that cannot be said.",
    },
    steps={**listed(STEP), "description": "Calls that came first when it worked."},
)

RECALL_IN = record(
    "task",
    task=text("The request, in the user's words."),
    tools={**listed(TEXT), "description": "Names of tools that are likely to be used."},
)
RECALL_OUT = strict(
    text=text("The lessons, to be read as they are; empty if none matters."),
    lessons=listed(strict(id=TEXT, kind=TEXT, text=TEXT, confidence=NUMBER, why=TEXT)),
    tool_notes=listed(strict(tool=TEXT, text=TEXT, lesson=TEXT)),
)
REPORT_IN = record(
    "tool",
    tool=text("The tool's name."),
    params={**FREE_OBJECT, "description": "The parameters of the call."},
    result={**ANYTHING, "description": "The result, if the call worked."},
    error=text("The error message, if it failed."),
)
REPORT_OUT = strict(
    recorded={"type": "boolean"},
    hint={
        "anyOf": [HINT, {"type": "null"}],
        "description": "A known fix of this error; null if there is none, or nothing failed.",
    },
)
CORRECT_IN = record(
    "message",
    message=text("The user's message, word for word."),
    request=text("The request before it, in the user's words."),
    reply=text("The answer that the message corrects; its beginning is enough."),
    reach=REACH,
)
CORRECT_OUT = strict(
    rule=text("The rule as it was understood; empty if there is none in the message."),
    lasts={"type": "boolean", "description": "It holds in later sessions, too."},
    replaces=listed(TEXT),
    contradicts=listed(TEXT),
)
TEACH_IN = record(
    "kind text",
    kind=one_of(
        "fix: what to do about an error; rule: how to behave; fact; preference.", TEACHABLE
    ),
    text=text("What to do or know, in one sentence that can be understood alone."),
    when=text("For a fix the error message; else the situation; leave it out for always."),
    tool=text("The tool that a fix is about."),
    reach=REACH,
)
TEACH_OUT = strict(lesson=LESSON)
FEEDBACK_IN = record(
    "polarity",
    polarity=one_of(
        "corrective needs the right answer in correction.",
        POLARITIES,
    ),
    lesson=text("The id of the lesson it is about."),
    tool=text("The tool it is about."),
    comment=text("The reason, in a few words."),
    correction=text("The right answer, for corrective feedback."),
    request=text("The request that was answered."),
    reply=text("The answer it is about."),
    by=one_of(
        "Who says so: the user (default), or the assistant itself, which counts less.",
        ("user", "assistant"),
    ),
)
FEEDBACK_OUT = strict(accepted={"type": "boolean"})
WHY_IN = record("lesson", lesson=text("The lesson's id, or the beginning of it."))
WHY_OUT = strict(
    lesson=LESSON,
    text=text("The whole explanation."),
    evidence=listed(strict(at=TEXT, reason=TEXT, worked=NUMBER, failed=NUMBER, quote=TEXT)),
    error=text("The error that a fix is for."),
    times_given=NUMBER,
)


def check(arguments: Mapping[str, Any], schema: Schema, tool: str) -> None:
    """Refuse arguments that do not fit, in words that a model can act on."""
    fault = complaint(dict(arguments), schema, "arguments")
    if not fault:
        return
    needed = schema["required"]
    names = [name if name in needed else f"[{name}]" for name in schema["properties"]]
    raise BadInput(f"{fault}; {tool} takes {', '.join(names)}")
