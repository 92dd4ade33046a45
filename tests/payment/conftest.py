"""The x402 package is loaded as the product loads it, also where tests use it by themselves."""

from importlib import import_module

import pytest

from seasoned.payment.quiet_import import quiet_import


@pytest.fixture(scope="session", autouse=True)
def loaded_quietly() -> None:
    with quiet_import():
        import_module("eth_account")
