"""The in-memory mirror of the vectors, compared with a scan of every row."""

import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.db.search import sign_codes as vector_codes
from seasoned.db.search import vector_mirror
from seasoned.db.search.sign_codes import (
    FAR,
    Codes,
    Visible,
    closest,
    codes_of,
)
from seasoned.db.search.vector_mirror import VectorMirror, pack

GROUPS = st.integers(1, 4)
KEYS = st.integers(1, 60)
STEPS = st.lists(  # rows to put, keys to remove, and whether to clear everything
    st.tuples(
        st.dictionaries(KEYS, st.tuples(GROUPS, st.booleans())),
        st.sets(KEYS),
        st.integers(0, 5).map(lambda one: one == 0),
    ),
    max_size=12,
)
WANTED = (frozenset({1}), frozenset({2, 3}), frozenset({9}), frozenset({1, 2, 3, 4}))


@given(STEPS)
def test_after_any_changes_it_counts_what_is_there(
    steps: list[tuple[dict[int, tuple[int, bool]], set[int], bool]],
) -> None:
    mirror, rows, code = VectorMirror(64), dict[int, tuple[int, bool]](), bytes(8)
    for put, dropped, cleared in steps:
        if cleared:
            rows.clear()
            mirror.clear()
        mirror.put([(key, group, key, code if c else None) for key, (group, c) in put.items()])
        mirror.drop(dropped)
        rows |= put
        rows = {key: row for key, row in rows.items() if key not in dropped}
        assert mirror.mean_length == pytest.approx(sum(rows) / max(1, len(rows)))
        for wanted in WANTED:
            there = {key for key, (group, _) in rows.items() if group in wanted}
            assert set(np.flatnonzero(mirror.allowed(wanted)).tolist()) == there
            assert mirror.among(wanted) == len(there)
            near = mirror.begin(np.zeros(64, np.float32), wanted).nearest(100)
            assert set(near.tolist()) == {key for key in there if rows[key][1]}


@pytest.mark.parametrize("dimensions", [24, 256, 700, 3072])
@pytest.mark.parametrize("shared", [100, 10_000])
@pytest.mark.parametrize("share", [0.1, 0.9])
def test_the_nearest_by_code_are_those_whose_signs_differ_least(
    dimensions: int, shared: int, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_codes, "SHARED", shared)
    monkeypatch.setattr(vector_codes, "SHARED_BLOCK", 64)
    rng = np.random.default_rng(dimensions)
    rows = rng.normal(size=(1000, dimensions)).astype(np.float32)
    asked = rng.normal(size=dimensions).astype(np.float32)
    codes, flags = Codes(dimensions), rng.random(1000) < share
    codes.reach(1200)
    codes.put(np.arange(1000), codes_of(rows))
    hidden = np.where(flags, 0, FAR).astype(np.uint8)
    differ = ((rows > 0) != (asked > 0)).sum(axis=1)
    scan = codes.begin(codes_of(asked[None])[0], Visible(flags, int(flags.sum()), hidden))
    found = scan.nearest(50)
    assert flags[found].all()
    assert len(found) >= 50
    coarse = 1 if dimensions <= 256 else -(-dimensions // 256)
    worst, left = differ[found].max(), np.setdiff1d(np.flatnonzero(flags), found)
    assert worst < differ[left].min() + coarse + 1


@given(st.lists(st.integers(0, FAR), max_size=300), st.integers(1, 60))
def test_the_closest_are_enough_and_none_is_closer(listed: list[int], most: int) -> None:
    distances = np.array(listed, np.uint8)
    found = closest(distances, most)
    seen = np.sort(distances[distances < FAR])
    assert len(found) >= min(most, len(seen))
    assert len(set(found.tolist())) == len(found)
    if len(found):
        assert distances[found].max() == seen[min(most, len(seen)) - 1]


def test_of_very_many_the_closest_are_guessed_right() -> None:
    rng = np.random.default_rng(5)
    for distances in (
        rng.integers(90, 160, 200_000).astype(np.uint8),
        np.full(200_000, 7, np.uint8),
        np.where(np.arange(200_000) == 123_457, 3, FAR).astype(np.uint8),
    ):
        found = closest(distances, 100)
        seen = np.sort(distances[distances < FAR])
        assert distances[found].max() == seen[min(100, len(seen)) - 1]
        assert min(100, len(seen)) <= len(found) <= max(5000, 400)


def test_what_is_changed_while_codes_are_compared_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vector_codes, "SHARED", 10)
    monkeypatch.setattr(vector_codes, "SHARED_BLOCK", 7)
    mirror = VectorMirror(64)
    vectors = np.array([[1.0] * 64, [-1.0] * 64], np.float32)
    near, far = codes_of(vectors)
    mirror.put([(key, 1, 5, near if key % 2 else far) for key in range(1, 101)])
    scan = mirror.begin(vectors[0], {1})
    mirror.put([(key, 1, 5, far) for key in range(1, 5001)])  # the arrays grow during the scan
    assert set(scan.nearest(50).tolist()) == set(range(1, 101, 2))
    assert len(mirror.begin(vectors[1], {1}).nearest(5000)) == 5000


def test_only_vectors_that_were_read_are_remembered() -> None:
    mirror, rows = VectorMirror(8), np.eye(8, dtype=np.float32)
    codes: Sequence[bytes] = codes_of(rows)
    mirror.put([(key, 1, 5, codes[key - 1]) for key in range(1, 9)])
    blobs = pack(rows)
    mirror.remember([(key, blobs[key % 8 - 1]) for key in (1, 2, 3, 999)])
    assert mirror.unread(range(1, 9)) == [4, 5, 6, 7, 8]
    mirror.put([(2, 1, 5, codes[3])])  # its vector has changed
    assert mirror.unread([1, 2, 3]) == [2]
    keys, vectors = mirror.vectors([1, 2, 4], [(4, blobs[3])])
    assert keys == [1, 4]
    assert vectors == pytest.approx(rows[[0, 3]], abs=0.01)


def test_beyond_some_size_nothing_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_mirror, "REMEMBERED", 5)
    mirror, rows = VectorMirror(8), np.eye(8, dtype=np.float32)
    codes, blobs = codes_of(rows), pack(rows)
    mirror.put([(key, 1, 5, codes[key - 1]) for key in range(1, 9)])
    mirror.remember([(1, blobs[0])])
    assert mirror.unread([1, 2]) == [1, 2]
    assert mirror.vectors([1, 2], [(2, blobs[1])])[0] == [2]


def test_a_large_scan_runs_in_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_codes, "SHARED", 10)
    monkeypatch.setattr(vector_codes, "SHARED_BLOCK", 7)
    compared_by: set[str] = set()
    counting = np.bitwise_count

    def counted(*args: Any, **kwargs: Any) -> Any:
        compared_by.add(threading.current_thread().name)
        return counting(*args, **kwargs)

    mirror, code = VectorMirror(64), bytes(8)
    mirror.put([(key, 1, 5, code) for key in range(1, 101)])
    monkeypatch.setattr(np, "bitwise_count", counted)
    scan = mirror.begin(np.zeros(64, np.float32), {1})
    until = time.monotonic() + 10
    while not compared_by and time.monotonic() < until:
        time.sleep(0.001)
    assert compared_by == {"seasoned-waiting"}
    assert len(scan.nearest(100)) == 100
