"""Summaries: contents and length."""

from hypothesis import given
from hypothesis import strategies as st

from seasoned.core.text import estimate_tokens
from seasoned.memory.compact import HEADING, SummaryConfig, summary_of
from seasoned.memory.observation import KINDS, Kind, Observation, Reflection

WORDS = st.lists(st.sampled_from("ana folder march wall 12 red never 日本 sea".split()), min_size=3)


def seen(kind: Kind, text: str, seq: int = 1, *, settled: int = 0, taken: str = "") -> Observation:
    return Observation(f"o{seq}", 1, seq, seq, kind, text, 1, 0, "plain", taken, settled)


def thought(text: str, number: int = 1) -> Reflection:
    return Reflection(f"r{number}", 1, text, 1, number, "plain", 1, "")


OBSERVED = st.lists(st.tuples(st.sampled_from(KINDS), WORDS.map(" ".join)), max_size=60).map(
    lambda each: [seen(kind, text, seq) for seq, (kind, text) in enumerate(each, 1)]
)


@given(OBSERVED, st.lists(WORDS.map("\n".join), max_size=8), st.integers(40, 600))
def test_it_never_has_more_tokens_than_it_may(
    observations: list[Observation], texts: list[str], tokens: int
) -> None:
    thoughts = [thought(text, n) for n, text in enumerate(texts)]
    told = summary_of(observations, thoughts, SummaryConfig(tokens=tokens), ["Explain the sea."])
    assert estimate_tokens(told) <= tokens


def test_what_binds_comes_first_and_what_is_settled_is_left_out() -> None:
    told = summary_of(
        [
            seen("fact", "The wall in Bergen is red.", 1),
            seen("promise", "Ana brings the folder.", 2),
            seen("promise", "Tom brings the cake.", 3, settled=9),
            seen("decision", "The archive goes to Postgres.", 4, taken="r1"),
            seen("question", "Who pays is open.", 5),
            seen("fact", "It is told by a reflection.", 6, taken="r1"),
        ],
        [thought("The user moves an archive.")],
        SummaryConfig(),
    )
    order = ["Ana brings", "Postgres", "Who pays", "moves an archive", "Bergen"]
    assert [told.index(words) for words in order] == sorted(told.index(words) for words in order)
    assert told.startswith(HEADING)
    assert "cake" not in told
    assert "told by a reflection" not in told


def test_a_summary_has_at_most_five_reflections_and_twenty_observations() -> None:
    letters = [chr(ord("a") + n) * 5 for n in range(26)]
    told = summary_of(
        [seen("fact", f"The word is {word}.", n) for n, word in enumerate(letters)],
        [thought(f"Thought number {n}.", n) for n in range(8)],
        SummaryConfig(),
    )
    assert told.count("The word is") == 20
    assert "zzzzz" in told
    assert "aaaaa" not in told
    assert told.count("Thought number") == 5
    assert "Thought number 7." in told


def test_an_empty_memory_has_an_empty_summary() -> None:
    assert summary_of([], [], SummaryConfig()) == ""
