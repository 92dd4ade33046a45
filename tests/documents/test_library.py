"""Documents become passages, and the passages follow their documents."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seasoned import AsyncSeasoned, Seasoned
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.events import Event, LessonLearned
from seasoned.lessons.lesson import Lesson

GUIDE = """# Guide

## Deploying

Deploy with the blue button after the tests were green. It takes five minutes and can be undone.

## Invoices

Invoices are numbered per year, and the number begins with the letter of the branch.

## Holidays

Holidays are asked for in the portal, at least two weeks before they begin.
"""
LONG = "This sentence makes the section long enough to stand as a passage of its own. " * 3


def guide(**sections: str) -> str:
    return "# Guide\n\n" + "".join(
        f"## {name}\n\n{text}\n\n{LONG}\n\n" for name, text in sections.items()
    )


def passages(s: Seasoned, name: str) -> dict[str, Lesson]:
    """Return the passages of a document by the last heading above them."""
    return {lesson.trigger.rpartition(" › ")[2]: lesson for lesson in s.knowledge.get(name)[1]}


def rows(s: Seasoned) -> dict[str, int]:
    """Count the rows left in every table that a passage touches."""
    tables = ("documents", "lesson_passages", "lessons", "lessons_text", "lesson_vectors")
    tables += ("evidence", "lesson_versions")
    db = s.inner.app.db

    async def counted() -> dict[str, int]:
        async with db.read() as tx:
            found = {table: await tx.fetch_one(f"SELECT count(*) FROM {table}") for table in tables}
            return {table: int(row[0]) for table, row in found.items() if row}

    return db.run(counted())


def events(s: Seasoned, document_id: str) -> list[tuple[str, dict[str, Any]]]:
    app = s.inner.app

    async def found() -> list[tuple[str, dict[str, Any]]]:
        async with app.db.read() as tx:
            return [
                (one.kind, json.loads(one.detail)) for one in await app.audit.list(tx, document_id)
            ]

    return app.db.run(found())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "docs" / "guide.md"
    path.parent.mkdir()
    path.write_text(guide(Deploy="Press blue.", Invoices="Per year.", Holidays="Ask early."))
    return path


def test_a_document_becomes_lessons_that_say_where_they_come_from(
    seasoned: Seasoned, file: Path
) -> None:
    report = seasoned.knowledge.add(file)
    assert (report.added, report.passages_added, report.problems) == (1, 3, [])
    (document,) = seasoned.knowledge.list()
    assert (document.name, document.title, document.format) == (str(file), "Guide", "markdown")
    assert document.passages == 3
    found = passages(seasoned, "guide.md")
    assert list(found) == ["Deploy", "Invoices", "Holidays"]
    lesson = found["Deploy"]
    assert (lesson.kind, lesson.source, lesson.trust, lesson.status) == (
        *("fact", "document", "environment", "active"),
    )
    assert lesson.confidence == pytest.approx(0.7)
    assert lesson.trigger == "Guide › Deploy"
    assert lesson.content == f"Press blue.\n\n{LONG.strip()}"
    assert f"read in {file}" in seasoned.why(lesson.id).text


def test_the_same_bytes_change_nothing(seasoned: Seasoned, file: Path) -> None:
    seasoned.knowledge.add(file)
    before = rows(seasoned)
    for _ in range(2):
        report = seasoned.knowledge.add(file)
        assert (report.added, report.updated, report.unchanged) == (0, 0, 1)
        assert (report.passages_added, report.passages_kept) == (0, 3)
    assert rows(seasoned) == before


def test_passages_that_stay_keep_their_lesson_and_the_others_come_and_go(
    seasoned: Seasoned, file: Path
) -> None:
    seasoned.knowledge.add(file)
    before = passages(seasoned, "guide.md")
    file.write_text(guide(Deploy="Press blue.", Parking="Park behind.", Holidays="Ask early."))
    report = seasoned.knowledge.add(file)
    assert (report.updated, report.passages_added) == (1, 1)
    assert (report.passages_kept, report.passages_removed) == (2, 1)
    after = passages(seasoned, "guide.md")
    assert list(after) == ["Deploy", "Parking", "Holidays"]
    assert after["Deploy"].id == before["Deploy"].id
    assert after["Holidays"].id == before["Holidays"].id
    with pytest.raises(NotFound):
        seasoned.lesson(before["Invoices"].id)
    left = rows(seasoned)
    for table in ("lesson_passages", "lessons", "lessons_text", "lesson_vectors"):
        assert left[table] == 3


def test_a_renamed_heading_keeps_what_was_learned_about_the_passage(
    seasoned: Seasoned, file: Path
) -> None:
    seasoned.knowledge.add(file)
    before = passages(seasoned, "guide.md")["Deploy"]
    file.write_text(file.read_text().replace("## Deploy", "## Shipping"))
    report = seasoned.knowledge.add(file)
    assert (report.passages_added, report.passages_kept, report.passages_removed) == (0, 3, 0)
    after = passages(seasoned, "guide.md")["Shipping"]
    assert (after.id, after.trigger) == (before.id, "Guide › Shipping")
    assert seasoned.knowledge.search("shipping", limit=1)[0].lesson.id == before.id
    file.write_text(file.read_text().replace("## Shipping", "## Deploy"))
    assert seasoned.knowledge.add(file).passages_kept == 3
    assert passages(seasoned, "guide.md")["Deploy"].id == before.id


def test_the_same_words_may_stand_in_many_places(seasoned: Seasoned, tmp_path: Path) -> None:
    text = guide(One="Same words.", Two="Same words.") + f"## One\n\nSame words.\n\n{LONG}\n"
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(text)
    assert seasoned.knowledge.add(tmp_path).passages_added == 6
    (tmp_path / "a.md").write_text(text + "\nMore.")
    report = seasoned.knowledge.add(tmp_path)
    assert (report.updated, report.unchanged, report.passages_kept) == (1, 1, 5)


def test_a_passage_is_found_through_what_stands_beside_it(seasoned: Seasoned) -> None:
    turns = ["Shall we meet about the zeppelin?", "Yes, on Tuesday.", "Good.", "Bring cake."]
    report = seasoned.knowledge.add_passages("chat/1", turns, title="Chat of May")
    assert report.passages_added == 4
    _, found = seasoned.knowledge.get("chat/1")
    assert [lesson.content for lesson in found] == turns
    assert {lesson.trigger for lesson in found} == {"Chat of May"}
    hits = [hit.lesson.content for hit in seasoned.knowledge.search("zeppelin")]
    assert hits[:2] == turns[:2]


def test_passages_that_are_given_again_follow_like_a_document(seasoned: Seasoned) -> None:
    seasoned.knowledge.add_passages("chat/1", ["One.", "Two."])
    _, before = seasoned.knowledge.get("chat/1")
    report = seasoned.knowledge.add_passages("chat/1", ["One.", "Two.", "", "Three."])
    assert (report.updated, report.passages_added, report.passages_kept) == (1, 1, 2)
    _, after = seasoned.knowledge.get("chat/1")
    assert [lesson.id for lesson in after[:2]] == [lesson.id for lesson in before]
    assert seasoned.knowledge.add_passages("chat/1", ["One.", "Two.", "", "Three."]).unchanged == 1


def test_a_passage_may_say_what_stands_above_it(seasoned: Seasoned) -> None:
    turns = [("Ana, May 7", "Shall we meet?"), ("Ben, May 8", "Yes, on Tuesday."), "And then?"]
    seasoned.knowledge.add_passages("chat/1", turns, title="Chat")
    _, found = seasoned.knowledge.get("chat/1")
    assert [lesson.trigger for lesson in found] == ["Ana, May 7", "Ben, May 8", "Chat"]


def test_a_text_is_read_as_markdown(seasoned: Seasoned) -> None:
    seasoned.knowledge.add_text("policy", f"# Policy\n\n## Refunds\n\nWithin 30 days.\n\n{LONG}")
    (document,) = seasoned.knowledge.list()
    assert (document.name, document.title) == ("policy", "Policy")
    assert seasoned.knowledge.get("policy")[1][0].trigger == "Policy › Refunds"
    assert seasoned.knowledge.update().vanished == []  # it comes from no file
    with pytest.raises(BadInput, match="needs a name"):
        seasoned.knowledge.add_text(" ", "x")


def test_a_folder_is_imported_and_what_fails_stops_nothing(
    seasoned: Seasoned, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("Words of a.")
    (tmp_path / "b.md").write_bytes(b"")
    (tmp_path / "c.pdf").write_bytes(b"no PDF")
    (tmp_path / "d.txt").write_text("Words of d.")
    (tmp_path / "e.txt").write_bytes(b"\x00\x01\x02" * 99)
    with (tmp_path / "huge.txt").open("wb") as huge:
        huge.truncate(20_000_001)
    heard: list[str] = []
    report = seasoned.knowledge.add(
        tmp_path,
        tmp_path / "gone.md",
        "ftp://example.com/x",
        progress=lambda name, _: heard.append(Path(name).name),
    )
    assert report.added == 2
    assert heard == ["a.md", "b.md", "c.pdf", "d.txt", "e.txt", "huge.txt", "gone.md"]
    reasons = {Path(problem.name).name: problem.reason for problem in report.problems}
    assert "no text" in reasons["b.md"]
    assert "cannot be read" in reasons["c.pdf"]
    assert "Markdown, HTML, PDF or plain text" in reasons["e.txt"]
    assert "more than 20 MB" in reasons["huge.txt"]
    assert "no such file" in reasons["gone.md"]
    assert "only http and https" in reasons["x"]
    assert [Path(document.name).name for document in seasoned.knowledge.list()] == ["a.md", "d.txt"]


def test_a_folder_without_documents_is_said(seasoned: Seasoned, tmp_path: Path) -> None:
    (problem,) = seasoned.knowledge.add(tmp_path).problems
    assert problem.reason.startswith("there are no documents in it; they end in ")


def test_a_document_that_breaks_keeps_what_it_said(seasoned: Seasoned, file: Path) -> None:
    seasoned.knowledge.add(file)
    file.write_bytes(b"\x00\x01\x02" * 99)
    report = seasoned.knowledge.add(file)
    assert len(report.problems) == 1
    assert seasoned.knowledge.list()[0].passages == 3


def test_update_reads_everything_again_and_says_what_has_vanished(
    seasoned: Seasoned, file: Path
) -> None:
    other = file.with_name("other.md")
    other.write_text("Words of the other.")
    seasoned.knowledge.add(file.parent)
    file.unlink()
    other.write_text("New words of the other.")
    report = seasoned.knowledge.update()
    assert (report.updated, report.vanished, report.removed) == (1, [str(file)], 0)
    assert len(seasoned.knowledge.list()) == 2
    report = seasoned.knowledge.update(prune=True)
    assert (report.unchanged, report.vanished, report.removed) == (1, [str(file)], 1)
    assert report.passages_removed == 3
    assert [document.name for document in seasoned.knowledge.list()] == [str(other)]


def test_what_is_removed_leaves_nothing_behind(seasoned: Seasoned, file: Path) -> None:
    empty = rows(seasoned)
    seasoned.knowledge.add(file)
    (document,) = seasoned.knowledge.list()
    report = seasoned.knowledge.remove("guide.md")
    assert (report.removed, report.passages_removed) == (1, 3)
    assert rows(seasoned) == empty
    assert seasoned.knowledge.search("holidays") == []
    assert [kind for kind, _ in events(seasoned, document.id)] == [
        "document.added",
        "document.removed",
    ]


def test_every_change_is_audited_with_its_numbers(seasoned: Seasoned, file: Path) -> None:
    seasoned.knowledge.add(file)
    file.write_text(guide(Deploy="Press blue.", Parking="Park behind."))
    seasoned.knowledge.add(file)
    (document,) = seasoned.knowledge.list()
    assert events(seasoned, document.id) == [
        (
            "document.added",
            {"name": str(file), "passages": {"added": 3, "kept": 0, "removed": 0}},
        ),
        (
            "document.updated",
            {"name": str(file), "passages": {"added": 1, "kept": 1, "removed": 2}},
        ),
    ]
    assert seasoned.verify_audit().intact


@pytest.mark.parametrize("way", ["name", "relative", "file name", "id", "beginning of the id"])
def test_a_document_is_found_by_what_a_person_would_say(
    seasoned: Seasoned, file: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    seasoned.knowledge.add(file)
    (document,) = seasoned.knowledge.list()
    monkeypatch.chdir(file.parent)
    said = {
        "name": str(file),
        "relative": "../docs/guide.md",
        "file name": "guide.md",
        "id": document.id,
        "beginning of the id": document.id[:5],
    }
    assert seasoned.knowledge.get(said[way])[0].id == document.id


def test_an_ambiguous_name_is_refused(seasoned: Seasoned, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.md").write_text("Words.")
    seasoned.knowledge.add(tmp_path)
    with pytest.raises(BadInput, match="give more of the name"):
        seasoned.knowledge.get("x.md")
    with pytest.raises(BadInput, match="a folder with 2 documents"):
        seasoned.knowledge.get(str(tmp_path))
    with pytest.raises(NotFound, match="seasoned knowledge list"):
        seasoned.knowledge.get("nothing")
    assert seasoned.knowledge.remove(str(tmp_path / "a")).removed == 1
    assert seasoned.knowledge.remove(str(tmp_path)).removed == 1


def test_secrets_are_not_stored_even_where_a_passage_is_cut(
    seasoned: Seasoned, tmp_path: Path
) -> None:
    key = "\n".join(f"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{n:04}" for n in range(60))
    path = tmp_path / "setup.md"
    path.write_text(
        "# Set-up of ghp_abcdefghijklmnopqrstuvwxyz\n\nThe password: hunter2hunter2 opens it.\n\n"
        f"-----BEGIN PRIVATE KEY-----\n\n{key}\n-----END PRIVATE KEY-----\n\nThe end.\n"
    )
    seasoned.knowledge.add(path)
    _, found = seasoned.knowledge.get("setup.md")
    stored = str(found) + str(seasoned.knowledge.list()) + str(events(seasoned, "x"))
    for secret in ("ghp_", "hunter2", "MIIE"):
        assert secret not in stored
    assert "The end." in stored


def test_what_was_erased_does_not_come_back_with_its_document(
    seasoned: Seasoned, tmp_path: Path
) -> None:
    path = tmp_path / "guide.md"
    path.write_text(guide(Deploy="Press blue.", Zeppelin="The zeppelin is secret.", Rest="Rest."))
    seasoned.knowledge.add(path)
    seasoned.forget(passages(seasoned, "guide.md")["Zeppelin"].id, erase=True)
    assert seasoned.knowledge.search("zeppelin") == []  # not through its neighbours either
    path.write_text(path.read_text() + "\n## More\n\nMore words.\n")
    report = seasoned.knowledge.add(path)
    assert (report.passages_added, report.passages_kept) == (1, 3)
    assert "Zeppelin" not in passages(seasoned, "guide.md")
    assert seasoned.knowledge.search("zeppelin") == []


def test_a_passage_that_was_forgotten_stays_forgotten(seasoned: Seasoned, file: Path) -> None:
    seasoned.knowledge.add(file)
    seasoned.forget(passages(seasoned, "guide.md")["Invoices"].id)
    file.write_text(file.read_text().replace("# Guide", "# The guide"))
    seasoned.knowledge.add(file)
    assert passages(seasoned, "guide.md")["Invoices"].status == "retired"
    assert all("Per year" not in h.lesson.content for h in seasoned.knowledge.search("per year"))


def test_projects_have_documents_of_their_own_and_share_those_of_everybody(
    database_url: str, opened: Callable[..., Seasoned], file: Path
) -> None:
    everybody, web, shop = (opened(database_url, project=name) for name in ("", "web", "shop"))
    everybody.knowledge.add_text("shared", "Shared words.")
    web.knowledge.add(file)
    assert len(web.knowledge.list()) == 2
    assert len(shop.knowledge.list()) == 1
    assert shop.knowledge.add(file).added == 1
    with pytest.raises(NotFound):
        everybody.knowledge.remove("guide.md")
    assert web.knowledge.remove("guide.md").removed == 1
    assert shop.knowledge.list()[0].passages == 3


def test_many_processes_may_bring_the_same_document(
    database_url: str, opened: Callable[..., Seasoned], file: Path
) -> None:
    s = opened(database_url)
    code = (
        "import sys\nfrom seasoned import Seasoned\n"
        "with Seasoned(sys.argv[1]) as s:\n    print(s.knowledge.add(sys.argv[2]).problems)"
    )
    command = [sys.executable, "-c", code, database_url, str(file)]
    adding = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [one.communicate(timeout=100)[0].strip() for one in adding] == ["[]"] * 4
    assert len(s.knowledge.list()) == 1
    assert rows(s)["lessons"] == rows(s)["lessons_text"] == rows(s)["lesson_passages"] == 3
    assert s.verify_audit().intact


def test_passages_are_not_listed_among_lessons(seasoned: Seasoned, file: Path) -> None:
    rule = seasoned.teach("invoices", fact="Invoices are sent on Mondays.")
    seasoned.knowledge.add(file)
    assert [lesson.id for lesson in seasoned.lessons()] == [rule.id]
    found = {one.layer for one in seasoned.recall("how are invoices numbered and sent?").lessons}
    assert found == {"knowledge", "documents"}


def test_listeners_hear_of_new_passages(seasoned: Seasoned, file: Path) -> None:
    heard: list[Event] = []
    seasoned.on(LessonLearned, heard.append)
    seasoned.knowledge.add(file)
    assert len(heard) == 3


async def _async_story(url: str, file: Path) -> list[str]:
    async with AsyncSeasoned(url) as s:
        await s.knowledge.add(file)
        hits = await s.knowledge.search("holidays")
        names = [document.name for document in await s.knowledge.list()]
        await s.knowledge.remove("guide.md")
        return [*names, hits[0].lesson.trigger]


def test_the_same_face_is_there_for_async_code(database_url: str, home: Path, file: Path) -> None:
    import asyncio

    assert asyncio.run(_async_story(database_url, file)) == [str(file), "Guide › Holidays"]


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("# 手册\n\n## 安装\n\n请先安装数据库，然后运行迁移。\n", "如何安装数据库", "手册"),
        ("# 案内\n\n東京タワーは高さ三百三十三メートルです。\n", "東京タワーの高さ", "案内"),
        ("# 안내\n\n서울 사무실은 삼층에 있습니다.\n", "서울 사무실", "안내"),
        (
            "# Handbuch\n\nDie Schlüssel hängen im Flur.\n",
            "wo hängen die schluessel im flur",
            "Hand",
        ),
    ],
)
def test_documents_in_any_language_are_found(
    seasoned: Seasoned, text: str, query: str, found: str
) -> None:
    seasoned.knowledge.add_text("a", text)
    hits = seasoned.knowledge.search(query)
    assert hits
    assert hits[0].lesson.trigger.startswith(found)
