"""Every error a caller of Seasoned can meet, so that each can be caught at the right height.

    SeasonedError
    ├── BadInput            what was handed in cannot be used as it is
    ├── NotFound            the thing named is not there
    ├── ConfigError         a setting is unknown, malformed or out of range
    ├── Unsupported         this database, or this installation, cannot do that
    ├── Unreachable         a page on the web could not be had; it may be tried again later
    ├── EmbedderError       an embedder gave no usable vectors, and will not until something changes
    │   └── EmbedderUnavailable it cannot be reached, or is busy; it may be tried again later
    ├── ModelError          a language model gave no usable answer
    │   ├── ModelUnavailable    it cannot be reached, or is busy; it may be tried again later
    │   └── PromptTooLong       what it was asked does not fit into it; asking for less may help
    ├── BudgetSpent         what models may cost today is used up; tomorrow there is more
    ├── TurnFailed          an agent's turn ended without an answer
    ├── NotifierError       a notice could not be delivered
    └── DatabaseError
        ├── DatabaseBusy        another process holds it; nothing was changed
        │   └── DatabaseConflict    two writers stood in each other's way; it may be tried again
        ├── DatabaseUnavailable it cannot be reached or opened
        └── DatabaseDamaged     it is not a Seasoned database, or it is corrupt

Each message says what happened, to which thing, and what to do next.
"""


class SeasonedError(Exception):
    """The root: `except SeasonedError` catches all of ours and none of Python's."""


class BadInput(SeasonedError):
    """What was handed in cannot be used as it is."""


class NotFound(SeasonedError):
    """The thing named is not there."""


class ConfigError(SeasonedError):
    """A setting is unknown, malformed or out of range."""


class Unsupported(SeasonedError):
    """This database, or this installation, cannot do that."""


class Unreachable(SeasonedError):
    """A page on the web could not be had; it may be tried again later."""


class EmbedderError(SeasonedError):
    """An embedder gave no usable vectors, and will not until something changes."""


class EmbedderUnavailable(EmbedderError):
    """The embedder cannot be reached, or is busy; it may be tried again later."""


class ModelError(SeasonedError):
    """A language model gave no usable answer; `input_tokens` and `output_tokens` are spent."""

    def __init__(self, message: str, input_tokens: int = 0, output_tokens: int = 0) -> None:
        super().__init__(message)
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens


class ModelUnavailable(ModelError):
    """The model cannot be reached, or is busy; it may be tried again later."""


class PromptTooLong(ModelError):
    """What the model was asked does not fit into it; asking for less may help."""


class TurnFailed(SeasonedError):
    """An agent's turn ended without an answer."""


class BudgetSpent(SeasonedError):
    """What models may cost today is used up; tomorrow there is more."""


class NotifierError(SeasonedError):
    """A notice could not be delivered."""


class DatabaseError(SeasonedError):
    """The database said no."""


class DatabaseBusy(DatabaseError):
    """Another process holds the database; nothing was changed."""


class DatabaseConflict(DatabaseBusy):
    """Two writers stood in each other's way; nothing was changed, and it may be tried again."""


class DatabaseUnavailable(DatabaseError):
    """The database cannot be reached or opened."""


class DatabaseDamaged(DatabaseError):
    """The file is not a Seasoned database, or it is corrupt."""
