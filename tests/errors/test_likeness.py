"""Likeness: one error in other words, or errors that only sound alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.errors.likeness import CHECKED, SIMILAR, TOLD, likeness, meaning_of
from seasoned.errors.pattern import pattern_of

SAME = [
    ("no such table: orders", 'ERROR: relation "orders" does not exist'),
    ("429 Client Error: Too Many Requests", "Rate limit exceeded, please slow down"),
    ("tar: /b/a.tar: disk full", "cp: error writing '/b/a.tar': No space left on device"),
    ("HTTP 401 Unauthorized", "Authentication failed: bad credentials"),
    ("curl: (6) Could not resolve host: a.b", "getaddrinfo ENOTFOUND a.b"),
    ("ORA-01476: divisor is equal to zero", "ZeroDivisionError: division by zero"),
    ("The folder 'a' was not found", "ENOENT: directory 'a' does not exist"),
    ("Zugriff verweigert", "permission denied"),
    ("余额不足", "insufficient funds"),
]
DIFFERENT = [
    ("bucket 'a' not found", "bucket 'a' not empty"),
    ("field 'email' is required", "field 'email' is unknown"),
    ("cannot read /a/b: permission denied", "cannot write /a/b: permission denied"),
    ("error decoding the file header", "error encoding the file header"),
    ("the socket is connected", "the socket is not connected"),
    ("relation 'a' already exists", "relation 'a' does not exist"),
    ("table 'a' does not exist", "column 'a' does not exist"),
    ("ssh: connect to host a: Connection refused", "psql: connect to host a: Connection refused"),
    ("the token has expired", "the card has expired"),
    ("user not found in the directory", "order not found in the directory"),
    ("maximum amount of the order exceeded", "minimum amount of the order not reached"),
]


def alike(one: str, other: str, cosine: float | None) -> float:
    return likeness(pattern_of(one), pattern_of(other), cosine)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_another_wording_of_an_error_is_recognised(one: str, other: str) -> None:
    assert min(alike(one, other, 0.7), alike(other, one, 0.7)) >= TOLD


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_errors_that_sound_alike_are_told_apart(one: str, other: str) -> None:
    assert max(alike(one, other, 0.95), alike(other, one, 0.95)) <= CHECKED < TOLD


def test_near_vectors_alone_link_nothing() -> None:
    assert alike("the pump runs dry", "the tank is heated", 0.99) < SIMILAR


def test_some_complaints_match_alone_and_others_need_their_subject() -> None:
    assert alike("Killed: out of memory", "heap limit reached", 0.1) >= TOLD
    assert alike("it was not found", "ENOENT: unknown printer", 0.6) < SIMILAR
    assert alike("no file was found", "ENOENT: unknown file", 0.6) >= TOLD


def test_a_possibility_is_not_a_complaint() -> None:
    assert alike("name 'x' may be undefined", "name 'x' is not defined", 0.9) < TOLD


@given(st.text(max_size=80), st.text(max_size=80), st.none() | st.floats(-1, 1))
def test_it_is_a_share_and_finds_every_text_like_itself(
    one: str, other: str, cosine: float | None
) -> None:
    assert 0 <= likeness(one, other, cosine) <= 1
    assert likeness(one, one) in (0, 1) or likeness(one, one) >= TOLD
    assert meaning_of(one) == meaning_of(one).strip()
