"""Who is signed in: random tokens, kept here only as hashes and only in memory, so that a restart signs all out."""

import asyncio
import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from r3con_core.team import home_of

MOST_PER_PERSON = 20
"""Browsers signed in at once; one more ends the one unused longest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Someone who has proved who they are."""

    identity: str
    name: str
    """As it is shown and written beside their changes."""
    stamp: str = ""
    """Of their password; when that is another one, they are signed in no more."""
    earlier: str = ""
    """The folder they have already; the issuer may call them otherwise by now."""

    @property
    def folder(self) -> str:
        """Of their own work."""
        return self.earlier or home_of(self.identity, self.name)


@dataclass(slots=True, kw_only=True)
class Login:
    """One browser of one person."""

    person: Person
    number: str
    """Public and unguessable: what pages and tokens are bound to. It opens nothing."""
    begun: float
    seen: float
    """Seconds by the clock of `Logins`."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    form: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    """What a form of this login must carry."""
    made: dict[str, None] = field(default_factory=dict)
    """Addresses of files that were made because a page of this login asked for them, the newest last."""


class Logins:
    """All who are signed in. Used from the event loop only."""

    def __init__(
        self, *, idle: float, longest: float, clock: Callable[[], float], admitted: Callable[[Person], bool]
    ) -> None:
        """`idle`, `longest`: seconds. `admitted`: whether someone may still be in."""
        self._idle, self._longest, self._clock, self._admitted = idle, longest, clock, admitted
        self._logins: dict[str, Login] = {}

    def begin(self, person: Person) -> tuple[str, Login]:
        """Sign someone in: the token that proves it, always a new one, and what is known here."""
        self._end_all_but(person, MOST_PER_PERSON - 1)
        token, now = secrets.token_urlsafe(32), self._clock()
        login = Login(person=person, number=secrets.token_urlsafe(16), begun=now, seen=now)
        self._logins[_hash(token)] = login
        return token, login

    def find(self, token: str) -> Login | None:
        """Who sent this token, if they are still signed in."""
        login = self._logins.get(_hash(token)) if token else None
        return login if login is not None and self.lives(login) else None

    def lives(self, login: Login) -> bool:
        """Whether it still is; one whose time is over, or whose person may be in no more, ends here."""
        if login.ended.is_set():
            return False
        now = self._clock()
        over = now - login.seen > self._idle or now - login.begun > self._longest
        if over or not self._admitted(login.person):
            self.end(login)
            return False
        return True

    def used(self, login: Login) -> None:
        """Someone did something, so the idle time begins anew."""
        login.seen = self._clock()

    def end(self, login: Login) -> None:
        """Sign it out; its open pages are told."""
        login.ended.set()
        self._logins = {token: other for token, other in self._logins.items() if other is not login}

    def _end_all_but(self, person: Person, most: int) -> None:
        theirs = [login for login in list(self._logins.values()) if login.person.identity == person.identity]
        theirs = sorted((login for login in theirs if self.lives(login)), key=lambda login: login.seen)
        for login in theirs[: max(0, len(theirs) - most)]:
            self.end(login)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
