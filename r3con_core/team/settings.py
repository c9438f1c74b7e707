"""What an operator states in a TOML file to open the app to a team. Anything unclear in it is refused."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from r3con_core.egress import PORTS, address_of
from r3con_core.errors import TeamError

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Oidc:
    """Who says who a person is, by OpenID Connect."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    issuer: str
    """Its address; what it tells of itself is at /.well-known/openid-configuration there."""
    client_id: str
    secret_env: str = ""
    """Environment variable with the client's secret; "" for a client without one."""
    allowed: tuple[str, ...]
    """Mail addresses that may enter, and "@example.org" for all of a domain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """How the app is reached, who may enter, what they may use."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    url: str
    """What people type, such as https://r3con.example.org; the only host and origin that is answered."""
    address: str = "127.0.0.1"
    """Of this computer, to listen on."""
    port: int = 8501
    proxies: tuple[str, ...] = ()
    """IP addresses of the proxies in front, which encrypt; only they are believed about who asks and how."""
    certificate: Path | None = None
    key: Path | None = None
    """Files in PEM form, where no proxy encrypts."""
    folders: tuple[Path, ...] = ()
    """Of this computer, that people may read documents from by path."""
    models: tuple[str, ...] = ()
    """Addresses of model servers that people may use."""
    idle_minutes: int = 60
    longest_hours: int = 12
    """After so long, without use or in all, a person signs in again."""
    oidc: Oidc | None = None
    """None: by name and password."""

    @property
    def encrypted(self) -> bool:
        """Whether people reach it over HTTPS."""
        return urlsplit(self.url).scheme == "https"

    @property
    def origin(self) -> str:
        """The address as browsers write it: in small letters, without a usual port."""
        parts = urlsplit(self.url)
        port = f":{parts.port}" if parts.port not in (None, PORTS.get(parts.scheme)) else ""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"{parts.scheme}://{name}{port}"

    @property
    def host(self) -> str:
        """The host that people type, without a port."""
        return urlsplit(self.url).hostname or ""

    def may_enter(self, address: str) -> bool:
        """Whether this mail address, as its issuer vouches for it, is let in."""
        mail = address.casefold()
        allowed = {entry.casefold() for entry in self.oidc.allowed} if self.oidc else set()
        return mail.count("@") == 1 and (mail in allowed or f"@{mail.partition('@')[2]}" in allowed)


def load_team(file: Path) -> Team:
    """The settings in `file`. TeamError when it cannot be read, or states something that is not safe."""
    from pydantic import TypeAdapter, ValidationError

    try:
        team = TypeAdapter(Team).validate_python(tomllib.loads(file.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TeamError(f"The team file {file} cannot be read: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise TeamError(f"In the team file {file}, {'.'.join(map(str, first['loc']))}: {first['msg']}.") from error
    _check_reach(team)
    _check_rest(team)
    return team


def is_loopback(address: str) -> bool:
    """Whether an address or host name is this computer's own."""
    if address in LOOPBACK_NAMES:
        return True
    found = address_of(address)
    return found is not None and found.is_loopback


def _check_reach(team: Team) -> None:
    """TeamError for a way to reach the app on which others could listen."""
    url = urlsplit(team.url)
    if url.scheme not in ("http", "https") or not url.hostname or url.username is not None:
        raise TeamError(f"url = {team.url!r} is no address. Write it as people type it: https://r3con.example.org")
    _check_port(url.netloc, team)
    if url.path or url.query or url.fragment:
        raise TeamError("url must end with the host name or the port: the app answers at the root of its host only.")
    if (team.certificate is None) != (team.key is None):
        raise TeamError("certificate and key are files that belong together: give both or none.")
    if not team.encrypted and not (is_loopback(url.hostname) and is_loopback(team.address)):
        raise TeamError(
            "url must begin with https://: over plain http, others on the way read passwords and documents."
        )
    if team.encrypted and not team.certificate and not team.proxies:
        raise TeamError(
            "Nothing encrypts. Give certificate and key, or state in proxies = [...] the IP address of the proxy "
            "in front that does."
        )


def _check_port(netloc: str, team: Team) -> None:
    try:
        _ = team.origin
    except ValueError as error:
        raise TeamError(f"url: {netloc!r} has a port that cannot be one.") from error
    if not 1 <= team.port <= 65_535:
        raise TeamError("port is a number from 1 to 65535.")


def _check_rest(team: Team) -> None:
    for proxy in team.proxies:
        if address_of(proxy) is None:
            raise TeamError(f"proxies: {proxy!r} is no IP address.")
    if team.idle_minutes < 1 or team.longest_hours < 1:
        raise TeamError("idle_minutes and longest_hours must be 1 or more.")
    if not all(folder.is_absolute() for folder in team.folders):
        raise TeamError("folders must be absolute paths.")
    if team.oidc is not None:
        _check_oidc(team.oidc)


def _check_oidc(oidc: Oidc) -> None:
    issuer = urlsplit(oidc.issuer)
    if issuer.scheme != "https" and not is_loopback(issuer.hostname or ""):
        raise TeamError("oidc.issuer must begin with https://.")
    if not oidc.allowed:
        raise TeamError('oidc.allowed is empty, so nobody could enter. Name addresses, or a domain as "@example.org".')
    if not all("@" in entry for entry in oidc.allowed):
        raise TeamError('oidc.allowed holds mail addresses and domains written as "@example.org".')
