"""In which encoding the names in an archive are, when the archive does not say so."""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence

_CJK_OR_KANA = re.compile(r"[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e]+")
_CYRILLIC = re.compile(r"[\u0400-\u04ff\u2116]+")
_RUSSIAN = re.compile(r"[\u0401\u0410-\u042f]?[\u0430-\u044f\u0451]+")
"""Small letters, with a capital at most before them: bytes that names in Chinese or in cp437 seldom have in a row."""
_OTHER_SCRIPT = (
    ("shift_jis", _CJK_OR_KANA),
    ("cp866", _CYRILLIC),
    ("cp1251", _RUSSIAN),
    ("gb18030", _CJK_OR_KANA),
)
_BETWEEN_WORDS = re.compile(r"[\x00-@\[-`{-\x7f]+")
_UNICODE_PATH = 0x7075
"""The extra field in which Info-ZIP and others give a name in UTF-8 (APPNOTE 4.6.9)."""


def zip_names(files: Sequence[zipfile.ZipInfo]) -> list[str]:
    """The members' names with forward slashes, in the encoding that all of them together speak for."""
    raw = [_raw_name(info) for info in files]
    unstated = [name for name in raw if isinstance(name, bytes) and not name.isascii()]
    encoding = name_encoding(unstated)
    decoded = [name if isinstance(name, str) else name.decode(encoding, "replace") for name in raw]
    return [name.replace("\\", "/") for name in decoded]


def decoded_name(name: bytes) -> str:
    """One name by itself: in UTF-8 where it is that, else in the encoding it speaks for."""
    return name.decode(name_encoding([name]), "replace")


def _raw_name(info: zipfile.ZipInfo) -> str | bytes:
    """The name where the archive says it is UTF-8, else its bytes, which zipfile has taken for cp437."""
    name = info.orig_filename.split("\x00")[0]
    if info.flag_bits & 0x800:
        return name
    raw = name.encode("cp437", "replace")
    return _unicode_path(info, info.orig_filename.encode("cp437", "replace")) or raw


def _unicode_path(info: zipfile.ZipInfo, raw: bytes) -> str:
    """The name of the extra field, when it belongs to the raw name, which its checksum tells; else nothing."""
    for kind, stated in _extra_fields(info.extra):
        if kind == _UNICODE_PATH and len(stated) > 5 and struct.unpack_from("<L", stated, 1)[0] == zlib.crc32(raw):
            return (_strictly(stated[5:], "utf-8") or "").split("\x00")[0]
    return ""


def _extra_fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        yield kind, extra[at + 4 : at + 4 + size]
        at += 4 + size


def name_encoding(names: Sequence[bytes]) -> str:
    """UTF-8, Shift-JIS, cp866, windows-1251 or GB 18030 when every word beyond ASCII is one of that script; else cp437."""
    joined = b"\n".join(names)
    if _strictly(joined, "utf-8") is not None:
        return "utf-8"
    for encoding, script in _OTHER_SCRIPT:
        decoded = _strictly(joined, encoding) or ""
        words = [word for word in _BETWEEN_WORDS.split(decoded) if not word.isascii()]
        if words and all(_is_of(script, word) for word in words) and any(len(word) > 1 for word in words):
            return encoding
    return "cp437"


def _strictly(encoded: bytes, encoding: str) -> str | None:
    try:
        return encoded.decode(encoding)
    except UnicodeDecodeError:
        return None


def _is_of(script: re.Pattern[str], word: str) -> bool:
    """Whether a word is wholly of a script, or of two signs of it in a row and ASCII.

    One sign among ASCII letters is rather an accented letter of cp437, which with its neighbour makes a Chinese sign.
    """
    runs = script.findall(word)
    return runs == [word] or (script.sub("", word).isascii() and max(map(len, runs), default=0) > 1)
