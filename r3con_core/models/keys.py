"""Keys of endpoints: from the environment, or from a file of the user's that only the user may read. Never in a project."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from r3con_core.errors import StoreError
from r3con_core.models.endpoint import host_of

FILE = "keys.json"
_WELL_KNOWN = {"api.openai.com": "OPENAI_API_KEY", "openrouter.ai": "OPENROUTER_API_KEY"}


def find_key(base_url: str, home: Path, environ: Mapping[str, str]) -> str:
    """The key for the endpoint at `base_url`; empty when none is known.

    `R3CON_API_KEY` first, then the variable its provider documents, for that provider's host only, then the kept one.
    Raises StoreError when the file of kept ones is damaged.
    """
    host = host_of(base_url)
    variable = _WELL_KNOWN.get(host, "")
    return environ.get("R3CON_API_KEY", "") or environ.get(variable, "") or _kept(home).get(host, "")


def keep_key(base_url: str, key: str, home: Path) -> None:
    """Remember `key` for the endpoint's host, in a file readable by its owner alone."""
    _write(home, {**_kept(home), host_of(base_url): key.strip()})


def forget_key(base_url: str, home: Path) -> None:
    """Forget the key kept for the endpoint's host."""
    _write(home, {host: key for host, key in _kept(home).items() if host != host_of(base_url)})


def _kept(home: Path) -> dict[str, str]:
    path = home / FILE
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise StoreError(f"The file of keys {path} cannot be read. Remove it and enter the keys again.") from fault
    return {str(host): str(key) for host, key in found.items()} if isinstance(found, dict) else {}


def _write(home: Path, keys: Mapping[str, str]) -> None:
    path, fresh = home / FILE, home / f"{FILE}.new"
    try:
        home.mkdir(parents=True, exist_ok=True)
        fresh.unlink(missing_ok=True)
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123 - created with its mode, so that nobody else can read it even for a moment
            json.dump(dict(keys), file, indent=1)
        fresh.replace(path)
    except OSError as fault:
        raise StoreError(f"The key cannot be kept in {path} ({fault.strerror}). Check that folder's permissions.") from fault
