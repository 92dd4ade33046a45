"""Plot the cost of a query against the number of lessons; runs in its own environment.

Reads {"path", "title", "curves": [{"name", "color", "points": [[lessons, p50, p95], …]}],
"goals": [[lessons, ms], …]} as JSON from standard input, writes the PNG, and says {"path"}.
"""

import importlib
import json
import sys
from typing import Any

INK = "#333333"
PALE = "#dddddd"


def main() -> None:
    asked: dict[str, Any] = json.load(sys.stdin)
    # Imported by name: only this script's own environment has it.
    matplotlib: Any = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    pyplot: Any = importlib.import_module("matplotlib.pyplot")
    pyplot.rcParams.update({"font.family": "DejaVu Sans", "font.size": 11, "text.color": INK})
    figure, axes = pyplot.subplots(figsize=(9, 5.6), dpi=160, layout="constrained")
    for curve in asked["curves"]:
        draw(axes, curve)
    for lessons, ms in asked["goals"]:
        axes.plot(lessons, ms, marker="v", color=INK, markersize=7, linestyle="none", zorder=1)
    finish(axes, asked)
    figure.savefig(asked["path"])
    json.dump({"path": asked["path"]}, sys.stdout)


def draw(axes: Any, curve: dict[str, Any]) -> None:
    """Draw a line for the median, a shade up to the 95th percentile, and a label at the end."""
    lessons, middle, high = zip(*curve["points"], strict=True)
    color = curve["color"]
    ours = curve["name"].startswith("seasoned")
    axes.plot(lessons, middle, color=color, linewidth=2.4 if ours else 1.6, marker="o", zorder=3)
    axes.plot(lessons, high, color=color, linewidth=0.8, linestyle=(0, (4, 2)), zorder=2)
    axes.fill_between(lessons, middle, high, color=color, alpha=0.10, linewidth=0)
    axes.annotate(
        f"{curve['name']}  {shown(middle[-1])} ms",
        (lessons[-1], middle[-1]),
        xytext=(8, 0),
        textcoords="offset points",
        color=color,
        va="center",
        fontweight="bold" if ours else "normal",
    )


def shown(milliseconds: float) -> str:
    """Format a number with three significant digits."""
    return f"{milliseconds:,.0f}" if milliseconds >= 100 else f"{milliseconds:.3g}"


def finish(axes: Any, asked: dict[str, Any]) -> None:
    axes.set(xscale="log", yscale="log", xlabel="lessons", ylabel="milliseconds a query")
    sizes = sorted({point[0] for curve in asked["curves"] for point in curve["points"]})
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.set_xlim(sizes[0] / 1.3, sizes[-1] * 4.5)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.grid(color=PALE, linewidth=0.7)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=0, colors=INK)
    axes.set_title(asked["title"], loc="left", fontweight="bold", pad=24)
    note = "line: median · dashed: 95th percentile"
    goals = " · triangles: our goals for the 95th percentile" if asked["goals"] else ""
    axes.text(0, 1.02, note + goals, transform=axes.transAxes, fontsize=9.5, color="#666666")


if __name__ == "__main__":
    main()
