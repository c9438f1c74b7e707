"""Messages that Outlook keeps as RTF: unpacked (MS-OXRTFCP), and turned back into the page or text they were written as.

Outlook wraps a web page in RTF in a way that lets the page be taken out again (MS-OXRTFEX).
"""

import html
import re
import struct
from dataclasses import dataclass, field, replace

from r3con_core.readers.mail_headers import letters
from r3con_core.readers.rtf_state import CHARSETS

_DICTIONARY = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor "
    b"MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20"
    b"\\b\\i\\u\\tab\\tx"
)
"""What every packed message may refer to (MS-OXRTFCP 2.1.2.1)."""
_PACKED, _PLAIN = b"LZFu", b"MELA"
_WINDOW = 4096
_MAX_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class RtfMessage:
    """A message taken out of RTF."""

    text: str
    is_page: bool
    """Its text is the markup of a web page."""


def rtf_message(packed: bytes) -> tuple[RtfMessage | None, tuple[str, ...]]:
    """The message in PR_RTF_COMPRESSED, and what to tell of it; None when there is none or it is damaged."""
    if not packed:
        return None, ()
    rtf = unpack(packed)
    if not rtf.startswith(b"{\\rtf"):
        return None, ("The message in RTF is damaged and could not be read.",)
    return _Walk(rtf).message(), ()


def unpack(packed: bytes) -> bytes:
    """RTF from its packed form; what there is of it when it is cut off, empty when it is none."""
    if len(packed) < 16:
        return b""
    size, raw_size, kind = struct.unpack_from("<II4s", packed)
    if kind == _PLAIN:
        return packed[16 : 16 + raw_size]
    return _unpacked(packed[16 : size + 4], min(raw_size, _MAX_BYTES)) if kind == _PACKED else b""


def _unpacked(packed: bytes, most: int) -> bytes:
    """LZ77 with a window of 4096 bytes: eight items a byte of flags, a letter or an offset and a length each."""
    window = bytearray(_DICTIONARY.ljust(_WINDOW, b" "))
    at, write = 0, len(_DICTIONARY)
    out = bytearray()
    while at < len(packed) and len(out) < most:
        flags = packed[at]
        at += 1
        for bit in range(8):
            if flags >> bit & 1:
                if at + 2 > len(packed):
                    return bytes(out)
                offset, length = packed[at] << 4 | packed[at + 1] >> 4, (packed[at + 1] & 0xF) + 2
                at += 2
                if offset == write:
                    return bytes(out)
            elif at < len(packed):
                window[write], offset, length = packed[at], write, 1
                at += 1
            else:
                return bytes(out)
            for step in range(length):
                window[write] = window[(offset + step) % _WINDOW]
                out.append(window[write])
                write = (write + 1) % _WINDOW
    return bytes(out)


_TOKEN = re.compile(
    rb"\\'([0-9a-fA-F]{2})|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\([^a-zA-Z])|([{}])|[\r\n\x00]+|([^\\{}\r\n\x00]+)|(\\)"
)
_SIGNS = {
    "par": "\n",
    "line": "\n",
    "sect": "\n",
    "page": "\n",
    "row": "\n",
    "cell": "\t",
    "tab": "\t",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
    "bullet": "\u2022",
    "endash": "\u2013",
    "emdash": "\u2014",
    "emspace": " ",
    "enspace": " ",
}
_SYMBOLS = {b"~": "\xa0", b"_": "-", b"-": "", b"{": "{", b"}": "}", b"\\": "\\", b"\n": "\n", b"\r": "\n"}
_UNREAD = frozenset(
    "fonttbl colortbl stylesheet info pict object generator filetbl listtable listoverridetable revtbl rsidtbl themedata "
    "colorschememapping latentstyles datastore xmlnstbl fldinst mhtmltag bkmkstart bkmkend pntext".split()
)


@dataclass(frozen=True, slots=True)
class _Group:
    """What holds inside a pair of braces."""

    unread: bool = False
    markup: bool = False
    """In a group of the page's own markup."""
    only_rtf: bool = False
    """Between htmlrtf and htmlrtf0: there for readers of RTF alone."""
    fonts: bool = False
    skip: int = 1
    """Letters that stand after a Unicode letter for readers that know none."""
    charset: str = ""


@dataclass(slots=True)
class _Walk:
    """Goes through RTF once, from its first sign to its last."""

    rtf: bytes
    is_page: bool = field(init=False)
    charset: str = "cp1252"
    out: list[str] = field(default_factory=list)
    waiting: bytearray = field(default_factory=bytearray)
    waiting_charset: str = ""
    group: _Group = _Group()
    groups: list[_Group] = field(default_factory=list)
    by_font: dict[int, str] = field(default_factory=dict)
    font: int = 0
    passing: int = 0
    starred: bool = False

    def __post_init__(self) -> None:
        self.is_page = b"\\fromhtml" in self.rtf[:4096]

    def message(self) -> RtfMessage:
        at = 0
        while token := _TOKEN.match(self.rtf, at):
            at = token.end()
            if token[2] == b"bin":
                at += max(int(token[3] or 0), 0)
            else:
                self._read(token)
        self._flush()
        joined = "".join(self.out).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return RtfMessage(text=joined, is_page=self.is_page)

    def _read(self, token: re.Match[bytes]) -> None:
        if token[1]:
            self._octets(bytes((int(token[1], 16),)))
        elif token[2]:
            self._word(token[2].decode("ascii"), int(token[3]) if token[3] else None)
        elif token[4] == b"*":
            self.starred = True
        elif token[4]:
            self._sign(_SYMBOLS.get(token[4], ""))
        elif token[5] == b"{":
            self.groups.append(self.group)
            self.passing, self.starred = 0, False
        elif token[5]:
            self.group = self.groups.pop() if self.groups else _Group()
            self.passing = 0
        elif token[6]:
            self._octets(token[6])

    def _word(self, word: str, number: int | None) -> None:
        starred, self.starred = self.starred, False
        if word == "htmltag":
            self.group = replace(self.group, markup=True, unread=not self.is_page)
        elif word == "htmlrtf":
            self.group = replace(self.group, only_rtf=number != 0)
        elif starred or word in _UNREAD:
            self.group = replace(self.group, unread=True, fonts=word == "fonttbl")
        elif word == "u" and number is not None:
            self._sign(chr(number % 0x10000))
            self.passing = self.group.skip
        elif word in _SIGNS:
            self._sign(_SIGNS[word])
        else:
            self._setting(word, number or 0)

    def _setting(self, word: str, number: int) -> None:
        if word == "ansicpg" and number:
            self.charset = "utf-8" if number == 65001 else f"cp{number}"
        elif word == "uc":
            self.group = replace(self.group, skip=max(number, 0))
        elif word == "f":
            self.font = number
            if not self.group.fonts:
                self.group = replace(self.group, charset=self.by_font.get(number, ""))
        elif word == "fcharset" and self.group.fonts:
            self.by_font[self.font] = CHARSETS.get(number, "")
        elif word == "plain":
            self.group = replace(self.group, charset="")

    def _silent(self) -> bool:
        group = self.group
        return group.unread or (self.is_page and group.only_rtf and not group.markup)

    def _octets(self, octets: bytes) -> None:
        if self.passing:
            self.passing, octets = max(self.passing - len(octets), 0), octets[self.passing :]
        if not octets or self._silent():
            return
        charset = self.group.charset or self.charset
        if charset != self.waiting_charset:
            self._flush()
        self.waiting_charset = charset
        if self.is_page and not self.group.markup:
            octets = html.escape(octets.decode("latin-1"), quote=False).encode("latin-1")
        self.waiting += octets

    def _sign(self, sign: str) -> None:
        if self._silent():
            return
        self._flush()
        self.out.append(sign)

    def _flush(self) -> None:
        if self.waiting:
            self.out.append(letters(bytes(self.waiting), self.waiting_charset).text)
            self.waiting.clear()
