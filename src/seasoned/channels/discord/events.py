"""Read Discord's gateway payloads: which are for us, and what they say."""

import re
from collections.abc import Collection
from typing import Any

from seasoned.channels.channel import Address, Incoming, Person, Press

NAME = "discord"
TEXT_TYPES = (0, 19)  # a message, a reply; the others are notices of joins, pins, threads
THREAD_TYPES = (10, 11, 12)  # of channels: in announcements, public, private
COMPONENT = 3  # the type of an interaction with a button

Payload = dict[str, Any]


def incoming(message: Payload, me: str, roles: Collection[str] = ()) -> Incoming | None:
    """Return a person's message to us: a private one, a mention, or a reply to one of ours.

    `roles` are the bot's own, one in each server, which look like the bot when they are mentioned.
    The address has the channel alone, which may be a thread.
    """
    author: Payload = message["author"]
    if author.get("bot") or message.get("webhook_id") or message.get("type", 0) not in TEXT_TYPES:
        return None
    is_direct = "guild_id" not in message
    if author["id"] == me or not (is_direct or _is_addressed(message, me, roles)):
        return None
    text = without_mention(message.get("content", ""), me, roles)
    if not text:
        return None
    sender = person(author, message.get("member"))
    at = Address(NAME, str(message["channel_id"]))
    return Incoming(message["id"], at, sender, text, message["id"], is_direct)


def press(interaction: Payload) -> Press | None:
    """Return the press of a button; None for interactions of other kinds."""
    if interaction.get("type") != COMPONENT:
        return None
    member: Payload = interaction.get("member") or {}
    sender = person(interaction.get("user") or member["user"], member)
    at = address(interaction.get("channel") or {"id": interaction["channel_id"]})
    data = str(interaction["data"]["custom_id"])
    return Press(interaction["id"], at, sender, interaction["message"]["id"], data)


def person(user: Payload, member: Payload | None = None) -> Person:
    shown = (member or {}).get("nick") or user.get("global_name") or user.get("username") or ""
    return Person(str(user["id"]), user.get("username") or "", shown)


def address(channel: Payload) -> Address:
    """Return the address of a channel; a thread is in the channel that it was opened in."""
    place = str(channel["id"])
    parent = str(channel.get("parent_id") or "")
    if channel.get("type") in THREAD_TYPES and parent:
        return Address(NAME, parent, place)
    return Address(NAME, place)


def without_mention(text: str, me: str, roles: Collection[str] = ()) -> str:
    """Remove the mention of us from the text.

    >>> without_mention("<@42> how are you, <@7>?", "42")
    'how are you, <@7>?'
    """
    names = "|".join([f"!?{me}", *(f"&{role}" for role in roles)])
    return re.sub(rf"[ \t]?<@(?:{names})>", "", text).strip()


def own_roles(server: Payload, me: str) -> Collection[str]:
    """Return the role that Discord made for the bot when it joined a server."""
    roles: list[Payload] = server.get("roles", [])
    tags: list[Payload] = [one.get("tags") or {} for one in roles]
    return [str(one["id"]) for one, tag in zip(roles, tags, strict=True) if tag.get("bot_id") == me]


def _is_addressed(message: Payload, me: str, roles: Collection[str]) -> bool:
    answered: Payload = message.get("referenced_message") or {}
    author: Payload = answered.get("author") or {}
    mentioned = any(user["id"] == me for user in message.get("mentions", ()))
    by_role = any(role in roles for role in message.get("mention_roles", ()))
    return mentioned or by_role or str(author.get("id", "")) == me
