"""How many made-up secrets are stored, and how many harmless texts are damaged.

    python evals/secrets.py [--data DIR] [--json] [--quick] [--seed N] [--show] [--no-peers]

`redaction_formats.py` draws secrets of many kinds from their documented formats with a fixed
seed, `redaction_places.py` puts them where they occur, and `redaction_harmless.py` has hashes, ids,
code and sentences that look like secrets; all were written before the patterns. With DIR (the
folder of evaluation data) the messages, calls, results and remarks of real people and agents are
added, each text once. A `.jsonl` file in DIR itself is a set of its own: rows `{"text", "secret"}`,
where `secret` is what must not stay in the text, and missing or null in harmless rows.

Every text goes through the public API (a turn, a tool call with its error, a lesson) into a
database file; `stored` is the share of secrets that stand in the bytes of the file and its log.
`missed` and `damaged` are the shares of secrets left and of harmless texts changed by the function
that replaces secrets. The baselines are detect-secrets at its default settings (what it reports is
replaced), and a regular expression for words such as password, key and token.
"""

import argparse
import gzip
import json
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from peers.environment import PeerMissing, ask
from redaction_formats import IN_PLACE, TOKENS
from redaction_harmless import look_alikes
from redaction_places import ANYWHERE, PLACED
from seasoned import Seasoned
from seasoned.core.errors import SeasonedError
from seasoned.security.redact import redact

SEED = 20260
MOST_FOR_PEERS = 5000  # texts of a set; detect-secrets is slow
OF_A_PLACE = 5  # passwords and keys drawn for each of their places
KEYWORD = re.compile(
    r"(?i)((?:password|passwd|pwd|pass|secret|token|api[-_]?key|key)[\"']?\s*[:=]\s*[\"']?)[^\s\"',;]+"
)
UNCOUNTED = ("session", "project", "user", "id", "at")
SOURCES = ("remarks", "corrections", "recall", "injection", "error_patterns", "error_fix")


class Planted(NamedTuple):
    kind: str
    place: str
    text: str
    secret: str


def planted(rng: random.Random) -> Iterator[Planted]:
    """Every kind in every place."""
    for kind, draw in TOKENS.items():
        for place, templates in ANYWHERE.items():
            for template in templates:
                secret = draw(rng)
                yield Planted(kind, place, template.format(secret), secret)
    for kind, places in PLACED.items():
        for place, templates in places.items():
            for template in [*templates] * OF_A_PLACE:
                secret = IN_PLACE[kind](rng)
                yield Planted(kind, place, template.format(secret), secret)


def real_texts(data: Path) -> dict[str, list[str]]:
    """The texts of real sessions and of everything else, each once."""
    sessions = (line for path in sorted((data / "sessions").glob("*.gz")) for line in _lines(path))
    others = (
        line
        for name in SOURCES
        for path in sorted((data / name).glob("*.jsonl"))
        for line in _lines(path)
    )
    return {
        "real sessions": list(dict.fromkeys(text for row in sessions for text in _texts(row))),
        "real remarks": list(dict.fromkeys(text for row in others for text in _texts(row))),
    }


def given_sets(data: Path) -> Iterator[tuple[str, list[Planted], list[str]]]:
    """The files of DIR itself: their name, texts with a secret, harmless texts."""
    for path in sorted(data.glob("*.jsonl")):
        rows = list(_lines(path))
        secret = [row for row in rows if row.get("secret")]
        cases = [Planted(row.get("kind", ""), "", row["text"], row["secret"]) for row in secret]
        yield path.stem, cases, [row["text"] for row in rows if not row.get("secret")]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield {name: value for name, value in row.items() if name not in UNCOUNTED}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts(list(cast("dict[str, Any]", value).values()))
    elif isinstance(value, list):
        for one in cast("list[Any]", value):
            yield from _texts(one)


def share_stored(cases: Sequence[Planted]) -> float:
    """Feed every text to the public API, then look for the secrets in the bytes of the files."""
    with tempfile.TemporaryDirectory() as folder:
        with Seasoned(Path(folder) / "x.db") as s:
            for number, one in enumerate(cases):
                session = f"s{number % 97}"
                s.turn(one.text, f"Done with {one.text}", session=session)
                s.observe("shell", {"cmd": one.text}, error=f"refused: {one.text}", session=session)
                if number % 7 == 0:
                    try:
                        s.teach(one.text, fact=one.text)
                    except SeasonedError:
                        continue  # too long for a lesson
        stored = b"".join(path.read_bytes() for path in Path(folder).iterdir())
    # Six digits of a PIN also stand in some digest, by chance.
    long = [one for one in cases if len(one.secret) >= 8]
    return sum(_core(one.secret).encode() in stored for one in long) / len(long)


def _core(secret: str) -> str:
    """The part of a secret that no escape changes: its longest line."""
    return max(secret.split("\n"), key=len)


def by_detect_secrets(texts: Sequence[str]) -> list[str]:
    found = ask("detect-secrets", "detect_secrets_lines.py", {"texts": list(texts)})["found"]
    clean: list[str] = []
    for text, secrets in zip(texts, found, strict=True):
        kept = text
        for secret in sorted(secrets, key=len, reverse=True):
            kept = kept.replace(secret, "<secret>")
        clean.append(kept)
    return clean


SYSTEMS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "seasoned": lambda texts: [redact(text) for text in texts],
    "keywords": lambda texts: [KEYWORD.sub(r"\1<secret>", text) for text in texts],
    "detect-secrets": by_detect_secrets,
}


def measured(
    secret: dict[str, list[Planted]],
    harmless: dict[str, list[str]],
    systems: Sequence[str],
    show: bool,
) -> Iterator[tuple[str, str, str, float]]:
    for system in systems:
        clean = SYSTEMS[system]
        for name, cases in secret.items():
            left = [
                one
                for one, text in zip(cases, clean([one.text for one in cases]), strict=True)
                if _core(one.secret) in text
            ]
            yield name, system, "missed", len(left) / len(cases)
            kinds = {one.kind for one in cases}
            yield name, system, "kinds missed", len({one.kind for one in left}) / len(kinds)
            if show and system == "seasoned":
                for one in left:
                    print(f"missed {one.kind} in {one.place}: {one.text!r}", file=sys.stderr)
        for name, whole in harmless.items():
            slow = system == "detect-secrets" and len(whole) > MOST_FOR_PEERS
            texts = whole[:: len(whole) // MOST_FOR_PEERS] if slow else whole
            changed = [
                (old, new) for old, new in zip(texts, clean(texts), strict=True) if old != new
            ]
            yield name, system, "damaged", len(changed) / len(texts)
            if show and system == "seasoned":
                for old, new in changed:
                    print(f"{name}: {old[:300]!r}\n    {new[:300]!r}", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder of evaluation data with real texts")
    parser.add_argument("--json", action="store_true", help="rows as JSON, one per line")
    parser.add_argument("--quick", action="store_true", help="a fifth of the secrets")
    parser.add_argument("--seed", type=int, default=SEED, help="draw other secrets")
    parser.add_argument("--show", action="store_true", help="print what is missed or damaged")
    parser.add_argument("--no-peers", action="store_true", help="without detect-secrets")
    options = parser.parse_args()
    cases = list(planted(random.Random(options.seed)))
    secret = {"secrets": cases[::5] if options.quick else cases}
    harmless = {"look-alikes": look_alikes(random.Random(options.seed + 1))}
    if options.data:
        harmless |= {name: texts for name, texts in real_texts(options.data).items() if texts}
        for name, own, texts in given_sets(options.data):
            secret |= {name: own} if own else {}
            harmless |= {name: texts} if texts else {}
    if options.quick:
        harmless = {name: texts[:5000] for name, texts in harmless.items()}
    systems = [one for one in SYSTEMS if not (options.no_peers and one == "detect-secrets")]
    rows = [(name, "seasoned", "stored", share_stored(own)) for name, own in secret.items()]
    try:
        rows += measured(secret, harmless, systems, options.show)
    except PeerMissing as missing:
        print(missing, file=sys.stderr)
        rows += measured(secret, harmless, systems[:-1], show=False)
    print(f"{len({one.kind for one in cases})} kinds of secrets", file=sys.stderr)
    for name, system, metric, value in rows:
        if options.json:
            row = {"set": name, "system": system, "metric": metric, "value": round(value, 5)}
            print(json.dumps(row))
        else:
            size = len(harmless[name] if metric == "damaged" else secret[name])
            print(f"{name:<16}{size:>7}  {system:<16}{metric:<14}{value:.4f}")


if __name__ == "__main__":
    main()
