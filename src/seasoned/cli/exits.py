"""What each exit code means, so that a script can tell a wrong path from a locked database."""

from seasoned.core.errors import (
    BadInput,
    ConfigError,
    DatabaseError,
    NotFound,
    SeasonedError,
    Unreachable,
    Unsupported,
)

FINE = 0
FOUND_WRONG = 1
BAD_INPUT = 2
NOT_FOUND = 3
NO_DATABASE = 4
BUG = 70
INTERRUPTED = 130

MEANINGS = {
    FINE: "fine",
    FOUND_WRONG: "a check found something wrong",
    BAD_INPUT: "wrong usage or bad input",
    NOT_FOUND: "not found, or nothing in it could be read",
    NO_DATABASE: "the database cannot be used",
    BUG: "a bug in Seasoned",
    INTERRUPTED: "interrupted",
}

CODES: dict[type[SeasonedError], int] = {
    BadInput: BAD_INPUT,
    ConfigError: BAD_INPUT,
    NotFound: NOT_FOUND,
    Unreachable: NOT_FOUND,
    DatabaseError: NO_DATABASE,
    Unsupported: NO_DATABASE,
}


def code_of(error: SeasonedError) -> int:
    """The exit code for an error: that of its own kind, or of the nearest kind above.

    >>> from seasoned.core.errors import DatabaseBusy
    >>> code_of(DatabaseBusy("locked")), code_of(SeasonedError("else"))
    (4, 2)
    """
    return next((code for kind, code in CODES.items() if isinstance(error, kind)), BAD_INPUT)
