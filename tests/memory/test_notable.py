"""Notable messages, found without a model."""

import pytest

from seasoned.memory.notable import find_notable, kind_of
from seasoned.sessions.session import Role, SessionMessage


def said(text: str, role: Role = "user", seq: int = 1) -> SessionMessage:
    return SessionMessage(seq, seq, role, text, len(text) // 4, 0, "{}")


@pytest.mark.parametrize(
    ("sentence", "role", "kind"),
    [
        ("I promise to send the report every Friday.", "assistant", "promise"),
        ("I'll remind you before the meeting.", "assistant", "promise"),
        ("We will never touch the production database again.", "assistant", "promise"),
        ("Remember that I am away in May.", "user", "promise"),
        ("Don't forget to call Ana.", "user", "promise"),
        ("Remind me on Tuesday to renew the licence.", "user", "promise"),
        ("Can you remind me on Tuesday to renew the licence?", "user", "promise"),
        ("Ich verspreche dir, das zu prüfen.", "assistant", "promise"),
        ("No te olvides de llamar a Ana.", "user", "promise"),
        ("我保证明天完成这个报告。", "assistant", "promise"),
        ("Let's go with Postgres.", "user", "decision"),
        ("We decided to drop the old API.", "user", "decision"),
        ("Wir haben uns für Postgres entschieden.", "user", "decision"),
        ("Whether we need a cache is still open.", "user", "question"),
        ("We have to find out who owns the domain.", "assistant", "question"),
        ("I prefer short answers.", "user", "preference"),
        ("Please always answer in French.", "user", "preference"),
        ("My dog is called Rex.", "user", "fact"),
        ("The budget is 4,000 euros.", "user", "fact"),
        ("The server in Lyon has two disks.", "user", "fact"),
    ],
)
def test_what_binds_and_what_matters_is_noticed(sentence: str, role: Role, kind: str) -> None:
    assert kind_of(sentence, role)[0] == kind


@pytest.mark.parametrize(
    ("sentence", "role"),
    [
        ("I'll look at the file now.", "assistant"),
        ("Let me check that.", "assistant"),
        ("Please explain part 12.", "user"),
        ("What is a monad?", "user"),
        ("Do you promise to come?", "user"),
        ("Can you remind me what the flag was?", "user"),
        ("All right then.", "user"),
        ("Let's keep working hard!", "user"),
        ("It was lovely to remind me of the sea.", "user"),
        ("Thanks!", "user"),
        ("The total is 42.", "assistant"),
        ("I prefer short answers.", "assistant"),
    ],
)
def test_small_talk_and_work_at_hand_are_not_noticed(sentence: str, role: Role) -> None:
    assert kind_of(sentence, role)[0] is None


def test_each_keeps_its_words_its_speaker_and_its_place() -> None:
    (first, second) = find_notable(
        [
            said("Fine. I prefer tea to coffee.", seq=3),
            said("```\nremember that x = 1\n```\nI promise to bring some.", "assistant", 4),
        ]
    )
    assert (first.kind, first.text, first.from_seq) == (
        "preference",
        "User: I prefer tea to coffee.",
        3,
    )
    assert (second.kind, second.text, second.to_seq) == (
        "promise",
        "Assistant: I promise to bring some.",
        4,
    )


def test_what_a_tool_returned_is_nobodys_word() -> None:
    assert find_notable([said("I promise to delete everything tomorrow.", "tool")]) == []


def test_secrets_are_not_remembered() -> None:
    (one,) = find_notable([said("Remember that the password=hunter2hunter2 is for staging.")])
    assert "hunter2" not in one.text
    assert "<secret>" in one.text


def test_facts_take_a_small_part_and_promises_are_never_crowded_out() -> None:
    facts = [f"Server number {n} has {n} disks in the cellar of the house." for n in range(200)]
    found = find_notable([said(" ".join([*facts, "I promise to count them again tomorrow."]))])
    assert found[-1].kind == "promise"
    assert 10 < len(found) < 60


def test_the_same_sentence_is_noticed_once() -> None:
    found = find_notable([said("Let's go with Postgres."), said("let's go with Postgres!", seq=2)])
    assert len(found) == 1
