"""Read JSON as models write it: fenced, after a sentence, with Python literals, cut off."""

import json
import re
from typing import Any

FENCE = re.compile(r"```[\w-]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
BLANK = re.compile(r"(?:\s+|//[^\n]*|\#[^\n]*|/\*.*?(?:\*/|\Z))*", re.DOTALL)
BARE = re.compile(r"[^\s,:{}\[\]\"']+")
KEY = re.compile(r"[\"'“][^\"'”\n]{1,60}[\"'”]\s*:")
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’"}
WORDS = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "None", "NULL", "undefined"), None),
}
DEEPEST = 50


def near_json(text: str) -> Any:
    """Return the value in a text; raise `ValueError` if there is none.

    >>> near_json('Sure! ```json\\n{"a": 1,}\\n``` Anything else?')
    {'a': 1}
    >>> near_json("{'is': True, and: None, // done\\n more: [1, 'tw")
    {'is': True, 'and': None, 'more': [1, 'tw']}
    """
    candidates = [text.strip(), *(found.strip() for found in FENCE.findall(text))]
    candidates.append(text[text.find("{") : text.rfind("}") + 1])
    for candidate in filter(None, candidates):
        try:
            return json.loads(candidate, parse_constant=_no_number)
        except (ValueError, RecursionError):
            continue
    begun = re.search(r"[{\[]", text)
    if begun is None:
        raise ValueError("there is no JSON in it")
    return _Reader(text, begun.start()).value(0)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


class _Reader:
    """A lenient reader: goes on where JSON would fail, and closes what was cut off."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    def value(self, depth: int) -> Any:
        if depth > DEEPEST:
            raise ValueError(f"it is nested more than {DEEPEST} deep")
        sign = self._next()
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self._array(depth)
        if sign in QUOTES:
            return self._string()
        return self._bare()

    def _object(self, depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        self.at += 1
        while (sign := self._next()) not in ("}", ""):
            if sign in (",", ";"):
                self.at += 1
                continue
            key = self._string() if sign in QUOTES else str(self._word())
            if self._next() not in (":", "="):
                break  # cut off after a key, or no object at all
            self.at += 1
            if self._next() in ("", "}"):
                break
            made[key] = self.value(depth + 1)
        self.at += 1
        return made

    def _array(self, depth: int) -> list[Any]:
        made: list[Any] = []
        self.at += 1
        while (sign := self._next()) not in ("]", ""):
            if sign == ",":
                self.at += 1
            elif sign in ("}", ":"):
                break  # the closing bracket is missing
            else:
                made.append(self.value(depth + 1))
        self.at += 1 if self._next() == "]" else 0
        return made

    def _string(self) -> str:
        """Read to the closing quote; a quote not followed by `, : } ]` belongs to the string."""
        close = QUOTES[self.text[self.at]]
        self.at += 1
        made: list[str] = []
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign == "\\":
                made.append(self._escaped())
                continue
            if sign == close and self._ends_here():
                self.at += 1
                return "".join(made)
            made.append(sign)
            self.at += 1
        return "".join(made)

    def _ends_here(self) -> bool:
        following = BLANK.match(self.text, self.at + 1)
        end = following.end() if following else self.at + 1
        if end >= len(self.text) or self.text[end] in ",:=}]`":
            return True
        return bool(KEY.match(self.text, end))  # the comma is missing

    def _escaped(self) -> str:
        length = 6 if self.text[self.at + 1 : self.at + 2] == "u" else 2
        taken = self.text[self.at : self.at + length]
        self.at += length
        try:
            return str(json.loads(f'"{taken}"'))
        except ValueError:
            return taken[1:] if length == 2 else ""

    def _bare(self) -> Any:
        word = self._word()
        if word in WORDS:
            return WORDS[word]
        if NUMBER.fullmatch(word):
            return json.loads(word.lstrip("+"))
        return word

    def _word(self) -> str:
        found = BARE.match(self.text, self.at)
        if found is None:
            raise ValueError(f"there is no value at {self.text[self.at : self.at + 20]!r}")
        self.at = found.end()
        return found[0]

    def _next(self) -> str:
        """Skip blanks and comments; return the next character, empty at the end."""
        blank = BLANK.match(self.text, self.at)
        self.at = blank.end() if blank else self.at
        return self.text[self.at : self.at + 1]
