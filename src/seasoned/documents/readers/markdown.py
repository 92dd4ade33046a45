"""Read Markdown into headings, paragraphs, lists, tables and code.

markdown-it finds the blocks; their text is taken from the source lines, so that a list keeps its
marks and its indentation.
"""

import html
import re
from collections.abc import Collection, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from seasoned.documents.readers.document import Block, Document, Outline

FORMAT = "markdown"
DEEPEST = 100  # quotes and lists in one another; what is nested deeper is left out

FRONT_MATTER = re.compile(r"(---|\+\+\+)[ \t]*\n(.*?)\n\1[ \t]*(?:\n|$)", re.DOTALL)
FIELD = re.compile(r"^(\w+)[ \t]*[:=][ \t]*(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
FOLDING = re.compile(r"[>|][+-]?[ \t]*\n")

QUOTE = re.compile(r"^(?: {0,3}>[ \t]?)+")
COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
HTML_HEADING = re.compile(r"[ \t]*<h([1-6])\b[^>]*>(.*?)</h\1>", re.IGNORECASE)
POINTER = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[.*\]\(#[^()]*\)")

# The limits keep a mark that is never closed from being searched through a long text.
CODE = re.compile(r"(?<!`)(`{1,8})(?!`)(.{1,2000}?)(?<!`)\1(?!`)", re.DOTALL)
KEPT = re.compile("\x00(\\d+)\x00")
INLINE_COMMENT = re.compile(r"<!--.{0,2000}?-->", re.DOTALL)
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


def read(text: str) -> Document:
    """Read a document; its title is that of the front matter, else its only outermost heading."""
    fields, body = _front_matter(text)
    outline = Outline()
    outline.add(Block(fields.get("description") or fields.get("summary") or ""))
    _Blocks(body, outline).read()
    title = fields.get("title") or outline.title or fields.get("name") or ""
    return Document(title, FORMAT, outline.sections())


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    """Return the fields of the front matter, and the text after it.

    >>> _front_matter("---\\ntitle: 'A guide'\\n---\\nText")
    ({'title': 'A guide'}, 'Text')
    """
    found = FRONT_MATTER.match(text)
    if found is None or not FIELD.search(found[2]):
        return {}, text
    fields = {
        name.lower(): " ".join(FOLDING.sub("", value).split()).strip("\"'")
        for name, value in FIELD.findall(found[2])
    }
    return fields, text[found.end() :]


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])  # marks inside a text are ours
    return parser


class _Blocks:
    """Adds the blocks of a text to an outline; paragraphs and items on adjacent lines are one."""

    def __init__(self, text: str, outline: Outline) -> None:
        self.outline = outline
        self.lines = text.split("\n")
        found: dict[str, dict[str, object]] = {}
        self.tokens = _parser().parse(text, found)
        self.inline = _Inline({name.lower() for name in found.get("references", ())})
        self.paragraph: list[str] = []
        self.end = -1  # the line after the paragraph
        self.listed = False
        self.items: set[int] = set()  # lines on which an item of a list begins

    def read(self) -> None:
        for place, token in enumerate(self.tokens):
            first, end = token.map or (0, 0)
            match token.type:
                case "list_item_open":
                    self.items.add(first)
                case "paragraph_open":
                    self.gather(self.source(first, end), first, end)
                case "html_block":
                    self.html(token.content, first, end)
                case "heading_open":
                    self.head(int(token.tag[1]), self.tokens[place + 1].content)
                case "fence" | "code_block":
                    self.code(token)
                case "table_open":
                    self.table(first, end)
                case _:
                    pass
        self.end_paragraph()

    def source(self, first: int, end: int) -> list[str]:
        return [QUOTE.sub("", line, count=1).rstrip() for line in self.lines[first:end]]

    def gather(self, lines: Sequence[str], first: int, end: int) -> None:
        if first != self.end:
            self.end_paragraph()
        self.paragraph += lines
        self.listed = self.listed or not self.items.isdisjoint(range(first, end))
        self.end = end

    def end_paragraph(self) -> None:
        lines, self.paragraph = self.paragraph, []
        listed, self.listed = self.listed, False
        if lines and not all(map(POINTER.fullmatch, lines)):  # a table of contents says nothing
            self.outline.add(Block(self.inline.text("\n".join(lines)), lines=listed))

    def html(self, text: str, first: int, end: int) -> None:
        """Take headings and text from raw HTML; the text may be Markdown again."""
        self.gather((), first, end)
        for line in map(str.rstrip, COMMENT.sub("", text).removesuffix("\n").split("\n")):
            if heading := HTML_HEADING.fullmatch(line):
                self.head(int(heading[1]), heading[2])
            elif line:
                self.paragraph.append(line)
            else:
                self.end_paragraph()

    def head(self, level: int, text: str) -> None:
        self.end_paragraph()
        self.outline.head(level, self.inline.heading(text))

    def code(self, token: Token) -> None:
        self.end_paragraph()
        fence = token.markup or "```"
        text = token.content.removesuffix("\n")
        self.outline.add(Block(text, lines=True, above=fence + token.info, below=fence))

    def table(self, first: int, end: int) -> None:
        self.end_paragraph()
        head, rule, *rows = (line.strip() for line in self.source(first, end))
        text = "\n".join(self.inline.text(row) for row in rows)
        self.outline.add(Block(text, lines=True, above=f"{self.inline.text(head)}\n{rule}"))


class _Inline:
    """Strips marks from text; brackets are links only if they name a definition of the document.

    >>> _Inline({"docs"}).text("See [the *guide*](g.md), [it][docs] or a[0][1]; `[x](y)` stays.")
    'See the *guide*, it or a[0][1]; `[x](y)` stays.'
    """

    def __init__(self, named: Collection[str] = ()) -> None:
        self._named = frozenset(named)

    def text(self, marked: str) -> str:
        """Return plain text; code stays as it is."""
        codes: list[str] = []

        def keep(found: re.Match[str]) -> str:
            codes.append(found[0])
            return f"\x00{len(codes) - 1}\x00"

        plain = INLINE_COMMENT.sub("", CODE.sub(keep, marked.replace("\x00", "")))
        plain = LINK.sub(r"\1", IMAGE.sub(r"\1", plain))
        plain = REFERENCE.sub(self._resolved, plain)
        plain = AUTOLINK.sub(r"\1", NOTICE.sub(r"\1:", plain))
        plain = TAG.sub("", BREAK.sub("\n", plain))
        plain = html.unescape(ESCAPE.sub(r"\1", plain))
        return KEPT.sub(lambda found: codes[int(found[1])], plain)

    def heading(self, marked: str) -> str:
        """Return a heading without emphasis and anchors.

        >>> _Inline().heading("The `run` command {#run}")
        'The run command'
        """
        words = ATTRIBUTES.sub("", self.text(marked))
        return " ".join(EMPHASIS.sub("", words).split())

    def _resolved(self, found: re.Match[str]) -> str:
        name = (found[2] or found[1]).lower()
        return found[1] if name in self._named else found[0]
