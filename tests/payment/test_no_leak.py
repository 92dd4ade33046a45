"""The private key is nowhere but in the setting, and a signed payment only where it is needed."""

import asyncio
import base64
import gzip
import logging
import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import pytest
from tests.payment.market import Market
from tests.payment.paying_process import demand
from tests.payment.test_market import Line, read

from seasoned import Seasoned
from seasoned.app.backup import backup
from seasoned.core.errors import BadInput, ConfigError
from seasoned.payment.demand import Demand
from seasoned.payment.signing import Wallet

KEY = "5e7ab1ec" * 8
COMMANDS = (
    ("config", "show"),
    ("config", "show", "--json"),
    ("payments", "list", "--json"),
    ("payments", "status"),
    ("audit", "verify"),
    ("backup", "made.tar.gz"),
)


def shapes(key: str) -> list[bytes]:
    """All the ways in which a key may be written."""
    raw = bytes.fromhex(key)
    coded = base64.b64encode(raw).rstrip(b"=")
    words = [key[:32], key.upper()[:32], str(int(key, 16)), repr(raw)[2:40]]
    return [*(word.encode() for word in words), raw, coded, base64.urlsafe_b64encode(raw)[:40]]


def test_the_key_is_nowhere_and_the_signed_payment_only_in_the_ledger(
    home: Path,
    tmp_path: Path,
    market: Market,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    for name, value in (("ENABLED", "true"), ("KEY", f"0x{KEY}"), ("RPC_URL", market.node)):
        monkeypatch.setenv(f"SEASONED_PAYMENT__{name}", value)
    with Seasoned(home / "seasoned.db") as s:
        paying, line = s.inner.app.payments, Line(market)
        told = [read(paying, line)]
        assert "the news" in told[0]
        market.status = 500
        told.append(read(paying, line, "http://shop.example/other"))
        assert "may have been taken" in told[1]
        made = asyncio.run(paying.list(10))
        told += [repr(made), repr(paying.wallet), repr(s.inner.app.config), _failure(paying)]
        path = s.inner.app.db.run(backup(s.inner.app, tmp_path / "all.tar.gz")).path
    logging_all = tmp_path / "logging_all"
    logging_all.mkdir()
    (logging_all / "sitecustomize.py").write_text(
        "import logging\nlogging.basicConfig(level=logging.DEBUG)\nlogging.debug('all is logged')\n"
    )
    for command in COMMANDS:
        done = subprocess.run(
            [sys.executable, "-m", "seasoned", *command, "--debug"],
            env={**os.environ, "PYTHONPATH": str(logging_all)},
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, (command, done.stderr)
        assert b"DEBUG:" in done.stderr, command
        told.append((done.stdout + done.stderr).decode())
    assert [one.name for one in caplog.records if one.name.startswith(("httpx", "asyncio"))]
    spoken = ("\n".join(told) + caplog.text).encode()
    kept = b"".join(one.read_bytes() for one in home.rglob("*") if one.is_file())
    with gzip.open(path) as packed:
        kept += packed.read()
    for shape in shapes(KEY):
        assert shape not in spoken + kept
    for payment in made:
        assert payment.header.encode() not in spoken
        assert payment.header.encode() in kept  # so the scan does find what is there


def _failure(paying: Any) -> str:
    """Return the whole traceback of a payment that cannot be signed."""

    async def yes(wanted: Demand, warning: str) -> None:
        """Say yes."""

    strange = demand(5, pay_to="nowhere")
    with pytest.raises(BadInput, match="could not be signed") as failed:
        asyncio.run(paying.pay(strange, "http://x.example/", "r", "t", yes))
    return "".join(traceback.format_exception(failed.value))


@pytest.mark.parametrize("key", [KEY[:-2], f"0x{KEY}ff", f"{KEY[:-1]}z", "0x" + "00" * 32])
def test_a_key_that_is_none_is_not_repeated_in_the_error(key: str) -> None:
    with pytest.raises(ConfigError, match="not a private key") as failed:
        Wallet(key)
    told = "".join(traceback.format_exception(failed.value))
    assert key[2:34] not in told
    assert failed.value.__context__ is None
