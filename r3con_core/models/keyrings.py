"""The operating system's keyring, where there is one: the only place in which keys outlive a session."""

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from r3con_core.errors import EndpointError
from r3con_core.home import is_shared

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

_OF_THE_SYSTEM = {
    "keyring.backends.macOS": "the macOS Keychain",
    "keyring.backends.Windows": "the Windows Credential Manager",
    "keyring.backends.SecretService": "this computer's keyring (Secret Service)",
    "keyring.backends.libsecret": "this computer's keyring (libsecret)",
    "keyring.backends.kwallet": "KWallet",
}
"""What counts, and what it is called. Others write keys to files, readable or under a password of their own."""
_SECONDS = 30.0
"""A keyring may ask its owner to unlock it; where nobody can answer, it would be waited for without end."""
MOST_LETTERS = 1000
"""The Windows Credential Manager takes 2,560 bytes in two bytes a letter."""

Given = TypeVar("Given")


class Backend(Protocol):
    """What is asked of a keyring."""

    def get_password(self, service: str, username: str, /) -> str | None: ...
    def set_password(self, service: str, username: str, password: str, /) -> None: ...
    def delete_password(self, service: str, username: str, /) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NoKeyring:
    """No keyring can be used here."""

    why: str
    """In a sentence or two, with what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyring:
    """The system's keyring; keys are told apart by the home they belong to, and by their place."""

    name: str
    """In words, for the middle of a sentence."""
    backend: Backend = field(repr=False)
    shut: threading.Event = field(default_factory=threading.Event, repr=False)
    """It stayed locked or silent, and is not asked again before its owner wants to keep something there."""

    def get(self, home: Path, place: str) -> str:
        """The key kept for `place`, "" where none is, or where the keyring stays locked."""
        if self.shut.is_set():
            return ""
        try:
            return _in_time(lambda: self.backend.get_password(_service(home), place)) or ""
        except EndpointError:
            self.shut.set()
            return ""

    def keep(self, home: Path, place: str, key: str) -> None:
        """Keep `key`, and make sure that it can be found again. EndpointError when it cannot be kept."""
        if len(key) > MOST_LETTERS:
            raise EndpointError(f"The key is longer than {MOST_LETTERS:,} letters, which not every keyring keeps.")
        self.shut.clear()
        _in_time(lambda: self.backend.set_password(_service(home), place, key))
        if self.get(home, place) != key:
            raise EndpointError(f"The key was not kept: {self.name} does not give it back. Is it locked?")

    def forget(self, home: Path, place: str) -> None:
        """Forget the key kept for `place`, if any. EndpointError when it cannot be forgotten."""
        if self.get(home, place):
            _in_time(lambda: self.backend.delete_password(_service(home), place))


@lru_cache(maxsize=1)
def find_keyring() -> Keyring | NoKeyring:
    """The system's keyring, or why there is none; looked for once. That of an operator is not for a team."""
    if is_shared():
        return NoKeyring(why="This app serves a team, and the keyring here is its operator's.")
    try:
        import keyring
        from keyring.backends.chainer import ChainerBackend
    except ImportError:
        return NoKeyring(
            why="The package for the system's keyring is not installed. Install it with: "
            f"{sys.executable} -m pip install 'r3con-analyst[keyring]'"
        )
    try:
        chosen = _in_time(keyring.get_keyring)
        offered = list(_in_time(lambda: chosen.backends)) if isinstance(chosen, ChainerBackend) else [chosen]
    except EndpointError as fault:
        return NoKeyring(why=str(fault))
    return choose_keyring(offered)


def choose_keyring(offered: "list[KeyringBackend]") -> Keyring | NoKeyring:
    """The first of them that is the operating system's own."""
    for backend in offered:
        name = _OF_THE_SYSTEM.get(type(backend).__module__)
        if name is not None:
            return Keyring(name=name, backend=backend)
    return NoKeyring(why=f"This computer has no keyring that is unlocked with you{_HINTS.get(sys.platform, '')}.")


def keyring_finding() -> tuple[bool, str]:
    """Whether keys can be remembered here, for `r3con doctor`; it is no problem when they cannot."""
    found = find_keyring()
    if isinstance(found, Keyring):
        return True, f"Keys can be remembered in {found.name}; they are in no file of this product."
    return True, f"Keys come from the environment or are typed; they cannot be remembered. {found.why}"


_HINTS = {"linux": ": no Secret Service, such as GNOME Keyring or KWallet, runs in this session"}


def _service(home: Path) -> str:
    return f"R3Con Analyst {home.expanduser().absolute()}"


def _in_time(call: Callable[[], Given]) -> Given:
    """What `call` gives; EndpointError when it fails or does not end in time. It is the system that is asked."""
    answers: list[Given] = []
    faults: list[str] = []

    def ask() -> None:
        try:
            answers.append(call())
        except Exception as fault:  # noqa: BLE001 - each keyring has errors of its own; their words could hold a key
            faults.append(type(fault).__name__)

    thread = threading.Thread(target=ask, name="keyring", daemon=True)
    thread.start()
    thread.join(_SECONDS)
    if answers:
        return answers[0]
    said = f"refused ({faults[0]})" if faults else f"gave no answer within {_SECONDS:.0f} seconds"
    raise EndpointError(f"This computer's keyring {said}. Unlock it and try again, or use the key for this session.")
