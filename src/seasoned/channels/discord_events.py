"""Read Discord's gateway payloads: which are for us, and what they say."""

from typing import Any

from seasoned.channels.channel import Address, Incoming, Person, Press, Reaction
from seasoned.channels.thumbs import Thumbs, thumb_of_emoji

NAME = "discord"
TEXT_TYPES = (0, 19)  # a message, a reply; the others are notices of joins, pins, threads
THREAD_TYPES = (10, 11, 12)  # of channels: in announcements, public, private
COMPONENT = 3  # the type of an interaction with a button


def incoming(message: dict[str, Any], at: Address, me: str) -> Incoming | None:
    """Return a person's message to us: a private one, a mention, or a reply to one of ours."""
    author: dict[str, Any] = message["author"]
    if author.get("bot") or message.get("webhook_id") or message.get("type", 0) not in TEXT_TYPES:
        return None
    is_direct = "guild_id" not in message
    if not is_direct and not _addressed(message, me):
        return None
    text = without_mention(message.get("content", ""), me)
    if not text:
        return None
    sender = person(author, message.get("member"))
    return Incoming(message["id"], at, sender, text, message["id"], is_direct)


def press(interaction: dict[str, Any], at: Address) -> Press | None:
    """Return the press of a button; None for interactions of other kinds."""
    if interaction.get("type") != COMPONENT:
        return None
    member: dict[str, Any] = interaction.get("member") or {}
    sender = person(interaction.get("user") or member["user"], member)
    data = str(interaction["data"]["custom_id"])
    return Press(interaction["id"], at, sender, interaction["message"]["id"], data)


def reaction(
    data: dict[str, Any], at: Address, me: str, *, event_id: str, added: bool, thumbs: Thumbs
) -> Reaction | None:
    """Return a thumb that somebody added or took back.

    Discord names the message's author only when a reaction is added.
    """
    thumb = thumb_of_emoji(data["emoji"].get("name") or "")
    ours = data.get("message_author_id", me) == me
    if thumb is None or not ours or data["user_id"] == me:
        return None
    message, user = str(data["message_id"]), str(data["user_id"])
    shown = (thumbs.added if added else thumbs.removed)(message, user, thumb)
    member: dict[str, Any] = data.get("member") or {}
    sender = person(member.get("user") or {"id": user}, member)
    return Reaction(event_id, at, sender, message, shown)


def person(user: dict[str, Any], member: dict[str, Any] | None = None) -> Person:
    shown = (member or {}).get("nick") or user.get("global_name") or user.get("username") or ""
    return Person(str(user["id"]), user.get("username") or "", shown)


def without_mention(text: str, me: str) -> str:
    """Remove the mention of us from the text.

    >>> without_mention("<@42> how are you, <@7>?", "42")
    'how are you, <@7>?'
    """
    for mention in (f"<@{me}>", f"<@!{me}>"):
        text = text.replace(mention, "")
    return text.strip()


def parent_of(channel: dict[str, Any]) -> str:
    """Return the id of the channel that a thread is in; empty for other channels."""
    is_thread = channel.get("type") in THREAD_TYPES
    return str(channel.get("parent_id") or "") if is_thread else ""


def _addressed(message: dict[str, Any], me: str) -> bool:
    answered: dict[str, Any] = message.get("referenced_message") or {}
    author: dict[str, Any] = answered.get("author") or {}
    mentioned = any(user["id"] == me for user in message.get("mentions", ()))
    return mentioned or str(author.get("id", "")) == me
