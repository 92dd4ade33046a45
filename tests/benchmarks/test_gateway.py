"""The gateway benchmark runs on a few conversations and reports what the proxies add."""

import json
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"


def test_what_a_proxy_adds_is_measured() -> None:
    command = [sys.executable, str(BENCHMARKS / "gateway.py"), "--quick", "--json"]
    options = ["--streams", "2", "--formats", "openai", "--only", "bare,seasoned"]
    ran = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    rows = {(row["system"], row["metric"]): row["value"] for row in json.loads(ran.stdout)}
    for system in ("bare", "seasoned"):
        assert rows[system, "whole_ms_p50"] > rows[system, "first_ms_p50"] > 200
        assert rows[system, "requests_per_s"] > 0
    assert rows["seasoned", "ratio_first_p50"] > 1
