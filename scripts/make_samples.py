"""Write the sample transcripts that `seasoned demo` learns from.

The stories are ours, told as steps; chance, from a fixed seed, adds the everyday calls in between,
the ids and the times. Run it again and it writes the same bytes:

    python scripts/make_samples.py src/seasoned/samples
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from stories.analysis import analysis
from stories.coding import coding
from stories.shell import coding_on_another_machine
from stories.steps import Story
from stories.support import support
from stories.written import claude_code, codex, openai, plain


def lines(write: Callable[[Story], Iterator[dict[str, Any]]], stories: Sequence[Story]) -> str:
    records = (record for story in stories for record in write(story))
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def samples() -> Iterator[tuple[str, str]]:
    for story in coding():
        name = f"{Path(story.place).name}-{story.day[:10]}.jsonl"
        yield f"coding/{name}", lines(claude_code, [story])
    for story in coding_on_another_machine():
        yield f"shell/rollout-{story.day[:10]}.jsonl", lines(codex, [story])
    stories = support()
    yield (
        "support/january.jsonl",
        lines(openai, [story for story in stories if story.day < "2025-02"]),
    )
    yield (
        "support/february.jsonl",
        lines(openai, [story for story in stories if story.day >= "2025-02"]),
    )
    yield "analysis/queries.jsonl", lines(plain, analysis())


def main(folder: Path) -> None:
    for name, text in samples():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "src/seasoned/samples"))
