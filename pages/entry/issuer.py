"""The ways to the issuer and back that are under way, and the requests to the issuer itself."""

import hashlib
import os
import secrets
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from pages.entry.logins import Person
from r3con_core.egress import Place, reaching
from r3con_core.errors import EgressError, TeamError
from r3con_core.team import Team
from r3con_core.team.oidc import Begun, begin, find_issuer, way_back, way_there

_SECONDS = 600.0
"""For signing in at the issuer."""
_MOST = 1_000
"""Ways begun and not ended; beyond, the oldest is forgotten."""
_LARGEST = 1_000_000
"""Bytes of an answer of the issuer."""


class Issuers:
    """Sends people to the team's issuer, and tells who came back. Each way is good once."""

    def __init__(self, team: Team, clock: Callable[[], float]) -> None:
        self._team, self._clock = team, clock
        self._begun: dict[str, tuple[float, Begun]] = {}

    def begin(self, after: str) -> tuple[str, str]:
        """What the browser is to keep in a cookie, and the address to send it to. TeamError when there is no issuer."""
        if self._team.oidc is None:
            raise TeamError("Here people sign in with name and password.")
        way, begun = secrets.token_urlsafe(32), begin(after)
        address = way_there(self._team, find_issuer(self._team.oidc, ask), begun)
        self._begun[_hash(way)] = (self._clock(), begun)
        while len(self._begun) > _MOST:
            self._begun.pop(next(iter(self._begun)), None)
        return way, address

    def finish(self, way: str, told: Mapping[str, str]) -> tuple[Person, str]:
        """Who came back, and where they wanted to go. TeamError when it is not the browser that was sent."""
        at, begun = self._begun.pop(_hash(way), (0.0, None))
        if begun is None or self._team.oidc is None or self._clock() - at > _SECONDS:
            raise TeamError("This sign-in was not begun here, or too long ago. Begin again.")
        secret = os.environ.get(self._team.oidc.secret_env, "") if self._team.oidc.secret_env else ""
        found = way_back(self._team, begun, told, secret, ask)
        return Person(identity=found.identity, name=found.name), begun.after


def ask(address: str, form: Mapping[str, str] | None) -> bytes:
    """The issuer's answer; TeamError when there is none. No redirect is followed."""
    import httpx2

    try:
        with reaching(_place(address)):
            return _asked(address, form)
    except (httpx2.HTTPError, EgressError, OSError) as error:
        raise TeamError("The issuer cannot be reached. Try again, or ask whoever runs this server.") from error


def _place(address: str) -> Place:
    """Where it is served; OSError when nothing can be."""
    parts = urlsplit(address)
    try:
        return Place(host=(parts.hostname or "").lower(), port=parts.port or (443 if parts.scheme == "https" else 80))
    except ValueError as error:
        raise OSError(f"{address!r} has a port that cannot be one.") from error


def _asked(address: str, form: Mapping[str, str] | None) -> bytes:
    import httpx2

    with httpx2.Client(timeout=10, follow_redirects=False) as client:
        reply = client.get(address) if form is None else client.post(address, data=dict(form))
    if reply.status_code != 200 or len(reply.content) > _LARGEST:
        raise TeamError(f"The issuer answered {reply.status_code}. Begin again, or ask whoever runs this server.")
    return reply.content


def _hash(way: str) -> str:
    return hashlib.sha256(way.encode("utf-8", "surrogatepass")).hexdigest()
