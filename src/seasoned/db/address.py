"""Parse database addresses, and show them without passwords."""

import re

from seasoned.core.errors import BadInput

POSTGRES = ("postgresql://", "postgres://")
SQLITE = "sqlite:///"
PASSWORD = re.compile(r"(?<=://)([^:/@\s]*):[^\s]*@")
PARAMETER = re.compile(r"(?i)([?&](?:\w*password|sslkey)=)[^&\s]*")


def is_postgres(url: str) -> bool:
    return url.startswith(POSTGRES)


def sqlite_path(url: str) -> str:
    """Return the file that an address names.

    >>> sqlite_path("sqlite:///data/lessons.db"), sqlite_path(":memory:")
    ('data/lessons.db', ':memory:')
    """
    path = url.removeprefix(SQLITE)
    if not path or "://" in path:
        raise BadInput(
            f"{without_password(url)!r} is no database address; give a path, or postgresql://user@host/name"
        )
    return path


def without_password(url: str) -> str:
    """Remove the password from an address, so that it may be shown.

    >>> without_password("postgresql://ana:secret@db.example.com:5432/agents")
    'postgresql://ana@db.example.com:5432/agents'
    >>> without_password("postgresql://ana@db/agents?password=a/b@c&sslmode=require")
    'postgresql://ana@db/agents?password=…&sslmode=require'
    """
    address, mark, parameters = url.partition("?")
    return PASSWORD.sub(r"\1@", address) + PARAMETER.sub(r"\1…", mark + parameters)
