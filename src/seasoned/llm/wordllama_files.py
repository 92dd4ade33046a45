"""Reads the two data files inside the `wordllama` package, without importing its code.

Importing it takes half a second, most of it for downloading and clustering; the files are read
in a tenth of that, and what is not used of the vectors stays on disk.
"""

import importlib.util
import json
import mmap
import struct
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seasoned.core.errors import EmbedderError, Unsupported

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
TENSOR = "embedding.weight"
WIDTH = 256


def package() -> Path:
    """The folder of the installed package."""
    found = importlib.util.find_spec("wordllama")
    for folder in (found and found.submodule_search_locations) or ():
        return Path(folder)
    raise Unsupported(
        "the package wordllama is not installed; `pip install wordllama` brings it, and "
        'embedding.provider = "none" does without'
    )


def load(folder: Path) -> "tuple[Tokenizer, NDArray[np.float16]]":
    """The tokenizer, and a row of numbers for each of its tokens."""
    import numpy as np
    from tokenizers import Tokenizer

    path = folder / WEIGHTS
    start, rows = layout(path)
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        vectors = np.frombuffer(mapped, "<f2", rows * WIDTH, start).reshape(rows, WIDTH)
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    except Exception as error:  # the tokenizer raises bare Exceptions
        raise damaged(folder, error) from error
    if tokenizer.get_vocab_size() > rows:
        raise damaged(folder, f"{tokenizer.get_vocab_size()} tokens, but {rows} vectors")
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, vectors


def layout(path: Path) -> tuple[int, int]:
    """Where the numbers begin in a safetensors file, and how many rows of them there are."""
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            tensor: dict[str, Any] = json.loads(file.read(min(length, 2**20)))[TENSOR]
        rows, width = tensor["shape"]
        if (tensor["dtype"], width) != ("F16", WIDTH):
            raise ValueError(f"{TENSOR} is {tensor['dtype']} of width {width}")
        return 8 + length + int(tensor["data_offsets"][0]), int(rows)
    except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
        raise damaged(path, error) from error


@cache
def fingerprint(folder: Path) -> str:
    """Tells other vectors or another vocabulary apart, from a sample, as each start reads it."""
    start, rows = layout(folder / WEIGHTS)
    digest = blake2b(digest_size=4)
    try:
        digest.update((folder / TOKENIZER).read_bytes())
        with (folder / WEIGHTS).open("rb") as file:
            for row in range(0, rows, max(1, rows // 64)):
                file.seek(start + row * WIDTH * 2)
                digest.update(file.read(WIDTH * 2))
    except OSError as error:
        raise damaged(folder, error) from error
    return digest.hexdigest()


def damaged(where: Path, why: object) -> EmbedderError:
    return EmbedderError(
        f"wordllama: cannot read {where} ({why}); "
        "`pip install --force-reinstall wordllama` brings its files back"
    )
