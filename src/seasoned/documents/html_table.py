"""Gathers the cells of an HTML table, and writes them as rows of text."""

from collections.abc import Iterator

from seasoned.documents.document import Block


class Table:
    """One table while it is read. One that only places things on the page is no table."""

    def __init__(self) -> None:
        self.is_layout = False
        self._rows: list[list[str]] = []
        self._heads: list[bool] = []  # for each row, whether all of its cells name their column

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
        """More text for the cell that was begun last."""
        row = self._rows[-1]
        row[-1] = f"{row[-1]} {' '.join(text.split())}".strip()

    def texts(self) -> Iterator[str]:
        """What was in the cells so far, for a table that turned out to be none."""
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
