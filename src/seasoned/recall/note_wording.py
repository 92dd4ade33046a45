"""Word a fix as a note for its tool's description: one line that is clear without the error.

A note is read before the call, so it must say what to do then. Where the tool itself says it in its
error ("dates are written DD.MM.YYYY"), the note quotes it: nobody knows better. What only helps
beside an error at hand (take the name that it suggests, try again) is left to the hint.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from seasoned.changes.repair import Repair
from seasoned.core.text import one_line
from seasoned.core.words import telling_words
from seasoned.errors.pattern import pattern_of
from seasoned.lessons.lesson import Lesson
from seasoned.lessons.lesson_store import repair_of

LONGEST_NOTE = 160  # characters
LONGEST_SITUATION = 70
OPEN = "…"  # stands for what differs from call to call
# Words that point at an error, or at a value that only the failed call has.
NEEDS_THE_ERROR = re.compile(
    r"\bthe error\b|<the [a-z ]+>|\bword -?\d|\b(a|the) (last )?word of\b|\btry (it )?again\b|"
    r"^change `[^`]+`\.?$",
    re.I,
)
# Words by which a text that anybody may have written turns to the model that reads it.
ADDRESSES_READER = re.compile(
    r"\b(?:ignore|disregard|forget|system ?:|assistant ?:|user ?:|instructions?|prompts?|the user"
    r"|visit|you (?:are|must now)|tell|reveal|send)\b|https?://|<\|",
    re.I,
)
SAYS_WHEN = re.compile(r"\b(if|when|unless|instead of|rather than)\b", re.I)
# How tools say what they want.
INSTRUCTS = re.compile(
    r"\b(must|should|needs?|requires?|required|use|write|give|provide|put|leave out|expect(s|ed)?|"
    r"instead|one of|looks? like|such as|(begins?|starts?|ends?) with|has to|have to|first|"
    r"format|[a-z]+s are|(is|are) in [a-z]+)\b",
    re.I,
)
PROGRAMS = frozenset({"command", "cmd", "script", "code", "query"})  # parameters
AT_HAND = re.compile(rf",? (?:but )?(?:not|got) (?:{OPEN}|['\"]?<\w+>['\"]?)$")  # "…, not 'x'"
CLAUSE = re.compile(r"(?<=[:;.]) |, but ")
TYPE = re.compile(r"^(?:[\w.]*(?:Error|Exception)|error|fatal)\b:? ", re.I)
TAG = re.compile(r"</[a-z_]+>|<[a-z]+_[a-z]+_error>")
SHORTEST_VALUE = 3  # characters; a shorter value may be a part of any word
HOLE = re.compile(r"['\"`]?<(?:\*|[a-z_]+)>['\"`]?")  # what a template leaves open
# What may belong to one person, even if two sessions saw it.
PERSONAL = re.compile(
    r"(?:/home/|/Users/|[A-Za-z]:\\Users\\)|[\w.+-]+@[\w-]+\.\w|\b[0-9a-f]{8}-[0-9a-f]{4}|"
    r"\b[0-9a-f]{16,}\b|\w_\d{3,}|\d{5,}",
)


def note_for(lesson: Lesson, errors: Sequence[str] = ()) -> str | None:
    """Return the note of a fix; None if it cannot be said in one clear line.

    `errors` are messages of its error from different sessions; what they share is quoted.
    """
    repair = repair_of(lesson)
    if repair is not None and (repair.is_retry or len(repair.steps) > 1):
        return None
    reason = reason_from(lesson.trigger, errors)
    if repair is not None and _is_first_step(repair):
        content = lesson.content.removesuffix(", then try again.").removesuffix(".") + "."
        return _with_reason(one_line(content, LONGEST_NOTE), reason)
    content = one_line(lesson.content, LONGEST_NOTE + 1)
    if len(content) > LONGEST_NOTE or not (lesson.explicit or _is_clear(content)):
        return _quoted(reason, repair) if repair is not None and not repair.steps else None
    if _stands_alone(content, repair):
        return _with_reason(content, reason)
    return _with_situation(content, lesson.trigger)


def reason_from(trigger: str, errors: Sequence[str]) -> str:
    """Return what an error says each time; without two messages, its pattern must do.

    >>> reason_from("no order '<value>': put <id>", [
    ...     "no order '71': put ord_ before it.", "no order '68': put ord_ before it."])
    'no order …: put ord_ before it'
    >>> reason_from("ValueError: width <n> is too large", [])
    'width … is too large'
    """
    lines = [_telling_line(TAG.sub(" ", error), trigger) for error in errors]
    if not lines or (len(lines) == 1 and not _is_safe(lines[0])):
        lines = [HOLE.sub(OPEN, TAG.sub(" ", trigger))]
    first, *others = lines
    shared = first.split()
    for other in others:
        shared = _in_common(shared, other.split())
    said = re.sub(rf"{OPEN}(?: {OPEN})+", OPEN, " ".join(shared))
    return TYPE.sub("", said).strip(" .")


def with_names(error: str, params: Mapping[str, object]) -> str:
    """Put the names of parameters in the place of their values.

    >>> with_names("no product 7001; write it as SKU-7001", {"product": "7001"})
    'no product <product>; write it as SKU-<product>'
    """
    for name, value in params.items():
        if isinstance(value, str | int | float) and len(str(value)) >= SHORTEST_VALUE:
            error = re.sub(rf"(?<!\w){re.escape(str(value))}(?!\w)", f"<{name}>", error)
    return error


def _is_safe(line: str) -> bool:
    """Tell whether a single message holds nothing but words and names of parameters."""
    plain = line.replace("<", "").replace(">", "")
    return pattern_of(plain) == plain and not PERSONAL.search(plain)


def _telling_line(error: str, trigger: str) -> str:
    """Return the line of a message that its pattern was taken from."""
    known = {*telling_words(trigger)}
    return max(error.splitlines() or [""], key=lambda line: len(known & {*telling_words(line)}))


def _in_common(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return the words that two messages share, in order, with a mark for what differs."""
    shared: list[str] = []
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    end = 0
    for block in blocks:
        if block.a > end:
            shared.append(OPEN + _mark_after(one[block.a - 1]))
        words = one[block.a : block.a + block.size]
        shared += [OPEN if PERSONAL.search(word) else word for word in words]
        end = block.a + block.size
    return shared


def _mark_after(word: str) -> str:
    return word[-1] if word[-1:] in (":", ";", ",") else ""


def _is_first_step(repair: Repair) -> bool:
    """Tell whether a repair is one step about the same thing, which may as well come first."""
    return not repair.edits and all(
        "same" in value for step in repair.steps for value in step.params.values()
    )


def _is_clear(content: str) -> bool:
    """Tell whether a derived sentence is whole, and says only what everybody may read."""
    return not (OPEN in content or NEEDS_THE_ERROR.search(content) or PERSONAL.search(content))


def _stands_alone(content: str, repair: Repair | None) -> bool:
    """Tell whether a sentence names what it is about: a parameter, or what to use in its place."""
    if SAYS_WHEN.search(content):
        return True
    names = {str(edit.path[0]) for edit in repair.edits} if repair else set[str]()
    return bool(names) and all(re.search(rf"(?<!\w){re.escape(n)}(?!\w)", content) for n in names)


def instruction_in(reason: str, room: int = LONGEST_NOTE) -> str:
    """Return the part of an error that says what to do, if it fits; empty if it only complains.

    >>> instruction_in("folder … not found: folders begin with /srv/shared/")
    'folders begin with /srv/shared/'
    >>> instruction_in("no such table")
    ''
    """
    if ADDRESSES_READER.search(reason):
        return ""
    clauses = CLAUSE.split(reason)
    start = next((at for at, clause in enumerate(clauses) if INSTRUCTS.search(clause)), None)
    said = ""
    for clause in clauses[start:] if start is not None else ():
        longer = f"{said} {clause}".strip()
        if len(longer) > room:
            break
        said = longer
    return AT_HAND.sub("", said).rstrip(" .:;")


def _quoted(reason: str, repair: Repair) -> str | None:
    """Say in the tool's own words what it wants of the parameter that was changed."""
    names = {str(edit.path[0]) for edit in repair.edits}
    if len(names) != 1 or names & PROGRAMS:  # then the error is about a part of the text
        return None
    (name,) = names
    said = instruction_in(reason, LONGEST_NOTE - len(f"`{name}`: ."))
    if said.startswith(f"{name} "):
        return f"`{name}`{said[len(name) :]}."
    return f"`{name}`: {said}." if said else None


def _with_reason(content: str, reason: str) -> str:
    """Append what the tool wants, or the error that the call fails with otherwise, if it fits.

    >>> _with_reason("Pass `timeout` as a whole number.", "timeout must be an integer")
    'Pass `timeout` as a whole number (timeout must be an integer).'
    >>> _with_reason("Add `purpose`.", "incomplete booking of a room")
    'Add `purpose` (else: incomplete booking of a room).'
    """
    room = LONGEST_NOTE - len(content) - len(" ().")
    if ADDRESSES_READER.search(reason):
        return content
    why = instruction_in(reason, room) or f"else: {reason}"
    return f"{content.rstrip('.')} ({why})." if reason and len(why) <= room else content


def _with_situation(content: str, trigger: str) -> str | None:
    """Put the error in front, as the situation that the sentence belongs to.

    >>> _with_situation("Use docker.", "podman: command not found")
    'When it says `podman: command not found`: Use docker.'
    """
    said = one_line(HOLE.sub(OPEN, TAG.sub(" ", trigger)).replace("`", "'"), LONGEST_SITUATION)
    note = f"When it says `{said}`: {content}"
    return note if said and len(note) <= LONGEST_NOTE else None
