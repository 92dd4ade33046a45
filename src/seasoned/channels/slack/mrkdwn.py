"""Write Markdown as Slack's mrkdwn, in which nothing that a model wrote can ping anybody."""

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from seasoned.core.text import storable

PARSER = MarkdownIt("commonmark").enable(["strikethrough", "table"])
MARKS = {"strong": "*", "em": "_", "s": "~"}
ADDRESSES = ("http://", "https://", "mailto:")
INDENT = "    "
NOTHING = "\N{ZERO WIDTH SPACE}"  # Slack reads it as a space and shows nothing

ADDRESS = re.compile(r"https?://[^\s<>|\"`*]+")
AFTER_ADDRESS = ".,;:!?'_~"  # belongs to the sentence
MARKED = re.compile(r"(?<!\w)([*_~`])(?=[^\s*_~`](?:[^\n]*[^\s])?\1(?!\w))")


def mrkdwn(text: str) -> str:
    """Return a Markdown text as Slack's mrkdwn.

    >>> mrkdwn("# Done\\n**Bold** & [a link](https://example.com) for <!channel>")
    '*Done*\\n\\n*Bold* &amp; <https://example.com|a link> for &lt;!channel&gt;'
    """
    text = storable(text)
    try:
        return _blocks(SyntaxTreeNode(PARSER.parse(text)).children).strip("\n")
    except RecursionError:  # thousands of marks in one another, which nobody means
        return escaped(text).strip("\n")


def escaped(text: str) -> str:
    """Escape the three signs that Slack reads as markup of its own.

    >>> escaped("<@U1> & co")
    '&lt;@U1&gt; &amp; co'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _blocks(nodes: Sequence[SyntaxTreeNode], between: str = "\n\n") -> str:
    return between.join(filter(None, map(_block, nodes)))


def _block(node: SyntaxTreeNode) -> str:  # noqa: PLR0911 - a line a kind
    match node.type:
        case "paragraph":
            return _Line().written(node)
        case "heading":
            return _Line("strong").written(node) if _plain(node).strip() else ""
        case "fence" | "code_block":
            return _code(node.content.removesuffix("\n"))
        case "blockquote":
            return "\n".join(f"> {line}".rstrip() for line in _blocks(node.children).split("\n"))
        case "bullet_list" | "ordered_list":
            return _list(node)
        case "table":
            return _table(node)
        case "hr":
            return "———"
        case _:  # HTML as it was typed
            return escaped(node.content.rstrip("\n"))


def _code(code: str) -> str:
    """Write a block without its language, which Slack would show; a fence inside must not end it.

    >>> _code("a < b")
    '```\\na &lt; b\\n```'
    """
    return f"```\n{escaped(code).replace('```', NOTHING.join('```'))}\n```"


def _list(node: SyntaxTreeNode, depth: int = 0) -> str:
    number = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else 0
    lines: list[str] = []
    for item in node.children:
        first = f"{INDENT * depth}{f'{number}.' if number or node.type != 'bullet_list' else '•'} "
        number += node.type == "ordered_list"
        for child in item.children:
            if child.type in ("bullet_list", "ordered_list"):
                lines.extend([first] * bool(first))
                lines.append(_list(child, depth + 1))
            elif child.type == "fence":  # its lines stay as they are
                lines.extend([first] * bool(first))
                lines.append(_block(child))
            else:
                following = INDENT * (depth + 1)
                lines.append((first or following) + _block(child).replace("\n", f"\n{following}"))
            first = ""
        if first:
            lines.append(first)
    return "\n".join(line.rstrip() for line in lines)


def _table(node: SyntaxTreeNode) -> str:
    """Slack has no tables in mrkdwn: columns of equal width in a block of code."""
    rows = [
        [_plain(cell) for cell in row.children] for part in node.children for row in part.children
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=False)]
    lines = [
        " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip()
        for row in rows
    ]
    lines.insert(1, "-|-".join("-" * width for width in widths))
    return _code("\n".join(lines))


def _plain(node: SyntaxTreeNode) -> str:
    """Return what is shown, without marks and not escaped."""
    if node.type in ("softbreak", "hardbreak"):
        return " "
    if not node.children or node.type == "image":
        return node.content if not node.is_root else ""
    return "".join(map(_plain, node.children))


class _Line:
    """Writes a paragraph; marks end at each line's end and begin again, as Slack wants it."""

    def __init__(self, *marks: str) -> None:
        self._open: list[str] = []
        self._around = marks
        self._out: list[str] = []

    def written(self, node: SyntaxTreeNode) -> str:
        for mark in self._around:
            self._mark(mark)
        self._inside(node)
        self._out.extend(MARKS[mark] for mark in reversed(self._open))
        return "".join(self._out)

    def _inside(self, node: SyntaxTreeNode) -> None:
        for child in node.children:
            self._one(child)

    def _mark(self, name: str) -> None:
        self._open.append(name)
        self._out.append(MARKS[name])

    def _one(self, node: SyntaxTreeNode) -> None:
        match node.type:
            case "inline":
                self._inside(node)
            case "strong" | "em" | "s":
                self._marked(node)
            case "softbreak" | "hardbreak":
                self._out.extend(MARKS[mark] for mark in reversed(self._open))
                self._out.append("\n")
                self._out.extend(MARKS[mark] for mark in self._open)
            case "link" | "image":
                address = str(node.attrs.get("href") or node.attrs.get("src") or "")
                self._out.append(_link(address, _plain(node)))
            case "code_inline" if "`" not in node.content:
                self._out.append(f"`{escaped(node.content)}`")
            case _:
                self._out.append(_text(node.content))

    def _marked(self, node: SyntaxTreeNode) -> None:
        if node.type in self._open:  # bold in a heading
            self._inside(node)
            return
        if self._out and self._out[-1][-1:].isalnum():  # Slack marks whole words only
            self._out.append(NOTHING)
        self._mark(node.type)
        self._inside(node)
        self._out.append(MARKS[self._open.pop()])
        following = node.next_sibling
        if following is not None and following.content[:1].isalnum():
            self._out.append(NOTHING)


def _link(address: str, label: str) -> str:
    """Write a link; an address that Slack cannot open becomes its label."""
    if not address.startswith(ADDRESSES):
        return _text(label)
    to = escaped(address).replace("|", "%7C")
    shown = escaped(label.replace("|", "\N{BROKEN BAR}").strip())
    same = label in (address, address.removeprefix("mailto:"))
    return f"<{to}>" if same or not shown else f"<{to}|{shown}>"


def _text(text: str) -> str:
    """Write plain text; web addresses in it become links, signs in it mark nothing.

    >>> _text("See https://example.com/a?b=1&c=2.")
    'See <https://example.com/a?b=1&amp;c=2>.'
    """
    out: list[str] = []
    done = 0
    for found in ADDRESS.finditer(text):
        address = found[0].rstrip(AFTER_ADDRESS)
        while address.endswith(")") and address.count(")") > address.count("("):
            address = address[:-1].rstrip(AFTER_ADDRESS)
        out.extend((_unmarked(text[done : found.start()]), f"<{escaped(address)}>"))
        done = found.start() + len(address)
    return "".join(out) + _unmarked(text[done:])


def _unmarked(text: str) -> str:
    return MARKED.sub(rf"\1{NOTHING}", escaped(text))
