"""Read the YAML of a workflow: nothing in it is other than it looks, and none takes for ever."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seasoned.core.errors import BadInput
from seasoned.core.text import one_line

MOST_NODES = 5_000  # counted as often as aliases repeat them
LONGEST_TEXT = 20_000  # characters; reading as many takes a quarter of a second at worst
LONGEST_NUMBER = 100  # digits
NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


def read_yaml(text: str, where: str) -> tuple[Any, Mapping[str, int]]:
    """Return the values of a workflow's text, and the line of each step."""
    import yaml

    if len(text) > LONGEST_TEXT:
        raise BadInput(
            f"{where}: it has {len(text)} characters; a workflow has at most {LONGEST_TEXT}"
        )
    loader: Any = None
    try:
        loader = yaml.SafeLoader(text)
        document = loader.get_single_node()
        if document is None:
            raise BadInput(f"{where}: it is empty; write `steps:` and a step, see docs/jobs.md")
        if _size(document, {}) > MOST_NODES:
            raise BadInput(f"{where}: with its aliases it has more than {MOST_NODES} values")
        lines = _lines(document, where)
        return loader.construct_document(document), lines
    except yaml.YAMLError as error:
        raise BadInput(f"{where}{_place_of(error)}") from error
    except RecursionError as error:
        raise BadInput(f"{where}: its lists and mappings lie too deep in one another") from error
    except ValueError as error:  # a date that there is not
        raise BadInput(f"{where}: a value cannot be read: {error}; put it in quotes") from error
    finally:
        if loader is not None:
            loader.dispose()


def _place_of(error: Exception) -> str:
    """Say in one line where YAML cannot be read, and why.

    PyYAML's own text has the place on lines of their own, and the name of no file.
    """
    mark = getattr(error, "problem_mark", None)
    why = getattr(error, "problem", None) or str(error).partition("\n")[0]
    line = f":{mark.line + 1}" if mark else ""
    return f"{line}: this is no YAML that is read here: {one_line(why, 200)}"


def _size(node: Any, known: dict[int, int]) -> int:
    """Count the values below a node as often as aliases repeat them."""
    if id(node) in known:
        return known[id(node)]
    known[id(node)] = MOST_NODES + 1  # found again before it is counted: it contains itself
    if node.tag in NUMBERS and len(node.value) > LONGEST_NUMBER:
        raise ValueError(f"a number of {len(node.value)} digits")
    children: list[Any] = []
    for one in node.value if isinstance(getattr(node, "value", None), list) else ():
        children += one if isinstance(one, tuple) else [one]
    known[id(node)] = 1 + sum(_size(one, known) for one in children)
    return known[id(node)]


def _lines(document: Any, where: str) -> dict[str, int]:
    """Return the line of each step, from the nodes that YAML was read into.

    YAML itself would let the second of two equal names win, and read `on` as true.
    """
    lines: dict[str, int] = {}
    for key, value in _pairs(document):
        if getattr(key, "value", "") != "steps":
            continue
        for name, _ in _pairs(value):
            text, line = str(name.value), name.start_mark.line + 1
            at = f"{where}:{line}: step {one_line(text, 40)!r}"
            if name.tag != "tag:yaml.org,2002:str":
                raise BadInput(f"{at} has a name that YAML does not read as text; quote it")
            if text in lines:
                raise BadInput(f"{at} is there twice; rename one")
            lines[text] = line
    return lines


def _pairs(node: Any) -> list[tuple[Any, Any]]:
    """Return the keys and values of a mapping; nothing of other nodes."""
    return list(node.value) if getattr(node, "id", "") == "mapping" else []
