"""How each program writes a session down."""

import json
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from stories.steps import RNG, Story


def times(day: str) -> Iterator[datetime]:
    moment = datetime.fromisoformat(day).replace(tzinfo=UTC)
    while True:
        yield moment
        moment += timedelta(milliseconds=RNG.randint(900, 48_000))


def stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_uuid() -> str:
    return str(uuid.UUID(int=RNG.getrandbits(128), version=4))


def token(prefix: str, length: int = 24) -> str:
    return prefix + "".join(
        RNG.choices("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=length)
    )


def claude_code(story: Story) -> Iterator[dict[str, Any]]:
    session, parent, clock = new_uuid(), None, times(story.day)

    def record(kind: str, content: Any) -> dict[str, Any]:
        nonlocal parent
        own = new_uuid()
        made = {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": story.place,
            "sessionId": session,
            "version": "2.0.14",
            "type": kind,
            "message": {"role": kind, "content": content},
            "uuid": own,
            "timestamp": stamp(next(clock)),
        }
        parent = own
        return made

    for step in story.steps:
        if step.role:
            yield record(
                step.role,
                [{"type": "text", "text": step.text}] if step.role == "assistant" else step.text,
            )
            continue
        call = token("toolu_01", 22)
        yield record(
            "assistant", [{"type": "tool_use", "id": call, "name": step.tool, "input": step.params}]
        )
        block: dict[str, Any] = {
            "tool_use_id": call,
            "type": "tool_result",
            "content": step.error or step.result,
        }
        yield record("user", [{**block, "is_error": True} if step.error else block])


def codex(story: Story) -> Iterator[dict[str, Any]]:
    clock = times(story.day)

    def wrapped(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": stamp(next(clock)), "type": kind, "payload": payload}

    yield wrapped(
        "session_meta",
        id=new_uuid(),
        cwd=story.place,
        originator="codex_cli_rs",
        cli_version="0.46.0",
    )
    for step in story.steps:
        if step.role:
            kind = "output_text" if step.role == "assistant" else "input_text"
            content = [{"type": kind, "text": step.text}]
            yield wrapped("response_item", type="message", role=step.role, content=content)
            continue
        call = token("call_")
        arguments = json.dumps(step.params)
        yield wrapped(
            "response_item", type="function_call", name=step.tool, arguments=arguments, call_id=call
        )
        yield wrapped(
            "response_item",
            type="function_call_output",
            call_id=call,
            output=step.error or step.result,
        )


def openai(story: Story) -> Iterator[dict[str, Any]]:
    prompt = "You are the assistant of a restaurant and shop. Use the tools; be brief and kind."
    messages: list[dict[str, Any]] = [{"role": "system", "content": prompt}]
    for step in story.steps:
        if step.role:
            messages.append({"role": step.role, "content": step.text})
            continue
        call = token("call_")
        function = {"name": step.tool, "arguments": json.dumps(step.params)}
        messages.append(
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": call, "type": "function", "function": function}],
            }
        )
        messages.append(
            {"role": "tool", "tool_call_id": call, "content": step.error or json.dumps(step.result)}
        )
    yield {"created_at": story.day + "Z", "messages": messages}


def plain(story: Story) -> Iterator[dict[str, Any]]:
    clock = times(story.day)
    for step in story.steps:
        at = stamp(next(clock))
        if step.role:
            yield {"role": step.role, "text": step.text, "session": story.place, "at": at}
            continue
        outcome = {"error": step.error} if step.error else {"result": step.result}
        yield {
            "tool": step.tool,
            "params": step.params,
            **outcome,
            "session": story.place,
            "id": token("", 8),
            "duration_ms": RNG.randint(3, 900),
            "at": at,
        }
