"""Replace personal data and secrets by placeholders such as `<EMAIL_1>`, and put them back.

A `Placeholders` lives for a session or one question, and gives a value the same placeholder each
time. It reveals only its own values, so nobody sees those of another session.
"""

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

import regex

from seasoned.security.pii import replace_pii
from seasoned.security.redact import hides_a_secret, replace_secrets

KINDS = "EMAIL|PHONE|CARD|IBAN|ADDRESS|SSN|IP|SECRET"
# Some models write < in the spelling of JSON or HTML.
OPEN, SHUT = r"(?:<|&lt;|\\u003[cC])", r"(?:>|&gt;|\\u003[eE])"
PLACEHOLDER = regex.compile(rf"{OPEN}((?:{KINDS})_\d{{1,7}}){SHUT}")

# Merely likely cases. Hiding too much does no harm here, because it is put back; in stored texts
# it would. The first group stays.
LIKELY = (
    ("secret", regex.compile(r"(?i)(\b(?:set-)?cookie:\s*)[^\s<][^\n]{0,1000}")),
    (
        "secret",
        regex.compile(
            r"(?i)(\b(?:pass(?:word|phrase|code)|pin|api[ -]?key|token|secret)(?: code)?"
            r"\s+(?:is|was)\s+[\"'`]?)(?=[^\s\"'`,;<]*\d)[^\s\"'`,;<]{3,200}(?<![.!?])"
        ),
    ),
    ("phone", regex.compile(r"((?<![\w.+-])(?<!\d ))[2-9]\d\d \d{3} \d{4}(?! ?\d|\w)")),
)

Escape = Callable[[str], str]


class Placeholders:
    """Placeholders and their values; threads may share it."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._counts: Counter[str] = Counter()
        self._turn = threading.Lock()

    def __len__(self) -> int:
        return len(self._names)

    def hide(self, text: str) -> str:
        """
        >>> held = Placeholders()
        >>> held.hide("Ask ana@example.com or bo@example.com; ana@example.com is faster.")
        'Ask <EMAIL_1> or <EMAIL_2>; <EMAIL_1> is faster.'
        >>> held.hide("password=hunter2"), held.reveal("<SECRET_1>, <EMAIL_2>, <EMAIL_9>")
        ('password=<SECRET_1>', 'hunter2, bo@example.com, <EMAIL_9>')
        """
        text = replace_secrets(text, self._secret)
        for kind, likely in LIKELY:
            text = likely.sub(partial(self._likely, kind), text)
        return replace_pii(text, self._named)

    def reveal(self, text: str, escape: Escape = str) -> str:
        """Put the values back in place of their placeholders."""
        return PLACEHOLDER.sub(lambda found: self._value(found, escape), text)

    def hide_all(self, value: Any, name: str = "") -> Any:
        """Hide everything in nested data; also a value whose name says that it is a secret.

        >>> Placeholders().hide_all({"to": ["ana@example.com"], "apiKey": "k-1", "n": 3})
        {'to': ['<EMAIL_1>'], 'apiKey': '<SECRET_1>', 'n': 3}
        """
        if isinstance(value, str):
            secret = name and value and hides_a_secret(name) and not PLACEHOLDER.fullmatch(value)
            return self._secret(value) if secret else self.hide(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._hidden_number(value, name)
        return _walked(value, self.hide, self.hide_all)

    def reveal_all(self, value: Any, name: str = "") -> Any:
        if isinstance(value, str):
            return self.reveal(value)
        return _walked(value, self.reveal, self.reveal_all)

    def reveal_json(self, text: str) -> str:
        """Reveal in JSON text, complete or not."""
        return self.reveal(text, in_json)

    def revealing(self, escape: Escape = str) -> "Revealing":
        return Revealing(self, escape)

    def _hidden_number(self, value: float, name: str) -> Any:
        if name and hides_a_secret(name):
            return self._secret(str(value))
        hidden = self.hide(str(value)) if isinstance(value, int) else ""
        return hidden if hidden.startswith("<") else value

    def _likely(self, kind: str, found: regex.Match[str]) -> str:
        value = self.reveal(found[0][len(found[1]) :])  # it may contain an earlier placeholder
        return found[1] + self._named(kind, value)

    def _secret(self, value: str) -> str:
        return self._named("secret", value)

    def _named(self, kind: str, value: str) -> str:
        with self._turn:
            if value not in self._names:
                self._counts[kind] += 1
                name = f"{kind.upper()}_{self._counts[kind]}"
                self._names[value], self._values[name] = f"<{name}>", value
            return self._names[value]

    def _value(self, found: regex.Match[str], escape: Escape) -> str:
        value = self._values.get(found[1])
        return found[0] if value is None else escape(value)


class Revealing:
    """Reveals a text that arrives in pieces; holds back what may be half a placeholder.

    >>> held = Placeholders()
    >>> _ = held.hide("ana@example.com")
    >>> stream = held.revealing()
    >>> [stream.feed(piece) for piece in ("Ask <EM", "AIL_", "1> now", " if 1 <")], stream.rest()
    (['Ask ', '', 'ana@example.com now', ' if 1 '], '<')
    """

    def __init__(self, held: Placeholders, escape: Escape = str) -> None:
        self._held = held
        self._escape = escape
        self.kept = ""

    def feed(self, piece: str) -> str:
        text = self.kept + piece
        start = len(text)
        for found in PLACEHOLDER.finditer(text, partial=True):
            if found.partial:
                start = found.start()
        self.kept = text[start:]
        return self._held.reveal(text[:start], self._escape)

    def rest(self) -> str:
        kept, self.kept = self.kept, ""
        return self._held.reveal(kept, self._escape)


def in_json(value: str) -> str:
    """Escape a value for the inside of a JSON string.

    >>> print(in_json('a "b"'))
    a \\"b\\"
    """
    return json.dumps(value, ensure_ascii=False)[1:-1]


def _walked(value: Any, text: Callable[[str], str], inner: Callable[[Any, str], Any]) -> Any:
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        return {
            text(key) if isinstance(key, str) else key: inner(one, str(key)) for key, one in items
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [inner(one, "") for one in cast("list[Any]", value)]
    return value
