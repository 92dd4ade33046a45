"""Measure whether two messages of the same mistake get the same error pattern, beside its peers.

Every `*.jsonl` file in --data is a set; its rows are {"text", "template"}. Rows are grouped online,
in their order, and each row's group and template are read when all have been placed.

    ga       share of rows whose group holds exactly the rows of their true group
    fga      F1 over groups: a predicted group is right when it equals a true group
    pa       share of rows whose template is the true one (neighbouring holes are one hole)
    pair_f1  F1 over pairs of rows: do these two belong together?

Sets named loghub_* are the family "logs". Otherwise a family is what stands before the first
underscore of a name, where several sets share it, and all other sets are the family "tools". A
family's figure is the mean of its sets.
"""

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from peers.environment import PeerMissing, ask
from seasoned.errors.template import Groups

QUICK_ROWS = 400
METRICS = ("ga", "fga", "pa", "pair_f1")


@dataclass(frozen=True)
class Grouping:
    """A group and a template for each row."""

    groups: Sequence[object]
    templates: Sequence[str]


def seasoned(texts: Sequence[str]) -> Grouping:
    groups = Groups()
    placed = [groups.add(text) for text in texts]
    final = [groups.current(group) for group in placed]
    return Grouping(final, [groups.templates[group] for group in final])


def drain3(texts: Sequence[str]) -> Grouping:
    answer = ask("drain3", "drain3_groups.py", {"texts": list(texts)})
    return Grouping(answer["groups"], answer["templates"])


FOUR_RULES = (
    (re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"), ""),
    (re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?"), ""),
    (re.compile(r"(?:/[\w.-]+)+"), "<path>"),
    (re.compile(r":\d{2,5}\b"), ":<port>"),
)


def four_rules(texts: Sequence[str]) -> Grouping:
    """Apply four plain rules: no UUIDs, no timestamps, <path>, :<port>."""
    patterns: list[str] = []
    for text in texts:
        pattern = text
        for rule, placeholder in FOUR_RULES:
            pattern = rule.sub(placeholder, pattern)
        patterns.append(pattern.strip())
    return Grouping(patterns, patterns)


SYSTEMS: dict[str, Callable[[Sequence[str]], Grouping]] = {
    "seasoned": seasoned,
    "drain3": drain3,
    "four_rules": four_rules,
}


def collapsed(template: str) -> str:
    """Fold white space in a template, and merge adjacent holes, or host and port, into one.

    >>> collapsed("took  <*> <*> at <*>:<*>")
    'took <*> at <*>'
    """
    return re.sub(r"<\*>(?:[\s:]*<\*>)+", "<*>", " ".join(template.split()))


def scores(truth: Sequence[str], grouping: Grouping) -> dict[str, float]:
    true_rows: dict[str, list[int]] = defaultdict(list)
    predicted_rows: dict[object, list[int]] = defaultdict(list)
    for row, (template, group) in enumerate(zip(truth, grouping.groups, strict=True)):
        true_rows[template].append(row)
        predicted_rows[group].append(row)
    true_groups = {tuple(rows) for rows in true_rows.values()}
    right = [rows for rows in predicted_rows.values() if tuple(rows) in true_groups]
    both = Counter(zip(truth, grouping.groups, strict=True))
    together = _pairs(both.values())
    claimed = _pairs(map(len, predicted_rows.values())) + _pairs(map(len, true_rows.values()))
    same = sum(
        collapsed(template) == collapsed(re.sub(r"<[a-z]+>", "<*>", found))
        for template, found in zip(truth, grouping.templates, strict=True)
    )
    return {
        "ga": sum(map(len, right)) / len(truth),
        "fga": 2 * len(right) / (len(true_groups) + len(predicted_rows)),
        "pa": same / len(truth),
        "pair_f1": 2 * together / claimed if claimed else 1.0,
    }


def _pairs(sizes: Iterable[int]) -> int:
    return sum(size * (size - 1) // 2 for size in sizes)


def rows_of(path: Path, quick: bool) -> list[tuple[str, str]]:
    """Return (text, template) of each row of a set."""
    rows: list[tuple[str, str]] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                rows.append((row["text"], row["template"]))
            except (ValueError, KeyError, TypeError) as error:
                sys.exit(f"{path}:{number}: not a row with text and template ({error!r})")
    if quick:
        rows = rows[:: max(1, len(rows) // QUICK_ROWS)]
    return rows


def families(names: Sequence[str]) -> dict[str, list[str]]:
    """Group sets by family; see the top of this file.

    >>> families(["loghub_A", "mypy", "shop_1", "shop_2", "mysql_x"])
    {'logs': ['loghub_A'], 'tools': ['mypy', 'mysql_x'], 'shop': ['shop_1', 'shop_2']}
    """
    sharing = Counter(name.split("_")[0] for name in names)
    found: dict[str, list[str]] = defaultdict(list)
    for name in names:
        prefix = name.split("_")[0]
        other = prefix if sharing[prefix] > 1 else "tools"
        found["logs" if prefix == "loghub" else other].append(name)
    return dict(found)


def measure(data: Path, quick: bool) -> list[dict[str, str | float]]:
    files = sorted(data.glob("*.jsonl"))
    if not files:
        sys.exit(f"no *.jsonl files in {data}")
    sets = {path.stem: rows for path in files if (rows := rows_of(path, quick))}
    results: dict[tuple[str, str], dict[str, float]] = {}
    for system, group in SYSTEMS.items():
        try:
            for name, rows in sets.items():
                texts, truth = zip(*rows, strict=True)
                results[name, system] = scores(truth, group(texts))
        except PeerMissing as missing:
            print(f"{missing}; its rows are left out", file=sys.stderr)
    for family, members in families(list(sets)).items():
        for system in SYSTEMS:
            known = [results[name, system] for name in members if (name, system) in results]
            if known:
                results[f"mean {family}", system] = {
                    metric: sum(one[metric] for one in known) / len(known) for metric in METRICS
                }
    return [
        {"set": name, "system": system, "metric": metric, "value": round(value, 4)}
        for (name, system), values in sorted(results.items(), key=_order)
        for metric, value in values.items()
    ]


def _order(result: tuple[tuple[str, str], object]) -> tuple[bool, str, int]:
    name, system = result[0]
    return name.startswith("mean "), name, list(SYSTEMS).index(system)


def table(rows: Sequence[dict[str, str | float]]) -> str:
    lines = [f"{'set':<24}{'system':<12}" + "".join(f"{metric:>9}" for metric in METRICS)]
    for start in range(0, len(rows), len(METRICS)):
        block = rows[start : start + len(METRICS)]
        lines.append(
            f"{block[0]['set']:<24}{block[0]['system']:<12}"
            + "".join(f"{row['value']:>9.3f}" for row in block)
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="directory with *.jsonl sets")
    parser.add_argument("--json", action="store_true", help="print rows as JSON, one per line")
    parser.add_argument("--quick", action="store_true", help=f"about {QUICK_ROWS} rows of each set")
    options = parser.parse_args()
    rows = measure(options.data, options.quick)
    print("\n".join(map(json.dumps, rows)) if options.json else table(rows))


if __name__ == "__main__":
    main()
