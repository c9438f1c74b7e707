"""The people who may enter with a password: one file that only the operator can read, changed in one step.

    team/users.json    {"ann": {"password": "scrypt$...", "stamp": "..."}}, mode 0600, in the home folder

The stamp is another one after each change of a password, so that all who are signed in with the old one are not.
"""

import json
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from r3con_core.errors import TeamError
from r3con_core.team.passwords import fits, hash_password, no_password

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person with a password."""

    name: str
    password: str = field(repr=False)
    """As `hash_password` makes it."""
    stamp: str


def users_file(home: Path) -> Path:
    """Where they are kept; it need not exist."""
    return home / "team" / "users.json"


def load_users(home: Path) -> dict[str, User]:
    """All by name, in order. TeamError for a file that cannot be read: then nobody enters."""
    file = users_file(home)
    try:
        kept = json.loads(file.read_text("utf-8"))
        return {name: _user(name, one["password"], one["stamp"]) for name, one in kept.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise TeamError(
            f"The file of users, {file}, cannot be read. Restore it, or delete it and add them anew."
        ) from error


def _user(name: str, password: object, stamp: object) -> User:
    if not isinstance(password, str) or not isinstance(stamp, str):
        raise TypeError
    return User(name=name, password=password, stamp=stamp)


def add_user(home: Path, name: str, password: str) -> None:
    """Let someone in from now on; TeamError when there is one of that name, or it cannot be a name."""
    users = load_users(home)
    if not _NAME.fullmatch(name):
        raise TeamError("A name has 1 to 40 of the letters a-z, digits, dots, hyphens and underscores.")
    if name in users:
        raise TeamError(f"There is a user {name} already. To give another password: r3con user password {name}")
    _save(home, {**users, name: _made(name, password)})


def set_password(home: Path, name: str, password: str) -> None:
    """Give someone another password, which ends where they are signed in; TeamError when there is no such one."""
    users = load_users(home)
    _known(users, name)
    _save(home, {**users, name: _made(name, password)})


def remove_user(home: Path, name: str) -> None:
    """Let someone in no more, from this moment; their projects stay. TeamError when there is no such one."""
    users = load_users(home)
    _known(users, name)
    _save(home, {other: user for other, user in users.items() if other != name})


def check_password(home: Path, name: str, password: str) -> User | None:
    """The user of that name and password. It takes as long for a name that nobody has."""
    user = load_users(home).get(name)
    right = fits(password, user.password if user else no_password())
    return user if right else None


def _made(name: str, password: str) -> User:
    return User(name=name, password=hash_password(password), stamp=secrets.token_hex(8))


def _known(users: Mapping[str, User], name: str) -> None:
    if name not in users:
        raise TeamError(f"There is no user {name}. Those there are: {', '.join(users) or 'none'}.")


def _save(home: Path, users: Mapping[str, User]) -> None:
    file = users_file(home)
    fresh = file.with_name(f".users-{os.getpid()}.json")
    kept = {name: {"password": users[name].password, "stamp": users[name].stamp} for name in sorted(users)}
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            json.dump(kept, out, indent=1)
            out.flush()
            os.fsync(out.fileno())
        fresh.replace(file)
    except OSError as error:
        raise TeamError(f"{file} cannot be written: {error.strerror}. Check the folder and the disk.") from error
