"""Load exports with `datasets` and feed them to TRL; runs in an environment of its own.

Reads {"files": [{"path", "format", "kind", "chat"}]} as JSON from standard input and writes one
result a file: how many rows came, a digest of them, and what each of TRL's functions said.

TRL's trainers need torch, which is not here; what they do to a dataset before that is here: the
functions of `trl.data_utils` that they call, in their order.
"""

import hashlib
import importlib
import json
import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")

TEMPLATE = (
    "{% for message in messages %}<{{ message['role'] }}>{{ message['content'] }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
BUILDERS = {"jsonl": "json", "parquet": "parquet"}
# The columns that a trainer of this kind asks for.
COLUMNS = {
    "dpo": {"prompt", "chosen", "rejected"},
    "kto": {"prompt", "completion", "label"},
    "reward": {"chosen", "rejected"},
    "samples": {"prompt", "response", "score"},
    "sft": {"messages"},
}


def main() -> None:
    question = json.load(sys.stdin)
    # Imported by name: only this script's own environment has them.
    datasets: Any = importlib.import_module("datasets")
    datasets.disable_progress_bars()
    trl: Any = importlib.import_module("trl.data_utils")
    version: Any = importlib.import_module("importlib.metadata").version
    with tempfile.TemporaryDirectory() as cache:
        tokenizer = word_tokenizer()
        results = [checked(file, datasets, trl, tokenizer, cache) for file in question["files"]]
    versions = {name: version(name) for name in ("datasets", "trl", "transformers")}
    json.dump({"versions": versions, "files": results}, sys.stdout)


def checked(
    file: dict[str, Any], datasets: Any, trl: Any, tokenizer: Any, cache: str
) -> dict[str, Any]:
    loaded: Any = datasets.load_dataset(
        BUILDERS[file["format"]], data_files=file["path"], split="train", cache_dir=cache
    )
    digest = hashlib.sha256()
    for row in loaded:
        digest.update(json.dumps(row, sort_keys=True).encode())
    said: dict[str, str] = {"columns": missing(COLUMNS[file["kind"]], loaded.column_names)}
    for name, check in CHECKS[file["kind"]].items():
        try:
            said[name] = check(loaded, file, trl, tokenizer)
        except Exception as error:  # noqa: BLE001 - what it says is the result
            said[name] = f"{type(error).__name__}: {error}"
    return {**file, "rows": len(loaded), "digest": digest.hexdigest(), "checks": said}


def missing(wanted: set[str], there: list[str]) -> str:
    return "" if wanted <= set(there) else f"no {', '.join(sorted(wanted - set(there)))}"


Check = Callable[[Any, dict[str, Any], Any, Any], str]


def is_conversational(loaded: Any, file: dict[str, Any], trl: Any, tokenizer: Any) -> str:
    found = {trl.is_conversational(row) for row in loaded}
    return "" if found == {file["chat"] or file["kind"] == "sft"} else f"it says {found}"


def apply_chat_template(loaded: Any, file: dict[str, Any], trl: Any, tokenizer: Any) -> str:
    """Apply TRL's chat template; it refuses rows of an unknown dataset type."""
    for row in loaded:
        taken = trl.maybe_apply_chat_template(row, tokenizer)
        texts = [value for name, value in taken.items() if name in TEXTS]
        if not texts or not all(isinstance(text, str) and text for text in texts):
            return f"row {row['id']} became {str(taken)[:200]}"
    return ""


def extract_prompt(loaded: Any, file: dict[str, Any], trl: Any, tokenizer: Any) -> str:
    """Check that a separate prompt stays as it is."""
    same = all(trl.maybe_extract_prompt(row)["prompt"] == row["prompt"] for row in loaded)
    return "" if same else "a prompt was changed"


def unpair(loaded: Any, file: dict[str, Any], trl: Any, tokenizer: Any) -> str:
    """Check that pairs can be split into KTO's rows."""
    kept: Any = loaded.select_columns(["prompt", "chosen", "rejected"])
    apart: Any = trl.maybe_unpair_preference_dataset(kept)
    good = sum(apart["label"])
    return "" if len(apart) == 2 * len(loaded) and good == len(loaded) else f"{len(apart)} rows"


def labels(loaded: Any, file: dict[str, Any], trl: Any, tokenizer: Any) -> str:
    found = {type(label).__name__ for label in loaded["label"]}
    both = set(loaded["label"]) == {True, False}
    return "" if found == {"bool"} and both else f"labels are {found}, both kinds: {both}"


def numbers(loaded: Any, file: dict[str, Any], trl: Any, tokenizer: Any) -> str:
    return "" if all(-1 <= score <= 1 for score in loaded["score"]) else "a score is out of range"


TEXTS = {"prompt", "chosen", "rejected", "completion", "text"}
PAIRS: dict[str, Check] = {
    "is_conversational": is_conversational,
    "maybe_extract_prompt": extract_prompt,
    "maybe_apply_chat_template": apply_chat_template,
    "maybe_unpair_preference_dataset": unpair,
}
CHECKS: dict[str, dict[str, Check]] = {
    "dpo": PAIRS,
    "reward": PAIRS,
    "kto": {
        "is_conversational": is_conversational,
        "maybe_apply_chat_template": apply_chat_template,
        "labels": labels,
    },
    "sft": {
        "is_conversational": is_conversational,
        "maybe_apply_chat_template": apply_chat_template,
    },
    "samples": {"is_conversational": is_conversational, "scores": numbers},
}


def word_tokenizer() -> Any:
    """Build a word tokenizer with a chat template, without a download."""
    tokenizers: Any = importlib.import_module("tokenizers")
    models: Any = importlib.import_module("tokenizers.models")
    transformers: Any = importlib.import_module("transformers")
    words: Any = tokenizers.Tokenizer(models.WordLevel({"<unk>": 0, "</s>": 1}, unk_token="<unk>"))
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, eos_token="</s>", unk_token="<unk>", chat_template=TEMPLATE
    )


if __name__ == "__main__":
    main()
