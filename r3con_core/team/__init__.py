"""An app that an operator opens to a team: its settings, who may enter, and where each person's work is kept."""

from r3con_core.team.places import (
    TEAM_VARIABLE,
    check_address,
    check_folder,
    earlier_home,
    home_of,
    team_here,
)
from r3con_core.team.settings import Oidc, Team, load_team

__all__ = [
    "TEAM_VARIABLE",
    "Oidc",
    "Team",
    "check_address",
    "check_folder",
    "earlier_home",
    "home_of",
    "load_team",
    "team_here",
]
