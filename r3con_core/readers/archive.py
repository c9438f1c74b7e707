"""ZIP archives give their members, within limits; nothing is ever written to disk."""

import lzma
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence

from r3con_core.documents import Source
from r3con_core.errors import CorpusError
from r3con_core.readers.kinds import is_clutter
from r3con_core.readers.ledger import File, LedgerLine, Member, Outcome, member_path

MAX_MEMBER_BYTES = 256 * 2**20
MAX_RATIO = 200
"""Times its packed size that a member may unpack to; an honest workbook reached 170."""
ALWAYS_ALLOWED = 10 * 2**20
"""Unpacked bytes below which the ratio does not matter."""
_STEP = 2**20

_CJK_OR_KANA = re.compile(r"[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e]+")
_CYRILLIC = re.compile(r"[\u0400-\u04ff\u2116]+")
_OTHER_SCRIPT = (("shift_jis", _CJK_OR_KANA), ("cp866", _CYRILLIC), ("gb18030", _CJK_OR_KANA))
_BETWEEN_WORDS = re.compile(r"[\x00-@\[-`{-\x7f]+")


def read_zip(file: File) -> Iterator[Member | LedgerLine]:
    """The members of a ZIP archive in its order, folders left out; a line for each that is not taken out."""
    try:
        archive = zipfile.ZipFile(file.content.open())
    except zipfile.BadZipFile as fault:
        raise CorpusError("a damaged or incomplete ZIP archive") from fault
    source = file.source
    with archive:
        files = [info for info in archive.infolist() if not info.is_dir()]
        if not files:
            yield LedgerLine(path=source.path, outcome=Outcome.NOTHING_IN_IT, reason="the archive is empty")
        for info, name in zip(files, _names(files), strict=True):
            yield _member_or_line(archive, info, name=name, source=source)


def unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The bytes of one member; CorpusError when it unpacks to more than the limits allow.

    What comes out is counted, because the sizes that a header states may be lies.
    """
    by_ratio = max(ALWAYS_ALLOWED, info.compress_size * MAX_RATIO)
    unpacked = bytearray()
    with archive.open(info) as packed:
        while block := packed.read(_STEP):
            unpacked += block
            if len(unpacked) > by_ratio:
                raise CorpusError(f"unpacks to more than {MAX_RATIO} times its size, as archives made to do harm do")
            if len(unpacked) > MAX_MEMBER_BYTES:
                raise CorpusError(f"unpacks to more than {MAX_MEMBER_BYTES // 2**20} MB, the limit for one file")
    return bytes(unpacked)


def _member_or_line(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, *, name: str, source: Source
) -> Member | LedgerLine:
    path = member_path(source, name)
    outcome, reason = _why_not_unpacked(info, name)
    if reason:
        return LedgerLine(path=path, outcome=outcome, reason=reason)
    try:
        return Member(name=name, data=unpack(archive, info))
    except CorpusError as fault:
        return LedgerLine(path=path, outcome=Outcome.REFUSED, reason=str(fault))
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError):
        return LedgerLine(path=path, outcome=Outcome.NOT_READABLE, reason="damaged inside the archive")
    except (NotImplementedError, RuntimeError):
        return LedgerLine(path=path, outcome=Outcome.NOT_READABLE, reason="packed in a way that cannot be unpacked yet")


def _why_not_unpacked(info: zipfile.ZipInfo, name: str) -> tuple[Outcome, str]:
    """What becomes of a member that is not touched, and why; the reason is empty when it may be unpacked."""
    if stat.S_ISLNK(info.external_attr >> 16):
        return Outcome.REFUSED, "a link; links are not followed"
    if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in name.split("/"):
        return Outcome.REFUSED, "an unsafe name that points outside the archive"
    if is_clutter(name):
        return Outcome.SKIPPED, "a hidden or system file"
    if info.flag_bits & 0x1:
        return Outcome.NOT_READABLE, "Password needed"
    return Outcome.READ, ""


def _names(files: Sequence[zipfile.ZipInfo]) -> list[str]:
    """The members' names with forward slashes, in the encoding that all of them together speak for."""
    raw = [_raw_name(info) for info in files]
    unstated = [name for name in raw if isinstance(name, bytes) and not name.isascii()]
    encoding = _name_encoding(unstated)
    decoded = [name if isinstance(name, str) else name.decode(encoding, "replace") for name in raw]
    return [name.replace("\\", "/") for name in decoded]


def _raw_name(info: zipfile.ZipInfo) -> str | bytes:
    """The name where the archive says it is UTF-8, else its bytes, which zipfile has taken for cp437."""
    name = info.orig_filename.split("\x00")[0]
    return name if info.flag_bits & 0x800 else name.encode("cp437", "replace")


def _name_encoding(names: Sequence[bytes]) -> str:
    """UTF-8, Shift-JIS, cp866 or GB 18030 when every word beyond ASCII is one of that script; else cp437."""
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
