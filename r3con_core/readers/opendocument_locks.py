"""Opens OpenDocument files that are locked with a password. Source: OpenDocument 1.3, part 2, sections 3.4 and 4."""

import base64
import binascii
import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from r3con_core.errors import CorpusError
from r3con_core.readers.ooxml import Package, attributes, xml_events

_AES, _SHA256 = "#aes256-cbc", "sha256"
_MOST_ROUNDS = 5_000_000
_MOST_RATIO, _ALWAYS_ALLOWED, _MOST_UNPACKED = 200, 10 * 2**20, 256 * 2**20
_CHECKED = 1_024
"""Bytes of which the checksum is."""


@dataclass(slots=True, kw_only=True)
class _Lock:
    """How one part is locked."""

    method: str = ""
    vector: bytes = b""
    salt: bytes = b""
    rounds: int = 0
    hashed: str = "sha1"
    """What the password is hashed with first."""
    checksum: bytes = b""

    def opened(self, data: bytes, password: str) -> bytes | None:
        """The part as it was before it was locked; None when the password is another."""
        packed = self._decrypted(data, password)
        start = packed[:_CHECKED]
        if self.checksum and self.checksum not in (hashlib.sha256(start).digest(), _sha1(start)):
            return None
        most = min(max(_ALWAYS_ALLOWED, len(data) * _MOST_RATIO), _MOST_UNPACKED)
        try:
            plain = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, most + 1)
        except zlib.error:
            return None
        if len(plain) > most:
            raise CorpusError(f"unpacks to more than {_MOST_RATIO} times its size, as files made to do harm do")
        return plain

    def _decrypted(self, data: bytes, password: str) -> bytes:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        if not self.method.endswith(_AES) or len(self.vector) != 16 or not 0 < self.rounds <= _MOST_ROUNDS:
            raise CorpusError("locked in a way that cannot be opened here; save it without the password")
        secret = password.encode()
        start = hashlib.sha256(secret).digest() if _SHA256 in self.hashed else _sha1(secret)
        key = hashlib.pbkdf2_hmac("sha1", start, self.salt, self.rounds, 32)
        reader = Cipher(algorithms.AES(key), modes.CBC(self.vector)).decryptor()
        plain = reader.update(data[: len(data) // 16 * 16]) + reader.finalize()
        return plain[: -plain[-1]] if plain and 1 <= plain[-1] <= 16 else plain


class _Unlocked(Package):
    """A package whose locked parts are opened as they are read."""

    def __init__(self, locked: Package, locks: Mapping[str, _Lock], password: str) -> None:
        super().__init__(locked.archive)
        self._locks, self._password = locks, password

    def read(self, name: str) -> bytes | None:
        """As in a package without locks."""
        data, lock = super().read(name), self._locks.get(name)
        if data is None or lock is None:
            return data
        plain = lock.opened(data, self._password)
        if plain is None:
            self.unread.append(name)
        return plain


def unlocked(package: Package, manifest: bytes, password: str) -> Package | None:
    """The package with its locks open; None when the password is another."""
    locks = _locks(manifest)
    content, lock = package.read("content.xml"), locks.get("content.xml")
    if content is None or lock is None:
        raise CorpusError("locked in a way that cannot be opened here; save it without the password")
    if lock.opened(content, password) is None:
        return None
    return _Unlocked(package, locks, password)


def _locks(manifest: bytes) -> dict[str, _Lock]:
    locks: dict[str, _Lock] = {}
    path = ""
    for event, name, element in xml_events(manifest):
        if event != "start":
            continue
        stated = attributes(element)
        if name == "file-entry":
            path = stated.get("full-path", "")
        elif name == "encryption-data":
            locks[path] = _Lock(checksum=_bytes(stated.get("checksum", "")))
        elif path in locks:
            _state(locks[path], name, stated)
    return locks


def _state(lock: _Lock, name: str, stated: Mapping[str, str]) -> None:
    if name == "algorithm":
        lock.method = stated.get("algorithm-name", "")
        lock.vector = _bytes(stated.get("initialisation-vector", ""))
    elif name == "key-derivation":
        lock.salt = _bytes(stated.get("salt", ""))
        rounds = stated.get("iteration-count", "")
        lock.rounds = int(rounds) if rounds.isdecimal() and len(rounds) < 10 else 0
    elif name == "start-key-generation":
        lock.hashed = stated.get("start-key-generation-name", "")


def _bytes(written: str) -> bytes:
    try:
        return base64.b64decode(written)
    except (binascii.Error, ValueError):
        return b""


def _sha1(data: bytes) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()
