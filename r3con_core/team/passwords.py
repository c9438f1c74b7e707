"""Passwords as they are kept: scrypt with a salt and its costs written beside it, so that these can be raised later.

Costs: N = 2**15, r = 8, p = 3, which takes 32 MB and about a fifth of a second; OWASP counts it equal to N = 2**17
with p = 1 (Password Storage Cheat Sheet, 2025).
"""

import hashlib
import hmac
import secrets

from r3con_core.errors import TeamError

SHORTEST, LONGEST = 12, 1024
"""Characters. Nothing else is asked of a password (NIST SP 800-63B, 3.1.1.2)."""
_N, _R, _P = 2**15, 8, 3
_MOST_N, _MOST_P = 2**20, 16
_SALT, _LENGTH = 16, 32
"""Bytes."""


def hash_password(password: str) -> str:
    """What is kept of `password`: "scrypt$N$r$p$salt$hash". TeamError when it is too short or too long."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise TeamError(f"A password has {SHORTEST} to {LONGEST:,} characters. A few unrelated words do well.")
    salt = secrets.token_bytes(_SALT)
    return f"scrypt${_N}${_R}${_P}${salt.hex()}${_derive(password, salt, (_N, _R, _P)).hex()}"


def fits(password: str, kept: str) -> bool:
    """Whether `password` is the one `kept` was made of. An unreadable `kept` fits nothing, in about the same time."""
    salt, costs, expected = _read(kept)
    found = _derive(password[:LONGEST], salt, costs)
    return hmac.compare_digest(found, expected) and len(password) <= LONGEST


def no_password() -> str:
    """What stands in for the hash of a person that there is not; no password fits it."""
    return f"scrypt${_N}${_R}${_P}${'00' * _SALT}${secrets.token_bytes(_LENGTH).hex()}"


def _derive(password: str, salt: bytes, costs: tuple[int, int, int]) -> bytes:
    n, r, p = costs
    secret = password.encode("utf-8", "surrogatepass")
    room = 128 * r * (n + p + 2) + 2**20
    return hashlib.scrypt(secret, salt=salt, n=n, r=r, p=p, maxmem=room, dklen=_LENGTH)


def _read(kept: str) -> tuple[bytes, tuple[int, int, int], bytes]:
    try:
        kind, n, r, p, salt, digest = kept.split("$")
        costs, expected = (int(n), int(r), int(p)), bytes.fromhex(digest)
        if kind == "scrypt" and _can_be(costs) and len(expected) == _LENGTH:
            return bytes.fromhex(salt), costs, expected
    except ValueError:
        pass  # as of no such person
    return _read(no_password())


def _can_be(costs: tuple[int, int, int]) -> bool:
    """Whether scrypt takes such costs, and this computer bears them."""
    n, r, p = costs
    return 2 <= n <= _MOST_N and n.bit_count() == 1 and r == _R and 1 <= p <= _MOST_P
