"""Who has a password, as the file of users says now: it is looked at for each request, and read when it has changed."""

from pathlib import Path

from pages.entry.logins import Person
from r3con_core.errors import TeamError
from r3con_core.team.users import load_users, users_file


class Roll:
    """The stamps of all users."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._seen: tuple[int, ...] | None = None
        self._stamps: dict[str, str] = {}

    def has(self, person: Person) -> bool:
        """Whether the person still is a user, with the password they came in with. Nobody is when it cannot be read."""
        signature = self._signature()
        if signature != self._seen or not signature:
            self._seen, self._stamps = signature, self._read()
        return self._stamps.get(person.name) == person.stamp

    def _signature(self) -> tuple[int, ...]:
        try:
            found = users_file(self._home).stat()
        except OSError:
            return ()
        return (found.st_mtime_ns, found.st_size, found.st_ino)

    def _read(self) -> dict[str, str]:
        try:
            return {name: user.stamp for name, user in load_users(self._home).items()}
        except TeamError:
            return {}
