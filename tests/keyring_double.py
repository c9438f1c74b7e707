"""A keyring in memory, in the place of the operating system's."""

from dataclasses import dataclass, field

from r3con_core.models.keyrings import Keyring


@dataclass(slots=True)
class Kept:
    """What it keeps, by service and name; it may be locked, or lose what it is given."""

    passwords: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)
    locked: bool = False
    forgets: bool = False
    asked: int = 0

    def get_password(self, service: str, username: str, /) -> str | None:
        self.asked += 1
        if self.locked:
            raise PermissionError(service)
        return self.passwords.get((service, username))

    def set_password(self, service: str, username: str, password: str, /) -> None:
        if self.locked:
            raise PermissionError(password)
        if not self.forgets:
            self.passwords[service, username] = password

    def delete_password(self, service: str, username: str, /) -> None:
        del self.passwords[service, username]


def keyring_of(kept: Kept) -> Keyring:
    """The keyring that keeps it."""
    return Keyring(name="KWallet", backend=kept)
