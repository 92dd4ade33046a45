"""Which thumb of a person counts under a message, when a platform reports each one by itself."""

from typing import Literal

from seasoned.channels.recent import Recent

Thumb = Literal["up", "down", "none"]
REMEMBERED_THUMBS = 4096  # pairs of a message and a person

SKIN_TONES = range(0x1F3FB, 0x1F400)
EMOJI: dict[str, Thumb] = {"👍": "up", "👎": "down"}


class Thumbs:
    """Remembers the thumbs of each person under each message; the last one counts.

    Whoever changes 👍 to 👎 often adds the new one first; the removal of the old one must not
    take the new one back.

    >>> thumbs = Thumbs()
    >>> thumbs.add("m1", "ana", "up"), thumbs.add("m1", "ana", "down")
    ('up', 'down')
    >>> thumbs.remove("m1", "ana", "up"), thumbs.remove("m1", "ana", "down")
    ('down', 'none')
    """

    def __init__(self) -> None:
        self._shown = Recent[tuple[str, str], list[Thumb]](REMEMBERED_THUMBS)

    def knows(self, message: str, person: str) -> bool:
        return (message, person) in self._shown

    def add(self, message: str, person: str, thumb: Thumb) -> Thumb:
        self._shown[message, person] = [*self._without(message, person, thumb), thumb]
        return thumb

    def remove(self, message: str, person: str, thumb: Thumb) -> Thumb:
        """Return the thumb that counts now."""
        left = self._without(message, person, thumb)
        self._shown[message, person] = left
        return left[-1] if left else "none"

    def _without(self, message: str, person: str, thumb: Thumb) -> list[Thumb]:
        return [one for one in self._shown.get((message, person), ()) if one != thumb]


def thumb_of_emoji(emoji: str) -> Thumb | None:
    """Return the thumb of an emoji in any skin tone; None for any other emoji.

    >>> thumb_of_emoji("👍🏽"), thumb_of_emoji("🎉")
    ('up', None)
    """
    return EMOJI.get("".join(sign for sign in emoji if ord(sign) not in SKIN_TONES))
