"""How good the hints are on real sessions: test, then learn, call by call.

    python evals/sessions.py --data DIR [--json] [--quick] [--show SOURCE] [--only SYSTEM …]

Every `*.jsonl.gz` or `*.jsonl` file in DIR is a source (see sessions_data.py), with a store of its
own; each project and user has its own scope there. Calls are observed in order. At each failure
that nobody refused or cancelled, the hint is taken before anything later is known; then the session
judges it: the repair is the first later call (within 24 events) of the same tool, without an error,
whose parameters are alike.

    hints            given
    precision        of the hints for repaired failures, the right ones: at least two thirds of the
                     tokens that the hint adds or removes were added or removed by the repair; a
                     hint of steps only is right if exactly these were taken before the repair
    right_share      right hints by repaired failures
    coverage         hints by failures
    foreign          share of the hints with a literal (a path under a home, an address, an id) that
                     the session had not shown before
    hinted_refusals  hints for calls that a person refused or a failed sibling cancelled
    foretold         of the right hints, those whose lesson stood in the tool's notes already when
                     the session began: the mistake need not have been made at all

`nearest` replays the change that repaired the most similar earlier failure of the tool;
`witnesses_1` to `witnesses_3` suggest what repaired the same error line in so many sessions;
`contrast` is a reference without a database (see sessions_contrast.py).
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sessions_baselines import BASELINES
from sessions_contrast import Contrast
from sessions_data import Event, repair_of, sessions_of, sources, texts_of
from sessions_ours import Ours
from sessions_score import Advice, Score, is_foreign, is_right
from sessions_system import System

QUICK_SESSIONS = 25  # of each source
SHOWN_ALL = "all"


def systems(folder: Path, source: str, only: list[str]) -> Iterator[tuple[str, System]]:
    if not only or "seasoned" in only:
        yield "seasoned", Ours(folder / f"{source}.db")
    for name, make in {**BASELINES, "contrast": Contrast}.items():
        if not only or name in only:
            yield name, make()


def played(system: System, path: Path, limit: int | None) -> Score:
    score = Score()
    for number, events in enumerate(sessions_of(path)):
        if limit is not None and number >= limit:
            break
        seen: list[str] = []
        for at, event in enumerate(events):
            seen.extend(texts_of([event.text, dict(event.params), event.error or ""]))
            if not event.tool:
                continue
            advice = system.observe(event)
            note(score, events, at, advice, seen)
            seen.extend(texts_of([event.result]))
        system.end_session(events)
    return score


def note(
    score: Score, events: list[Event], at: int, advice: Advice | None, seen: list[str]
) -> None:
    event = events[at]
    if event.refused or event.cancelled:
        score.refusals += advice is not None
        return
    if not event.failed:
        return
    repair = repair_of(events, at)
    score.failures += 1
    score.repaired += repair is not None
    if advice is None:
        return
    right = repair is not None and is_right(advice, events, at, repair)
    foreign = is_foreign(advice, "\n".join(seen))
    score.hints += 1
    score.judged += repair is not None
    score.right += right
    score.foretold += right and advice.foretold
    score.foreign += foreign
    verdict = "right" if right else "wrong" if repair is not None else "unrepaired"
    mark = " FOREIGN" if foreign else ""
    after = json.dumps(events[repair].params)[:300] if repair is not None else "-"
    score.shown.append(
        f"[{verdict}{mark}] {event.tool} {json.dumps(event.params)[:300]}\n"
        f"  error:  {(event.error or '')[:300]!r}\n  hint:   {advice.text[:400]}\n  repair: {after}"
    )


def measured(
    data: Path, quick: bool, only: list[str], show: str
) -> Iterator[tuple[str, str, dict[str, float]]]:
    totals: dict[str, Score] = {}
    for source, path in sources(data).items():
        with tempfile.TemporaryDirectory() as folder:
            for name, system in systems(Path(folder), source, only):
                score = played(system, path, QUICK_SESSIONS if quick else None)
                system.close()
                totals[name] = totals.get(name, Score()).plus(score)
                if show in (source, SHOWN_ALL):
                    print(f"\n== {source}, {name}", *score.shown, sep="\n")
                yield source, name, score.metrics()
    for name, score in totals.items():
        yield "all", name, score.metrics()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of sessions")
    parser.add_argument("--json", action="store_true", help="rows as JSON, one per line")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_SESSIONS} sessions a source")
    parser.add_argument("--show", default="", help="print every hint of a source, or of all")
    parser.add_argument("--only", nargs="*", default=[], help="these systems")
    options = parser.parse_args()
    if not options.json:
        print(
            f"{'source':<19} {'system':<12} {'hints':>6} {'prec.':>6} {'right':>6} "
            f"{'cover.':>6} {'foreign':>7} {'refusals':>8} {'foretold':>8}"
        )
    for source, system, metrics in measured(
        options.data, options.quick, options.only, options.show
    ):
        if options.json:
            for metric, value in metrics.items():
                row = {"set": source, "system": system, "metric": metric, "value": round(value, 4)}
                print(json.dumps(row), flush=True)
        else:
            hints, precision, right, coverage, foreign, refusals, foretold = metrics.values()
            print(
                f"{source:<19} {system:<12} {hints:>6.0f} {precision:>6.3f} {right:>6.3f} ", end=""
            )
            print(f"{coverage:>6.3f} {foreign:>7.3f} {refusals:>8.0f} {foretold:>8.3f}", flush=True)


if __name__ == "__main__":
    main()
