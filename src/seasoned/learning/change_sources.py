"""Name where in an error a value stands, so that the next error yields its own value."""

from collections.abc import Callable, Sequence
from typing import Any

from seasoned.learning.change_error import FILLER, ErrorText, nearest

# A source is plain JSON: a kind and its argument, for example ["quoted", -1] or ["after", "named"].
Source = list[Any]

_WEIGHTS = {"word": 1.0, "path": 1.0}


def sources(
    value: str, error: ErrorText, it: str | None = None, old: Sequence[str] = ()
) -> tuple[list[Source], list[Source]]:
    """Every way to point at `value` in an error, the telling ones apart from the accidental."""
    strong: list[Source] = []
    weak: list[Source] = []
    phrase = " " in value
    if it is not None and not phrase and nearest(it, error, old) == value:
        strong.append(["nearest"])
    _indexed("suggested", value, error.suggested[:2], strong, backwards=False)
    _indexed("phrase" if phrase else "quoted", value, error.quoted, strong)
    if value.isdigit():
        _indexed("number", value, error.numbers, strong)
    elif "/" in value or "." in value:
        _indexed("path", value, error.paths, strong)
    telling = bool(strong) or not value.isalpha()
    for index, word in enumerate(error.words):
        if word == value:
            for size in (2, 1):
                context = error.lower[max(0, index - size) : index]
                if len(context) == size and not FILLER.issuperset(context):
                    source = ["after", " ".join(context)]
                    if source not in strong and source not in weak:
                        (strong if telling else weak).append(source)
    if phrase:
        _line_sources(value, error, strong)
    return strong[:8], weak[:6]


def _indexed(
    kind: str, value: str, found: Sequence[str], into: list[Source], backwards: bool = True
) -> None:
    for index, other in enumerate(found):
        if other == value:
            into.append([kind, index])
            if backwards:
                into.append([kind, index - len(found)])
            return


def _line_sources(value: str, error: ErrorText, into: list[Source]) -> None:
    for index, line in enumerate(error.lines):
        if line == value and index:
            into.append(["line", " ".join(error.lines[index - 1].casefold().split()[-2:])])
            return
        at = line.find(": " + value)
        if at >= 0 and line.endswith(value) and " " in value:
            into.append(["rest", " ".join(line[:at].casefold().split()[-2:])])
            return


def weight(source: Source) -> float:
    """How far to trust a source when several disagree: words around a value tell most."""
    if source[0] == "after":
        return 3.0 if " " in source[1] else 1.5
    return _WEIGHTS.get(source[0], 2.0)


def located(source: Source, error: ErrorText, it: str | None, old: Sequence[str]) -> str | None:
    """The value a source points at in this error (or in the old text), if there is one."""
    kind = source[0]
    if kind in _OF_THE_WORD:
        return _OF_THE_WORD[kind](source, error, it, old) if it is not None else None
    if kind in {"after", "line", "rest"}:
        return _contextual(kind, source[1], error)
    pools = {
        # Counted from the end, an argument; never the command or the subcommand.
        "word": ["", "", *old[2:]] if source[1:] and _is_negative(source[1]) else old,
        "suggested": error.suggested,
        "phrase": error.quoted,
        "quoted": error.quoted,
        "number": error.numbers,
        "path": error.paths,
    }
    value = _item(pools[kind], source[1])
    return None if kind == "quoted" and value is not None and " " in value else value


def _is_negative(index: Any) -> bool:
    return isinstance(index, int) and index < 0


def _item(found: Sequence[str], index: int) -> str | None:
    return found[index] if -len(found) <= index < len(found) else None


def _trimmed(it: str, prefix: str, suffix: str) -> str | None:
    if not it.startswith(prefix) or not it.endswith(suffix):
        return None
    return it[len(prefix) : len(it) - len(suffix)] or None


_OF_THE_WORD: dict[str, Callable[[Source, ErrorText, str, Sequence[str]], str | None]] = {
    "it": lambda source, error, it, old: it,
    "trimmed": lambda source, error, it, old: _trimmed(it, source[1], source[2]),
    "nearest": lambda source, error, it, old: nearest(it, error, old),
}


def _contextual(kind: str, context: str, error: ErrorText) -> str | None:
    if kind == "after":
        size = context.count(" ") + 1
        for index in range(size, len(error.words)):
            if " ".join(error.lower[index - size : index]) == context:
                return error.words[index]
        return None
    for index, line in enumerate(error.lines):
        if kind == "line":
            ends = " ".join(line.casefold().split()[-2:]) == context
            if ends and index + 1 < len(error.lines):
                return error.lines[index + 1]
        else:
            head, colon, rest = line.partition(": ")
            if colon and " ".join(head.casefold().split()[-2:]) == context:
                return rest
    return None
