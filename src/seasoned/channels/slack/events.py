"""Read Slack's payloads, which are the same by Socket Mode and by HTTP: which are for us?"""

import re
from collections import OrderedDict
from typing import Any

from seasoned.channels.channel import Address, ChannelEvent, Incoming, Person, Press, Reaction
from seasoned.channels.thumbs import Thumb, Thumbs

NAME = "slack"
ACTION = "seasoned"  # begins the id of each of our buttons
# Of a message: plain, with a file, a reply shown in the channel too, /me. Others are notices.
WRITTEN = ("", "file_share", "thread_broadcast", "me_message")
THUMBS: dict[str, Thumb] = {"+1": "up", "thumbsup": "up", "-1": "down", "thumbsdown": "down"}
MARKUP = re.compile(r"<([^<>]+)>")
REMEMBERED = 4096  # conversations, and messages of ours

Payload = dict[str, Any]


class Followed:
    """The threads in which the bot takes part, so that a reply there needs no mention.

    Whoever mentioned the bot is followed at once, everybody else from the bot's first answer on:
    a mention by somebody who may not talk to the bot must not make it answer the others.
    """

    def __init__(self) -> None:
        self._threads: OrderedDict[tuple[str, str, str], None] = OrderedDict()
        self._sent: OrderedDict[tuple[str, str], str] = OrderedDict()

    def mentioned(self, at: Address, person: str) -> None:
        self._keep((at.chat, at.thread, person))

    def answered_before(self, chat: str, thread: str) -> None:
        self._keep((chat, thread, ""))

    def answered(self, at: Address, message: str) -> None:
        if at.thread:
            self._keep((at.chat, at.thread, ""))
        self._sent[at.chat, message] = at.thread
        if len(self._sent) > REMEMBERED:
            self._sent.popitem(last=False)

    def includes(self, chat: str, thread: str, person: str) -> bool:
        return bool({(chat, thread, ""), (chat, thread, person)} & self._threads.keys())

    def thread_of(self, chat: str, message: str) -> str:
        """Return the thread of a message of ours; reactions do not name it."""
        return self._sent.get((chat, message), "")

    def _keep(self, key: tuple[str, str, str]) -> None:
        self._threads[key] = None
        self._threads.move_to_end(key)
        if len(self._threads) > REMEMBERED:
            self._threads.popitem(last=False)


def event_of(payload: Payload, me: str, followed: Followed, thumbs: Thumbs) -> ChannelEvent | None:
    """Return what a payload says; None if it is not for us."""
    if payload.get("type") == "block_actions":
        return press(payload)
    if payload.get("type") != "event_callback":
        return None
    event: Payload = payload["event"]
    match event.get("type"):
        case "message" | "app_mention":
            return incoming(event, me, followed)
        case "reaction_added" | "reaction_removed":
            return reaction(event, str(payload["event_id"]), me, followed, thumbs)
        case _:
            return None


def incoming(event: Payload, me: str, followed: Followed) -> Incoming | None:
    """Return a person's message to us: a private one, a mention, or one in a thread of ours.

    A mention arrives as two events, which have the message's place and time in common.
    """
    sender = str(event.get("user") or "")
    if not sender or sender in (me, "USLACKBOT") or event.get("bot_id"):
        return None
    if event.get("subtype", "") not in WRITTEN:
        return None
    chat, ts, thread = str(event["channel"]), str(event["ts"]), str(event.get("thread_ts") or "")
    is_direct = event.get("channel_type") == "im" or chat.startswith("D")
    addressed = (
        is_direct
        or event["type"] == "app_mention"
        or (thread and event.get("parent_user_id") == me)
        or (thread and followed.includes(chat, thread, sender))
    )
    text = readable(str(event.get("text") or ""), me)
    if not addressed or not text:
        return None
    at = Address(NAME, chat, thread if is_direct else thread or ts)
    person = person_of({"id": sender, **(event.get("user_profile") or {})})
    return Incoming(f"{chat}:{ts}", at, person, text, ts, is_direct)


def press(payload: Payload) -> Press | None:
    """Return the press of one of our buttons."""
    actions: list[Payload] = payload.get("actions") or []
    ours = [one for one in actions if str(one.get("action_id", "")).startswith(ACTION)]
    place: Payload = payload.get("container") or {}
    if not ours or not place.get("message_ts"):
        return None
    action, message = ours[0], str(place["message_ts"])
    chat = str(place.get("channel_id") or payload["channel"]["id"])
    sent: Payload = payload.get("message") or {}
    thread = str(place.get("thread_ts") or sent.get("thread_ts") or "")
    at = Address(NAME, chat, "" if thread == message else thread)
    sender = person_of(payload["user"])
    press_id = f"{chat}:{message}:{sender.id}:{action['action_ts']}"
    return Press(press_id, at, sender, message, str(action.get("value") or ""))


def reaction(
    event: Payload, event_id: str, me: str, followed: Followed, thumbs: Thumbs
) -> Reaction | None:
    """Return a thumb that somebody put under a message of ours, or took back."""
    item: Payload = event.get("item") or {}
    thumb = THUMBS.get(str(event.get("reaction", "")).partition("::")[0])  # in any skin tone
    user = str(event.get("user") or "")
    ours = event.get("item_user", me) == me
    if thumb is None or item.get("type") != "message" or not ours or user in ("", me):
        return None
    chat, message = str(item["channel"]), str(item["ts"])
    change = thumbs.add if event["type"] == "reaction_added" else thumbs.remove
    shown = change(f"{chat}:{message}", user, thumb)
    at = Address(NAME, chat, followed.thread_of(chat, message))
    return Reaction(event_id, at, Person(user), message, shown)


def person_of(user: Payload) -> Person:
    handle = str(user.get("username") or user.get("name") or "")
    name = str(user.get("display_name") or user.get("real_name") or user.get("name") or "")
    return Person(str(user["id"]), handle, name)


def readable(text: str, me: str) -> str:
    """Return a message as it was typed: without the mention of us, and without Slack's markup.

    >>> readable("<@U1> see <https://a.b|the docs> &amp; ask <@U2>", "U1")
    'see the docs (https://a.b) & ask <@U2>'
    """

    def typed(found: re.Match[str]) -> str:
        inside, _, label = found[1].partition("|")
        if inside == f"@{me}":
            return ""
        if inside.startswith("@"):
            return f"@{label}" if label else found[0]
        if inside.startswith("#"):
            return f"#{label or inside[1:]}"
        if inside.startswith("!"):
            return label or f"@{inside[1:]}"
        same = not label or inside.removeprefix("mailto:") == label or inside.endswith(f"//{label}")
        return label or inside if same else f"{label} ({inside})"

    plain = MARKUP.sub(typed, text)
    return plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").strip()
