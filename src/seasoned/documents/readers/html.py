"""Read HTML: the main text of a page under its headings, without menus, scripts and footers."""

import re
from collections.abc import Iterator

from seasoned.documents.readers.document import Block, Document, Outline
from seasoned.documents.readers.html_tags import BLOCKS, HEADINGS, Attributes, Tags, escape_unclosed

FORMAT = "html"
MAIN = frozenset(("main", "article"))
LANGUAGE = re.compile(r"\blang(?:uage)?-([\w+#-]+)")
ANCHOR = re.compile(r"^[¶§🔗]\s*|\s*[¶§🔗]\s*$|\s+#\s*$")
SPACES = re.compile(r"[ \t\n\xa0]+")
LEAFING = frozenset("next prev previous up start contents index".split())
IN_PAGE = 0.9  # share of in-page links from which a list is a table of contents


def read(text: str) -> Document:
    """Read a page; if it has text in `<main>` or `<article>`, only that."""
    page = HtmlPage()
    page.feed(escape_unclosed(text))
    page.close()
    main = page.main.sections()
    if any(section.blocks for section in main):
        return Document(page.title or page.main.title, FORMAT, main)
    return Document(page.title or page.whole.title, FORMAT, page.whole.sections())


class HtmlPage(Tags):
    """Collects text into blocks, and blocks under headings.

    Tags with a meaning have methods of their own: `begin_pre`, `end_pre`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.title = ""
        self.whole, self.main = Outline(), Outline()
        self._mains = 0
        self._text: list[str] = []  # of the current paragraph, heading or cell
        self._code: list[str] | None = None
        self._language = ""
        self._lists: list[int | None] = []  # the number of the last item; None for bullets
        self._items: list[str] = []
        self._marker = ""
        self._tables: list[HtmlTable] = []
        self._links_into_page = False
        self._leafs_on = False  # the paragraph links to the next page; drop it
        self._linked = self._listed = 0  # characters of the list: in in-page links, and in all

    def began(self, tag: str, attributes: Attributes) -> None:
        if tag in BLOCKS or tag == "title":
            self._end_text()
        self._mains += _is_main(tag, attributes)
        if tag in HEADINGS:
            self._break_out()
        elif begin := getattr(self, f"begin_{tag}", None):
            begin(attributes)

    def ended(self, tag: str, attributes: Attributes) -> None:
        if tag in HEADINGS:
            self._end_heading(int(tag[1]))
        elif tag in BLOCKS:
            self._end_text(leads=tag == "dt")
        if end := getattr(self, f"end_{tag}", None):
            end()
        self._mains -= _is_main(tag, attributes)

    def said(self, text: str) -> None:
        if self._code is not None:
            self._code.append(text)
            return
        self._text.append(SPACES.sub(" ", text))
        if self._lists:
            self._listed += len(text.strip())
            self._linked += len(text.strip()) if self._links_into_page else 0

    def close(self) -> None:
        super().close()
        self._end_text()
        self._break_out()

    def begin_a(self, attributes: Attributes) -> None:
        self._links_into_page = attributes.get("href", "").startswith("#")
        self._leafs_on = self._leafs_on or attributes.get("rel", "") in LEAFING

    def end_a(self) -> None:
        self._links_into_page = False

    def begin_br(self, _attributes: Attributes) -> None:
        (self._text if self._code is None else self._code).append("\n")

    def _end_heading(self, level: int) -> None:
        text = ANCHOR.sub("", " ".join(self._taken().split()))
        self.whole.head(level, text)
        if self._mains:
            self.main.head(level, text)

    def end_title(self) -> None:
        self.title = self.title or " ".join(self._taken().split())

    def begin_pre(self, attributes: Attributes) -> None:
        self._break_out()
        self._code = []
        self.begin_code(attributes)

    def begin_code(self, attributes: Attributes) -> None:
        if self._code is not None and (found := LANGUAGE.search(attributes.get("class", ""))):
            self._language = found[1]

    def end_pre(self) -> None:
        code = "".join(self._code or ()).replace("\xa0", " ").strip("\n").rstrip()
        fence = f"```{self._language}"
        self._code, self._language = None, ""
        self._add(Block(code, lines=True, above=fence, below="```"))

    def begin_ul(self, _attributes: Attributes) -> None:
        self._lists.append(None)

    def begin_ol(self, _attributes: Attributes) -> None:
        self._lists.append(0)

    def begin_li(self, _attributes: Attributes) -> None:
        if not self._lists:
            self._lists.append(None)
        number = self._lists[-1]
        if number is not None:
            number = self._lists[-1] = number + 1
        self._marker = "- " if number is None else f"{number}. "

    def end_ul(self) -> None:
        if self._lists:
            self._lists.pop()
        if not self._lists:
            self._end_items()

    end_ol = end_ul

    def _end_items(self) -> None:
        items, self._items = self._items, []
        if items and self._linked < IN_PAGE * self._listed:
            self._add(Block("\n".join(items), lines=True))
        self._linked = self._listed = 0

    def begin_table(self, _attributes: Attributes) -> None:
        self._break_out()
        self._tables.append(HtmlTable())

    def begin_tr(self, _attributes: Attributes) -> None:
        if self._tables:
            self._tables[-1].row()

    def begin_td(self, _attributes: Attributes) -> None:
        if self._tables:
            self._tables[-1].cell(head=False)

    def begin_th(self, _attributes: Attributes) -> None:
        if self._tables:
            self._tables[-1].cell(head=True)

    def end_table(self) -> None:
        if self._tables:
            table = self._tables.pop()
            for block in () if table.is_layout else table.blocks():
                self._add(block)

    def _break_out(self) -> None:
        """End the list; tables that are open are layout, since a cell holds more than text."""
        self._end_items()
        for table in self._tables:
            if not table.is_layout:
                table.is_layout = True
                for text in table.texts():
                    self._add(Block(text))

    def _end_text(self, *, leads: bool = False) -> None:
        """End the paragraph; one that leads stays with the next block."""
        lines = (line.strip() for line in self._taken().split("\n"))
        text = "\n".join(line for line in lines if line)
        wanted, self._leafs_on = not self._leafs_on, False
        if not text or not wanted:
            return
        text = ANCHOR.sub("", text) if leads else text
        if self._tables and self._tables[-1].takes_text:
            self._tables[-1].add(text)
        elif self._lists:
            indent = "  " * (len(self._lists) - 1)
            self._items.append(indent + (self._marker or "  ") + text)
            self._marker = ""
        else:
            self._add(Block(text, leads=leads))

    def _taken(self) -> str:
        text, self._text = "".join(self._text), []
        return text

    def _add(self, block: Block) -> None:
        self.whole.add(block)
        if self._mains:
            self.main.add(block)


def _is_main(tag: str, attributes: Attributes) -> bool:
    return tag in MAIN or attributes.get("role") == "main"


class HtmlTable:
    """Collects the cells of a table; a table used for layout is none."""

    def __init__(self) -> None:
        self.is_layout = False
        self._rows: list[list[str]] = []
        self._heads: list[bool] = []  # for each row, whether all cells are `<th>`

    def row(self) -> None:
        self._rows.append([])
        self._heads.append(True)

    def cell(self, *, head: bool) -> None:
        if not self._rows:
            self.row()
        self._rows[-1].append("")
        self._heads[-1] &= head

    @property
    def takes_text(self) -> bool:
        return not self.is_layout and bool(self._rows and self._rows[-1])

    def add(self, text: str) -> None:
        """Add text to the last cell."""
        row = self._rows[-1]
        row[-1] = f"{row[-1]} {' '.join(text.split())}".strip()

    def texts(self) -> Iterator[str]:
        """Yield the text of the cells so far, for a table that turns out to be layout."""
        for row in self._rows:
            yield from filter(None, row)

    def blocks(self) -> Iterator[Block]:
        rows = [(row, head) for row, head in zip(self._rows, self._heads, strict=True) if any(row)]
        if all(sum(map(bool, row)) <= 1 for row, _ in rows):
            yield from map(Block, self.texts())
            return
        lines = [f"| {' | '.join(row)} |" for row, _ in rows]
        above = ""
        if rows[0][1]:
            above = f"{lines.pop(0)}\n|{'---|' * len(rows[0][0])}"
        yield Block("\n".join(lines), lines=True, above=above)
