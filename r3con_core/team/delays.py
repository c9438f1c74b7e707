"""How long someone must wait before the next try at a password: longer after each failure, by name and by address."""

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass

_MOST_KEPT = 10_000
_FORGET = 3_600.0
"""Seconds without a try."""


@dataclass(slots=True)
class _Tries:
    failures: int = 0
    until: float = 0.0
    last: float = 0.0


def neighbourhood(address: str) -> str:
    """What tries from an address are counted under: of IPv6 its /64, all of which a single person usually has."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    return str(found.ipv4_mapped or ipaddress.IPv6Network((int(found) >> 64 << 64, 64)))


class Delays:
    """Waits by key, such as a name or an address. Each try counts as failed until it is said to be right.

    `free`: failures without a wait, since people mistype, and many may share an address. `longest`: seconds; for names
    it is short, since anybody can fail in another's name and so lock them out.
    """

    def __init__(self, *, free: int, longest: float, clock: Callable[[], float]) -> None:
        self._free, self._longest, self._clock = free, longest, clock
        self._tries: dict[str, _Tries] = {}

    def wait(self, key: str) -> float:
        """Seconds until `key` may try; 0 when it may now."""
        tries = self._tries.get(key)
        return max(0.0, tries.until - self._clock()) if tries else 0.0

    def failed(self, key: str) -> None:
        """Count a try, before its outcome is known, so that many at once do not pass under the limit."""
        now = self._clock()
        tries = self._tries.pop(key, _Tries())
        if now - tries.last > _FORGET:
            tries = _Tries()
        tries.failures, tries.last = tries.failures + 1, now
        over = tries.failures - self._free
        tries.until = now + min(self._longest, 2.0 ** min(over, 20)) if over >= 0 else 0.0
        self._tries[key] = tries
        while len(self._tries) > _MOST_KEPT:
            del self._tries[next(iter(self._tries))]

    def right(self, key: str) -> None:
        """Take the counts of `key` back."""
        self._tries.pop(key, None)

    def one_back(self, key: str) -> None:
        """Take one count of `key` back: who has a right password must not wipe out others' failures from there."""
        tries = self._tries.get(key)
        if tries is not None:
            tries.failures, tries.until = (
                max(0, tries.failures - 1),
                0.0 if tries.failures <= self._free else tries.until,
            )
