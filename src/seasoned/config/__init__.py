"""The settings of an installation, and where each of them comes from."""

from seasoned.config.loading import (
    Configuration,
    environment,
    load,
    passphrase_at_hand,
    system_user,
)
from seasoned.config.validation import camel

__all__ = ["Configuration", "camel", "environment", "load", "passphrase_at_hand", "system_user"]
