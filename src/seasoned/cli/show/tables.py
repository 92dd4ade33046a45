"""Tables that fit the terminal: side by side where there is room, else one value below another."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

LEAST_LAST = 14  # columns for the last one, which wraps
GAP = 2


@dataclass(frozen=True, slots=True)
class FittedTable:
    """Columns and rows; `>` before a heading aligns right."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Text]]

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Generator[RenderableType]:
        if self.width() <= options.max_width:
            yield self._side_by_side()
        else:
            yield self._one_below_another()

    def width(self) -> int:
        """Return the columns that it needs, with the last one as narrow as can be read."""
        widths = [
            max([_width(Text(heading.lstrip(">"))), *(_width(row[place]) for row in self.rows)])
            for place, heading in enumerate(self.columns)
        ]
        return sum(widths[:-1]) + GAP * (len(widths) - 1) + min(widths[-1], LEAST_LAST)

    def _side_by_side(self) -> Table:
        grid = Table(
            box=SIMPLE_HEAD,
            padding=(0, 1, 0, 0),
            pad_edge=False,
            show_edge=False,
            header_style="bold",
        )
        for place, heading in enumerate(self.columns):
            grid.add_column(
                heading.lstrip(">"),
                justify="right" if heading.startswith(">") else "left",
                no_wrap=place < len(self.columns) - 1,
                overflow="fold",
            )
        for row in self.rows:
            grid.add_row(*row)
        return grid

    def _one_below_another(self) -> Table:
        grid = Table.grid(padding=(0, 1))
        grid.add_column(style="dim", overflow="fold", max_width=14)
        grid.add_column(overflow="fold")
        for place, row in enumerate(self.rows):
            if place:
                grid.add_row()
            for heading, cell in zip(self.columns, row, strict=True):
                if cell.plain:
                    grid.add_row(heading.lstrip(">"), cell)
        return grid


def _width(text: Text) -> int:
    return max((line.cell_len for line in text.split("\n")), default=0)
