"""Draw which rooms of the package import which, between two markers in docs/architecture.md.

    python scripts/draw_rooms.py            # write the drawing
    python scripts/draw_rooms.py --check    # fail if the page is out of date

A room is a top-level package or module of `seasoned`. Imports that follow from other arrows are
left out. The rooms stand in the order of import-linter's layers, the highest first.
"""

import argparse
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- rooms: begin -->\n", "<!-- rooms: end -->\n"
PACKAGE = "seasoned"

Imports = Mapping[str, set[str]]  # for each room, the rooms that it imports


def main() -> int:
    parser = argparse.ArgumentParser(description="Draw which rooms import which.")
    parser.add_argument("--check", action="store_true", help="fail if the page is out of date")
    args = parser.parse_args()
    page = PAGE.read_text("utf-8")
    drawn = with_drawing(page, drawing(layers(), imports()))
    if not args.check:
        PAGE.write_text(drawn, "utf-8")
        return 0
    if drawn != page:
        print(f"{PAGE.name} is out of date; run python scripts/draw_rooms.py")  # noqa: T201
    return int(drawn != page)


def layers() -> list[str]:
    """The rooms, from the highest layer to the lowest."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    rows: list[str] = next(one["layers"] for one in contracts if one["type"] == "layers")
    return [room.strip() for row in rows for room in row.split("|")]


def imports() -> Imports:
    graph = grimp.build_graph(PACKAGE)
    found: defaultdict[str, set[str]] = defaultdict(set)
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            here, there = room_of(module), room_of(imported)
            if here and there and here != there:
                found[here].add(there)
    return found


def room_of(module: str) -> str:
    """Return the room of a module; the package's own `__init__` has none.

    >>> room_of("seasoned.db.search.vectors"), room_of("seasoned.config"), room_of("seasoned")
    ('db', 'config', '')
    """
    return module.split(".")[1] if "." in module else ""


def drawing(rooms: Sequence[str], imported: Imports) -> str:
    """Return a Mermaid flowchart.

    >>> print(drawing(["app", "db", "core"], {"app": {"db", "core"}, "db": {"core"}}))
    flowchart TD
      app --> db
      db --> core
    """
    arrows = [
        f"  {room} --> {below}"
        for room in rooms
        for below in sorted(imported.get(room, ()), key=rooms.index)
        if not any(
            reaches(other, below, imported) for other in imported.get(room, ()) if other != below
        )
    ]
    return "\n".join(["flowchart TD", *arrows])


def reaches(room: str, target: str, imported: Imports) -> bool:
    below = imported.get(room, set[str]())
    return target in below or any(reaches(one, target, imported) for one in below)


def with_drawing(page: str, drawn: str) -> str:
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}```mermaid\n{drawn}\n```\n{END}{after}"


if __name__ == "__main__":
    raise SystemExit(main())
