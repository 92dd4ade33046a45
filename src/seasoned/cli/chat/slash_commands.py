"""The commands of a chat: lines that start with a slash."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from seasoned.cli.show.render import note, say, table
from seasoned.cli.show.shapes import kind_of
from seasoned.core.clock import ago
from seasoned.core.errors import BadInput, NotFound, SeasonedError
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.api import Seasoned
    from seasoned.api.agent import AgentFace
    from seasoned.api.rules import RuleStory
    from seasoned.lessons.lesson import Lesson
    from seasoned.sessions.session import SessionMessage
    from seasoned.tools.approval_store import Approval

SHOWN_LESSONS = 20
MOST_LESSONS = 500
LONGEST_LESSON = 200
NAME = re.compile(r"/\w*")
KEYS = (
    "A paste is one message. To type several lines, press Alt-Enter, or put a backslash before "
    "Enter."
)
HOLDS = {
    True: "what you said last holds",
    False: "the earlier one still holds",
    None: "the one that fits a request better is used",
}
HELD = ("active", "candidate")  # what `/lessons` lists; the rest was forgotten or replaced


class Chat(Protocol):
    """What commands use of a conversation."""

    seasoned: "Seasoned"
    agent: "AgentFace"
    session: str
    is_over: bool
    lasting: set[str]

    def resume(self) -> bool: ...
    def last_given(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class SlashCommand:
    usage: str
    help: str
    run: "Callable[[Chat, str], None]"


def is_command(message: str) -> bool:
    """Tell a command from a message that starts with a path.

    >>> [is_command(text) for text in ("/Help", "/teach Be brief.", "/usr/bin/foo crashes", "/xyz")]
    [True, True, False, True]
    >>> is_command("/etc"), is_command("/etc/hosts"), is_command("/tmp is full")
    (True, False, False)
    """
    name, *rest = message.split(maxsplit=1)[:2] or ("",)
    return name.lower() in COMMANDS or bool(NAME.fullmatch(name) and not rest)


def run_command(chat: "Chat", line: str) -> None:
    """Run a command; what goes wrong is one line."""
    name, _, rest = line.partition(" ")
    command = COMMANDS.get(name.lower())
    if command is None:
        note(f"unknown command {name}; /help lists commands. To say it, write more than one word.")
        return
    try:
        command.run(chat, rest.strip())
    except SeasonedError as error:
        note(str(error))


def _help(chat: "Chat", rest: str) -> None:
    rows = [(one.usage, one.help) for one in COMMANDS.values() if one.help]
    say(table(("command", "effect"), rows))
    note(KEYS)


def _teach(chat: "Chat", rest: str) -> None:
    if not rest:
        raise BadInput("give the rule: /teach Always answer in metric units.")
    before = chat.seasoned.inner.app.clock.now()
    lesson = chat.seasoned.teach(rule=rest, source="user")
    say(f"taught: {lesson.content} [{lesson.id}]")
    for line in _consequences(chat.seasoned.rules.story(lesson.id), before):
        say(f"  {line}")


def _consequences(story: "RuleStory", since: int) -> list[str]:
    """Say what a new rule does to earlier ones."""
    new = story.rule.id
    replaced = [one for one in story.supersedes if one.updated_at >= since]
    lines = [f"replaces: {one_line(one.content)} [{one.id}]" for one in replaced]
    gone = {one.id for one in replaced}
    for conflict, other in story.conflicts:
        if conflict.resolved_at is not None or conflict.found_at < since or other.id in gone:
            continue
        holds = HOLDS[None if conflict.winner is None else conflict.winner == new]
        lines.append(f"contradicts: {one_line(other.content)} [{other.id}]; {holds}")
    return lines


def _why(chat: "Chat", rest: str) -> None:
    """Explain a lesson, or show the lessons that went into the last answer."""
    if rest:
        say(chat.seasoned.why(rest).text)
        return
    given = chat.last_given()
    if not given:
        note("no lessons went into the last answer; /lessons lists all")
        return
    _list(chat, chat.seasoned.lessons_by_id(given))
    note("/why ID explains one, /forget ID removes it")


def _good(chat: "Chat", rest: str) -> None:
    _rate(chat, "positive", rest)


def _bad(chat: "Chat", rest: str) -> None:
    _rate(chat, "negative", rest)


def _rate(chat: "Chat", polarity: str, comment: str) -> None:
    """Record feedback on the last answer, as a thumb under it does in other channels."""
    if not any(one.role == "assistant" for one in _messages(chat)):
        raise BadInput("there is no answer to rate yet")
    chat.seasoned.feedback.add(polarity, comment=comment, session=chat.session)
    say("noted 👍" if polarity == "positive" else "noted 👎")


def _messages(chat: "Chat") -> "Sequence[SessionMessage]":
    try:
        return chat.seasoned.sessions.messages(chat.session)
    except NotFound:  # nothing was said yet
        return ()


def _forget(chat: "Chat", rest: str) -> None:
    if not rest:
        raise BadInput("give the id: /forget ID; /lessons shows the ids")
    name = rest.strip("[]")
    known = chat.seasoned.lesson(name)
    if known.status == "retired":
        note(f"it was forgotten before: {one_line(known.content)} [{known.id}]")
        return
    lesson = chat.seasoned.forget(known.id)
    twins = [one for one in _held(chat) if _says_the_same(one, lesson)]
    for twin in twins:
        chat.seasoned.forget(twin.id)
    say(f"forgot: {lesson.content} [{', '.join(one.id for one in (lesson, *twins))}]")


def _lessons(chat: "Chat", rest: str) -> None:
    """List the lessons that hold here, or search them."""
    found = (
        [hit.lesson for hit in chat.seasoned.search(rest, session=chat.session)]
        if rest
        else _held(chat)[:SHOWN_LESSONS]
    )
    held = [one for one in found if one.status in HELD]
    _list(chat, held) if held else note(
        "no lesson matches; /lessons lists all" if rest else "no lessons yet"
    )


def _held(chat: "Chat") -> "Sequence[Lesson]":
    """Return the lessons that hold in this session or wait for evidence, newest first."""
    scope = chat.seasoned.inner.scope.within(chat.session)
    listed = [
        lesson
        for status in HELD
        for lesson in chat.seasoned.lessons(status=status, limit=MOST_LESSONS, scope=scope)
    ]
    return sorted(listed, key=lambda one: one.created_at, reverse=True)


def _says_the_same(one: "Lesson", other: "Lesson") -> bool:
    """Tell whether a person's words are kept twice: for the session, and as what they mean."""
    same_person = one.scope.within("") == other.scope.within("")
    return one.id != other.id and same_person and one.content == other.content


def _resume(chat: "Chat", rest: str) -> None:
    chat.resume()


def _grants(chat: "Chat", rest: str) -> None:
    """List the calls that are always allowed, or ask again before one of them."""
    if rest:
        gone = chat.agent.withdraw(rest.strip("[]"))
        say(f"asked for again: {one_line(gone.shown, LONGEST_LESSON)} [{gone.id}]")
        return
    granted = chat.agent.approvals()
    if not granted:
        note('nothing is always allowed; answer "a" when a tool asks for approval')
        return
    now = chat.seasoned.inner.app.clock.now()
    rows = [
        (one.id, ago(one.at, now), one.tool, one_line(_call(one), LONGEST_LESSON))
        for one in granted
    ]
    say(table(("id", "granted", "tool", "call"), rows))
    note("They hold for you, in all your sessions. /grants ID takes one back.")


def _call(grant: "Approval") -> str:
    """Return the call that is allowed, without the tool's name."""
    return grant.shown.removeprefix(grant.tool).strip() if grant.params else "whatever it is"


def _quit(chat: "Chat", rest: str) -> None:
    chat.is_over = True


def _end(chat: "Chat", rest: str) -> None:
    chat.agent.end(session=chat.session)
    note(f"session {chat.session} is closed; its lessons will be learned")


def _list(chat: "Chat", lessons: "Sequence[Lesson]") -> None:
    rows = [
        (one.id, _kind(chat, one), f"{one.confidence:.2f}", one_line(one.content, LONGEST_LESSON))
        for one in lessons
    ]
    say(table(("id", "kind", ">conf.", "lesson"), rows))


def _kind(chat: "Chat", lesson: "Lesson") -> str:
    kind = kind_of(lesson)
    if lesson.status == "active":
        in_session = lesson.scope.session and lesson.id not in chat.lasting
        return f"{kind}, this session" if in_session else kind
    return f"{kind}, {'forgotten' if lesson.status == 'retired' else lesson.status}"


COMMANDS = {
    "/help": SlashCommand("/help", "list these commands", _help),
    "/teach": SlashCommand("/teach TEXT", "add a rule for every session", _teach),
    "/why": SlashCommand(
        "/why [ID]", "show lessons used for the last answer, or explain one", _why
    ),
    "/good": SlashCommand("/good [WHY]", "rate the last answer 👍", _good),
    "/bad": SlashCommand("/bad [WHY]", "rate the last answer 👎", _bad),
    "/lessons": SlashCommand("/lessons [WORDS]", "list or search lessons", _lessons),
    "/forget": SlashCommand("/forget ID", "remove a lesson", _forget),
    "/resume": SlashCommand("/resume", "finish a turn that was cut off", _resume),
    "/grants": SlashCommand(
        "/grants [ID]", "list calls that are always allowed, or ask again", _grants
    ),
    "/end": SlashCommand("/end", "close the session and learn from it", _end),
    "/quit": SlashCommand("/quit", "leave, as Ctrl-D does", _quit),
    "/exit": SlashCommand("/exit", "", _quit),
}
