"""Turn Telegram's updates into a channel's events; those that are not for us into None."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from seasoned.channels.channel import Address, ChannelEvent, Incoming, Person, Press, Reaction

if TYPE_CHECKING:
    from telegram import (
        CallbackQuery,
        Message,
        MessageEntity,
        MessageReactionUpdated,
        ReactionType,
        Update,
        User,
    )

NAME = "telegram"
KINDS = ("message", "callback_query", "message_reaction")
Thumb = Literal["up", "down", "none"]
THUMBS: dict[str, Thumb] = {"👍": "up", "👎": "down"}


@dataclass(frozen=True, slots=True)
class Me:
    """The bot itself."""

    id: int
    username: str


def event_of(update: "Update", me: Me) -> ChannelEvent | None:
    if update.message is not None:
        return _incoming(update.update_id, update.message, me)
    if update.callback_query is not None:
        return _press(update.callback_query)
    if update.message_reaction is not None:
        return _reaction(update.update_id, update.message_reaction)
    return None


def _incoming(update_id: int, message: "Message", me: Me) -> Incoming | None:
    """Return a person's message to us: a private one, a mention, a reply or a command.

    Channels and admins who hide behind their group are nobody whom a list of users could allow.
    """
    sender = message.from_user
    if sender is None or sender.is_bot or message.sender_chat is not None:
        return None
    is_direct = message.chat.type == "private"
    text, is_addressed = _addressed(message, me)
    if not text or not (is_direct or is_addressed or _replies(message, me)):
        return None
    return Incoming(
        str(update_id), _address(message), _person(sender), text, str(message.id), is_direct
    )


def _press(query: "CallbackQuery") -> Press | None:
    message = query.message
    if message is None or not query.data:
        return None
    # Of a message that is too old, Telegram tells only the chat and its number.
    at = _address(message) if message.is_accessible else Address(NAME, str(message.chat.id))  # pyright: ignore[reportArgumentType]
    return Press(query.id, at, _person(query.from_user), str(message.message_id), query.data)


def _reaction(update_id: int, reaction: "MessageReactionUpdated") -> Reaction | None:
    """Return a change of somebody's thumb; Telegram does not tell the topic of the message."""
    if reaction.user is None:  # an anonymous admin
        return None
    before, now = _thumb(reaction.old_reaction), _thumb(reaction.new_reaction)
    if now == before:  # another emoji changed
        return None
    at = Address(NAME, str(reaction.chat.id))
    message = str(reaction.message_id)
    return Reaction(str(update_id), at, _person(reaction.user), message, now)


def _thumb(shown: "Sequence[ReactionType]") -> Thumb:
    emoji = [str(getattr(one, "emoji", "")) for one in shown]
    thumbs: list[Thumb] = [THUMBS[one] for one in emoji if one in THUMBS]
    return thumbs[-1] if thumbs else "none"


def _address(message: "Message") -> Address:
    # Outside of topics, a thread's number only says to which message one replied.
    thread = message.message_thread_id if message.is_topic_message else None
    return Address(NAME, str(message.chat.id), str(thread or ""))


def _person(user: "User") -> Person:
    return Person(str(user.id), user.username or "", user.full_name)


def _replies(message: "Message", me: Me) -> bool:
    """Tell whether it replies to us; each message in a topic replies to the topic's creation."""
    original = message.reply_to_message
    return (
        original is not None
        and original.from_user is not None
        and original.from_user.id == me.id
        and original.forum_topic_created is None
    )


def _addressed(message: "Message", me: Me) -> tuple[str, bool]:
    """Return the text without our name, and whether it names us or begins with a command."""
    raw = (message.text or message.caption or "").encode("utf-16-le")  # offsets count its units
    entities = message.entities or message.caption_entities
    is_addressed = False
    for entity in sorted(entities, key=lambda one: one.offset, reverse=True):
        start, end = 2 * entity.offset, 2 * (entity.offset + entity.length)
        named = raw[start:end].decode("utf-16-le", "replace")
        if entity.type == "bot_command" and entity.offset == 0:
            command, _, whose = named.partition("@")
            if not whose or whose.lower() == me.username.lower():
                is_addressed = True
                raw = command.encode("utf-16-le") + raw[end:]
        elif _is_mention(entity, named, me):
            is_addressed = True
            raw = _joined(raw[:start], raw[end:])
    return raw.decode("utf-16-le", "replace").strip(), is_addressed


def _is_mention(entity: "MessageEntity", named: str, me: Me) -> bool:
    if entity.type == "text_mention":
        return entity.user is not None and entity.user.id == me.id
    return entity.type == "mention" and named.lower() == f"@{me.username.lower()}"


def _joined(before: bytes, after: bytes) -> bytes:
    """Close the gap of a mention; the comma that set it off goes with it."""
    left = before.decode("utf-16-le", "replace").rstrip(" ")
    right = after.decode("utf-16-le", "replace")
    if not left or left.endswith("\n"):
        right = right.lstrip(" ,:")
    elif right.startswith(" "):
        right = " " + right.lstrip(" ")
    else:
        left = left.rstrip(" ,")
    return (left + right).encode("utf-16-le")
