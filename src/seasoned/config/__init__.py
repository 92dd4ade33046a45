"""The settings of an installation, and where each of them comes from."""

from seasoned.config.loading import (
    Configuration,
    camel,
    environment,
    load,
    system_user,
)

__all__ = ["Configuration", "camel", "environment", "load", "system_user"]
