"""Write Markdown as the HTML that Telegram takes: a few tags, everything else escaped."""

import re
from collections.abc import Sequence
from html import escape, unescape

from markdown_it import MarkdownIt
from markdown_it.token import Token

from seasoned.channels.splitting import is_blank

PARSER = MarkdownIt("commonmark").enable(["strikethrough", "table"])
INLINE = {"strong": "b", "em": "i", "s": "s"}
ADDRESSES = ("http://", "https://", "mailto:")  # tg: would ping people, and open chats
TAG = re.compile(r"<[^>]*>")


def telegram_html(text: str) -> str:
    """Return a Markdown text as Telegram's HTML.

    >>> telegram_html("**Bold** & `a < b`")
    '<b>Bold</b> &amp; <code>a &lt; b</code>'
    """
    return _Writer().written(PARSER.parse(text))


def visible_length(text: str) -> int:
    """Return the length of a Markdown text as Telegram counts it: UTF-16 units without the tags.

    It is 0 if nothing can be seen: Telegram refuses such messages.
    """
    seen = visible_text(text)
    return 0 if is_blank(seen) else utf16_length(seen)


def visible_text(text: str) -> str:
    """Return what Telegram shows of a Markdown text, without its formats.

    >>> visible_text("**Bold** & `a < b`")
    'Bold & a < b'
    """
    return unescape(TAG.sub("", telegram_html(text)))


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class _Writer:
    """Walks over the tokens of a document, which are flat; lists and quotes are counted."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._lists: list[int] = []  # the next number of each open list; 0 for bullets
        self._quotes = 0
        self._after_bullet = False
        self._cells: list[str] = []
        self._in_table = False

    def written(self, tokens: Sequence[Token]) -> str:
        for token in tokens:
            self._block(token)
        return "".join(self._out).strip("\n")

    def _block(self, token: Token) -> None:
        kind = token.type
        if kind == "inline":
            self._text(token)
        elif kind in ("fence", "code_block"):
            self._apart()
            language = escape((token.info.split() or [""])[0])
            named = f' class="language-{language}"' if language else ""
            code = escape(token.content.removesuffix("\n"), quote=False)
            self._out.append(f"<pre><code{named}>{code}</code></pre>")
        elif kind == "html_block":
            self._apart()
            self._out.append(escape(token.content.rstrip("\n"), quote=False))
        elif kind == "hr":
            self._apart()
            self._out.append("———")
        elif kind in ("paragraph_open", "heading_open"):
            self._apart()
            self._out.append("<b>" if kind == "heading_open" else "")
        elif kind == "heading_close":
            self._out.append("</b>")
        elif kind.startswith("blockquote"):
            self._quote(opens=token.nesting > 0)
        elif kind.startswith(("bullet_list", "ordered_list", "list_item")):
            self._list(token)
        else:
            self._table(kind)

    def _text(self, token: Token) -> None:
        if self._in_table:
            self._cells.append(unescape(TAG.sub("", _inline(token.children or ()))))
        else:
            self._out.append(_inline(token.children or ()))

    def _quote(self, *, opens: bool) -> None:
        """Telegram does not take a quote in a quote: the outer one stands for both."""
        if opens:
            if not self._quotes:
                self._apart()
                self._out.append("<blockquote>")
                self._after_bullet = True
            self._quotes += 1
        else:
            self._quotes -= 1
            if not self._quotes:
                self._out.append("</blockquote>")

    def _list(self, token: Token) -> None:
        if token.type == "list_item_open":
            number = self._lists[-1]
            first = f"{number}. " if number else "• "
            self._lists[-1] += 1 if number else 0
            self._apart(lines=1)
            self._out.append("  " * (len(self._lists) - 1) + first)
            self._after_bullet = True
        elif token.type == "ordered_list_open":
            self._lists.append(int(token.attrGet("start") or 1))
        elif token.type == "bullet_list_open":
            self._lists.append(0)
        elif token.nesting < 0 and not token.type.startswith("list_item"):
            self._lists.pop()
            self._after_bullet = False

    def _table(self, kind: str) -> None:
        if kind == "table_open":
            self._apart()
            self._in_table = True
            self._out.append("<pre>")
        elif kind == "tr_close":
            self._out.append(escape(" | ".join(self._cells), quote=False) + "\n")
            self._cells.clear()
        elif kind == "table_close":
            self._in_table = False
            self._out[-1] = self._out[-1].rstrip("\n")
            self._out.append("</pre>")

    def _apart(self, lines: int = 2) -> None:
        """Begin a block on a line of its own; the first one of a list item or quote stays in it."""
        if self._after_bullet:
            self._after_bullet = False
        elif any(self._out):
            self._out.append("\n" * (1 if self._lists and lines == 2 else lines))


def _inline(tokens: Sequence[Token]) -> str:
    out: list[str] = []
    links: list[bool] = []
    for token in tokens:
        name = token.type.removesuffix("_open").removesuffix("_close")
        if name in INLINE:
            out.append(f"<{'/' if token.nesting < 0 else ''}{INLINE[name]}>")
        elif token.type == "link_open":
            address = str(token.attrGet("href") or "")
            links.append(address.startswith(ADDRESSES))
            out.append(f'<a href="{escape(address)}">' if links[-1] else "")
        elif token.type == "link_close":
            out.append("</a>" if links.pop() else "")
        elif token.type == "code_inline":
            out.append(f"<code>{escape(token.content, quote=False)}</code>")
        elif token.type in ("softbreak", "hardbreak"):
            out.append("\n")
        else:  # text, an image's description, HTML as it was typed
            out.append(escape(token.content, quote=False))
    return "".join(out)
