"""Compaction: which messages a summary replaces, and what the model is sent."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from seasoned.core.scope import Scope
from seasoned.memory.compact import CompactConfig, compact_to, history_of, seams
from seasoned.sessions.session import Role, Session, SessionMessage

NOTHING = Session(1, Scope(session="x"), "", 0, 0, None, "", 0, 0, 0, 0, 0, 0, 0, 0, "")


def body(kind: str, name: str) -> str:
    return json.dumps({"kind": "x", "parts": [{"part_kind": kind, "tool_call_id": name}]})


def turn(number: int, tokens: int = 100, *, calls: int = 0) -> list[tuple[int, Role, int, str]]:
    asked: list[tuple[int, Role, int, str]] = [(number, "user", tokens, "{}")]
    for n in range(calls):
        asked.append((number, "assistant", tokens, body("tool-call", f"{number}-{n}")))
        asked.append((number, "tool", tokens, body("tool-return", f"{number}-{n}")))
    return [*asked, (number, "assistant", tokens, "{}")]


def kept(rows: list[tuple[int, Role, int, str]]) -> list[SessionMessage]:
    return [
        SessionMessage(seq, number, role, f"Let's go with option {seq}.", tokens, 0, text)
        for seq, (number, role, tokens, text) in enumerate(rows, 1)
    ]


TURNS = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 3)), min_size=1, max_size=12).map(
    lambda each: kept(
        [row for n, (tokens, calls) in enumerate(each, 1) for row in turn(n, tokens, calls=calls)]
    )
)


@given(TURNS, st.integers(0, 60), st.integers(0, 3000), st.integers(0, 2000), st.integers(1, 4))
def test_only_whole_observed_turns_go_and_the_last_stay(
    messages: list[SessionMessage], observed: int, start: int, keep: int, turns: int
) -> None:
    end = compact_to(messages, observed, CompactConfig(start, keep, turns))
    if end is None:
        return
    gone = [one for one in messages if one.seq <= end]
    left = [one for one in messages if one.seq > end]
    assert end <= observed
    assert not {one.turn for one in gone} & {one.turn for one in left}
    assert len({one.turn for one in left}) >= turns
    assert sum(one.tokens for one in messages) >= start


@given(TURNS, st.integers(0, 30), st.integers(1, 3000))
def test_a_history_fits_but_for_its_last_turn(
    messages: list[SessionMessage], compacted: int, most: int
) -> None:
    ends = [0, *(end for end, _ in seams(messages) if end <= compacted)]
    session = Session(
        *(1, Scope(session="x"), "", 0, 0, None, "", 0, 0, 0, 0, 0, 0, 0, ends[-1], "before")
    )
    given = history_of(session, messages, most)
    shown = [one for one in messages if one.seq >= given.from_seq]
    assert given.from_seq > session.compacted_to
    assert {one.turn for one in shown[:1]} <= {one.turn for one in messages}
    assert sum(one.tokens for one in shown) <= most or len({one.turn for one in shown}) == 1
    assert "before" in given.summary


def test_a_tool_call_stays_with_a_result_in_a_later_turn() -> None:
    rows: list[tuple[int, Role, int, str]] = [
        *turn(1),
        (2, "assistant", 100, body("tool-call", "late")),
        (3, "tool", 100, body("tool-return", "late")),
        *turn(4),
    ]
    assert [end for end, _ in seams(kept(rows))] == [2, 4]


def test_a_call_that_never_got_its_result_does_not_hold_up_the_rest() -> None:
    rows: list[tuple[int, Role, int, str]] = [
        (1, "assistant", 100, body("tool-call", "lost")),
        *turn(2),
        *turn(3),
    ]
    assert [end for end, _ in seams(kept(rows))] == [1, 3]


def test_messages_that_are_short_are_given_as_they_are() -> None:
    given = history_of(NOTHING, kept(turn(1)), 1000)
    assert (given.summary, given.from_seq) == ("", 1)


def test_what_was_not_summarised_in_time_is_told_all_the_same() -> None:
    messages = kept([row for n in range(1, 31) for row in turn(n)])
    messages[0] = replace(messages[0], text="I promise to come on Friday.")
    given = history_of(NOTHING, messages, 4000)
    assert given.from_seq > 20
    assert "User: I promise to come on Friday." in given.summary


def test_the_beginning_of_a_long_history_stays_the_same_for_many_turns() -> None:
    rows = [row for n in range(1, 61) for row in turn(n)]
    starts = [history_of(NOTHING, kept(rows[: 2 * n]), 2000).from_seq for n in range(11, 61)]
    assert len(set(starts)) <= 12
    assert starts == sorted(starts)
