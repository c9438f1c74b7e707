"""The pieces of prompts, each kept once: a call names its pieces by their numbers here."""

import hashlib
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from sqlite3 import Connection

from r3con_core.errors import StoreError
from r3con_core.exchange import Message
from r3con_core.store.numbering import read_ranges, write_ranges
from r3con_core.store.project import Project, TextName

_LONG = 1000
"""Characters. Shorter texts gain little by compression, and are recognised by themselves sooner than by a digest."""
_REMEMBERED = 30_000
"""Texts whose numbers a process remembers: about 20 MB where they are snippets."""
_READ_AHEAD = 1 << 24
"""Characters of texts kept while calls are read, so that calls share them: 16 to 64 MB."""
_LARGEST_PROMPT = 1 << 26
"""Characters; a file from a stranger may claim any size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The pieces of one prompt, hashed and packed before the transaction that keeps them."""

    numbers: dict[TextName, int]
    """Of the pieces that this process knows to be kept, and of the others once they are."""
    fresh: dict[TextName, tuple[bytes, str | bytes]]
    """Of the others, their digests and what to keep."""

    def number(self, text: str) -> int:
        """The number that one of the texts has, once they are kept."""
        return self.numbers[_name(text)]

    def written(self, messages: Sequence[Message]) -> str:
        """Roles and pieces as the column `calls.pieces` has them, such as "system:1 user:2-13,40"."""
        return " ".join(f"{said.role}:{write_ranges(map(self.number, said.pieces))}" for said in messages)


def gather(project: Project, texts: Iterable[str]) -> Gathered:
    """What keeping these texts takes."""
    gathered = Gathered(numbers={}, fresh={})
    for text in texts:
        name = _name(text)
        number = project.known.texts.get(name)
        if number is not None:
            gathered.numbers[name] = number
        elif name not in gathered.fresh:
            gathered.fresh[name] = _digest(text), _pack(text)
    return gathered


def _name(text: str) -> TextName:
    """What a process remembers a text by, without keeping long ones in memory."""
    return text if len(text) < _LONG else _digest(text)


def _digest(text: str) -> bytes:
    """What the store finds a text by: 16 bytes."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def keep_texts(db: Connection, gathered: Gathered) -> None:
    """Keep the texts that are not yet kept, in the caller's transaction, and give all their numbers."""
    for name, (digest, packed) in gathered.fresh.items():
        row = db.execute("select id from texts where digest = ?", (digest,)).fetchone()
        if row is None:
            row = db.execute("insert into texts (digest, text) values (?, ?) returning id", (digest, packed)).fetchone()
        gathered.numbers[name] = row[0]


def remember_texts(project: Project, gathered: Gathered) -> None:
    """Know the numbers of these texts from now on; to be called once their transaction is through."""
    known = project.known.texts
    if len(known) + len(gathered.fresh) > _REMEMBERED:
        known.clear()
    known.update((name, gathered.numbers[name]) for name in gathered.fresh)


def _pack(text: str) -> str | bytes:
    """The text; as compressed UTF-8 where that is shorter, or where SQLite's own text would not hold it."""
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        return zlib.compress(text.encode("utf-8", "surrogatepass"))
    if len(text) < _LONG:
        return text
    packed = zlib.compress(encoded)
    return packed if len(packed) < len(encoded) else text


def unpack(kept: str | bytes) -> str:
    """A text as `texts.text` keeps it; StoreError when it is damaged."""
    if isinstance(kept, str):
        return kept
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(kept, _LARGEST_PROMPT).decode("utf-8", "surrogatepass")
    except (zlib.error, UnicodeDecodeError) as error:
        raise StoreError("A prompt in this project is damaged. Restore the project from a copy.") from error
    if not unpacking.eof:
        raise StoreError("A prompt in this project is damaged. Restore the project from a copy.")
    return text


class TextReader:
    """Reads texts by number. Those read last are one string object wherever they are given."""

    def __init__(self, project: Project) -> None:
        """Of this project's store."""
        self._project = project
        self._read: dict[int, str] = {}
        self._size = 0

    def messages(self, written: str) -> tuple[Message, ...]:
        """The messages of one row of `calls.pieces`; StoreError when a piece is missing or all are far too long."""
        messages = []
        room = _LARGEST_PROMPT
        for said in written.split():
            role, _, ranges = said.partition(":")
            messages.append(Message(role=role, pieces=self.texts(ranges, room)))
            room -= sum(len(piece) + 1 for piece in messages[-1].pieces)
        return tuple(messages)

    def texts(self, ranges: str, room: int = _LARGEST_PROMPT) -> tuple[str, ...]:
        """The texts whose numbers are written as ranges, in their order; StoreError when they need more than `room`."""
        found: list[str] = []
        for first, last in read_ranges(ranges):
            for text in self._between(first, last):
                room -= len(text) + 1
                if room < 0:
                    raise StoreError("A prompt in this project is longer than any prompt can be.")
                found.append(text)
        return tuple(found)

    def _between(self, first: int, last: int) -> Iterable[str]:
        if last - first < len(self._read) and all(number in self._read for number in range(first, last + 1)):
            return [self._read[number] for number in range(first, last + 1)]
        return self._fetch(first, last)

    def _fetch(self, first: int, last: int) -> Iterable[str]:
        rows = self._project.db.execute(
            "select id, text from texts where id between ? and ? order by id", (first, last)
        )
        missing = last - first + 1
        for number, kept in rows:
            missing -= 1
            yield self._shared(number, kept)
        if missing:
            raise StoreError("Pieces of a prompt are missing in this project. Restore it from a copy.")

    def _shared(self, number: int, kept: str | bytes) -> str:
        if number in self._read:
            return self._read[number]
        text = unpack(kept)
        if self._size > _READ_AHEAD:
            self._read.clear()
            self._size = 0
        self._read[number] = text
        self._size += len(text)
        return text
