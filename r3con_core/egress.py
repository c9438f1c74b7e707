"""Where this process may connect to: nowhere, but for the places that were admitted to it.

`install` is called once at the start of each of our processes, and cannot be undone. From then on Python's audit hook
refuses every connection, datagram and look-up of a name that is not for an admitted place; the few that open one say so
with `reaching`. Code in C that opens connections by itself is not seen: processes that read strangers' files with such
code have the system's walls besides (`readers.isolation`), and so has generated code (`sandbox`).
"""

import ipaddress
import socket
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from r3con_core.errors import EgressError

PORTS = {"http": 80, "https": 443}
"""Where each kind of web address is served when it names no port."""
_OWN_NAMES = ("", "localhost")
"""Names that no network is asked for; servers look them up to listen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Somewhere a connection may lead."""

    host: str
    """A name or an address, in small letters."""
    port: int


def place_of(url: str) -> Place:
    """The place that a web address is served at; EgressError when it is none."""
    parts = urlsplit(url)
    try:
        port = parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:
        port = 0
    if not parts.hostname or not port:
        raise EgressError(url)
    return Place(host=_plain_host(parts.hostname), port=port)


class _Admitted:
    """The places of this process, counted, so that two who reach one place do not take it from each other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: Counter[Place] = Counter()
        self._found: dict[str, set[str]] = {}
        """Admitted name -> the addresses its look-ups gave, for as long as it is admitted."""

    def add(self, places: Iterable[Place]) -> None:
        with self._lock:
            self._places.update(places)

    def remove(self, places: Iterable[Place]) -> None:
        with self._lock:
            self._places -= Counter(places)
            names = {place.host for place in self._places}
            self._found = {name: found for name, found in self._found.items() if name in names}

    def is_name(self, name: str) -> bool:
        with self._lock:
            return any(place.host == name for place in self._places)

    def note(self, name: str, addresses: Iterable[str]) -> None:
        with self._lock:
            if any(place.host == name for place in self._places):
                self._found.setdefault(name, set()).update(addresses)

    def is_open(self, address: str, port: int) -> bool:
        with self._lock:
            return any(
                place.port == port and (place.host == address or address in self._found.get(place.host, ()))
                for place in self._places
            )


_admitted = _Admitted()
"""Of this process, as the audit hook is, which no caller can pass anything to."""
_installed = threading.Lock()
"""Held for ever once the hook is there."""


def admit(*places: Place) -> None:
    """Let this process connect to `places` for as long as it lives."""
    _admitted.add(places)


@contextmanager
def reaching(*places: Place) -> Iterator[None]:
    """Let this process connect to `places` while the block runs; a connection made in it lives on if it is kept."""
    _admitted.add(places)
    try:
        yield
    finally:
        _admitted.remove(places)


def install() -> None:
    """Refuse, from now on and for ever, every connection of this process that was not admitted."""
    if not _installed.acquire(blocking=False):
        return
    resolve = socket.getaddrinfo

    def noting(host: Any, *more: Any, **named: Any) -> Any:
        """As `socket.getaddrinfo`; what an admitted name leads to is noted, so that it can be connected to."""
        found = resolve(host, *more, **named)
        _admitted.note(_plain_host(host), (_plain_host(entry[4][0]) for entry in found))
        return found

    socket.getaddrinfo = noting
    sys.addaudithook(_audit)


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event.startswith("socket."):
        check = _CHECKS.get(event)
        if check is not None:
            check(arguments)


def _check_connection(arguments: tuple[Any, ...]) -> None:
    connection, address = arguments
    if connection.family in _AMONG_PROCESSES or address is None:
        return  # a datagram without an address goes where its socket was connected to before
    if connection.family not in (socket.AF_INET, socket.AF_INET6) or not isinstance(address, tuple):
        raise EgressError(str(address))
    host, port = _plain_host(address[0]), int(address[1])
    if _is_own_pair(host) or _admitted.is_open(host, port):
        return
    raise EgressError(f"{host}:{port}")


def _check_name(arguments: tuple[Any, ...]) -> None:
    name = _plain_host(arguments[0])
    if name not in _OWN_NAMES and address_of(name) is None and not _admitted.is_name(name):
        raise EgressError(name)


def _check_address(arguments: tuple[Any, ...]) -> None:
    """A look-up of the name of an address asks the network too."""
    address = arguments[0][0] if isinstance(arguments[0], tuple) else arguments[0]
    raise EgressError(_plain_host(address))


_CHECKS = {
    "socket.connect": _check_connection,
    "socket.sendto": _check_connection,
    "socket.sendmsg": _check_connection,
    "socket.getaddrinfo": _check_name,
    "socket.gethostbyname": _check_name,
    "socket.gethostbyaddr": _check_address,
    "socket.getnameinfo": _check_address,
}
_AMONG_PROCESSES = frozenset(
    getattr(socket, name) for name in ("AF_UNIX", "AF_NETLINK", "AF_ALG") if hasattr(socket, name)
)
"""Families of sockets that lead to no network."""


def _plain_host(host: object) -> str:
    """A name or an address as it is compared: in small letters, without zone, brackets or the point at its end."""
    text = host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host or "")
    text = text.strip("[]").partition("%")[0].rstrip(".").lower()
    address = address_of(text)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return text if address is None else str(mapped or address)


def address_of(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that `host` is; None when it is a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_own_pair(host: str) -> bool:
    """Windows has no pair of sockets of its own: Python makes one over the loopback address, for each event loop."""
    address = address_of(host) if sys.platform == "win32" else None
    return address is not None and address.is_loopback


def proxy_for(url: str, environ: Mapping[str, str]) -> str:
    """The proxy that the environment names for a web address on the internet, as a web address; "" for none.

    Only an encrypted connection is led through one: a proxy could read all that passes it otherwise. NO_PROXY counts.
    """
    parts = urlsplit(url)
    named = {name.lower(): value.strip() for name, value in environ.items() if value.strip()}
    proxy = named.get("https_proxy") or named.get("all_proxy") or ""
    if parts.scheme != "https" or not proxy or _is_passed_by(parts.hostname or "", named.get("no_proxy", "")):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


def _is_passed_by(host: str, no_proxy: str) -> bool:
    entries = [entry.strip().lower().removeprefix("*").lstrip(".") for entry in no_proxy.split(",")]
    return "*" in no_proxy.split(",") or any(host == one or host.endswith(f".{one}") for one in entries if one)
