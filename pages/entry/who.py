"""Who is asking, as the gate has said it in the headers of a request or of a page's connection."""

import re
from collections.abc import Mapping
from pathlib import Path

from pages.entry.stamp import HOME, LOGIN, NAME
from r3con_core.errors import TeamError
from r3con_core.home import home_folder
from r3con_core.team import team_here

_FOLDER = re.compile(r"[a-z0-9-]{16,60}")


def home_for(headers: Mapping[str, str]) -> Path:
    """The folder of all that is the asking person's. TeamError in a team's app when nobody is signed in."""
    if team_here() is None:
        return home_folder()
    folder = headers.get(HOME) or ""
    if not _FOLDER.fullmatch(folder):
        raise TeamError("Nobody is signed in. Reload the page.")
    return home_folder() / "users" / folder


def name_for(headers: Mapping[str, str]) -> str:
    """The asking person's name; "" in the app of a single person."""
    return (headers.get(NAME) or "") if team_here() is not None else ""


def login_for(headers: Mapping[str, str]) -> str:
    """The number of the login that asks; "" in the app of a single person."""
    return (headers.get(LOGIN) or "") if team_here() is not None else ""
