"""Tell a person's words from texts that programs send in a user's name, and side tasks from talk.

Clients put reminders, the state of an editor or the output of a tool into user messages, and ask
for titles and summaries on their own. Nobody said any of that to the agent.
"""

import re

from seasoned.wire.conversation import WireRequest

# Elements that clients add to what a person typed.
_ADDED = re.compile(
    r"<(system-reminder|environment_details|environment_context|user_instructions|ide_selection|"
    r"ide_opened_file|additional_data|open_and_recently_viewed_files|context|editor_context|"
    r"session_context|hook_context|user-memory-input|attached_files|attachments|file_content|"
    r"current_file|local-command-stdout|bash-stdout|bash-stderr|skill_content|permissions)"
    r"\b[^>]{0,300}>.*?(?:</\1>|\Z)\s*",
    re.DOTALL,
)
_WRAPPED = re.compile(
    r"\s*<(task|user_message|user_query|feedback|userRequest|user_request)>(.*?)</\1>\s*", re.DOTALL
)
_BY_A_PROGRAM = re.compile(
    r"\s*(?:<(?:command-name|command-message|command-args|local-command-\w+|bash-\w+|turn_aborted|"
    r"task-notification|teammate-message|tool_result|function_results|tool_response)\b"
    r"|\[Request interrupted by user|Caveat: The messages below|No response requested\."
    r"|This session is being continued from a previous conversation"
    r"|\[[\w. -]{1,60}(?: for '[^']{0,500}')?\] Result:|Observation:|OBSERVATION:|\[ERROR\] You "
    r"|EXECUTION RESULT of|Tool result:|<returncode>|Your (?:last |previous )?(?:command|output) "
    r"|Please continue from where you left off|# AGENTS\.md instructions for )"
)
_TALK = r"(?:conversation|chat|session|dialogue?|exchange|user'?s? (?:message|request))"
_SIDE_TASK = re.compile(
    r"\b(?:title|topic|tags?|summary|summari[sz]e|follow-?up questions?|headline|emoji)\b"
    rf"[^.\n]{{0,120}}\b{_TALK}\b"
    rf"|\b{_TALK}\b[^.\n]{{0,80}}\b(?:title|topic|tags|summary|headline)\b|isNewTopic",
    re.IGNORECASE,
)
_PASSING = re.compile(r"\b(?:[0-9a-f]{8}-[0-9a-f-]{20,}|[0-9a-f]{5,}|\d+)\b|\d+", re.IGNORECASE)
_BILLING = re.compile(r"^x-anthropic-billing-header:.*$", re.MULTILINE)
FEW_TOKENS = 16
LONGEST_TASK = 400  # characters that say what is asked for
LONGEST_SYSTEM = 20_000  # characters that tell conversations apart


def persons_words(text: str) -> str:
    """Return what a person said in a message; empty if a program wrote all of it.

    >>> persons_words("No, use tabs.\\n<system-reminder>It is late.</system-reminder>")
    'No, use tabs.'
    >>> persons_words("[execute_command for 'ls'] Result: a.txt")
    ''
    """
    said = _ADDED.sub("", text).strip()
    if wrapped := _WRAPPED.fullmatch(said):
        said = wrapped[2].strip()
    return "" if _BY_A_PROGRAM.match(said) else said


def is_side_task(request: WireRequest) -> bool:
    """Whether a client asks for itself: a title, a summary, a check whether anybody answers."""
    if request.tools or any(one.role == "assistant" for one in request.messages):
        return False
    if request.most_tokens is not None and request.most_tokens <= FEW_TOKENS:
        return True
    asked = (request.system[:LONGEST_TASK], request.messages[-1].text[:LONGEST_TASK])
    return any(_SIDE_TASK.search(one) for one in asked)


def lasting_part(system: str) -> str:
    """Return a system prompt without what changes from request to request: dates, counters, ids.

    >>> lasting_part("Today is 2027-05-01, 10:31.") == lasting_part("Today is 2027-05-02, 9:05.")
    True
    """
    return _PASSING.sub("#", _BILLING.sub("", system[:LONGEST_SYSTEM]))
