"""Parse tags so that each one is closed, and skip content that readers of a page do not see."""

import re
from html.parser import HTMLParser
from typing import NamedTuple

VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
DROPPED = frozenset(
    """script style noscript template nav footer svg canvas iframe object audio video button select
    textarea datalist dialog menu annotation""".split()
)
DROPPED_ROLES = frozenset(
    "navigation banner contentinfo search menu menubar toolbar dialog".split()
)
DROPPED_CLASSES = frozenset(
    """toc tableofcontents table-of-contents breadcrumb breadcrumbs headerlink hash-link navheader
    navfooter nav-panel sphinxsidebar skip-link""".split()
)
HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
LISTS = frozenset(("ul", "ol"))
CELLS = frozenset(("td", "th"))
# Tags that begin and end a paragraph.
BLOCKS = HEADINGS | frozenset(
    """address article aside blockquote body caption center dd details dir div dl dt fieldset
    figcaption figure footer form header hgroup hr html legend li main nav ol p pre section summary
    table tbody td tfoot th thead tr ul""".split()
)


class Ending(NamedTuple):
    """Open tags that a new tag closes, and the tags at which the search for them stops."""

    tags: frozenset[str]
    within: frozenset[str]


TERMS, ROWS, TABLE = frozenset(("dt", "dd")), frozenset(("tr",)), frozenset(("table",))
ENDINGS = {
    "li": Ending(frozenset(("li",)), LISTS),
    **dict.fromkeys(TERMS, Ending(TERMS, frozenset(("dl",)))),
    **dict.fromkeys(CELLS, Ending(CELLS, TABLE | ROWS)),
    **dict.fromkeys(("tr", "thead", "tbody", "tfoot"), Ending(ROWS, TABLE)),
}
PARAGRAPH = Ending(frozenset(("p",)) | HEADINGS, BLOCKS - {"p"} - HEADINGS)

Attributes = dict[str, str]


class OpenTag(NamedTuple):
    tag: str
    attributes: Attributes
    dropped: bool


class Tags(HTMLParser):
    """Calls `began` for every tag, and `ended` exactly once for each of them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[OpenTag] = []
        self._dropping = 0

    def began(self, tag: str, attributes: Attributes) -> None: ...

    def ended(self, tag: str, attributes: Attributes) -> None: ...

    def said(self, text: str) -> None: ...

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in BLOCKS:
            self._end(PARAGRAPH)
        if tag in ENDINGS:
            self._end(ENDINGS[tag])
        attributes = {name: value or "" for name, value in attrs}
        if tag not in VOID:
            dropped = is_dropped(tag, attributes)
            self._open.append(OpenTag(tag, attributes, dropped))
            self._dropping += dropped
        if not self._dropping:
            self.began(tag, attributes)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        for place in reversed(range(len(self._open))):
            if self._open[place].tag == tag:
                self._close(place)
                return

    def handle_data(self, data: str) -> None:
        if not self._dropping:
            self.said(data)

    def close(self) -> None:
        super().close()
        self._close(0)

    def _end(self, ending: Ending) -> None:
        for place in reversed(range(len(self._open))):
            tag = self._open[place].tag
            if tag in ending.tags:
                self._close(place)
                return
            if tag in ending.within:
                return

    def _close(self, place: int) -> None:
        while len(self._open) > place:
            closed = self._open.pop()
            if not self._dropping:
                self.ended(closed.tag, closed.attributes)
            self._dropping -= closed.dropped


def escape_unclosed(page: str) -> str:
    """Escape tags that are never closed; the parser would search for their end again and again.

    >>> escape_unclosed("<p>a <b <c"), escape_unclosed("<p> <!-- x")
    ('<p>a &lt;b &lt;c', '<p> &lt;!-- x')
    """
    end, comment_end = page.rfind(">") + 1, page.rfind("-->") + 1
    page = page[:end] + page[end:].replace("<", "&lt;")
    return page[:comment_end] + page[comment_end:].replace("<!--", "&lt;!--")


def is_dropped(tag: str, attributes: Attributes) -> bool:
    """Whether an element is invisible, or no part of the text."""
    return (
        tag in DROPPED
        or attributes.get("role", "") in DROPPED_ROLES
        or not DROPPED_CLASSES.isdisjoint(attributes.get("class", "").lower().split())
        or attributes.get("aria-hidden") == "true"
        or ("hidden" in attributes and attributes["hidden"] != "until-found")
        or HIDDEN.search(attributes.get("style", "")) is not None
    )
