"""File tools: no path leaves the folder, even while others move things."""

import os
import shutil
import socket
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.turns import call

from seasoned.core.errors import BadInput, NotFound, SeasonedError
from seasoned.security.redact import redact
from seasoned.tools.builtin.files import Files, FilesConfig, file_tools
from seasoned.tools.builtin.masked_text import edit_masked, mask_text
from seasoned.tools.builtin.root import Root
from seasoned.tools.tool import spec_of
from seasoned.tools.toolset import toolset_from

SECRET = "the crown jewels"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.txt").write_text(SECRET)
    return folder


@pytest.fixture
def folder(tmp_path: Path, outside: Path) -> Path:
    made = tmp_path / "inside"
    (made / "sub").mkdir(parents=True)
    (made / "a.txt").write_text("one\ntwo\nthree\n")
    (made / "sub" / "b.py").write_text("import os\nprint(1)\n")
    (made / "link.txt").symlink_to(outside / "secret.txt")
    (made / "away").symlink_to(outside)
    (made / "sub" / "up").symlink_to("../..")
    (made / "dangling").symlink_to(outside / "new.txt")
    os.mkfifo(made / "pipe")
    return made


@pytest.fixture
def files(folder: Path) -> Files:
    return Files(Root(folder), FilesConfig())


ESCAPES = [
    "../outside/secret.txt",
    "sub/../../outside/secret.txt",
    "/etc/passwd",
    "//etc/passwd",
    "link.txt",
    "away/secret.txt",
    "sub/up/outside/secret.txt",
    "./sub/./up/../up/outside/secret.txt",
    "a.txt/../../outside/secret.txt",
    "dangling",
    "a.txt\0.py",
    "pipe",
    "",
    ".",
    "..",
    "sub",
    "a.txt/x",
    "/dev/zero",
    "/proc/self/environ",
]


@pytest.mark.parametrize("path", ESCAPES)
def test_no_path_reads_what_is_outside(files: Files, path: str) -> None:
    with pytest.raises(SeasonedError):
        files.read_file(path)


@pytest.mark.parametrize("path", ESCAPES)
def test_no_path_writes_outside(files: Files, outside: Path, path: str) -> None:
    with pytest.raises(SeasonedError):
        files.write_file(path, "gotcha")
    assert (outside / "secret.txt").read_text() == SECRET
    assert os.listdir(outside) == ["secret.txt"]


def test_an_absolute_path_inside_of_the_folder_is_as_good(files: Files, folder: Path) -> None:
    assert files.read_file(str(folder / "a.txt")) == "one\ntwo\nthree\n"
    with pytest.raises(BadInput):
        files.read_file(f"{folder}/../outside/secret.txt")
    with pytest.raises(BadInput):
        files.read_file(f"{folder}side/x")


@given(st.lists(st.sampled_from(["..", ".", "", "sub", "up", "away", "link.txt", "a.txt"])))
def test_whatever_way_is_taken_it_stays_inside(tmp_path_factory: Any, names: list[str]) -> None:
    base = tmp_path_factory.getbasetemp() / "hypothesis"
    if not base.exists():
        (base / "in" / "sub").mkdir(parents=True)
        (base / "link.txt").write_text(SECRET)
        (base / "in" / "away").symlink_to(base)
        (base / "in" / "sub" / "up").symlink_to(base)
        (base / "in" / "link.txt").symlink_to(base / "link.txt")
    try:
        assert SECRET not in Files(Root(base / "in"), FilesConfig()).read_file("/".join(names))
    except SeasonedError:
        return


def test_a_folder_swapped_for_a_link_while_reading_shows_nothing(
    files: Files, folder: Path, outside: Path
) -> None:
    """The race: `sub` becomes a link to another folder between check and use."""
    (folder / "sub" / "secret.txt").write_text("harmless")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            os.rename(folder / "sub", folder / "kept")
            try:
                os.symlink(outside, folder / "sub")
                os.unlink(folder / "sub")
                os.rename(folder / "kept", folder / "sub")
            except OSError:  # `write_file` has recreated the folder meanwhile
                shutil.rmtree(folder / "sub", ignore_errors=True)
                os.rename(folder / "kept", folder / "sub")

    swapping = threading.Thread(target=swap)
    swapping.start()
    seen: set[str] = set()
    try:
        for number in range(600):
            try:
                seen.add(files.read_file("sub/secret.txt"))
                files.write_file("sub/new.txt", str(number))
            except SeasonedError:
                continue
    finally:
        stop.set()
        swapping.join()
    assert seen <= {"harmless"}
    assert os.listdir(outside) == ["secret.txt"]


def test_devices_pipes_and_sockets_are_refused_without_waiting(files: Files, folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "s"))
        for path in ("s", "pipe"):
            with pytest.raises(BadInput, match="a device, a pipe or a socket"):
                files.read_file(path)


def test_a_listing_shows_links_and_does_not_follow_them(files: Files) -> None:
    listed = files.list_files(deep=True)
    assert "away (a link, not followed)" in listed
    assert "a.txt 14" in listed
    assert "sub/b.py 19" in listed
    assert "secret" not in listed
    assert files.list_files(pattern="*.txt").splitlines() == [
        "a.txt 14",
        "link.txt (a link, not followed)",
    ]
    with pytest.raises(NotFound):
        files.list_files("nowhere")
    with pytest.raises(BadInput):
        files.list_files("away")


def test_a_file_name_with_a_line_break_stays_on_one_line(files: Files, folder: Path) -> None:
    (folder / "x\nsecret.txt 1\x1b[2K").write_text("")
    assert "x\\nsecret.txt 1\\x1b[2K 0" in files.list_files().splitlines()


def test_a_search_finds_lines_and_follows_no_links(files: Files) -> None:
    assert files.search_files("im(port|pex) os") == "sub/b.py:1: import os"
    assert files.search_files("crown") == "nothing was found"
    assert files.search_files("print(") == "sub/b.py:2: print(1)"
    assert files.search_files("o", names="*.py").splitlines() == ["sub/b.py:1: import os"]


def test_a_pattern_that_explodes_is_cut_off(folder: Path) -> None:
    (folder / "bad.txt").write_text("a" * 5000 + "!")
    files = Files(Root(folder), FilesConfig(search_seconds=0.3))
    assert "the pattern takes too long" in files.search_files(r"(a|aa|a.)+$(?<!x)b")


def test_a_file_is_read_in_parts(files: Files, folder: Path) -> None:
    (folder / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 3001)))
    first = files.read_file("long.txt")
    assert first.startswith("[lines 1 to 1000 of 3000; go on with start=1001]\nline 1\n")
    assert files.read_file("long.txt", start=2999).endswith("]\nline 2999\nline 3000\n")
    assert files.read_file("long.txt", start=5, lines=1).endswith("\nline 5\n")
    with pytest.raises(BadInput, match="has only 3000 lines"):
        files.read_file("long.txt", start=4000)


def test_what_is_too_large_or_no_text_is_refused(folder: Path) -> None:
    files = Files(Root(folder), FilesConfig(largest=100))
    (folder / "large").write_bytes(b"x" * 101)
    (folder / "binary").write_bytes(b"\x7fELF\0\0")
    (folder / "latin").write_bytes("Grüße an alle".encode("latin-1"))
    for path, complaint in (
        ("large", "only 0.0001 MB can be read"),
        ("binary", "not a text file"),
        ("latin", "not in UTF-8"),
    ):
        with pytest.raises(BadInput, match=complaint):
            files.read_file(path)
    with pytest.raises(BadInput, match="more than"):
        files.write_file("new", "x" * 101)
    with pytest.raises(BadInput, match="cannot be written as UTF-8"):
        files.write_file("new", "\ud800")
    assert not (folder / "new").exists()


def test_writing_makes_folders_keeps_rights_and_leaves_nothing_behind(
    files: Files, folder: Path
) -> None:
    assert files.write_file("new/deep/c.txt", "x\ny\n") == "wrote new/deep/c.txt: 2 lines"
    (folder / "a.txt").chmod(0o750)
    assert files.write_file("a.txt", "changed") == "replaced a.txt: 1 lines"
    assert (folder / "a.txt").stat().st_mode & 0o777 == 0o750
    assert os.listdir(folder / "new" / "deep") == ["c.txt"]
    assert not [name for name in os.listdir(folder) if name.endswith(".tmp")]


def test_a_write_that_fails_leaves_the_old_file(
    files: Files, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadInput, match="No space left on device"):
        files.write_file("a.txt", "half")
    assert (folder / "a.txt").read_text() == "one\ntwo\nthree\n"
    assert not [name for name in os.listdir(folder) if name.endswith(".tmp")]


def test_an_edit_replaces_exactly_one_place(files: Files, folder: Path) -> None:
    assert files.edit_file("a.txt", "two", "2") == "edited a.txt: 1 place"
    assert (folder / "a.txt").read_text() == "one\n2\nthree\n"
    with pytest.raises(BadInput, match=r"the nearest is line 3: 'three'"):
        files.edit_file("a.txt", "threee", "3")
    (folder / "twice").write_text("x = 1\ny\nx = 1\n")
    with pytest.raises(BadInput, match="2 times, in lines 1, 3"):
        files.edit_file("twice", "x = 1", "x = 2")
    assert files.edit_file("twice", "x = 1", "x = 2", everywhere=True) == "edited twice: 2 places"
    with pytest.raises(BadInput):
        files.edit_file("twice", "", "all of it")


def test_line_ends_stay_as_they_are(files: Files, folder: Path) -> None:
    (folder / "dos.txt").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    files.edit_file("dos.txt", "one\ntwo", "1\n2")
    assert (folder / "dos.txt").read_bytes() == b"1\r\n2\r\nthree\r\n"


def test_edits_at_once_do_not_undo_each_other(files: Files, folder: Path) -> None:
    (folder / "many.txt").write_text("".join(f"<{number}>\n" for number in range(20)))
    edits = [
        threading.Thread(target=files.edit_file, args=("many.txt", f"<{number}>", f"done {number}"))
        for number in range(20)
    ]
    for edit in edits:
        edit.start()
    for edit in edits:
        edit.join()
    assert (folder / "many.txt").read_text() == "".join(f"done {number}\n" for number in range(20))


def test_a_secret_that_the_model_did_not_see_is_not_overwritten(folder: Path) -> None:
    (folder / ".env").write_text("NAME=web\nPASSWORD=hunter2\n")
    list_tool, search, read, write, edit = file_tools(folder)
    seen = call(read, path=".env")
    assert seen == "NAME=web\nPASSWORD=<secret>\n"
    assert "would destroy the secret" in call(write, path=".env", text=seen)
    assert "edited .env" in call(edit, path=".env", old="NAME=web", new="NAME=api")
    assert (folder / ".env").read_text() == "NAME=api\nPASSWORD=hunter2\n"
    assert "<secret>" in call(search, pattern="PASSWORD")
    change = {"old": "NAME=api\nPASSWORD=<secret>", "new": "PASSWORD=<secret>\nNAME=web"}
    assert "edited .env" in call(edit, path=".env", **change)
    assert (folder / ".env").read_text() == "PASSWORD=hunter2\nNAME=web\n"
    assert "as often as old" in call(edit, path=".env", old="PASSWORD=<secret>", new="x=1")
    assert ".env" in call(list_tool)


def test_code_around_secrets_can_be_edited(folder: Path) -> None:
    (folder / "login.py").write_text(
        "token = get_token()\nold = 1\npassword = 'hunter2'\nreturn token\n"
    )
    _, _, read, _, edit = file_tools(folder)
    seen = call(read, path="login.py")
    assert seen == "token = get_token()\nold = 1\npassword = '<secret>'\nreturn token\n"
    done = call(
        edit,
        path="login.py",
        old="old = 1\npassword = '<secret>'\nreturn",
        new="password = '<secret>'\nyield",
    )
    assert done == "edited login.py: 1 place"
    assert (folder / "login.py").read_text() == (
        "token = get_token()\npassword = 'hunter2'\nyield token\n"
    )


LINES = st.sampled_from(
    [
        "a = 1",
        "token = abc()",
        "password: x1",
        "",
        "key",
        "Bearer 0123456789abcdef",
        "p=;",
        "token=t",
    ]
)


@given(st.lists(LINES), st.integers(0, 8), st.integers(0, 8))
def test_an_edit_of_masked_lines_changes_nothing_else(lines: list[str], at: int, most: int) -> None:
    text = "\n".join(lines)
    seen = mask_text(text)
    assert seen is not None
    assert seen.seen == redact(text)
    old = "\n".join(seen.seen.split("\n")[at : at + most])
    if old and seen.seen.count(old) == 1:
        assert edit_masked(text, old, old) == text
        assert edit_masked(text, old, f"X{old}Y") is not None


def test_only_what_changes_files_is_dangerous(folder: Path) -> None:
    dangerous = {spec_of(one).name for one in file_tools(folder) if spec_of(one).dangerous}
    assert dangerous == {"write_file", "edit_file"}


def test_a_model_is_told_what_the_parameters_mean(folder: Path) -> None:
    made = toolset_from(file_tools(folder)).tools["edit_file"]
    schema: dict[str, Any] = made.function_schema.json_schema
    assert set(schema["properties"]) == {"path", "old", "new", "everywhere"}
    assert "exactly as it stands" in schema["properties"]["old"]["description"]
    assert made.description == (
        "Replaces a piece of a text file by another; all the rest stays as it is."
    )


def test_a_very_deep_folder_does_not_break_a_listing(files: Files, folder: Path) -> None:
    deep = folder
    for _ in range(120):
        deep = deep / "d"
    deep.mkdir(parents=True)
    assert "d/d/d/" in files.list_files(deep=True)


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no folder"):
        file_tools(tmp_path / "nowhere")


@pytest.fixture(autouse=True)
def no_descriptor_is_left_open() -> Generator[None]:
    before = len(os.listdir("/proc/self/fd"))
    yield
    assert len(os.listdir("/proc/self/fd")) <= before + 1
