"""Load the x402 package without what its libraries do to the process that loads them.

One of them raises Python's recursion limit a hundredfold. With that, deeply nested JSON from
anybody would overflow the stack and end the process, instead of being refused.
"""

import sys
import warnings
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def quiet_import() -> Generator[None]:
    """Keep the recursion limit, and hide warnings of the libraries, while they load."""
    limit = sys.getrecursionlimit()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.setrecursionlimit(limit)
