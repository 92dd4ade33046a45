"""Notes: what was learned about a tool stands in its description, the same for a whole session."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.embedding_service import eventually

from seasoned import Seasoned
from seasoned.changes.repair import Edit, Repair
from seasoned.core.ids import canonical
from seasoned.core.scope import Scope
from seasoned.db.unit import Change
from seasoned.lessons.lesson import Belief, Draft, FixDetail, Lesson
from seasoned.recall.note_wording import LONGEST_NOTE, note_for, reason_from

from .conftest import changed

DATED = "date '{}' cannot be read; write dates as DD.MM.YYYY"


def derived(
    s: Seasoned,
    tool: str,
    error: str,
    content: str,
    *,
    edited: str = "date",
    seen: int = 1,
    worked: float = 4,
    status: str = "active",
) -> Lesson:
    """Add a fix as if episodes had shown it."""
    app, now = s.inner.app, s.inner.app.clock.now()
    edit = Edit((edited,), "retyped", {"to": "str"})

    async def add(tx: object) -> Lesson:
        change = Change(tx, now)  # pyright: ignore[reportArgumentType]
        known = await app.errors.see(change, Scope(), tool, error, now, times=seen)
        repair = canonical(Repair((edit,) if edited else ()).to_json())
        draft = Draft(
            "fix",
            status,  # pyright: ignore[reportArgumentType]
            Scope(),
            error,
            content,
            Belief(worked, 1),
            "episode",
            identity=f"{tool} {content}",
            fix=FixDetail(tool, known.id, repair),
        )
        return (await app.lessons.add(change, draft))[0]

    return changed(s, add)


def texts(s: Seasoned, *tools: str, session: str = "now") -> list[str]:
    return [note.text for note in s.tool_notes(*tools, session=session)]


def test_a_fix_stands_in_the_notes_of_its_tool_with_its_reason(seasoned: Seasoned) -> None:
    derived(seasoned, "book", "date must be a text", "Pass `date` as a text.")
    assert texts(seasoned, "book") == ["Pass `date` as a text (date must be a text)."]
    assert texts(seasoned, "other") == []
    described = seasoned.tool_notes("book", session="now").describe("book", "Book a room.")
    assert described.startswith("Book a room.\n\nNotes from experience:\n- Pass `date` as a text")


def test_what_calls_taught_stands_in_the_notes_of_the_next_session(seasoned: Seasoned) -> None:
    for number, room in enumerate(("Atlas", "Borealis", "Cedar")):
        session, error = f"s{number}", "field purpose is missing: it must be given"
        seasoned.observe("book", {"room": room}, error=error, session=session)
        right = {"room": room, "purpose": f"meeting {number}"}
        seasoned.observe("book", right, "booked", session=session)
    (note,) = seasoned.tool_notes("book", session="next")
    assert "purpose" in note.text
    assert "it must be given" in note.text
    assert seasoned.why(note.lesson).lesson.id == note.lesson


def test_a_taught_fix_says_when_it_applies(seasoned: Seasoned) -> None:
    seasoned.teach("podman: command not found", fix="Start the service first.", tool="shell")
    (note,) = texts(seasoned, "shell")
    assert note == "When it says `podman: command not found`: Start the service first."


def test_a_tool_has_three_notes_at_most_taught_ones_first_then_the_most_needed(
    seasoned: Seasoned,
) -> None:
    derived(seasoned, "book", "alpha must be a text", "Pass `date` as alpha.", seen=2)
    derived(seasoned, "book", "beta must be a text", "Pass `date` as beta.", seen=9)
    derived(seasoned, "book", "gamma must be a text", "Pass `date` as gamma.", seen=5)
    seasoned.teach("room is taken", fix="Ask for `room` by its full name.", tool="book")
    first, second, third = texts(seasoned, "book")
    assert "full name" in first
    assert "as beta" in second
    assert "as gamma" in third


def test_a_candidate_is_no_note(seasoned: Seasoned) -> None:
    derived(seasoned, "book", "bad", "Pass `date` as text.", worked=1, status="candidate")
    assert texts(seasoned) == []


def test_a_session_keeps_its_notes_until_one_no_longer_holds(seasoned: Seasoned) -> None:
    first = derived(seasoned, "book", "date must be a text", "Pass `date` as a text.")
    before = texts(seasoned, "book", session="monday")
    derived(seasoned, "book", "room must be a text", "Pass `room` as a text.", edited="room")
    assert texts(seasoned, "book", session="monday") == before
    assert len(texts(seasoned, "book", session="tuesday")) == 2
    seasoned.forget(first.id)
    assert [note[:12] for note in texts(seasoned, "book", session="monday")] == ["Pass `room` "]


def test_a_note_counts_as_given_once_a_session(seasoned: Seasoned) -> None:
    lesson = derived(seasoned, "book", "date must be a text", "Pass `date` as a text.")
    for session in ("one", "one", "two"):
        seasoned.tool_notes("book", session=session)
    seasoned.tool_notes("book", session="only looks", given=False)
    assert eventually(lambda: seasoned.lesson(lesson.id).times_given == 2)


def test_a_lesson_in_the_notes_is_not_repeated_in_the_prompt(seasoned: Seasoned) -> None:
    seasoned.teach("room is taken", fix="Ask for the room by its full name.", tool="book_room")
    request = "book the room Atlas"
    assert "full name" in seasoned.recall(request, session="without notes").text
    seasoned.tool_notes("book_room", session="with notes")
    assert "full name" not in seasoned.recall(request, session="with notes").text


def test_where_a_sentence_needs_the_error_the_note_quotes_the_tool(seasoned: Seasoned) -> None:
    error = DATED.format("2027-03-03")
    for number, day in enumerate(("2027-03-03", "2027-06-14")):
        seasoned.observe("book", {"date": day}, error=DATED.format(day), session=f"s{number}")
    derived(seasoned, "book", error, "In `date`, use the value in the error.")
    assert texts(seasoned, "book") == ["`date`: write dates as DD.MM.YYYY."]


def test_a_value_of_the_call_is_quoted_by_the_name_of_its_parameter(seasoned: Seasoned) -> None:
    said = "ValueError: unknown product 7001; write it as SKU-7001"
    seasoned.observe("stock", {"product": "7001"}, error=said, session="monday")
    content = "In `product`, use the name in the error."
    derived(seasoned, "stock", said, content, edited="product")
    assert texts(seasoned, "stock") == ["`product`: write it as SKU-<product>."]


@pytest.mark.parametrize(
    ("error", "content"),
    [
        ("exit code 1", "Use the name the error suggests."),
        ("no such column", "Pass `date` as " + "very " * 40 + "long."),
        ("no such column", "Set `date` to `SELECT a, b, c FROM…`."),
        ("it is declined", "Set `date` to `card_77812` instead of `card_13377`."),
        ("it is declined", "Change `date`."),
    ],
)
def test_what_no_reader_could_follow_is_no_note(
    seasoned: Seasoned, error: str, content: str
) -> None:
    derived(seasoned, "book", error, content)
    assert texts(seasoned) == []


def test_trying_again_is_no_note(seasoned: Seasoned) -> None:
    derived(seasoned, "book", "timed out", "It is transient: call `book` once more.", edited="")
    assert texts(seasoned) == []


def test_what_one_person_has_at_home_is_left_open() -> None:
    errors = [
        "open /home/ana/x.txt with ana@example.com: file must begin with a header",
        "open /home/ana/x.txt with ana@example.com: file must begin with a header",
    ]
    assert reason_from("open <path>", errors) == "open … with … file must begin with a header"


@given(st.text(max_size=400), st.text(max_size=400), st.lists(st.text(max_size=200), max_size=3))
def test_a_note_is_one_short_line(trigger: str, content: str, errors: list[str]) -> None:
    lesson = Lesson(
        *("id", "fix", "active", Scope(), trigger, content, Belief(9, 1)),
        *("operator", "operator", 0, 0),
        fix=FixDetail("tool", "error"),
    )
    note = note_for(lesson, errors)
    assert note is None or (len(note) <= LONGEST_NOTE and len(note.splitlines()) == 1)
