"""Turns the marks inside a Markdown text into plain words: links, images, tags, escapes."""

import html
import re
from collections.abc import Collection

# The limits keep what is never closed from being looked for through a whole long text.
CODE = re.compile(r"(?<!`)(`{1,8})(?!`)(.{1,2000}?)(?<!`)\1(?!`)", re.DOTALL)
KEPT = re.compile("\x00(\\d+)\x00")
COMMENT = re.compile(r"<!--.{0,2000}?-->", re.DOTALL)
TARGET = r"\((?:[^()\s]|\([^()\s]*\)){0,2000}(?:\s+(?:\"[^\"]{0,500}\"|'[^']{0,500}'))?\s*\)"
IMAGE = re.compile(rf"!\[([^\]]{{0,500}})\](?:{TARGET}|\[[^\]]{{0,100}}\])")
LINK = re.compile(rf"\[((?:[^\[\]]|\[[^\[\]]{{0,500}}\]){{0,1000}})\]{TARGET}")
REFERENCE = re.compile(r"\[([^\[\]]+)\](?:\[([^\[\]]*)\])?")
AUTOLINK = re.compile(r"<((?:https?|ftp|mailto):[^<>\s]+)>")
NOTICE = re.compile(r"^\[!(\w+)\]", re.MULTILINE)
BREAK = re.compile(r"<br\s*/?>\s*", re.IGNORECASE)
TAG = re.compile(
    r"</?(?:a|abbr|align|b|big|blockquote|center|cite|code|dd|del|details|div|dl|dt|em|figcaption"
    r"|figure|font|footer|h[1-6]|header|hr|i|iframe|img|input|ins|kbd|label|li|mark|nav|ol|p|picture"
    r"|pre|q|s|samp|section|small|source|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th"
    r"|thead|tr|tt|u|ul|var|video|wbr)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]*\}\s*$")
EMPHASIS = re.compile(r"\*+|`+|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)")


class Inline:
    """Knows the names that a document's links refer to: other brackets are just brackets.

    >>> Inline({"docs"}).text("See [the *guide*](g.md), [it][docs] or a[0][1]; `[x](y)` stays.")
    'See the *guide*, it or a[0][1]; `[x](y)` stays.'
    """

    def __init__(self, named: Collection[str] = ()) -> None:
        self._named = frozenset(named)

    def text(self, marked: str) -> str:
        """A text in plain words; what is code stays as it is."""
        codes: list[str] = []

        def keep(found: re.Match[str]) -> str:
            codes.append(found[0])
            return f"\x00{len(codes) - 1}\x00"

        plain = COMMENT.sub("", CODE.sub(keep, marked.replace("\x00", "")))
        plain = LINK.sub(r"\1", IMAGE.sub(r"\1", plain))
        plain = REFERENCE.sub(self._resolved, plain)
        plain = AUTOLINK.sub(r"\1", NOTICE.sub(r"\1:", plain))
        plain = TAG.sub("", BREAK.sub("\n", plain))
        plain = html.unescape(ESCAPE.sub(r"\1", plain))
        return KEPT.sub(lambda found: codes[int(found[1])], plain)

    def heading(self, marked: str) -> str:
        """A heading in plain words, without emphasis and anchors.

        >>> Inline().heading("The `run` command {#run}")
        'The run command'
        """
        words = ATTRIBUTES.sub("", self.text(marked))
        return " ".join(EMPHASIS.sub("", words).split())

    def _resolved(self, found: re.Match[str]) -> str:
        name = (found[2] or found[1]).lower()
        return found[1] if name in self._named else found[0]
