"""Small files in Microsoft's compound format, and the binary Office documents in it, for tests."""

import struct
from collections.abc import Mapping, Sequence

_SECTOR, _LEAST = 512, 4096
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def compound(streams: Mapping[str, bytes]) -> bytes:
    """A compound file of these streams; short ones are filled with zeros up to 4,096 bytes."""
    body, entries = b"", []
    fat: list[int] = []
    for name, data in streams.items():
        padded = data.ljust(max(_LEAST, -(-len(data) // _SECTOR) * _SECTOR), b"\0")
        entries.append((name, len(fat), max(len(data), _LEAST)))
        fat += [*range(len(fat) + 1, len(fat) + len(padded) // _SECTOR), _END]
        body += padded
    first = len(fat)
    listed = _entry("Root Entry", _END, 0, child=1)
    for number, (name, start, size) in enumerate(entries, 1):
        listed += _entry(name, start, size, right=number + 1 if number < len(entries) else _FREE)
    listed = listed.ljust(-(-len(listed) // _SECTOR) * _SECTOR, b"\0")
    fat += [*range(first + 1, first + len(listed) // _SECTOR), _END]
    tables = 1
    while (len(fat) + tables) * 4 > tables * _SECTOR:
        tables += 1
    numbers = range(len(fat), len(fat) + tables)
    fat += [_FAT] * tables
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(10)
    head += struct.pack("<IIIIIIIII", tables, first, 0, _LEAST, _END, 0, _END, 0, 0)[:32]
    head += b"".join(struct.pack("<I", number) for number in numbers)
    table = b"".join(struct.pack("<I", number) for number in fat).ljust(tables * _SECTOR, b"\xff")
    return head.ljust(_SECTOR, b"\xff") + body + listed + table


def _entry(name: str, start: int, size: int, *, child: int = _FREE, right: int = _FREE) -> bytes:
    letters = name.encode("utf-16-le") + b"\0\0"
    head = letters.ljust(64, b"\0") + struct.pack(
        "<HBBIII", len(letters), 2 if child == _FREE else 5, 1, _FREE, right, child
    )
    return head + bytes(36) + struct.pack("<IQ", start, size)


def packaged(name: str, data: bytes) -> bytes:
    """A file as Windows' packager wraps it."""
    label = name.encode() + b"\0"
    inner = b"\x02\0" + label + b"C:\\" + label + struct.pack("<HHI", 0, 3, len(label)) + label
    inner += struct.pack("<I", len(data)) + data
    return compound({"\x01Ole10Native": struct.pack("<I", len(inner)) + inner})


def word(runs: Sequence[tuple[str, bytes]], *, flags: int = 0x200) -> bytes:
    """A binary Word document of runs, each with the properties of its letters."""
    text = "".join(words for words, _ in runs)
    start = 3 * _SECTOR
    places = [start]
    for words, _ in runs:
        places.append(places[-1] + 2 * len(words))
    page = bytearray(_SECTOR)
    struct.pack_into(f"<{len(places)}I", page, 0, *places)
    at = _SECTOR - 1
    for number, (_, properties) in enumerate(runs):
        if properties:
            at = (at - 1 - len(properties)) // 2 * 2
            page[4 * len(places) + number] = at // 2
            page[at : at + 1 + len(properties)] = bytes((len(properties),)) + properties
    page[-1] = len(runs)
    authors = "R. Marsh".encode("utf-16-le")
    parts = {
        12: struct.pack("<III", start, places[-1], 2),
        33: b"\x02" + struct.pack("<IIIHIH", 16, 0, len(text), 0, start, 0),
        51: b"\xff\xff\x01\0\0\0" + struct.pack("<H", len(authors) // 2) + authors,
    }
    table, head = b"", bytearray(2 * _SECTOR)
    struct.pack_into("<HH", head, 0, 0xA5EC, 0xC1)
    struct.pack_into("<H", head, 10, flags)
    struct.pack_into("<I", head, 0x4C, len(text))
    struct.pack_into("<H", head, 0x98, 93)
    for number, part in parts.items():
        struct.pack_into("<II", head, 0x9A + 8 * number, len(table), len(part))
        table += part
    return compound({"WordDocument": bytes(head + page) + text.encode("utf-16-le"), "1Table": table})


def record(kind: int, data: bytes, *, instance: int = 0, holds: bool = False) -> bytes:
    """A record of a binary PowerPoint presentation."""
    return struct.pack("<HHI", instance << 4 | (15 if holds else 0), kind, len(data)) + data


def powerpoint(slides: Sequence[tuple[str, bool]]) -> bytes:
    """A binary PowerPoint presentation of slides, each with its words and whether it is hidden."""
    listed, objects = b"", []
    for number, (words, hidden) in enumerate(slides, 2):
        listed += record(0x03F3, struct.pack("<IIIII", number, 0, 0, 255 + number, 0))
        shown = record(0x03F9, bytes(10) + (b"\x04\0" if hidden else b"\0\0") + bytes(4))
        box = record(0x0F9F, bytes(4)) + record(0x0FA0, words.encode("utf-16-le"))
        objects.append(record(0x03EE, record(0x03EF, bytes(24)) + shown + record(0xF00D, box, holds=True), holds=True))
    document = record(0x03E8, record(0x0FF0, listed, holds=True), holds=True)
    main, places = b"", []
    for held in (document, *objects):
        places.append(len(main))
        main += held
    directory = len(main)
    numbers = struct.pack("<I", len(places) << 20 | 1) + b"".join(struct.pack("<I", place) for place in places)
    main += record(0x1772, numbers)
    edit = len(main)
    main += record(0x0FF5, struct.pack("<IIIIIIHH", 0, 0, 0, directory, 1, 9, 0, 0))
    user = record(0x0FF6, struct.pack("<III", 20, 0xE391C05F, edit) + bytes(12))
    return compound({"PowerPoint Document": main, "Current User": user})
