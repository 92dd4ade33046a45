"""What turns texts into vectors, so that texts which mean the same lie close together.

Every embedder is used alike, whether it computes in this process or asks a server. It may be
called from several threads at once.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from seasoned.core.text import storable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]


class Embedder(Protocol):
    @property
    def model(self) -> str:
        """Its whole identity: vectors of two different models are never compared."""
        ...

    @property
    def dimensions(self) -> int | None:
        """How long its vectors are; None until the first answer tells."""
        ...

    @property
    def local(self) -> bool:
        """It answers in well under a millisecond, without a network: fit for a caller's path."""
        ...

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """A row for each text, in their order, of length 1; a blank text's row is all zeros.

        Raises `EmbedderError`, or its kind `EmbedderUnavailable` where a later try may do.
        """
        ...


def legible(text: str, longest: int) -> str:
    """A text as every embedder can take it: cut, without lone surrogates; blank is empty.

    >>> legible("  \\n", 9), legible("  a fairly long text", 8)
    ('', 'a fairly')
    """
    return storable(text.lstrip()[:longest])


def unit(rows: "NDArray[np.floating[Any]]") -> "Vectors":
    """The rows scaled to length 1; a row of zeros stays as it is.

    >>> import numpy as np
    >>> unit(np.array([[0.0, 7.0], [0.0, 0.0]])).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    import numpy as np

    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    lengths[lengths == 0] = 1
    return (rows / lengths[:, None]).astype(np.float32, copy=False)
