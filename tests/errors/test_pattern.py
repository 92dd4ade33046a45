"""Patterns of errors: expected values, properties and hostile input."""

import json
from datetime import datetime
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import TypedDict
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seasoned.errors.pattern import LONGEST_PATTERN, pattern_of


class Vector(TypedDict):
    rule: str
    error: str
    pattern: str


VECTORS: list[Vector] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "error_patterns.json").read_text(encoding="utf-8")
)

PIECES = (
    "error not found ' \" ` /srv/a.py b/c.txt C:\\d\\e.txt http://h:80/x 10.0.0.1 :8080 ::1 "
    "12:30:01 2031-04-05T06:07:08Z 1932871628 3f2504e0-4f89-11d3-9a0c-0305e82c3301 0x1f 30s 404 "
    "E0308 exit status code <path> <n> <*> <value> near = - --flag user , or and . ( ) [ ] { } "
    ": ; #1 $x 1 22 333 v1.2.3 x@y.org “q” GET HTTP/1.1 \\n \\ _ T Z é 中 npm ERR! E <tag> </tag>"
).split(" ")
SENTENCES = [
    "Traceback (most recent call last):",
    "\nKeyError: 'x'",
    '{"error": {"message": "boom", "code": 3}}',
    "{'message': 'x'}",
    "\nCaused by: ",
    "\nE   assert ",
    "Exit code 1\n",
    "command not found: ",
    "\x1b[31m",
    "\r\n",
    "\u2028",
    "\n    at f (a.js:1:2)",
]


def glued(pieces: list[str]) -> st.SearchStrategy[str]:
    return st.sampled_from([" ".join(pieces), "".join(pieces)])


ERRORS = st.lists(
    st.sampled_from([*PIECES, *SENTENCES]) | st.text(max_size=4), max_size=14
).flatmap(glued)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["error"][:40])
def test_the_vectors_hold(vector: Vector):
    assert pattern_of(vector["error"]) == vector["pattern"], vector["rule"]


@settings(deadline=None, max_examples=300)
@given(ERRORS | st.text(max_size=300))
def test_the_pattern_of_a_pattern_is_itself(error: str):
    pattern = pattern_of(error)
    assert pattern_of(pattern) == pattern


@settings(deadline=None)
@given(st.text(max_size=3000))
def test_a_pattern_is_one_short_line(error: str):
    pattern = pattern_of(error)
    assert len(pattern) <= LONGEST_PATTERN
    assert pattern == " ".join(pattern.split())


@given(st.uuids())
def test_no_uuid_survives_in_any_case(uuid: UUID):
    for text in (str(uuid), str(uuid).upper()):
        assert pattern_of(f"task {text} failed") == "task failed"


@given(st.datetimes(min_value=datetime(1970, 1, 1)))
def test_every_moment_gives_one_pattern(moment: datetime):
    assert pattern_of(f"{moment:%Y-%m-%dT%H:%M:%S}Z lease lost") == "lease lost"


@given(st.integers(1024, 65535))
def test_every_port_gives_one_pattern(port: int):
    assert pattern_of(f"connect localhost:{port}: refused") == "connect localhost:<port>: refused"


@given(st.ip_addresses(v=4))
def test_every_ipv4_address_gives_one_pattern(address: IPv4Address | IPv6Address):
    assert pattern_of(f"no route to {address}") == "no route to <ip>"


def test_frames_do_not_change_the_pattern_of_a_traceback():
    one = (
        'Traceback (most recent call last):\n  File "/a.py", line 1, in f\n    g()\nValueError: no'
    )
    two = (
        'Traceback (most recent call last):\n  File "/b.py", line 9, in h\n    k()\nValueError: no'
    )
    assert pattern_of(one) == pattern_of(two) == "ValueError: no"


def test_different_mistakes_have_different_patterns():
    errors = [
        "file not found",
        "file not readable",
        "HTTP 404",
        "HTTP 429",
        "error TS2304: no",
        "error TS2551: no",
        "[Errno 2] x",
        "[Errno 13] x",
        "'return' outside function",
        "'await' outside function",
    ]
    assert len({pattern_of(error) for error in errors}) == len(errors)


@pytest.mark.parametrize(
    "unit",
    ["_", "a", "1", "/", "'", " '", '"a ', "\n", "\\", "<", "a.", "a1", "a/", "1:", "ab:", "{",
     '{"message": "', "\x1b[", "near '", "a@", "C:\\a ", "error: ", "error\n", "E  assert\n",
     "-1", "1.1.1.", "'<value>', ", ": a", "<aaa>", "1~"],
)  # fmt: skip
def test_a_megabyte_of_anything_has_a_short_pattern(unit: str):
    assert len(pattern_of(unit * (1_000_000 // len(unit)))) <= LONGEST_PATTERN


def test_the_message_at_the_end_of_a_very_long_text_is_found():
    noise = "  File 'x', line 1\n" * 100_000
    text = f"Traceback (most recent call last):\n{noise}ZeroDivisionError: division by zero"
    assert pattern_of(text) == "ZeroDivisionError: division by zero"


@pytest.mark.parametrize(
    ("error", "pattern"),
    [
        ("open testbed/../proc/sys/x: no such file", "open <path>: no such file"),
        ("cannot stat shop/./carts", "cannot stat <path>"),
        ("sh: syntax error near `done'", "sh: syntax error near `<value>'"),
        ("use `a' or `b', not `c d`", "use `<value>' or `<value>', not `<value>`"),
        ("`it's` is no name", "`<value>` is no name"),
        ("the job of 10:20:30 failed", "the job of <n> failed"),
        ("stopped after 01:02:03.5", "stopped after <n>"),
        ("no route to fe80::1", "no route to <ip>"),
        ("no route to 2001:db8:0:0:0:0:0:7", "no route to <ip>"),
        ("Error: EACCES: permission denied, mkdir '/srv/x'",
         "Error: EACCES: permission denied, mkdir '<path>'"),
        ("Error: ENOENT: no such file or directory, open 'a.txt'",
         "Error: ENOENT: no such file or directory, open '<path>'"),
        ("cat: README: No such file or directory", "cat: <value>: No such file or directory"),
    ],
)  # fmt: skip
def test_what_varies_is_masked_and_nothing_else(error: str, pattern: str):
    assert pattern_of(error) == pattern


@pytest.mark.parametrize("nothing", ["", " ", "\n\n", "\x1b[0m"])
def test_an_empty_error_has_an_empty_pattern(nothing: str):
    assert pattern_of(nothing) == ""
