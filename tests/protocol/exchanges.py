"""Exchanges to replay: written by hand, and recorded ones if the recording is present."""

import json
from pathlib import Path
from typing import Any, cast

from tests.protocol.fixed_plugin import record

RECORDED = Path(__file__).parents[3] / "shared" / "wire" / "a2e-exchanges.json"
VARYING = (
    *("id", "req_id", "session_id", "ts", "feedback_id", "experience_id"),
    *("uptime_seconds", "last_called"),
)
ADDED = ("extra_field",)  # sent by the recording host to test that clients ignore it


def normalised(value: Any) -> Any:
    """Return the value without anything that differs between runs."""
    if isinstance(value, dict):
        return {
            key: type(each).__name__ if key in VARYING else normalised(each)
            for key, each in cast("dict[str, Any]", value).items()
            if key not in ADDED
        }
    if isinstance(value, list):
        return [normalised(each) for each in cast("list[Any]", value)]
    return value


def recorded() -> dict[str, Any]:
    return json.loads(RECORDED.read_text("utf-8"))


Exchange = tuple[str, Any, dict[str, Any] | None]  # step, message, reply


def recorded_exchanges(revision: str) -> list[Exchange]:
    """Return each message with the reply that clients accepted; None for the shutdown."""
    wire = recorded()["client_accepts"][revision]["wire"]
    replies = {each["msg"]["req_id"]: each["msg"] for each in wire if each["dir"] == "host->agent"}
    return [
        (each["step"], each["msg"], replies.get(each["msg"]["id"]))
        for each in wire
        if each["dir"] == "agent->host"
    ]


def recorded_messages(revision: str) -> list[tuple[str, bytes]]:
    """Return every recorded message of a client of this revision, odd ones included."""
    return [
        (each["step"], each["raw"].encode() if "raw" in each else json.dumps(each["msg"]).encode())
        for each in recorded()["client_sends"][revision]
    ]


# The error code for each odd step; every other step gets the reply of its own type.
REFUSED = {
    "feedback NaN score": "invalid_message",
    "adapt <32 custom": "invalid_message",
    "adapt <32 bogus": "invalid_message",
    "adapt >=32 custom": "invalid_message",
    "raw unknown type": "invalid_message",
    "raw bad json": "invalid_message",
    "raw non-object json": "invalid_message",
    "raw missing type": "invalid_message",
    "raw feedback missing feedbacks": "invalid_message",
    "raw corrective w/o correction": "invalid_message",
    "raw resp type to host": "invalid_message",
    "raw pong to host": "invalid_message",
    "raw error to host": "invalid_message",
    "raw tool/list (other cap)": "invalid_message",
}


def reply_type(message: dict[str, Any]) -> str:
    kind: str = message["type"]
    return "pong" if kind == "ping" else kind.removesuffix("/req") + "/resp"


def _envelope(kind: str, name: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "id": name, "version": "1.0", "ts": 1.5, **fields}


def _reply(kind: str, name: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "id": "r", "version": "1.0", "ts": 2.5, "req_id": name, **fields}


def _wire_record(name: str) -> dict[str, Any]:
    return {"name": name, "skill_name": name, "component_name": name, **record(name)}


def written_exchanges(revision: str) -> list[Exchange]:
    """Return hand-written exchanges of the same shapes, for when the recording is absent."""
    named = "skill_name" if revision == "A" else "component_name"
    both = [_wire_record("my_skill"), _wire_record("my_tool")]
    turn = {"prompt": "2+2?", "response": "4", "model": "m", "environment": None, "version": "s"}
    item = {
        "feedback_id": "f1",
        "correlation_id": "",
        "session_id": "",
        "rated_turn": turn,
        "polarity": "positive",
        "score": 0.9,
        "dimension": "correctness",
        "confidence": 1.0,
        "comment": "",
        "correction": "",
        "correction_span": None,
        "source": "human",
        "annotator_id": "",
        "ts": 1.0,
    }
    step = {
        "experience_id": "e1",
        "state": {},
        "action": {named: "my_skill"},
        "reward": 1.0,
        "next_state": {},
        "done": False,
        "episode_id": "",
        "step": 0,
        "ts": 1.0,
    }
    hello = {"agent_id": "hand", "agent_caps": ["learning"], "auth_token": ""}
    accepted: list[dict[str, Any]] = [{"capability": "learning", "enabled": True, "metadata": {}}]
    more = {"tool_name": ""} if revision == "A" else {}
    plan = "learn/refinement/plan/req"
    exchanges: list[Exchange] = [
        (
            "connect",
            _envelope("handshake/req", "h", **hello),
            _reply(
                "handshake/resp",
                "h",
                session_id="s",
                accepted_caps=accepted,
                max_parallel=4,
                ok=True,
                reason="",
            ),
        ),
        ("ping", _envelope("ping", "p"), _reply("pong", "p", uptime_seconds=1.0)),
        (
            "feedback",
            _envelope("learn/feedback/req", "f", feedbacks=[item]),
            _reply(
                "learn/feedback/resp",
                "f",
                recorded=1,
                new_score=0.5,
                scores_by_dimension={"tone": 0.5},
                note="",
            ),
        ),
        (
            "experience",
            _envelope("learn/experience/req", "e", experiences=[step]),
            _reply("learn/experience/resp", "e", stored=1),
        ),
        (
            "adapt",
            _envelope("learn/adapt/req", "a", **{named: "my_skill"}, strategy="ucb1"),
            _reply(
                "learn/adapt/resp",
                "a",
                updated=[_wire_record("my_skill")],
                message="Adapted 1 skills using ucb1",
            ),
        ),
        (
            "stats",
            _envelope("learn/stats/req", "s", **{named: "my_skill"}, **more),
            _reply("learn/stats/resp", "s", skills=both[:1], tools=both[1:], components=both),
        ),
        (
            "what no host here does",
            _envelope(plan, "x", component_name="", scope="local"),
            _reply(
                "error",
                "x",
                code="invalid_message",
                message=f"unsupported {plan}",
                detail={"type": plan},
                retryable=False,
                capability_name="learning",
            ),
        ),
        ("disconnect", _envelope("shutdown", "bye", timeout=10), None),
    ]
    return exchanges
