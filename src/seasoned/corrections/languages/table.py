"""The phrase table of a language; to add a language, add a file with such a table.

Phrases and guards are written in words, one phrase a line:

    that BE NOT what i      small letters are words, capitals are classes of words
    (use|try) X?            a group, an alternative, something that may be missing
    _  _{0,3}               any word, up to three of any words
    ,  ;                    a pause: a comma, a dash, a full stop; a comma or a dash only
    ^  $                    a clause begins, a clause ends
    START  END              the message begins, the message ends
    <wanted>  <unwanted>    some words, returned as the desired and the undesired thing
    !X  &X  ~X              not followed by X; followed by X; after a pause or after X

A line without indentation begins a section. For phrases it gives kind and score (`wrong .9`), then
options: `asked` (corrects even in a question), `answers` (after a question it only answers),
`replies` (means nothing without a reply before it), `objects` (that reply must not be a question),
`missed` (the reply must suggest something), `failed` (the reply must say that it could not help),
`claimed` (the reply must say that it works).
For guards it gives the area to search (before, clause, after, sentence, message), the share of the
score that they leave, and what they are limited to: `question` (not for phrases marked `asked`)
and kinds. The class AND begins another clause; the words of APART are never part of a piece.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class PhraseTable:
    """How the speakers of one language correct."""

    code: str
    classes: Mapping[str, str]
    phrases: str
    guards: str
    spoken: Mapping[str, str] = field(default_factory=dict[str, str])  # "isnt isn't": "is not"
    fillers: str = ""  # words that change nothing: they are skipped
    common: str = ""  # words of most texts: poor key words
    endings: Mapping[str, str] = field(default_factory=dict[str, str])  # classes known by an ending
    elides: bool = False  # c'est is c' and est; otherwise that's is that and 's
    spaced: bool = True
    variants: Mapping[str, str] = field(default_factory=dict[str, str])  # other forms of characters
