"""Read decoded JSON of unknown shape without raising."""

from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import unquote

from seasoned.core.safe_json import decode


def mapping(value: object) -> Mapping[str, Any]:
    """Return the value if it is an object, else an empty one.

    >>> mapping([1]), mapping({"a": 1})
    ({}, {'a': 1})
    """
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Return the value if it is a list, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def text(value: object) -> str:
    """Return the value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def named(value: Mapping[str, Any], *names: str) -> str:
    """Return the first of these members that is a name or a number, as text.

    >>> named({"user": 17}, "user_id", "user"), named({"user": {"id": 17}}, "user")
    ('17', '')
    """
    given = (value.get(name) for name in names)
    usable = (one for one in given if isinstance(one, str | int) and not isinstance(one, bool))
    return next((str(one) for one in usable if one != ""), "")


def first(value: Mapping[str, Any], *names: str) -> Any:
    """Return the first of these members that is not null.

    >>> first({"a": None, "b": 0}, "a", "b")
    0
    """
    return next((value[name] for name in names if value.get(name) is not None), None)


def number(value: object) -> float | None:
    """Return the value if it is a number, else None.

    >>> number(3), number("3"), number(True)
    (3.0, None, None)
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(cast("float", value)) if is_number else None


def file_path(uri: object) -> str:
    """Return the path of a `file:` address; a path stays as it is.

    >>> file_path("file:///home/ana/my%20shop"), file_path("file:///c%3A/shop"), file_path("/a")
    ('/home/ana/my shop', 'c:/shop', '/a')
    """
    given = text(uri)
    if not given.startswith("file://"):
        return given if "://" not in given else ""
    path = unquote(given.removeprefix("file://"))
    return path[1:] if path[2:3] == ":" else path


def between(said: str, opening: str, closing: str) -> str | None:
    """Return the text between two marks, stripped; None if they are not there.

    >>> between("<q> hi </q>", "<q>", "</q>"), between("hi", "<q>", "</q>")
    ('hi', None)
    """
    start = said.find(opening)
    end = said.find(closing, start + len(opening)) if start >= 0 else -1
    return said[start + len(opening) : end].strip() if end >= 0 else None


def json_of(value: object) -> Any:
    """Decode JSON in a string; return anything else as it is.

    >>> json_of('{"a": [1]}'), json_of("{not json"), json_of("12")
    ({'a': [1]}, '{not json', '12')
    """
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return decode(value)
        except ValueError:
            return value
    return value


def arguments(value: object) -> dict[str, Any]:
    """Return the parameters of a call; a value that is no object goes under `input`.

    >>> arguments('{"path": "a.txt"}'), arguments("ls -l"), arguments(None)
    ({'path': 'a.txt'}, {'input': 'ls -l'}, {})
    """
    value = json_of(value)
    if value is None or value == "":
        return {}
    return dict(members) if (members := mapping(value)) or value == {} else {"input": value}


def flat(content: object) -> Any:
    """Join the text of content blocks; return anything else as it is.

    >>> flat([{"type": "text", "text": "one"}, {"type": "image", "source": {}}])
    'one\\n[image]'
    """
    blocks = items(content)
    if not blocks or not all(isinstance(mapping(block).get("type"), str) for block in blocks):
        return content
    return "\n".join(_block(mapping(block)) for block in blocks)


def _block(block: Mapping[str, Any]) -> str:
    said = first(block, "text", "refusal")
    return said if isinstance(said, str) else f"[{block['type']}]"
