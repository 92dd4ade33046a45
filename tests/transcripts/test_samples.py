"""The sample transcripts that ship in the package."""

import re
import subprocess
import sys
from collections import Counter
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from seasoned.core.messages import Message, ToolResult
from seasoned.transcripts.files import transcript_files
from seasoned.transcripts.item import Item, TranscriptProblem
from seasoned.transcripts.reader import format_of, read

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_samples.py"


@pytest.fixture(scope="module")
def samples() -> list[Path]:
    with as_file(files("seasoned") / "samples") as folder:
        return list(transcript_files([folder]))


@pytest.fixture(scope="module")
def items(samples: list[Path]) -> list[Item]:
    return [item for sample in samples for item in read(sample)]


def test_every_sample_is_read_without_a_problem(samples: list[Path], items: list[Item]):
    assert len({format_of(sample) for sample in samples}) >= 3
    assert [item for item in items if isinstance(item, TranscriptProblem)] == []


def test_there_are_a_few_hundred_calls_each_told_once(items: list[Item]):
    calls = [item for item in items if isinstance(item, ToolResult)]
    assert 300 <= len(calls) <= 600
    assert len({call.id for call in calls}) == len(calls)
    assert 25 <= len({call.session for call in calls}) <= 45
    assert all(call.at for call in calls)


def test_failures_recur_and_most_calls_work(items: list[Item]):
    calls = [item for item in items if isinstance(item, ToolResult)]
    failures = [call for call in calls if call.error]
    varying = re.compile(r"'.*?'|\".*?\"|\d+(\.\d+)?|[\w/.]+/\S+")
    alike = Counter(
        (call.tool, varying.sub("*", call.error or "").split("\n")[0]) for call in failures
    )
    assert len([count for count in alike.values() if count >= 2]) >= 10
    assert 0.15 < len(failures) / len(calls) < 0.35


def test_people_speak_in_them_too(items: list[Item]):
    assert sum(isinstance(item, Message) and item.role == "user" for item in items) >= 30


def test_they_are_small_and_name_nobody(samples: list[Path]):
    text = "".join(sample.read_text() for sample in samples)
    hosts = set(re.findall(r"[\w.-]+@([\w-]+(?:\.[\w-]+)+)|https?://([\w.-]+)", text))
    assert all((a or b).endswith(("example.com", "localhost")) for a, b in hosts)
    assert len(text.encode()) < 400_000


def test_the_script_writes_them_to_the_byte(samples: list[Path], tmp_path: Path):
    subprocess.run([sys.executable, str(SCRIPT), str(tmp_path)], check=True)
    written = {path.name: path.read_bytes() for path in transcript_files([tmp_path])}
    assert written == {sample.name: sample.read_bytes() for sample in samples}
