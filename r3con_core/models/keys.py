"""Keys of model endpoints: from the environment, else from one file only its owner can read; never in a project.

keys.json    {"host": "key"}, mode 0600, in the home folder
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from r3con_core.errors import EndpointError

ANY_KEY = "R3CON_API_KEY"
_OF_HOST = {"api.openai.com": "OPENAI_API_KEY", "openrouter.ai": "OPENROUTER_API_KEY"}
"""Other programs' variables are read only for the hosts they are meant for, so that no key reaches a stranger."""


def find_key(base_url: str, home: Path, environ: Mapping[str, str]) -> str:
    """The key for the endpoint at `base_url`, or "" where none is known.

    R3CON_API_KEY comes first, then the provider's own variable, then the kept one.
    """
    host = _host(base_url)
    named = (ANY_KEY, _OF_HOST.get(host, ""))
    from_environment = next((environ[name] for name in named if environ.get(name, "").strip()), "")
    return (from_environment or _kept(home).get(host, "")).strip()


def keep_key(base_url: str, key: str, home: Path) -> None:
    """Keep `key` for every address on the host of `base_url`; EndpointError when it cannot be written."""
    _write({**_kept(home), _host(base_url): key.strip()}, home)


def forget_key(base_url: str, home: Path) -> None:
    """Forget the key kept for the host of `base_url`, if any."""
    kept = _kept(home)
    if kept.pop(_host(base_url), None) is not None:
        _write(kept, home)


def _host(base_url: str) -> str:
    """Host, and port where one is written: two servers on one computer may want two keys."""
    parts = urlsplit(base_url if "://" in base_url else f"//{base_url}")
    return parts.netloc.rpartition("@")[2].lower()


def _kept(home: Path) -> dict[str, str]:
    path = home / "keys.json"
    if not path.exists():
        return {}
    try:
        kept = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as fault:
        raise EndpointError(f"The file of keys, {path}, cannot be read. Delete it and enter the keys again.") from fault
    return {str(host): str(key) for host, key in kept.items()} if isinstance(kept, dict) else {}


def _write(kept: Mapping[str, str], home: Path) -> None:
    path, fresh = home / "keys.json", home / f".keys-{os.getpid()}.json"
    try:
        home.mkdir(parents=True, exist_ok=True)
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(dict(kept), file, indent=1)
        fresh.replace(path)
    except OSError as fault:
        raise EndpointError(f"The key cannot be kept in {path} ({fault.strerror}). Check its permissions.") from fault
