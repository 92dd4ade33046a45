"""Content type, name and bytes decide the format of a document."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from seasoned.core.errors import BadInput
from seasoned.documents.readers.reader import format_of, read
from seasoned.documents.source import document_files

Pdf = Callable[..., bytes]


@pytest.mark.parametrize(
    ("data", "name", "content_type", "form"),
    [
        (b"# a", "a.MD", "", "markdown"),
        (b"# a", "https://e.org/a.md?raw=1", "text/plain", "markdown"),
        (b"# a", "https://e.org/a", "text/markdown", "markdown"),
        (b"a", "https://e.org/a.md", "text/html", "html"),
        (b"<p>a", "page.htm", "", "html"),
        (b"\n<!-- x --><!doctype HTML><p>a", "page", "", "html"),
        (b"a", "notes", "", "text"),
        (b"a", "a.rst", "", "text"),
        (b"a", "a.pdf", "", "pdf"),
        (b"%PDF-1.4", "a.txt", "", "pdf"),
        (b"a", "https://e.org/", "application/octet-stream", "text"),
        ("a b c".encode("utf-16"), "notes.txt", "", "text"),
    ],
)
def test_the_format_is_found(data: bytes, name: str, content_type: str, form: str) -> None:
    assert format_of(data, name, content_type).name == form


@pytest.mark.parametrize(
    ("data", "name", "content_type"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "a.png", ""),
        (b"PK\x03\x04\x00\x00\x08\x00", "a.docx", ""),
        (b"{}", "https://e.org/a", "application/json"),
        (b"GIF89a", "https://e.org/a", "image/gif"),
    ],
)
def test_what_is_no_document_is_refused_with_the_formats_there_are(
    data: bytes, name: str, content_type: str
) -> None:
    with pytest.raises(BadInput, match="Markdown, HTML, PDF or plain text"):
        read(data, name, content_type)


@pytest.mark.parametrize("data", [b"", b" \n\n", b"-----\n"])
def test_an_empty_document_is_refused(data: bytes) -> None:
    with pytest.raises(BadInput, match="no text"):
        read(data, "a.txt")


def test_a_document_without_a_title_is_called_as_its_file() -> None:
    assert read(b"words", "docs/set-up.txt").title == "set-up"
    assert read(b"words", "https://e.org/some/page").title == "page"


def test_the_charset_of_a_page_is_found_in_the_page() -> None:
    page = "<meta charset=shift_jis><p>東京タワー".encode("shift_jis")
    (section,) = read(page, "a.html").sections
    assert section.blocks[0].text == "東京タワー"


def test_a_folder_is_walked_as_a_person_would(tmp_path: Path) -> None:
    for name in (
        *("b.md", "a/deep/c.txt", "README", "main.py", "data.json", ".hidden.md", "x.PDF"),
        *(".git/d.md", "node_modules/e.md", "a/.venv/f.md"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("words")
    (tmp_path / "a" / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "again.md").symlink_to(tmp_path / "b.md")
    (tmp_path / "broken.md").symlink_to(tmp_path / "gone.md")
    found = [str(path.relative_to(tmp_path)) for path in document_files(tmp_path)]
    assert found == ["README", "again.md", "x.PDF", "a/deep/c.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_an_unreadable_folder_is_returned_itself(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    assert list(document_files(tmp_path)) == [closed]
    closed.chmod(0o700)
