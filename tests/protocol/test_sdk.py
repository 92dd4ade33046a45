"""The calls of the protocol's own SDK with its defaults, in both revisions, on each transport."""

import json
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from tests.protocol.serving import Agent, Served
from tests.protocol.test_replay import HttpPeer, Peer, PipePeer

from seasoned import Seasoned
from seasoned.protocol import LearnAPI, connect

pytestmark = pytest.mark.sqlite_only

NAMED = {"A": "skill_name", "B": "component_name"}
DEFAULT_STRATEGY = {"A": "ucb1", "B": "ppo"}
REVISIONS = pytest.mark.parametrize("revision", ["A", "B"])


@pytest.fixture(params=["http", "stdio"])
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Peer]:
    """A host with the built-in plugin behind each transport."""
    if request.param == "stdio":
        pipe = PipePeer(tmp_path / "home", None)
        yield pipe
        assert pipe.end() == (0, b"")
        return
    from seasoned.app.app import App
    from seasoned.config import load

    app = App(load({"SEASONED_HOME": str(tmp_path)}), str(tmp_path / "seasoned.db"))
    app.db.run(app.db.open())
    served: Callable[..., Served] = request.getfixturevalue("served")
    agents: Callable[..., Agent] = request.getfixturevalue("agents")
    from seasoned.core.scope import Scope
    from seasoned.protocol.host.builtin import BuiltinPlugin

    plugin = BuiltinPlugin(app, Scope(), app.unit.run, concurrent=True)  # type: ignore[arg-type]
    yield HttpPeer(agents(served(plugin)))
    app.stop()
    app.db.run(app.db.close())


def ask(host: Peer, kind: str, name: str, **fields: Any) -> dict[str, Any]:
    message = {"type": kind, "id": name, "version": "1.0", "ts": 1.5, **fields}
    host.say(json.dumps(message).encode())
    heard = host.hear()
    assert heard is not None
    assert heard["req_id"] == name
    assert heard["type"] == kind.replace("/req", "/resp"), heard
    return heard


def sdk_feedback(name: str, polarity: str, **fields: Any) -> dict[str, Any]:
    """A piece of feedback as the SDK builds it: all fields, the score 0 unless given."""
    return {
        "feedback_id": name,
        "correlation_id": "",
        "session_id": "",
        "rated_turn": None,
        "polarity": polarity,
        "score": 0.0,
        "dimension": "helpfulness",
        "confidence": 1.0,
        "comment": "",
        "correction": "",
        "correction_span": None,
        "source": "human",
        "annotator_id": "",
        "ts": 1.0,
        **fields,
    }


def sdk_step(name: str, action: dict[str, Any], reward: float) -> dict[str, Any]:
    return {
        "experience_id": name,
        "state": {},
        "action": action,
        "reward": reward,
        "next_state": {},
        "done": False,
        "episode_id": "",
        "step": 0,
        "ts": 1.0,
    }


@REVISIONS
def test_the_default_adapt_is_answered_with_what_was_experienced(host: Peer, revision: str) -> None:
    named = NAMED[revision]
    steps = [
        sdk_step(f"e{n}", {named: "s1", "input": {}}, reward) for n, reward in enumerate((1.0, 0.5))
    ]
    assert ask(host, "learn/experience/req", "e", experiences=steps)["stored"] == 2
    asked = {named: "s1", "strategy": DEFAULT_STRATEGY[revision]}
    adapted = ask(host, "learn/adapt/req", "a", **asked)
    (record,) = adapted["updated"]
    assert (record[named], record["calls_total"], record["avg_score"]) == ("s1", 2, 0.75)
    assert record["policy"]["choice"] == "s1"
    if revision == "B":
        assert adapted["message"] == "Adapted 1 skills using softmax, which stands in for ppo"
    found = ask(host, "learn/stats/req", "s", **{named: "s1"})
    assert [each["calls_total"] for each in found["components"]] == [2]


@REVISIONS
def test_every_strategy_of_the_sdk_but_a_custom_one_is_served(host: Peer, revision: str) -> None:
    for strategy in ("ppo", "ucb1", "epsilon_greedy", "softmax", "PPO"):
        ask(host, "learn/adapt/req", strategy, **{NAMED[revision]: ""}, strategy=strategy)


@pytest.mark.parametrize(
    ("polarity", "score"), [("positive", 1.0), ("negative", -1.0), ("neutral", 0.0)]
)
def test_feedback_without_a_score_has_the_one_of_its_polarity(
    host: Peer, polarity: str, score: float
) -> None:
    sent = [sdk_feedback("f1", polarity)]
    assert ask(host, "learn/feedback/req", "1", feedbacks=sent)["new_score"] == score
    bare = [{"feedback_id": "f2", "polarity": polarity.upper(), "rated_turn": None}]
    assert ask(host, "learn/feedback/req", "2", feedbacks=bare)["new_score"] == score
    corrected = [sdk_feedback("f3", "corrective", correction="No.", dimension="tone")]
    assert ask(host, "learn/feedback/req", "3", feedbacks=corrected)["new_score"] == -1.0


def test_in_process_and_on_the_wire_adapt_answers_alike(seasoned: Seasoned) -> None:
    from seasoned.bandit.experience import Experience

    shape: dict[str, Any] = {"skill_name": "s1", "input": {}}
    seasoned.experiences.add([Experience("e1", action=shape, reward=1.0)])
    inside = seasoned.adapt("s1", "PPO")
    (record,) = inside.records
    assert inside.choice is not None
    assert inside.strategy == "softmax"
    assert "softmax stands in for ppo" in inside.reasons
    with connect(seasoned) as client:
        learn = LearnAPI(client)
        learn.experience([{"action": shape, "reward": 1.0}])
        (told,) = learn.adapt("s1", "PPO")
    assert (told.name, told.calls_total) == (record.name, record.calls_total + 1)
    assert told.policy["choice"] == inside.choice.arm
    assert told.policy["strategy"] == inside.strategy


def test_enums_are_accepted_in_any_case_in_process(seasoned: Seasoned) -> None:
    receipt = seasoned.feedback.add("POSITIVE", dimension="TONE", source="HUMAN")
    assert receipt.accepted == 1
    assert len(seasoned.feedback.list(polarity="POSITIVE", dimension="Tone", source="HUMAN")) == 1
    assert seasoned.feedback.stats(dimension="TONE")["tone"].mean_score == 1.0


def test_feedback_converts_itself_to_training_data() -> None:
    from seasoned.feedback.feedback import Feedback, RatedTurn

    turn = RatedTurn("Capital of France?", "Lyon.", model="m1")
    given = Feedback("f1", "corrective", -1.0, correction="Paris.", turn=turn, confidence=0.9)
    assert given.to_preference_pair() == {
        "prompt": "Capital of France?",
        "chosen": "Paris.",
        "rejected": "Lyon.",
        "dimension": "helpfulness",
        "model_version": "m1",
        "confidence": 0.9,
    }
    assert given.to_reward_sample() == {
        "prompt": "Capital of France?",
        "response": "Lyon.",
        "score": -1.0,
        "dimension": "helpfulness",
        "weight": 0.9,
        "source": "human",
    }
    assert Feedback("f2", "positive").to_preference_pair() is None
