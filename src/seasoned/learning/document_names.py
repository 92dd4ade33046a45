"""Finds the documents that a person means: by name, path, address, folder, or id."""

import os
from collections.abc import Callable, Sequence

from seasoned.core.errors import BadInput, NotFound, SeasonedError
from seasoned.documents.fetch import address_of, is_address
from seasoned.learning.document_store import KnownDocument

SHORTEST_ID = 3


def named(known: Sequence[KnownDocument], name: str) -> list[KnownDocument]:
    """The documents meant; several only when a folder is. Own ones come before wider ones."""
    spelled = _spelled(name)
    ways: tuple[Callable[[KnownDocument], bool], ...] = (
        lambda document: document.name in (name, spelled),
        lambda document: document.name.startswith(spelled.rstrip("/") + "/"),
        lambda document: len(name) >= SHORTEST_ID and document.id.startswith(name),
        lambda document: document.name.endswith("/" + name),
    )
    for place, is_meant in enumerate(ways):
        found = [document for document in known if is_meant(document)]
        if len(found) > 1 and place == 0:
            return [max(found, key=_narrowness)]
        if len(found) > 1 and place > 1:
            names = ", ".join(document.name for document in found[:3])
            raise BadInput(f"{name!r} may be {names}; give more of the name")
        if found:
            return found
    raise NotFound(f"no document {name!r}; `seasoned knowledge list` shows those there are")


def _spelled(name: str) -> str:
    """The name as it is stored, if it is a path or an address."""
    if not is_address(name):
        return os.path.realpath(os.path.expanduser(name))
    try:
        return address_of(name)
    except SeasonedError:
        return name


def _narrowness(document: KnownDocument) -> int:
    return sum(map(bool, document.scope.fields()))
