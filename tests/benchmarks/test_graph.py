"""The graph benchmark runs on a few triples and reports every metric."""

import json
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"


def test_every_cost_of_the_graph_is_measured() -> None:
    command = [sys.executable, str(BENCHMARKS / "graph.py"), "--quick", "--json"]
    options = ["--triples", "2000", "--only", "seasoned"]
    ran = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    rows = {(row["set"], row["metric"]): row["value"] for row in json.loads(ran.stdout)}
    timed = ("single_us", "one_hop_us", "two_hops_ms", "hub_ms", "path_ms")
    for metric in ("batch_per_s", "disk_mb", *(f"{name}_p50" for name in timed)):
        assert rows["2000 triples", metric] > 0
    off, on = (rows[name, "credit_us_p50"] for name in ("graph off", "graph on, 32 neighbours"))
    assert 0 < off < on
