"""What a language's table holds; a new language is one more file with such a table.

Phrases and guards are written in words, one phrase a line:

    that BE NOT what i      small letters are words, capitals are classes of words
    (use|try) X?            a group, an alternative, something that may be missing
    _  _{0,3}               any word, up to three of any words
    ,  ;                    a pause: a comma, a dash, a full stop; a comma or a dash only
    ^  $                    a clause begins, a clause ends
    START  END              the message begins, the message ends
    <wanted>  <unwanted>    what should be, what should not be: some words that are handed out
    !X  &X  ~X              not followed by X; followed by X; after a pause or after X

A line without indentation begins a section: `wrong .9` says the kind and the score of the phrases
below it; `asked` that they correct even in a question, `answers` that after a question they only
answer it, `replies` that they mean nothing unless there is a reply before them, `objects` that
this reply must not be a question, `missed` that the reply must suggest something, `failed` that it
must say it could not help. For guards it says where they look
(before, clause, after, sentence, message), which share of the score they leave, and which of
`question` (not for phrases marked `asked`) and kinds they are limited to. The class AND begins
another clause, the words of APART are never part of what is wanted or not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Table:
    """How the speakers of one language correct."""

    code: str
    classes: Mapping[str, str]
    phrases: str
    guards: str
    spoken: Mapping[str, str] = field(default_factory=dict[str, str])  # "isnt isn't": "is not"
    fillers: str = ""  # words that change nothing: they are passed over
    common: str = ""  # words that stand in most texts: no phrase is looked for because of them
    endings: Mapping[str, str] = field(default_factory=dict[str, str])  # classes known by an ending
    elides: bool = False  # c'est is c' and est; otherwise that's is that and 's
    spaced: bool = True
    variants: Mapping[str, str] = field(default_factory=dict[str, str])  # other forms of characters
