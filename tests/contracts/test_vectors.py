"""Every dialect finds the nearest vectors, and never one that was removed."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product

import numpy as np
import pytest

from seasoned.db.database import Connection, Database, Params, Row
from seasoned.db.opening import open_database
from seasoned.db.search import sqlite_vectors as vectors_sqlite
from seasoned.db.search.index import Space, VectorCounts

from .conftest import ANY, Array, Shelf, Wanted, reading, units, writing

HERE = ("t", "p", "shell")
SPACE = Space(1, "small", 24)
NEAR = 0.01  # the error of a cosine when numbers are stored as bytes or half floats


def directions(*angles: float) -> Array:
    """Return vectors in a plane, so that their cosines are known."""
    rows = np.zeros((len(angles), SPACE.dimensions), np.float32)
    rows[:, 0], rows[:, 1] = np.cos(np.radians(angles)), np.sin(np.radians(angles))
    return rows


def test_the_nearest_come_first_with_their_cosine(shelf: Shelf) -> None:
    far, near, middle = shelf.add(HERE, HERE, HERE)
    shelf.put(SPACE, [far, near, middle], directions(80, 10, 40))
    found = shelf.nearest(SPACE, directions(0)[0])
    assert [key for key, _ in found] == [near, middle, far]
    cosines = np.cos(np.radians([10, 40, 80]))
    assert [cosine for _, cosine in found] == pytest.approx(cosines, abs=NEAR)
    assert shelf.keys(SPACE, directions(0)[0], most=1) == [near]


class Model:
    """The expected content of a shelf, kept as simply as possible."""

    def __init__(self) -> None:
        self.places: dict[int, tuple[str, str, str]] = {}
        self.rows: dict[int, Array] = {}

    def allowed(self, wanted: Wanted) -> list[int]:
        return [
            key
            for key, place in self.places.items()
            if key in self.rows
            and all(any_ is None or name in any_ for name, any_ in zip(place, wanted, strict=True))
        ]


PLACES = tuple(product(("t", "u"), ("p", "q"), ("shell", "http")))
FILTERS: tuple[Wanted, ...] = (
    ANY,
    (("t",), None, None),
    (("", "u"), ("p", "q"), None),
    (None, ("q",), ("http",)),
    (("t",), ("p",), ("shell", "nothing")),
    (("nobody",), None, None),
)


@pytest.mark.parametrize("size", ["few", "many"])
@pytest.mark.parametrize("dimensions", [5, 64, 100])
def test_nearest_is_what_comparing_every_vector_finds(
    shelf: Shelf, dimensions: int, size: str, request: pytest.FixtureRequest
) -> None:
    if size == "many":
        request.getfixturevalue("crowded")
    rng = np.random.default_rng(dimensions)
    model, space = Model(), Space(1, "random", dimensions)
    for _ in range(6):
        change(shelf, model, space, rng)
        shelf.tend(space)
        vector = units(rng, 1, dimensions)[0]
        for wanted in FILTERS:
            same_as_brute_force(shelf, model, space, vector, wanted)


def change(shelf: Shelf, model: Model, space: Space, rng: np.random.Generator) -> None:
    """Add, embed, re-embed, move and remove some rows, on the shelf and in the model."""
    places = [PLACES[int(rng.integers(len(PLACES)))] for _ in range(25)]
    keys = shelf.add(*places)
    model.places.update(zip(keys, places, strict=True))
    again = [int(key) for key in rng.choice(list(model.places), 5, replace=False)]
    embedded = [*keys[:-3], *(key for key in again if key not in keys[:-3])]
    rows = units(rng, len(embedded), space.dimensions)
    shelf.put(space, embedded, rows)
    model.rows.update(zip(embedded, rows, strict=True))
    for key in rng.choice(list(model.places), 4, replace=False):
        model.places[int(key)] = PLACES[int(rng.integers(len(PLACES)))]
        shelf.regroup(int(key), model.places[int(key)])
    gone = [int(key) for key in rng.choice(list(model.places), 6, replace=False)]
    shelf.remove(*gone)
    for key in gone:
        model.places.pop(key)
        model.rows.pop(key, None)


def same_as_brute_force(
    shelf: Shelf, model: Model, space: Space, vector: Array, wanted: Wanted
) -> None:
    true = {key: float(model.rows[key] @ vector) for key in model.allowed(wanted)}
    best = sorted(true.values(), reverse=True)[:10]
    found = shelf.nearest(space, vector, wanted)
    assert len({key for key, _ in found}) == len(found) == len(best)
    for (key, cosine), as_good in zip(found, best, strict=True):
        assert cosine == pytest.approx(true[key], abs=NEAR)
        assert true[key] >= as_good - 2 * NEAR


@pytest.mark.parametrize("size", ["few", "many"])
def test_a_small_tenants_needle_is_found_among_nearer_rows_of_others(
    shelf: Shelf, size: str, request: pytest.FixtureRequest
) -> None:
    if size == "many":
        request.getfixturevalue("crowded")
    rng = np.random.default_rng(7)
    theirs = shelf.add(*[("big", "p", "shell")] * 3000)
    own = shelf.add(*[("small", "p", "shell")] * 5)
    asked = directions(0)[0]
    rows = directions(0) + 0.1 * units(rng, 3000, SPACE.dimensions)
    shelf.put(SPACE, theirs, rows / np.linalg.norm(rows, axis=1, keepdims=True))
    shelf.put(SPACE, own, directions(30, 50, 70, 90, 110))
    shelf.tend(SPACE)
    assert shelf.keys(SPACE, asked, (("", "small"), None, None)) == own
    assert shelf.keys(SPACE, asked, (("", "small"), None, None), most=2) == own[:2]
    assert set(shelf.keys(SPACE, asked, (("big",), None, None), most=50)) <= set(theirs)


def test_a_row_without_a_vector_is_not_found(shelf: Shelf) -> None:
    (key,) = shelf.add(HERE)
    assert shelf.nearest(SPACE, directions(0)[0]) == []
    assert shelf.likeness(SPACE, directions(0)[0], [key]) == {}


def test_without_a_matching_group_nothing_is_found(shelf: Shelf) -> None:
    assert shelf.nearest(SPACE, directions(0)[0]) == []
    (key,) = shelf.add(HERE)
    shelf.put(SPACE, [key], directions(0))
    vectors = shelf.vectors
    for groups in (frozenset[int](), frozenset({10**6})):
        found = reading(
            shelf.db, lambda tx, g=groups: vectors.nearest(tx, SPACE, directions(0)[0], g, 5)
        )
        assert found == []


def test_more_may_be_asked_for_than_there_are(shelf: Shelf) -> None:
    keys = shelf.add(*[HERE] * 4)
    shelf.put(SPACE, keys, directions(0, 10, 20, 30))
    for most in (4, 5000, 5000):
        assert shelf.keys(SPACE, directions(0)[0], most=most) == keys


def test_a_removed_row_leaves_no_trace_and_is_never_found_again(
    shelf: Shelf, elsewhere: Callable[[], Shelf]
) -> None:
    keys = shelf.add(*[HERE] * 3)
    shelf.put(SPACE, keys, directions(0, 10, 20))
    other = elsewhere()
    asked = directions(0)[0]
    assert shelf.keys(SPACE, asked) == other.keys(SPACE, asked) == keys
    shelf.remove(keys[0])
    for one in (shelf, other, elsewhere()):
        assert one.keys(SPACE, asked) == keys[1:]
        assert one.likeness(SPACE, asked, keys[:1]) == {}
    shelf.remove(*keys[1:])
    for table in tables_with_vectors(shelf.db):
        assert shelf.rows(f"SELECT key FROM {table}") == []


def tables_with_vectors(db: Database) -> tuple[str, ...]:
    return ("error_vectors", "error_embeddings") if db.dialect == "sqlite" else ("error_vectors",)


def test_a_vector_of_a_removed_row_is_ignored(shelf: Shelf) -> None:
    gone, kept = shelf.add(HERE, HERE)
    shelf.remove(gone)
    shelf.put(SPACE, [gone, kept], directions(0, 10))
    assert shelf.keys(SPACE, directions(0)[0]) == [kept]
    for table in tables_with_vectors(shelf.db):
        assert shelf.rows(f"SELECT key FROM {table}") == [(kept,)]


def test_a_key_is_never_used_again(shelf: Shelf, elsewhere: Callable[[], Shelf]) -> None:
    keys = shelf.add(HERE, HERE)
    shelf.remove(*keys)
    later = shelf.add(HERE)
    shelf.remove(*later)
    last = elsewhere().add(HERE)
    assert sorted({*keys, *later, *last}) == [*keys, *later, *last]


def test_vectors_of_two_models_never_meet(shelf: Shelf) -> None:
    new = Space(2, "other", SPACE.dimensions)
    keys = shelf.add(*[HERE] * 4)
    shelf.put(SPACE, keys, directions(0, 10, 20, 30))
    shelf.put(new, keys[2:], directions(90, 80))
    asked = directions(0)[0]
    assert shelf.keys(SPACE, asked) == keys[:2]
    assert shelf.keys(new, asked) == [keys[3], keys[2]]
    assert set(shelf.likeness(SPACE, asked, keys)) == set(keys[:2])
    assert set(shelf.likeness(new, asked, keys)) == set(keys[2:])


def test_likeness_is_the_cosine_of_those_that_have_a_vector(shelf: Shelf) -> None:
    one, two, waits = shelf.add(HERE, HERE, HERE)
    shelf.put(SPACE, [one, two], directions(60, 180))
    alike = shelf.likeness(SPACE, directions(0)[0], [one, two, waits, 10**6])
    assert alike == {one: pytest.approx(0.5, abs=NEAR), two: pytest.approx(-1, abs=NEAR)}
    assert shelf.likeness(SPACE, directions(0)[0], []) == {}


def test_a_zero_vector_is_near_nothing(shelf: Shelf) -> None:
    blank, told = shelf.add(HERE, HERE)
    shelf.put(SPACE, [blank, told], np.concatenate([np.zeros((1, 24), np.float32), directions(5)]))
    found = dict(shelf.nearest(SPACE, directions(0)[0]))
    assert found[told] > 0.9
    assert found.get(blank, 0.0) == 0.0
    assert shelf.likeness(SPACE, directions(0)[0], [blank]).get(blank, 0.0) == 0.0
    assert shelf.waiting(SPACE) == []


def test_pending_rows_come_newest_first_then_those_of_an_older_model(shelf: Shelf) -> None:
    keys = shelf.add(*[HERE] * 5)
    shelf.put(SPACE, keys[:2], directions(0, 10))
    new = Space(2, "other", SPACE.dimensions)
    assert shelf.waiting(SPACE) == keys[:1:-1]
    assert shelf.waiting(new) == [*keys[:1:-1], keys[1], keys[0]]
    assert shelf.waiting(new, 2) == keys[:2:-1]
    counted = [reading(shelf.db, lambda tx, s=s: shelf.vectors.count(tx, s)) for s in (1, 2)]
    assert counted == [VectorCounts(2, 3), VectorCounts(0, 5)]


def test_a_row_with_new_filters_is_found_by_them_at_once(
    shelf: Shelf, elsewhere: Callable[[], Shelf]
) -> None:
    (key,) = shelf.add(("t", "p", "shell"))
    shelf.put(SPACE, [key], directions(0))
    other, asked = elsewhere(), directions(0)[0]
    assert other.keys(SPACE, asked, (("t",), None, None)) == [key]
    shelf.regroup(key, ("u", "p", "shell"))
    for one in (shelf, other):
        assert one.keys(SPACE, asked, (("t",), None, None)) == []
        assert one.keys(SPACE, asked, (("u",), None, None)) == [key]


def test_what_is_rolled_back_was_never_there(shelf: Shelf, elsewhere: Callable[[], Shelf]) -> None:
    (kept,) = shelf.add(HERE)
    shelf.put(SPACE, [kept], directions(50))
    asked, other = directions(0)[0], elsewhere()
    assert shelf.keys(SPACE, asked) == [kept]

    async def half(tx: Connection) -> None:
        new = await shelf.vectors.add(tx, HERE, 5)
        await shelf.vectors.put(tx, SPACE, [new, kept], directions(0, 10))
        await shelf.vectors.remove(tx, kept)
        groups = await shelf.vectors.groups(tx, ANY)
        await shelf.vectors.nearest(tx, SPACE, asked, groups, 10)
        raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        writing(shelf.db, half)
    for one in (shelf, other):
        ((key, cosine),) = one.nearest(SPACE, asked)
        assert (key, cosine) == (kept, pytest.approx(np.cos(np.radians(50)), abs=NEAR))
    (later,) = shelf.add(HERE)
    shelf.put(SPACE, [later], directions(0))
    assert shelf.keys(SPACE, asked) == other.keys(SPACE, asked) == [later, kept]


def test_one_process_finds_what_another_has_changed(
    shelf: Shelf, elsewhere: Callable[[], Shelf]
) -> None:
    rng, other, model = np.random.default_rng(11), elsewhere(), Model()
    space = Space(1, "random", 24)
    for turn in range(8):
        change((shelf, other)[turn % 2], model, space, rng)
        for one in (shelf, other):
            same_as_brute_force(one, model, space, units(rng, 1, 24)[0], FILTERS[turn % 6])


def test_inside_a_transaction_its_own_changes_are_seen(shelf: Shelf) -> None:
    first, second = shelf.add(HERE, HERE)
    shelf.put(SPACE, [first, second], directions(10, 20))
    asked = directions(0)[0]

    async def changed(tx: Connection) -> tuple[list[int], dict[int, float]]:
        new = await shelf.vectors.add(tx, HERE, 5)
        await shelf.vectors.put(tx, SPACE, [new], directions(0))
        await shelf.vectors.remove(tx, first)
        groups = await shelf.vectors.groups(tx, ANY)
        near = await shelf.vectors.nearest(tx, SPACE, asked, groups, 10)
        alike = await shelf.vectors.likeness(tx, SPACE, asked, [first, second, new])
        return [key - new for key, _ in near], {key - new: alike[key] for key in alike}

    near, alike = writing(shelf.db, changed)
    assert near == [0, -1]
    assert set(alike) == {0, -1}


# SQLite only: the in-memory mirror of the rows.


@pytest.fixture
def sqlite_shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    db = open_database(str(tmp_path_factory.mktemp("db") / "x.db"))
    db.run(db.open())
    return Shelf(db)


def second(shelf: Shelf) -> Shelf:
    db = open_database(shelf.db.where)
    db.run(db.open())
    return Shelf(db)


def test_a_mirror_that_fell_behind_a_pruned_log_reads_everything_anew(
    sqlite_shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_sqlite, "KEPT_CHANGES", 3)
    writer, reader = sqlite_shelf, second(sqlite_shelf)
    rng, model, space = np.random.default_rng(5), Model(), Space(1, "random", 24)
    for turn in range(4):
        change(writer, model, space, rng)
        writer.tend(space)
        assert len(writer.rows("SELECT seq FROM error_vector_changes")) == 4
        same_as_brute_force(reader, model, space, units(rng, 1, 24)[0], FILTERS[turn])
    writer.add(HERE)  # a change still in the log
    same_as_brute_force(reader, model, space, units(rng, 1, 24)[0], ANY)


def test_a_mirror_follows_when_few_become_many(sqlite_shelf: Shelf, crowded: None) -> None:
    reader, model = second(sqlite_shelf), Model()
    rng, space = np.random.default_rng(6), Space(1, "random", 24)
    for _ in range(5):
        change(sqlite_shelf, model, space, rng)
        for one in (sqlite_shelf, reader, second(sqlite_shelf)):
            same_as_brute_force(one, model, space, units(rng, 1, 24)[0], ANY)


class Interrupted:
    """A connection that lets another process act once, between two statements."""

    def __init__(self, inner: Connection, meanwhile: Callable[[], None]) -> None:
        self.inner = inner
        self.meanwhile: Callable[[], None] | None = meanwhile
        self.writes = False

    async def execute(self, sql: str, params: Params = ()) -> int:
        return await self.inner.execute(sql, params)

    async def send(self, sql: str, params: Params = ()) -> None:
        await self.inner.send(sql, params)

    async def script(self, sql: str) -> None:
        await self.inner.script(sql)

    async def execute_many(self, sql: str, rows: Iterable[Params]) -> None:
        await self.inner.execute_many(sql, rows)

    async def insert(self, table: str, columns: Sequence[str], rows: Sequence[Params]) -> None:
        await self.inner.insert(table, columns, rows)

    async def fetch(self, sql: str, params: Params = ()) -> list[Row]:
        if "error_embeddings" in sql and self.meanwhile:
            meanwhile, self.meanwhile = self.meanwhile, None
            meanwhile()
        return await self.inner.fetch(sql, params)

    async def fetch_one(self, sql: str, params: Params = ()) -> Row | None:
        return await self.inner.fetch_one(sql, params)


@pytest.mark.parametrize("size", ["few", "many"])
@pytest.mark.parametrize("dimensions", [8, 24, 100])
@pytest.mark.parametrize("replaced", [3, 60])
def test_a_change_of_model_in_the_middle_of_an_answer_mixes_nothing(
    sqlite_shelf: Shelf, dimensions: int, replaced: int, size: str, request: pytest.FixtureRequest
) -> None:
    """The answer may be stale or short, but comes from one model."""
    if size == "many":
        request.getfixturevalue("crowded")
    other, new = second(sqlite_shelf), Space(2, "other", dimensions)
    keys = sqlite_shelf.add(*[HERE] * 60)
    sqlite_shelf.put(SPACE, keys, directions(*range(60)))
    asked, vectors = directions(0)[0], sqlite_shelf.vectors
    rows = units(np.random.default_rng(3), replaced, dimensions)

    async def near(tx: Connection) -> dict[int, float]:
        groups = await vectors.groups(tx, ANY)
        return dict(await vectors.nearest(tx, SPACE, asked, groups, 60))

    async def alike(tx: Connection) -> dict[int, float]:
        return await vectors.likeness(tx, SPACE, asked, keys)

    def taken_over() -> None:
        other.put(new, keys[:replaced], rows)

    for answer in (near, alike):
        found = reading(sqlite_shelf.db, lambda tx, a=answer: a(Interrupted(tx, taken_over)))
        for key, cosine in found.items():
            assert cosine in (0.0, pytest.approx(np.cos(np.radians(keys.index(key))), abs=NEAR))
        sqlite_shelf.put(SPACE, keys, directions(*range(60)))


def test_many_rows_with_one_code_are_no_trouble(sqlite_shelf: Shelf, crowded: None) -> None:
    keys = sqlite_shelf.add(*[HERE] * 3000)
    sqlite_shelf.put(SPACE, keys, np.repeat(directions(40), 3000, axis=0))
    (needle,) = sqlite_shelf.add(HERE)
    sqlite_shelf.put(SPACE, [needle], directions(5))
    assert sqlite_shelf.keys(SPACE, directions(0)[0], most=3)[0] == needle
    assert len(sqlite_shelf.keys(SPACE, directions(0)[0], most=50)) == 50


def test_codes_with_reranking_find_nearly_all_of_the_nearest(
    sqlite_shelf: Shelf, crowded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Measure the recall of the ten nearest, on vectors of sentences."""
    from seasoned.llm.embed.wordllama import WordLlama

    monkeypatch.setattr(vectors_sqlite, "COMPARED", 120)  # of 4,000; in production 800 of many more
    texts = sentences(4200)
    rows = WordLlama().embed(texts)
    held, asked = rows[:4000], rows[4000:4100]
    space = Space(1, "wordllama", held.shape[1])
    keys = sqlite_shelf.add(*[HERE] * len(held))
    sqlite_shelf.put(space, keys, held)
    found = 0
    for vector in asked:
        best = {keys[int(place)] for place in (held @ vector).argsort()[::-1][:10]}
        found += len(best & set(sqlite_shelf.keys(space, vector)))
    assert found / (10 * len(asked)) >= 0.95


def sentences(many: int) -> list[str]:
    """Return distinct sentences in the style of an agent's lessons."""
    parts = (
        "when the after before if once while unless".split(),
        "nightly staging customer payment search billing inventory login report backup".split(),
        "job server form service index queue export import page test".split(),
        "fails stalls restarts times out|is empty|returns twice|loses rows|locks up".split("|"),
        "restart rebuild check migrate disable rotate archive split retry document".split(),
        "the database|the cache|the credentials|every worker|old partitions|its schema".split("|"),
        "first quietly by hand with care at night twice".split(),
    )
    rng = np.random.default_rng(1)
    made: dict[str, None] = {}
    while len(made) < many:
        made[" ".join(part[int(rng.integers(len(part)))] for part in parts)] = None
    return list(made)
