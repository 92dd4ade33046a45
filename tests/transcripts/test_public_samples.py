"""Sessions that their tools wrote, where a collection of them lies beside the repository."""

from pathlib import Path
from typing import NamedTuple

import pytest
from tests.transcripts.reading import calls, failures, folders, left_out, said

from seasoned.transcripts.files import transcript_files
from seasoned.transcripts.reader import STRAYS, UNANSWERED, format_of

NEAR = (above / "shared" / "data" / "transcripts" for above in Path(__file__).resolve().parents)
SAMPLES = next((place for place in NEAR if place.is_dir()), Path("nowhere"))

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the collection is not here")


class Sample(NamedTuple):
    """What a file holds: calls with their results, and how they ended.

    Calls and failures are those of the collection's README, unless a part of a cut file lacks the
    call or the result; then `unanswered` and `strays` make up the difference.
    """

    file: str
    format: str
    calls: int
    failures: int = 0
    refused: int = 0
    cancelled: int = 0
    user: int = 0
    folder: str = ""
    unanswered: int = 0
    strays: int = 0


BESTCODES = "/home/bestcodes/Projects/bestcodes.dev"
AGENTV = "/home/entity/projects/EntityProcess/agentv"
BRIDGE = "/Users/savekirk/dev/ai/entire/session-bridge"
AMP = "/Users/svarlamov/projects/testing-git-amp"
KIMI = "/private/tmp/as-agent-lab/kimi/project"
TESTING = "/Users/svarlamov/projects/testing-git"
TABLE = [
    Sample("gemini-cli/session-with-cancelled.json", "Gemini", 19, 2, 1, 1, 4, BRIDGE),
    Sample("gemini-cli/session-small.json", "Gemini", 2, user=1, folder=BRIDGE),
    Sample("gemini-cli/session-jsonl-v040.jsonl", "Gemini", 1, user=1),
    Sample("opencode/export-small.json", "OpenCode", 6, 1, user=1),
    Sample("opencode/export-with-errors.json", "OpenCode", 25, 4, user=3, folder=BESTCODES),
    Sample("opencode/export-bash-invalid-args.json", "OpenCode", 13, 1, user=1),
    # Another agent began this session, so its prompt is not the user's.
    Sample("opencode/opencode.db", "OpenCode", 1, folder="/Users/test/project"),
    Sample("opencode/storage/message/test-session-123", "OpenCode", 1, user=1),
    # 31 results, but the call of one was cut off.
    Sample("copilot-cli/events-agentv.jsonl", "Copilot", 30, 3, folder=AGENTV, strays=1),
    Sample("copilot-cli/events-starcar-failures.jsonl", "Copilot", 27, 5, 3, user=1, unanswered=1),
    Sample("copilot-vscode/chat-session.json", "VS Code", 2, user=3, folder=TESTING + "/"),
    Sample("copilot-vscode/chat-session-patched.jsonl", "VS Code", 2, user=3),
    Sample("copilot-vscode/chat-session-empty-then-patched.jsonl", "VS Code", 0, user=1),
    Sample("copilot-vscode/transcript-event-stream.jsonl", "Copilot", 2, user=1),
    Sample("cursor/stream-json-direct-sleep.jsonl", "Cursor", 2, user=1),
    Sample("cursor/stream-json-parallel-sleep.jsonl", "Cursor", 2, user=1),
    Sample("cursor/stream-json-subagent-sleep-v2.jsonl", "Cursor", 1, user=1),
    Sample("cursor/agent-transcript.jsonl", "Cursor", 0, user=1),
    Sample("cursor/cli-store.db", "Cursor", 0),
    Sample("cursor/workspace-state-2024.vscdb", "Cursor", 0, user=8),
    # 30 calls; three sub-tasks were interrupted or cut off before their result.
    Sample(
        "roo-cline/bc93a6f7/api_conversation_history.json",
        *("Cline", 27, 1, 0, 0, 9, "d:/dev/roo-extensions", 3),
    ),
    # The README's 20 leave out the questions to the user, and include calls without a result.
    Sample("roo-cline/bc93a6f7/ui_messages.json", "Cline", 20, user=8, unanswered=3, strays=2),
    Sample(
        "cline-sdk/session.messages.json", "Cline", 11, user=5, folder="/Users/example/dev/cline"
    ),
    Sample("amp/T-019ca1ce-3ae2-7686-a41e-ccc078837f8a.json", "Amp", 4, user=1, folder=AMP),
    Sample("amp/T-019ca1f6-7f21-77b5-a308-65416ebbdf48.json", "Amp", 2, user=1, folder=AMP),
    Sample("continue/session.json", "Continue", 2, user=1, folder=TESTING),
    Sample("windsurf/transcript.jsonl", "Windsurf", 18, 1, user=4),
    Sample("droid/session.jsonl", "Droid", 5, user=1),
    Sample("droid/stream-json.jsonl", "Droid", 1, 1, user=1, folder="/tmp/drift"),
    # 82 calls of which two have no result; the call of one failure was cut off.
    Sample("pi/large-session-cut.jsonl", "pi", 80, 6, user=24, unanswered=2, strays=1),
    Sample("pi/session-v3-errors.jsonl", "pi", 60, 6, user=2, strays=2),
    # 26 with the two that end a run, which have no result.
    Sample("openhands/output-mock.jsonl", "OpenHands", 24, user=2),
    # The README counts exit codes and one error without a call; eight edits say ERROR, too.
    Sample("openhands/eval-output.jsonl", "OpenHands", 34, 19, user=1, strays=1),
    # The README counts error words in the output; these are the calls that failed.
    Sample("swe-agent/pydicom__pydicom-1458.traj", "SWE", 12, 4, folder="/pydicom__pydicom"),
    Sample("swe-agent/function_calling_marshmallow.traj", "SWE", 11, 1, folder="/testbed"),
    Sample("mini-swe-agent/github_issue.traj.json", "SWE", 9, 2, user=1, unanswered=1),
    Sample("mini-swe-agent/local.traj.json", "SWE", 1, user=1, unanswered=1),
    # It holds only the results.
    Sample("inspect/tool_call_error.json", "Inspect", 0, strays=11),
    Sample("inspect/browser-tools.json", "Inspect", 4, user=1),
    Sample("inspect/popularity.eval", "Inspect", 0, user=10),
    Sample("kimi/wire-kimi-code.jsonl", "Kimi", 19, 1, user=8, folder=KIMI),
    Sample("kimi/wire-subagent.jsonl", "Kimi", 2, folder=KIMI),
    Sample("qwen-code/019f0000-0000-7000-8000-000000000001.jsonl", "Qwen", 1, user=1),
    Sample("qwen-code/019f0000-0000-7000-8000-000000000004.jsonl", "Qwen", 0, user=2),
    Sample("qwen-code/system_telemetry.jsonl", "Qwen", 1),
    Sample("qwen-code/contract-chat-records.jsonl", "Qwen", 1, user=1),
    Sample("codex/rollout-small.jsonl", "Codex", 21, 3, user=2, folder=AGENTV, unanswered=2),
    # 31 calls and 4 failures; three calls and three results were cut apart.
    Sample("codex/rollout-2026-07.jsonl", "Codex", 28, 2, unanswered=3, strays=3),
    Sample("chatgpt-export/conversations.json", "ChatGPT", 0, user=21),
    Sample("chatgpt-export/native-conversation.json", "ChatGPT", 1, user=1),
    Sample("claude-ai-export/conversation-rendering-tests.json", "claude.ai", 0, user=3),
    Sample("claude-ai-export/conversations.json", "claude.ai", 0, user=3),
    Sample("langsmith/batch-post-wrap-openai.json", "LangSmith", 0),
    Sample("aider/chat-history-cut.md", "Aider", 30, 3, user=50),
    # SpecStory marks no failure; these outputs are errors.
    Sample("specstory/claude-session.md", "SpecStory", 91, 3, user=6),
]


@pytest.mark.parametrize("sample", TABLE, ids=lambda sample: sample.file)
def test_a_sample_is_read_as_its_tool_meant_it(sample: Sample):
    path = SAMPLES / sample.file
    found = calls(path)
    assert sample.format in (format_of(path) or "")
    assert (len(found), failures(path)) == (sample.calls, sample.failures)
    assert sum(call.refused for call in found) == sample.refused
    assert sum(call.cancelled for call in found) == sample.cancelled
    assert len(said(path)) == sample.user
    assert not sample.folder or folders(path) - {""} == {sample.folder}
    apart = left_out(path)
    assert apart.get(STRAYS, 0) == sample.strays
    assert not found or apart.get(UNANSWERED, 0) == sample.unanswered


@pytest.mark.parametrize("sample", TABLE, ids=lambda sample: sample.file)
def test_a_sample_without_calls_says_why(sample: Sample):
    path = SAMPLES / sample.file
    assert sample.calls or left_out(path)


def test_a_walk_finds_each_session_once_and_no_settings():
    found = {path.relative_to(SAMPLES).as_posix() for path in transcript_files([SAMPLES])}
    twice = {"roo-cline/bc93a6f7/ui_messages.json"}  # the same calls as beside it
    assert found == {sample.file for sample in TABLE} - twice


def test_nobody_says_what_a_program_added():
    for sample in TABLE:
        for words in said(SAMPLES / sample.file):
            assert not words.startswith(("<environment", "<system", "<user_info", "[update_todo"))
