import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seasoned.core.errors import BadInput, EmbedderError
from seasoned.llm.embed import wordllama
from seasoned.llm.embed.wordllama import WordLlama, split_words

PACKAGE = """
import json, sys
from pathlib import Path
import wordllama
folder = Path(wordllama.__file__).parent
model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
print(json.dumps(model.embed(json.load(sys.stdin), norm=True).tolist()))
"""
embedder = WordLlama()


def by_the_package(texts: list[str]) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    """Embed with the real package, in a subprocess since it configures logging and is slow."""
    told = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PACKAGE],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
    )
    return np.array(json.loads(told.stdout), np.float32)


def test_words_have_the_vectors_that_the_package_gives_them() -> None:
    texts = [
        *("deploy", "error", "database", "refund", "schön", "привет", "kubernetes", "caroline"),
        *("new version of the error message", "open the door and close it", "x"),  # one token each
    ]
    assert np.abs(embedder.embed(texts) - by_the_package(texts)).max() < 1e-3


def test_what_means_the_same_lies_closer_than_what_does_not() -> None:
    pairs = [
        ("The database cannot be reached", "no connection to the database server"),
        ("Please answer in short sentences", "give short answers"),
        ("permission denied while writing the file", "not allowed to write to this path"),
        ("数据库连接失败", "无法连接到数据库"),
        ("hay que correr los tests antes del despliegue", "antes de desplegar ejecuta los tests"),
    ]
    left = embedder.embed([one for one, _ in pairs])
    right = embedder.embed([other for _, other in pairs])
    assert list((left @ right.T).argmax(axis=1)) == list(range(len(pairs)))


def test_case_signs_and_spaces_do_not_count() -> None:
    one, other = embedder.embed(
        ["Can't open /etc/App_Config.toml!", "can t open etc app config  toml"]
    )
    assert np.allclose(one, other, atol=1e-6)


def test_a_word_of_many_pieces_weighs_no_more_than_one_of_them() -> None:
    """Otherwise a rare name would dominate the sentence."""
    rare = "zyxwvutsrqponm"
    plain, named, name = embedder.embed(
        ["deploy the database", f"deploy the database {rare}", rare]
    )
    assert plain @ named > 0.6
    assert name @ named < 0.8


def test_a_full_cache_of_words_changes_no_vector() -> None:
    """Embed more distinct words than the cache holds, from several threads."""
    texts = [" ".join(f"w{number}x{place}" for place in range(50)) for number in range(200)]
    batches = [texts[start : start + 20] for start in range(0, len(texts), 20)]
    shared = WordLlama()
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(shared.embed, batches * 2))
    expected = [WordLlama().embed(batch) for batch in batches] * 2
    assert all(map(np.array_equal, answers, expected))


def test_fewer_dimensions_are_the_first_ones_of_the_whole() -> None:
    text = ["a database that cannot be reached"]
    whole, part = embedder.embed(text)[0], WordLlama(64).embed(text)[0]
    assert np.allclose(part, whole[:64] / np.linalg.norm(whole[:64]), atol=1e-5)
    assert WordLlama(64).model != embedder.model


def test_other_dimensions_are_refused() -> None:
    with pytest.raises(BadInput, match="256, 128, 64"):
        WordLlama(100)


@settings(deadline=None)  # the first example reads the files
@given(st.text(alphabet=st.characters(), max_size=200))
def test_any_text_has_a_vector_of_length_one_or_none(text: str) -> None:
    length = float(np.linalg.norm(embedder.embed([text])[0]))
    assert length == pytest.approx(1, abs=1e-5) if text.strip() else length == 0


@given(st.text(max_size=300))
def test_words_are_short_and_hold_nothing_of_their_own_making(text: str) -> None:
    for word in split_words(text):
        assert 0 < len(word) <= wordllama.LONGEST_WORD
        assert word in text or word in text.lower()


def test_the_package_is_not_imported_and_nothing_heavy_before_the_first_text() -> None:
    script = (
        "import sys; from seasoned.llm.embed.wordllama import WordLlama; w = WordLlama(); w.model;"
        "assert 'numpy' not in sys.modules and 'tokenizers' not in sys.modules;"
        "w.embed(['a text']); assert 'wordllama' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def copied(tmp_path: Path) -> Path:
    folder = tmp_path / "wordllama"
    for name in (wordllama.WEIGHTS, wordllama.TOKENIZER):
        target = folder / name
        target.parent.mkdir(parents=True)
        shutil.copy(wordllama.package_folder() / name, target)
    return folder


def test_the_model_is_named_by_what_its_files_hold(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    assert wordllama.files_fingerprint(folder) == wordllama.files_fingerprint(
        wordllama.package_folder()
    )
    with (folder / wordllama.WEIGHTS).open("r+b") as file:
        file.seek(96)
        file.write(b"\x01" * 512)
    wordllama.files_fingerprint.cache_clear()
    assert wordllama.files_fingerprint(folder) not in embedder.model


@pytest.mark.parametrize("name", [wordllama.WEIGHTS, wordllama.TOKENIZER])
@pytest.mark.parametrize("content", [b"", b"{}", b"\xff" * 1000, None])
def test_a_damaged_file_is_an_error(tmp_path: Path, name: str, content: bytes | None) -> None:
    folder = copied(tmp_path)
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    with pytest.raises(EmbedderError, match="--force-reinstall wordllama"):
        wordllama.load_files(folder)
