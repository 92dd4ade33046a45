"""Group texts with Drain3 at its default parameters; runs in its own environment.

Reads {"texts": [...]} as JSON from standard input, one text after the other as Drain3 would meet
them, and writes {"groups": [...], "templates": [...]}, one entry per text, as they are at the end.
"""

import importlib
import json
import logging
import sys
from typing import Any


def main() -> None:
    logging.disable(logging.CRITICAL)
    texts: list[str] = json.load(sys.stdin)["texts"]
    # Imported by name: only this script's own environment has it.
    drain3: Any = importlib.import_module("drain3")
    config: Any = importlib.import_module("drain3.template_miner_config")
    miner: Any = drain3.TemplateMiner(config=config.TemplateMinerConfig())
    groups: list[int] = [miner.add_log_message(text)["cluster_id"] for text in texts]
    template = {cluster.cluster_id: cluster.get_template() for cluster in miner.drain.clusters}
    json.dump({"groups": groups, "templates": [template[group] for group in groups]}, sys.stdout)


if __name__ == "__main__":
    main()
