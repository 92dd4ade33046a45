"""Every dialect finds words of any script, ranks telling ones first, and gives no stale answer."""

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from seasoned.core.scope import Scope
from seasoned.core.words import IndexedText, WordMatches
from seasoned.db.database import Connection, Database
from seasoned.db.opening import open_database
from seasoned.db.search.index import Space
from seasoned.db.unit import Change
from seasoned.lessons.index import FILTERS, searchable
from seasoned.lessons.lesson import Belief, Draft
from seasoned.lessons.lesson_store import LessonStore
from seasoned.recall.search import query_stems

from .conftest import reading, writing

SPACE = Space(0, "", 64)


class Index:
    """A word index of lesson texts, filtered by tenant."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.vectors = db.vectors("lesson", FILTERS)
        self.words = db.words("lessons_text", self.vectors)

    def add(self, *texts: str, tenant: str = "", trigger: str = "") -> list[int]:
        async def added(tx: Connection) -> list[int]:
            return [await self.add_one(tx, text, tenant, trigger) for text in texts]

        return writing(self.db, added)

    async def add_one(self, tx: Connection, text: str, tenant: str, trigger: str) -> int:
        indexed = IndexedText(searchable(trigger), searchable(text))
        place = (tenant, "", "", "", "fact", "active", "user")
        key = await self.vectors.add(tx, place, round(indexed.length))
        await self.words.add(tx, key, indexed)
        return key

    def remove(self, *keys: int) -> None:
        async def removed(tx: Connection) -> None:
            for key in keys:
                await self.vectors.remove(tx, key)
                await self.words.remove(tx, key)

        writing(self.db, removed)

    def spoken(self, query: str, tenant: str = "", most: int = 10) -> WordMatches:
        async def found(tx: Connection) -> WordMatches:
            groups = await self.vectors.groups(tx, [("", tenant), *[None] * 6])
            return await self.words.search(tx, SPACE, query_stems(query), groups, most)

        return reading(self.db, found)

    def keys(self, query: str, tenant: str = "", most: int = 10) -> list[int]:
        return list(self.spoken(query, tenant, most).keys)


@pytest.fixture
def index(db: Database) -> Index:
    return Index(db)


SCRIPTS = [
    ("Deploying needs the VPN.", "how do we deploy?"),
    ("Retries are capped at three.", "retry"),
    ("Connections are pooled.", "connecting"),
    ("Die Straße ist gesperrt.", "STRASSE"),
    ("Le déploiement se fait à midi.", "déploiement"),
    ("El informe se envía en español.", "ESPAÑOL"),
    ("退款需要经理批准。", "退款怎么办"),
    ("東京タワーの入場券は予約制です。", "東京タワー"),
    ("サーバーを再起動してください。", "再起動の方法"),
    ("서버를 다시 시작하세요.", "서버를 시작"),
    ("ต้องรีสตาร์ตเซิร์ฟเวอร์ก่อน", "รีสตาร์ตเซิร์ฟเวอร์"),
    ("يجب إعادة تشغيل الخادم أولا.", "تشغيل الخادم"),
    ("Перед релизом нужен бэкап.", "бэкап"),
    ("Η ανάπτυξη γίνεται τη νύχτα.", "ανάπτυξη"),
    ("सर्वर को फिर से चालू करें।", "सर्वर"),
    ("יש להפעיל מחדש את השרת.", "השרת"),
    ("Error E4711 means no ink.", "e4711"),
    ("Use `git push --force-with-lease`.", "force with lease"),
    ("It can't be undone.", "can’t"),
    ("Set MAX_CONTEXT_PER_LAYER to 3.", "max context"),
    ("Ｆｕｌｌｗｉｄｔｈ letters", "fullwidth"),
]


def test_a_text_is_found_in_any_script(index: Index) -> None:
    keys = index.add(*(text for text, _ in SCRIPTS))
    for key, (text, query) in zip(keys, SCRIPTS, strict=True):
        assert index.keys(query)[:1] == [key], f"{query!r} should find {text!r}"


def test_forms_of_a_word_find_one_another(index: Index) -> None:
    (key,) = index.add("The deployment was retried and failed.")
    for query in ("deploy", "deployed", "deploying", "retry", "retries", "fails", "failing"):
        assert index.keys(query) == [key], query
    assert index.keys("employ") == []


def test_the_rarest_words_come_first(index: Index) -> None:
    index.add(*(f"the printer on floor {floor} prints" for floor in range(40)))
    (rare,) = index.add("a zebra walked past the printer")
    spoken = index.spoken("printer zebra", most=5)
    assert spoken.keys[0] == rare
    assert len(spoken.keys) == 5
    assert (spoken.frequencies["printer"], spoken.frequencies["zebra"]) == (41, 1)
    assert spoken.total == 41
    assert spoken.weight("zebra") > 10 * spoken.weight("printer")


def test_a_text_that_says_more_of_the_words_comes_first(index: Index) -> None:
    index.add(*("invoices are sent monthly", "taxes are paid yearly") * 10)
    (both,) = index.add("invoices and taxes")
    assert index.keys("invoices and taxes")[0] == both


def test_of_two_matching_texts_the_shorter_comes_first(index: Index) -> None:
    long, short = index.add("zebra " + "and some other animal of the plains " * 20, "one zebra")
    assert index.keys("zebra") == [short, long]


def test_a_text_is_found_by_its_trigger_too(index: Index) -> None:
    (key,) = index.add("Use the blue button.", trigger="when the turbine stalls")
    assert index.keys("turbine") == [key]


def test_texts_of_other_tenants_are_neither_found_nor_counted(index: Index) -> None:
    index.add(*["the zebra belongs to others"] * 30, tenant="big")
    own = index.add("our zebra", "our giraffe", tenant="small")
    shared = index.add("everybody's zebra")
    spoken = index.spoken("zebra", "small")
    assert sorted(spoken.keys) == sorted([own[0], *shared])
    assert (spoken.total, spoken.frequencies["zebra"]) == (3, 2)
    assert index.keys("zebra", "nobody") == shared


def test_a_text_that_moves_is_found_where_it_belongs_now(index: Index) -> None:
    (key,) = index.add("a zebra", tenant="old")
    place = ("new", "", "", "", "fact", "active", "user")
    writing(index.db, lambda tx: index.vectors.regroup(tx, key, place))
    assert (index.keys("zebra", "old"), index.keys("zebra", "new")) == ([], [key])


def test_a_needle_of_a_small_tenant_is_found_among_many(index: Index) -> None:
    index.add(*["the zebra is theirs"] * 2500, tenant="big")
    (own,) = index.add("a zebra of ours, described at some length and with many words", tenant="me")
    assert index.keys("the zebra", "me", most=1) == [own]


def test_a_removed_text_vanishes(index: Index, database_url: str) -> None:
    gone, kept = index.add("the old zebra", "the new zebra")
    other = Index(opened(database_url))
    assert set(index.keys("zebra")) == set(other.keys("zebra")) == {gone, kept}
    index.remove(gone)
    for one in (index, other):
        spoken = one.spoken("zebra")
        assert (list(spoken.keys), spoken.frequencies["zebra"], spoken.total) == ([kept], 1, 1)
        assert reading(one.db, lambda tx, w=one.words: w.texts(tx, [gone])) == {}
    index.remove(kept)
    assert reading(index.db, lambda tx: tx.fetch("SELECT 1 FROM lessons_text")) == []
    other.db.run(other.db.close())
    other.db.shutdown()


@pytest.mark.parametrize("others", [0, 1500])
def test_a_new_text_is_found_at_once_by_a_word_that_was_asked_for_before(
    index: Index, others: int
) -> None:
    index.add(*(f"the number {number} is a number" for number in range(others)))
    for many in range(3):
        assert len(index.keys("zebra")) == many
        assert index.spoken("zebra").frequencies["zebra"] == many
        index.add(f"zebra {many}")


def test_a_tenant_that_grows_is_counted_anew(index: Index) -> None:
    index.add(*["theirs"] * 1500, tenant="big")
    index.add("our first zebra", tenant="me")
    assert index.spoken("zebra", "me").total == 1
    index.add(*["our other animals"] * 40, tenant="me")
    spoken = index.spoken("zebra animals", "me")
    assert (spoken.total, spoken.frequencies["anim"]) == (41, 40)


def test_one_process_finds_what_another_has_added(index: Index, database_url: str) -> None:
    other = Index(opened(database_url))
    first = index.add("one zebra")
    assert other.keys("zebra") == first
    second = other.add("another zebra, a bit longer")
    assert index.keys("zebra") == other.keys("zebra") == [*first, *second]
    other.db.run(other.db.close())
    other.db.shutdown()


def test_what_is_rolled_back_was_never_there(index: Index) -> None:
    (kept,) = index.add("an old zebra")

    async def half(tx: Connection) -> None:
        await index.add_one(tx, "a new zebra", "", "")
        await index.vectors.remove(tx, kept)
        await index.words.remove(tx, kept)
        groups = await index.vectors.groups(tx, [None] * 7)
        await index.words.search(tx, SPACE, ["zebra"], groups, 10)
        raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        writing(index.db, half)
    assert index.keys("zebra") == [kept]
    (later,) = index.add("the next zebra of them all")
    assert index.keys("zebra") == [kept, later]


def test_a_model_that_takes_over_in_the_middle_costs_no_words(index: Index) -> None:
    keys = index.add("one zebra", "two zebras")
    assert sorted(index.keys("zebra")) == keys

    async def asked(tx: Connection) -> list[int]:
        groups = await index.vectors.groups(tx, [None] * 7)
        spoken = await index.words.search(tx, Space(1, "new", 24), ["zebra"], groups, 10)
        return sorted(spoken.keys)

    assert writing(index.db, asked) == reading(index.db, asked) == keys
    assert sorted(index.keys("zebra")) == keys


NASTY = (
    *('"', "'", "\\", "a\"b'c\\d", "NEAR(", "* OR *", "a AND NOT b", "col:x", "'; DROP TABLE x"),
    *("{}", "^x", "é" * 5000, "word " * 3000, "🙂", "\u0301", "ﷺ", "x\u200by", "-1", "%s %d"),
    *("?", "1=1"),
)
ALPHABETS = (
    *((0x20, 0x7F), (0xA0, 0x250), (0x370, 0x500), (0x590, 0x700), (0x900, 0xE80)),
    *((0x1E00, 0x2100), (0x2E80, 0xA000), (0xAC00, 0xD7A0), (0x10000, 0x1F900)),
)


def test_no_text_and_no_query_breaks_the_index(index: Index) -> None:
    rng = np.random.default_rng(9)
    random = [
        "".join(chr(int(code)) for code in rng.integers(*alphabet, size=30))
        for alphabet in ALPHABETS * 10
    ]
    index.add(*NASTY, *random)
    for query in [*NASTY, *random]:
        assert len(index.keys(query, most=500)) <= len(NASTY) + len(random)


def test_a_query_without_words_finds_nothing(index: Index) -> None:
    index.add("some text")
    assert (index.keys(""), index.keys("🙂 !"), index.keys("the")) == ([], [], [])


def test_no_more_are_found_than_asked_for(index: Index) -> None:
    index.add(*(f"zebra number {number}" for number in range(30)))
    assert [len(index.keys("zebra number", most=most)) for most in (0, 1, 7, 100)] == [0, 1, 7, 30]


CORPUS = """Deploy to staging before production.
Invoices are numbered per year.
Multiply the amount by 100: it must be in cents.
Use an absolute path when a file is not found.
Pass encoding='utf-8' when decoding fails.
The staging cluster sleeps at night; wake it up first.
Production deploys need two approvals.
Never commit to main directly.
Tests that need Postgres start one themselves.
Customers in Japan get 請求書 as PDF.
Refunds above 500 euros need a manager's approval.
An invoice is cancelled by a credit note.
The numbers of credit notes begin with C.
Payments are retried three times a day.
A payment that was refused is shown to the customer.
Ask the customer before cancelling an order.""".splitlines()
QUERIES = (
    "deploy the cluster to production",
    "which invoice number comes next?",
    "the payment was refused, cancel the order",
    "approval of a manager",
    "請求書",
    "retry the tests at night",
    "customers",
)


def test_both_dialects_answer_alike(tmp_path: Path, postgres_url: str) -> None:
    indexes = [Index(opened(str(tmp_path / "x.db"))), Index(opened(postgres_url))]
    texts: list[dict[int, str]] = []
    for index in indexes:
        keys = index.add(*CORPUS, *(f"Room {n} is on floor {n % 7}." for n in range(30)))
        texts.append(dict(zip(keys, CORPUS, strict=False)))

    def answers(query: str, most: int) -> list[Sequence[str]]:
        return [[texts[i][key] for key in indexes[i].keys(query, most=most)] for i in (0, 1)]

    for query in QUERIES:
        sqlite, postgres = answers(query, 20)
        assert set(sqlite) == set(postgres), query
    for index in indexes:
        index.db.run(index.db.close())
        index.db.shutdown()


def opened(url: str) -> Database:
    db = open_database(url)
    db.run(db.open())
    return db


# Lessons that are reworded, retired and erased.


@pytest.fixture
def lessons(db: Database) -> tuple[LessonStore, Callable[[str], list[str]]]:
    store = LessonStore(db)

    def found(query: str) -> list[str]:
        async def asked(tx: Connection) -> list[str]:
            groups = await store.vectors.groups(tx, [None] * 7)
            spoken = await store.words.search(tx, SPACE, query_stems(query), groups, 10)
            known = await store.by_keys(tx, spoken.keys, Scope())
            return [known[key].content for key in spoken.keys]

        return reading(db, asked)

    return store, found


def test_a_reworded_lesson_is_found_by_its_new_words_and_not_by_the_old(
    lessons: tuple[LessonStore, Callable[[str], list[str]]],
) -> None:
    store, found = lessons
    draft = Draft("fact", "active", Scope(), "zebras", "Zebras are striped.", Belief(9, 1), "user")
    lesson, _ = writing(store.db, lambda tx: store.add(Change(tx, 5), draft))
    assert found("striped zebra") == ["Zebras are striped."]
    new = ("giraffes", "Giraffes are tall.", "")
    writing(store.db, lambda tx: store.reword(Change(tx, 6), lesson, *new, None))
    assert (found("zebra"), found("striped")) == ([], [])
    assert found("tall giraffe") == ["Giraffes are tall."]
    rows = reading(store.db, lambda tx: tx.fetch("SELECT trigger, content FROM lessons_text"))
    assert rows == [("giraff", "giraff ar tall")]


def test_an_erased_lesson_is_in_no_index(
    lessons: tuple[LessonStore, Callable[[str], list[str]]],
) -> None:
    store, found = lessons
    draft = Draft("fact", "active", Scope(), "zebras", "Zebras are striped.", Belief(9, 1), "user")
    lesson, _ = writing(store.db, lambda tx: store.add(Change(tx, 5), draft))
    writing(store.db, lambda tx: store.erase(Change(tx, 6), lesson, None))
    assert found("striped zebra") == []
    for table in ("lessons_text", "lesson_vectors"):
        assert reading(store.db, lambda tx, t=table: tx.fetch(f"SELECT 1 FROM {t}")) == []


def test_a_lesson_erased_while_it_is_reworded_leaves_no_word_behind(
    lessons: tuple[LessonStore, Callable[[str], list[str]]], database_url: str
) -> None:
    store, found = lessons
    draft = Draft("fact", "active", Scope(), "zebras", "Zebras are striped.", Belief(9, 1), "user")
    lesson, _ = writing(store.db, lambda tx: store.add(Change(tx, 5), draft))
    other, begun = LessonStore(opened(database_url)), threading.Event()

    async def reword(tx: Connection) -> None:
        await other.reword(Change(tx, 6), lesson, "giraffes", "Giraffes are tall.", "", None)
        begun.set()
        time.sleep(0.4)  # noqa: ASYNC251 - not committed yet, while the other begins

    rewording = threading.Thread(target=lambda: writing(other.db, reword))
    rewording.start()
    assert begun.wait(20)
    writing(store.db, lambda tx: store.erase(Change(tx, 7), lesson, None))
    rewording.join()
    other.db.run(other.db.close())
    other.db.shutdown()
    assert (found("striped zebra"), found("tall giraffe")) == ([], [])
    for table in ("lessons_text", "lesson_vectors"):
        assert reading(store.db, lambda tx, t=table: tx.fetch(f"SELECT 1 FROM {t}")) == []
