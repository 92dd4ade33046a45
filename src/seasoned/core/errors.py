"""Every error that callers of Seasoned can catch.

    SeasonedError
    ├── BadInput            an argument cannot be used as it is
    ├── NotFound            the named thing does not exist
    ├── NotAllowed          it is somebody else's: seen, but not the caller's to change
    ├── Changed             it is not as the caller saw it: read it again
    ├── ConfigError         a setting is unknown, malformed or out of range
    │   └── VaultLocked         it is in the vault, which is not open
    ├── VaultError          the vault's file cannot be used
    │   └── WrongPassphrase     the passphrase does not open it
    ├── Unsupported         this database, or this installation, cannot do that
    │   └── MissingExtra        it can, once an optional part is installed
    ├── Unreachable         a web page cannot be fetched; a later try may work
    ├── EmbedderError       an embedder gave no usable vectors; trying again does not help
    │   └── EmbedderUnavailable it cannot be reached, or is busy; a later try may work
    ├── ModelError          a language model gave no usable answer
    │   ├── ModelUnavailable    it cannot be reached, or is busy; a later try may work
    │   └── PromptTooLong       the prompt does not fit; a shorter one may
    ├── BudgetSpent         today's budget for models is used up
    ├── TurnFailed          an agent's turn ended without an answer
    ├── NotifierError       a notice could not be delivered
    └── DatabaseError
        ├── DatabaseBusy        another process holds it; nothing was changed
        │   └── DatabaseConflict    two writers collided; trying again may work
        ├── DatabaseUnavailable it cannot be reached or opened
        └── DatabaseDamaged     it is not a Seasoned database, or it is corrupt

Each message says what happened, to which thing, and what to do next.
"""


class SeasonedError(Exception):
    """Base class: `except SeasonedError` catches all of ours and none of Python's."""


class BadInput(SeasonedError):
    """An argument cannot be used as it is."""


class NotFound(SeasonedError):
    """The named thing does not exist."""


class NotAllowed(SeasonedError):
    """The thing belongs to a wider scope: the caller sees it, but may not change it."""


class Changed(SeasonedError):
    """The thing is not as the caller saw it: read it again before changing it."""


class ConfigError(SeasonedError):
    """A setting is unknown, malformed or out of range."""


class VaultLocked(ConfigError):
    """A setting is in the vault, which is not open."""


class VaultError(SeasonedError):
    """The vault's file cannot be used."""


class WrongPassphrase(VaultError):
    """The passphrase does not open the vault."""


class Unsupported(SeasonedError):
    """This database, or this installation, cannot do that."""


class MissingExtra(Unsupported):
    """An optional part is not installed; the message has the command that installs it."""


class Unreachable(SeasonedError):
    """A web page cannot be fetched; a later try may work."""


class EmbedderError(SeasonedError):
    """An embedder gave no usable vectors; trying again does not help."""


class EmbedderUnavailable(EmbedderError):
    """The embedder cannot be reached, or is busy; a later try may work."""


class ModelError(SeasonedError):
    """A language model gave no usable answer, for so many input and output tokens."""

    def __init__(self, message: str, input_tokens: int = 0, output_tokens: int = 0) -> None:
        super().__init__(message)
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens


class ModelUnavailable(ModelError):
    """The model cannot be reached, or is busy; a later try may work."""


class PromptTooLong(ModelError):
    """The prompt does not fit into the model's context; a shorter one may."""


class TurnFailed(SeasonedError):
    """An agent's turn ended without an answer."""


class BudgetSpent(SeasonedError):
    """Today's budget for models is used up."""


class NotifierError(SeasonedError):
    """A notice could not be delivered."""


class DatabaseError(SeasonedError):
    """The database refused."""


class DatabaseBusy(DatabaseError):
    """Another process holds the database; nothing was changed."""


class DatabaseConflict(DatabaseBusy):
    """Two writers collided; nothing was changed, and trying again may work."""


class DatabaseUnavailable(DatabaseError):
    """The database cannot be reached or opened."""


class DatabaseDamaged(DatabaseError):
    """The file is not a Seasoned database, or it is corrupt."""
