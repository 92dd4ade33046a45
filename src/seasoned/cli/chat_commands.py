"""What can be said to a chat besides messages: each command begins with a slash."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from seasoned.cli.render import note, say, table
from seasoned.core.errors import BadInput
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.facade import Seasoned
    from seasoned.faces.agent import Agent


class Chat(Protocol):
    """What a command needs of the conversation it is said in."""

    seasoned: "Seasoned"
    agent: "Agent"
    session: str

    def resume(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class ChatCommand:
    usage: str
    help: str
    run: Callable[[Chat, str], None]


def _help(chat: Chat, rest: str) -> None:
    say(table(("say", "what it does"), [(one.usage, one.help) for one in COMMANDS.values()]))


def _teach(chat: Chat, rest: str) -> None:
    if not rest:
        raise BadInput("say what to heed: /teach Always answer in metric units.")
    lesson = chat.seasoned.teach(rule=rest, source="user")
    say(f"taught {lesson.id}: {lesson.content}")


def _why(chat: Chat, rest: str) -> None:
    """Of a lesson, or what the last answer was given."""
    if rest:
        say(chat.seasoned.why(rest).text)
        return
    told = chat.seasoned.sessions.told(chat.session)
    block = told[max(told)] if told else ""
    say(block) if block else note("nothing that was learned went into the last answer")


def _forget(chat: Chat, rest: str) -> None:
    if not rest:
        raise BadInput("say which: /forget ID; /lessons shows the ids")
    lesson = chat.seasoned.forget(rest)
    say(f"forgotten {lesson.id}: {lesson.content}")


def _lessons(chat: Chat, rest: str) -> None:
    """All, or those that fit some words."""
    lessons = (
        [hit.lesson for hit in chat.seasoned.search(rest, session=chat.session)]
        if rest
        else chat.seasoned.lessons(limit=20)
    )
    if not lessons:
        note("nothing was learned yet" if not rest else "nothing fits that")
        return
    rows = [
        (one.id, one.kind, f"{one.confidence:.2f}", one_line(one.content, 100)) for one in lessons
    ]
    say(table(("id", "kind", ">sure", "what"), rows))


def _resume(chat: Chat, rest: str) -> None:
    chat.resume()


def _end(chat: Chat, rest: str) -> None:
    chat.agent.end(session=chat.session)
    note(f"session {chat.session} is closed, and will be learned from")


COMMANDS = {
    "/help": ChatCommand("/help", "this", _help),
    "/teach": ChatCommand("/teach TEXT", "a rule that holds from now on, in every session", _teach),
    "/why": ChatCommand("/why [ID]", "what the last answer was told; or why a lesson holds", _why),
    "/lessons": ChatCommand("/lessons [WORDS]", "what was learned, or what of it fits", _lessons),
    "/forget": ChatCommand("/forget ID", "retires a lesson", _forget),
    "/resume": ChatCommand("/resume", "finishes a turn that was cut off", _resume),
    "/end": ChatCommand("/end", "closes the session, so that it is learned from", _end),
}
