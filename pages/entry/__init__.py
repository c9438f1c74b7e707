"""Entering an app that is opened to a team: who is signed in, the page where that is done, and the gate before all else."""

from starlette.middleware import Middleware

from r3con_core.home import home_folder
from r3con_core.team import Team


def gate_of(team: Team | None) -> list[Middleware]:
    """The gate as an app takes it; none where the app is for a single person."""
    if team is None:
        return []
    from pages.entry.counter import Counter
    from pages.entry.gate import Gate

    return [Middleware(Gate, counter=Counter(team, home_folder()))]
