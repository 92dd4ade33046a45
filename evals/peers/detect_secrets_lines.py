"""Find secrets with detect-secrets at its default settings; runs in its own environment.

Reads {"texts": [...]} as JSON from standard input and writes {"found": [[...], ...]}: the secrets
that it sees in each text.
"""

import importlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any


def main() -> None:
    texts: list[str] = json.load(sys.stdin)["texts"]
    # Imported by name: only this script's own environment has it.
    settings: Any = importlib.import_module("detect_secrets.settings")
    collection: Any = importlib.import_module("detect_secrets.core.secrets_collection")
    lines = [(number, line) for number, text in enumerate(texts) for line in text.split("\n")]
    found = [set[str]() for _ in texts]
    with tempfile.TemporaryDirectory() as folder, settings.default_settings():
        path = Path(folder) / "texts.txt"
        path.write_text("\n".join(line.replace("\r", " ") for _, line in lines), "utf-8")
        secrets: Any = collection.SecretsCollection()
        secrets.scan_file(str(path))
        for _, one in secrets:
            if one.secret_value:
                text: int = lines[int(one.line_number) - 1][0]
                found[text] |= {str(one.secret_value)}
    json.dump({"found": [sorted(one) for one in found]}, sys.stdout)


if __name__ == "__main__":
    main()
