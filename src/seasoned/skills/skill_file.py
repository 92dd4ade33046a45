"""Read and write SKILL.md files: YAML front matter between two lines of ---, then Markdown.

Scalars stay strings: `version: 1.0` and `date: 2025-01-31` are kept as written. Many people write
`description: Use when: …`, which is not valid YAML, so a plain value that YAML rejects is quoted
and read again.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import yaml

from seasoned.core.errors import BadInput, NotFound
from seasoned.core.text import storable
from seasoned.skills.skill import LONGEST_BODY, Skill, check_skill

FILE_NAME = "SKILL.md"
LARGEST_FILE = 4 * LONGEST_BODY + 40_000  # bytes
FENCE = "---"
FIRST_LINE = 2  # of the front matter, in its file
DEEPEST = 8
PLAIN_VALUE = re.compile(
    r"(?P<key>\s*(?:- +)*[A-Za-z_][\w.-]*\s*:\s+)(?P<value>[^\s'\"\[{|>&*!%@`#].*)"
)
LINE_BREAK = re.compile(r"[\n\r\x85\u2028\u2029]")
COMMENT = re.compile(r"(?:^|\s+)#.*$")


def skills_in(path: Path) -> Iterator[tuple[Path, Skill]]:
    """Read a SKILL.md, the one in a folder, or those in a folder's folders."""
    for file in _files(path):
        yield file, read_skill(file)


def read_skill(file: Path) -> Skill:
    try:
        size = file.stat().st_size
        if size > LARGEST_FILE:
            raise BadInput(f"{file} has {size} bytes; a skill may have {LARGEST_FILE}")
        text = file.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{file} is not UTF-8 text: {error}") from error
    except OSError as error:
        raise NotFound(f"{file} cannot be read: {error.strerror or error}") from error
    return skill_from(text, str(file))


def write_skill(skill: Skill, folder: Path, *, replace: bool = False) -> Path:
    """Write `folder/NAME/SKILL.md`; an existing file is kept unless `replace`."""
    file = folder / skill.name / FILE_NAME
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w" if replace else "x", encoding="utf-8") as out:
            out.write(skill_text(skill))
    except FileExistsError as error:
        raise BadInput(f"{file} exists already; --force replaces it") from error
    except OSError as error:
        raise BadInput(f"{file} cannot be written: {error.strerror or error}") from error
    return file


def skill_from(text: str, where: str = FILE_NAME) -> Skill:
    """Parse the text of a SKILL.md.

    >>> skill_from("---\\nname: greet\\ndescription: Greets people.\\n---\\nSay hello.").body
    'Say hello.'
    """
    if len(text) > LONGEST_BODY + 10_000:
        raise BadInput(f"{where} has {len(text)} characters; a skill may have {LONGEST_BODY}")
    try:
        head, body = split_front_matter(storable(text))
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from error
    if not head:
        raise BadInput(
            f"{where} has no front matter; it must begin with ---, name:, description: and ---"
        )
    name, description = (head.pop(key, "") for key in ("name", "description"))
    if not isinstance(name, str) or not isinstance(description, str):
        raise BadInput(f"{where}: name and description must be strings")
    skill = Skill(name.strip(), " ".join(description.split()), body.strip(), head)
    return check_skill(skill, where)


def skill_text(skill: Skill) -> str:
    """Return the skill as a SKILL.md, which reads as the same skill again.

    >>> print(skill_text(Skill("greet", "Greets people.", "Say hello.")))
    ---
    name: greet
    description: Greets people.
    ---
    <BLANKLINE>
    Say hello.
    <BLANKLINE>
    """
    head = {"name": skill.name, "description": skill.description} | dict(skill.meta)
    return join_front_matter(head, skill.body)


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Split a file into front matter and body; the front matter is empty if there is none.

    >>> split_front_matter("---\\nname: greet\\ntags: [a, b]\\n---\\nSay hello.\\n")
    ({'name': 'greet', 'tags': ['a', 'b']}, 'Say hello.\\n')
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != FENCE:
        return {}, text
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() in (FENCE, "...")), None)
    if end is None:
        raise BadInput("the front matter never ends; close it with a line of ---")
    return _parse(lines[1:end]), "\n".join(lines[end + 1 :]).lstrip("\n")


def join_front_matter(head: Mapping[str, Any], body: str) -> str:
    """Return the text of a file with this front matter and body.

    >>> print(join_front_matter({"name": "greet", "tags": ["a"], "by": "me: #1"}, "Hi."))
    ---
    name: greet
    tags: [a]
    by: 'me: #1'
    ---
    <BLANKLINE>
    Hi.
    <BLANKLINE>
    """
    written = yaml.dump(
        _without_empty(head), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=2**31
    )
    front = written.rstrip("\n") if head else ""
    return "\n".join([FENCE, *([front] if front else []), FENCE, "", body.strip("\n"), ""])


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise NotFound(f"there is no file or folder {path}")
    own = path / FILE_NAME
    found = [own] if own.is_file() else sorted(path.glob(f"*/{FILE_NAME}"))
    if not found:
        raise NotFound(f"there is no {FILE_NAME} in {path} or its folders")
    return found


def _parse(lines: Sequence[str]) -> dict[str, Any]:
    lines = list(lines)
    while True:
        try:
            head: Any = yaml.load("\n".join(lines), Loader=_Loader)
            break
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            at = mark.line if mark else 0
            if not _quote_value(lines, at):
                raise BadInput(f"line {at + FIRST_LINE}: {error.problem or error}") from error
        except yaml.YAMLError as error:
            raise BadInput(f"the front matter is not valid YAML: {error}") from error
    if head is None:
        return {}
    if not isinstance(head, dict):
        raise BadInput(f"line {FIRST_LINE}: the front matter must be lines of `name: value`")
    return cast("dict[str, Any]", head)


def _quote_value(lines: list[str], at: int) -> bool:
    """Quote the plain value at a line, with its continuation lines; False if there is none."""
    start = _value_start(lines, at) if at < len(lines) else at - 1
    found = PLAIN_VALUE.fullmatch(lines[start])
    if found is None:
        return False
    end = start + 1
    while end < len(lines) and lines[end].strip() and _indent(lines[end]) > _indent(lines[start]):
        end += 1
    parts = [found["value"], *(line.strip() for line in lines[start + 1 : end])]
    value = " ".join(text for part in parts if (text := COMMENT.sub("", part).strip()))
    quoted = found["key"] + json.dumps(value, ensure_ascii=False)
    lines[start:end] = [quoted, *[""] * (end - start - 1)]  # line numbers stay the same
    return True


def _value_start(lines: Sequence[str], at: int) -> int:
    """Return the line of the key whose plain value the line continues, or the line itself."""
    for above in range(at - 1, -1, -1):
        if not lines[above].strip():
            break
        if _indent(lines[above]) < _indent(lines[at]):
            return above if PLAIN_VALUE.fullmatch(lines[above]) else at
    return at


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _without_empty(head: Mapping[str, Any]) -> dict[str, Any]:
    """Drop empty tables, which say nothing."""
    tables = {
        key: _without_empty(cast("Mapping[str, Any]", value))
        for key, value in head.items()
        if isinstance(value, Mapping)
    }
    return {key: tables.get(key, value) for key, value in head.items() if tables.get(key) != {}}


class _Loader(yaml.BaseLoader):
    """Reads scalars as strings; refuses duplicate keys, anchors, tags and deep nesting."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = cast("Any", self).peek_event()
        if getattr(event, "anchor", None) or getattr(event, "tag", None):
            raise _problem("anchors, aliases and tags are not supported; use quotes", event)
        self.depth += 1
        if self.depth > DEEPEST:
            raise _problem(f"nested more than {DEEPEST} deep", event)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_scalar(self, node: yaml.ScalarNode) -> Any:
        text = super().construct_scalar(node)
        return text.rstrip("\n") if node.style in ("|", ">") else text

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise _problem(f"{key.value} is given twice; keep one", key)
            seen.add(str(key.value))
        return super().construct_mapping(node, deep=True)


def _problem(text: str, at: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=text, problem_mark=at.start_mark)


class _Dumper(yaml.SafeDumper):
    """Writes strings without quotes where possible, and lists in brackets."""

    # `1.0` and `yes` need no quotes: they are read as strings.
    yaml_implicit_resolvers: dict[Any, Any] = {}  # noqa: RUF012 - as in the base class

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_text(self, text: str) -> yaml.ScalarNode:
        style = '"' if LINE_BREAK.search(text) else None
        return cast("Any", self).represent_scalar("tag:yaml.org,2002:str", text, style=style)

    def represent_items(self, items: Sequence[Any]) -> yaml.SequenceNode:
        return self.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=True)


_Dumper.add_representer(str, _Dumper.represent_text)
_Dumper.add_representer(list, _Dumper.represent_items)
_Dumper.add_representer(tuple, _Dumper.represent_items)
