"""Which thumb of a person counts under a message, when platforms report each one by itself."""

from collections import OrderedDict
from typing import Literal

Thumb = Literal["up", "down", "none"]
REMEMBERED = 4096  # pairs of a message and a person

SKIN_TONES = range(0x1F3FB, 0x1F400)
EMOJI: dict[str, Thumb] = {"👍": "up", "👎": "down"}


class Thumbs:
    """Remembers the thumbs of each person under each message, the last one counts.

    Whoever changes 👍 to 👎 often adds the new one first; the removal of the old one must not
    take the new one back.

    >>> thumbs = Thumbs()
    >>> thumbs.added("m1", "ana", "up"), thumbs.added("m1", "ana", "down")
    ('up', 'down')
    >>> thumbs.removed("m1", "ana", "up"), thumbs.removed("m1", "ana", "down")
    ('down', 'none')
    """

    def __init__(self) -> None:
        self._shown: OrderedDict[tuple[str, str], list[Thumb]] = OrderedDict()

    def added(self, message: str, person: str, thumb: Thumb) -> Thumb:
        shown = self._of(message, person)
        if thumb in shown:
            shown.remove(thumb)
        shown.append(thumb)
        return thumb

    def removed(self, message: str, person: str, thumb: Thumb) -> Thumb:
        shown = self._of(message, person)
        if thumb in shown:
            shown.remove(thumb)
        return shown[-1] if shown else "none"

    def _of(self, message: str, person: str) -> list[Thumb]:
        shown = self._shown.setdefault((message, person), [])
        self._shown.move_to_end((message, person))
        if len(self._shown) > REMEMBERED:
            self._shown.popitem(last=False)
        return shown


def thumb_of_emoji(emoji: str) -> Thumb | None:
    """Return the thumb of an emoji in any skin tone; None for any other emoji.

    >>> thumb_of_emoji("👍🏽"), thumb_of_emoji("🎉")
    ('up', None)
    """
    return EMOJI.get("".join(sign for sign in emoji if ord(sign) not in SKIN_TONES))
