"""Near-identical patterns merge; patterns that mean different things never do."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seasoned.errors.pattern import pattern_of
from seasoned.errors.template import Groups, Placement, place, shape_of

DIFFERENT_MISTAKES = [
    ("file not found", "file not readable", "file not writable", "file not empty"),
    ("user not found", "order not found", "page not found", "key not found"),
    ("Error: user missing", "Error: order missing", "Error: page missing", "Error: key missing"),
    ("connection refused", "connection reset", "connection closed"),
    ("the disk is full", "the disk is busy", "the disk is gone", "the disk is fine"),
    ("cannot read the config of the service", "cannot write the config of the service"),
    ("TypeError: bad operand", "ValueError: bad operand", "KeyError: bad operand"),
    ("request failed with status code 401", "request failed with status code 429"),
    ("error TS2304: cannot find name '<value>'", "error TS2552: cannot find name '<value>'"),
    ("must be called before start", "must be called after start"),
    ("the certificate has expired", "the certificate has started", "the certificate has failed"),
    ("process exited with code 1", "process exited with code 137"),
    ("'<value>' is required", "'<value>' is not required"),
    ("too many arguments for the call", "too few arguments for the call"),
    ("rate_limit_exceeded: try later", "quota_exceeded: try later"),
    ("the upload was cancelled by the user", "the upload was rejected by the user"),
    ("connect() failed", "bind() failed", "open() failed"),
    ("failed to connect to the server", "failed to connect to the cache"),
    ("lost connection to database", "lost connection to broker", "lost connection to peer"),
    ("waiting for a reply from a.b timed out", "waiting for a lock from a.b timed out"),
    ("client certificate required", "server certificate required", "root certificate required"),
]  # fmt: skip

SAME_MISTAKE = [
    [f"Login denied for {name} from 192.0.2.{n}" for n, name in enumerate(["ada", "bob", "eve"])],
    [f"close, {size} sent to peer" for size in ("12 bytes", "2048 bytes (2 KB)", "9 bytes")],
    [f"lookup of {host} failed" for host in ("mail.example.org", "db-3.example.net:5432", "h9")],
    [f"audit: uid={n} user={name}" for n, name in enumerate(["ada", "bob"])],
    [f"no such table: {name}" for name in ("orders", "customers")],
    [f"unrecognized argument {flag}" for flag in ("--fast", "--dry-run")],
    [f"Base class of {name} cannot be changed here" for name in ("OrderedMap", "FrozenList")],
]


@pytest.mark.parametrize("errors", DIFFERENT_MISTAKES, ids=lambda errors: errors[0])
def test_different_mistakes_stay_apart(errors: tuple[str, ...]):
    groups = Groups()
    assert len({groups.current(groups.add(error)) for error in errors}) == len(errors)
    assert len(groups.templates) == len(errors)


@pytest.mark.parametrize("errors", SAME_MISTAKE, ids=lambda errors: errors[0])
def test_one_mistake_with_other_values_is_one_group(errors: list[str]):
    groups = Groups()
    placed = [groups.add(error) for error in errors]
    assert len({groups.current(group) for group in placed}) == 1
    assert list(groups.templates) == [groups.current(placed[0])]


def test_a_name_becomes_a_hole_when_three_have_been_seen_and_absorbs_the_earlier_ones():
    known = ["Login denied for ada from <ip>", "Login denied for bob from <ip>"]
    assert place(known[1], known[:1]) == Placement(None, known[1])
    assert place("Login denied for eve from <ip>", known) == Placement(
        0, "Login denied for <*> from <ip>", (1,)
    )


def test_a_known_pattern_joins_its_template_unchanged():
    template = "Login denied for <*> from <ip>"
    assert place("Login denied for zoe from <ip>", [template]) == Placement(0, template)


def test_punctuation_that_both_share_stays_around_the_hole():
    placement = place('open "<path>" failed', ['open "<value>" failed'])
    assert placement.template == 'open "<*>" failed'


def test_a_pattern_of_values_alone_never_merges():
    assert place("<n> <path>", ["<id>", "<hash>"]) == Placement(None, "<n> <path>")


def test_the_first_of_two_covering_templates_wins():
    known = ["read of <*> failed", "read of <hash> failed"]
    assert place("read of <id> failed", known).index == 0


def test_the_words_decide_the_shape_and_the_values_do_not():
    assert shape_of("read of a.b failed") == shape_of("read of <id> failed")
    assert shape_of("read of a.b failed") != shape_of("write of a.b failed")


PIECES = st.sampled_from(
    "error not found read of user ada bob <path> <n> <id> '<value>' \"<value>\" a.b x=1 = : , . ( "
    ") [ ] --flag OrderedMap FrozenList 404 bytes ms from to for in - / $ # % <*> true null".split(
        " "
    )
)
PATTERNS = st.lists(PIECES, min_size=1, max_size=10).flatmap(
    lambda pieces: st.sampled_from([" ".join(pieces), "".join(pieces)])
)


@settings(deadline=None, max_examples=300)
@given(st.lists(PATTERNS, min_size=2, max_size=8))
def test_widening_keeps_the_shape_and_covers_what_was_merged(errors: list[str]):
    known: list[str] = []
    for error in errors:
        pattern = pattern_of(error)
        peers = [template for template in known if shape_of(template) == shape_of(pattern)]
        placement = place(pattern, peers)
        assert shape_of(placement.template) == shape_of(pattern)
        if placement.index is not None:
            merged = [peers[placement.index], *(peers[index] for index in placement.absorbed)]
            for covered in [pattern, *merged]:
                assert place(covered, [placement.template]).index == 0
            known = [template for template in known if template not in merged]
        known.append(placement.template)


@settings(deadline=None)
@given(st.lists(PATTERNS, max_size=12))
def test_every_error_has_a_group_with_a_template(errors: list[str]):
    groups = Groups()
    placed = [groups.add(error) for error in errors]
    assert {groups.current(group) for group in placed} == set(groups.templates)
    assert [groups.add(error) for error in errors] == [groups.current(group) for group in placed]


def test_two_hundred_templates_of_one_shape_are_no_trouble():
    names = [f"{a}{b}r" for a in "bcdfghjklmnpqrst" for b in "aeiouyaeiouyz"][:200]
    known = [f"dependency {name} blocks the release" for name in names]
    assert place("dependency zzz blocks the release", known).index is None
