"""Where a person's work is kept, and what of this computer and its network a team may use.

The app of a team has a variable of its environment set, which its worker processes inherit; without it, nothing here
refuses anything.
"""

import hashlib
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from r3con_core.egress import PORTS
from r3con_core.errors import CorpusError, EndpointError
from r3con_core.shipped import shipped
from r3con_core.team.settings import Team, load_team

TEAM_VARIABLE = "R3CON_TEAM"
"""The team file that the app was opened with."""
_OTHER = re.compile(r"[^a-z0-9]+")


def team_here(environ: Mapping[str, str] | None = None) -> Team | None:
    """The team that this process serves; None for a single person. TeamError when its file cannot be used."""
    environ = os.environ if environ is None else environ
    file = environ.get(TEAM_VARIABLE)
    return _loaded(Path(file)) if file else None


@lru_cache(maxsize=4)
def _loaded(file: Path) -> Team:
    """As it was at the first look: a change takes effect when the app is started again."""
    return load_team(file)


def home_of(identity: str, name: str) -> str:
    """The name of a person's folder: readable, and another one for each identity."""
    digest = _digest(identity)
    readable = _OTHER.sub("-", name.casefold()).strip("-")[:40].strip("-")
    return f"{readable}-{digest}" if readable else digest


def earlier_home(homes: Path, identity: str) -> str:
    """The name of the folder in `homes` that a person had when they were called otherwise, or as now; "" if none."""
    return next((found.name for found in sorted(homes.glob(f"*{_digest(identity)}"))), "")


def _digest(identity: str) -> str:
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def check_folder(path: Path) -> None:
    """CorpusError for a path of this computer that the team may not read; links are followed first.

    The sample corpora may always be read.
    """
    team = team_here()
    if team is None:
        return
    real = path.resolve()
    if not any(real.is_relative_to(folder.resolve()) for folder in (*team.folders, shipped("sample_corpora"))):
        allowed = ", ".join(str(folder) for folder in team.folders)
        raise CorpusError(
            f"This path is not among the folders that may be read here: {allowed}."
            if allowed
            else "On this server no folder may be read by its path. Upload the files, or ask whoever runs the server."
        )


def check_address(base_url: str) -> None:
    """EndpointError for a model server that the team may not use; "embedded" always may be."""
    team = team_here()
    if team is None or base_url == "embedded":
        return
    if _place(base_url) not in {_place(allowed) for allowed in team.models}:
        raise EndpointError(
            "This address is not among the model servers that may be used here. Ask whoever runs this server to add it."
        )


def _place(base_url: str) -> tuple[str, str, int | None, str]:
    """Scheme, host, port and path, so that two ways to write one address are the same; none can be read two ways."""
    parts = urlsplit(base_url.strip())
    if parts.username is not None or parts.query or parts.fragment or "\\" in base_url:
        return ("", base_url, None, "")
    try:
        port = parts.port or PORTS.get(parts.scheme)
    except ValueError:
        return ("", base_url, None, "")
    return (parts.scheme, parts.hostname or "", port, parts.path.rstrip("/") or "/v1")
