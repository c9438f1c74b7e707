"""`r3con user`: who may enter an app that is opened to a team, with a password."""

import argparse
import getpass
import os
import sys

from r3con_core.cli.commands import OK
from r3con_core.cli.screen import say, tell
from r3con_core.errors import TeamError
from r3con_core.home import home_folder
from r3con_core.team import earlier_home
from r3con_core.team.users import add_user, load_users, remove_user, set_password


def add(options: argparse.Namespace) -> int:
    """Let someone in from now on."""
    add_user(home_folder(), options.name, _password(options))
    tell(f"{options.name} may enter.")
    if left := earlier_home(home_folder() / "users", f"user {options.name}"):
        place = home_folder() / "users" / left
        tell(
            f"An earlier {options.name} left projects, which this one gets: {place}. Move them if it is another person."
        )
    return OK


def password(options: argparse.Namespace) -> int:
    """Give someone another password."""
    set_password(home_folder(), options.name, _password(options))
    tell(f"{options.name} has another password, and is signed out everywhere.")
    return OK


def remove(options: argparse.Namespace) -> int:
    """Let someone in no more."""
    remove_user(home_folder(), options.name)
    tell(f"{options.name} may not enter any more, and is signed out everywhere. Their projects stay on this computer.")
    return OK


def list_users(_options: argparse.Namespace) -> int:
    """Say who may enter."""
    for name in load_users(home_folder()):
        say(name)
    return OK


def _password(options: argparse.Namespace) -> str:
    """From the variable named, else from the terminal, twice; never from the arguments, which others can see."""
    if options.password_env:
        return os.environ.get(options.password_env, "")
    if not sys.stdin.isatty():
        raise TeamError("There is no terminal to ask for the password. Put it into a variable: --password-env VARIABLE")
    typed = getpass.getpass(f"Password for {options.name}: ")
    if getpass.getpass("Once more: ") != typed:
        raise TeamError("The two are not the same. Nothing was changed.")
    return typed
