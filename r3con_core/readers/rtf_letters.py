"""The letters of an RTF file, which come as bytes of changing encodings and as halves of Unicode characters."""

from r3con_core.readers.docx_pieces import symbol
from r3con_core.readers.marks import Note
from r3con_core.readers.rtf_state import Frame


class Letters:
    """Collects bytes as long as encoding, place and note stay the same, because a character may be several bytes."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._frame: Frame | None = None
        self._encoding = ""
        self._note: Note | None = None
        self._high = 0

    def add(self, frame: Frame, data: bytes, encoding: str, note: Note | None) -> None:
        """Append letters as bytes."""
        if frame is not self._frame or encoding != self._encoding or note != self._note or self._high:
            self.flush()
            self._frame, self._encoding, self._note = frame, encoding, note
        self._bytes += data

    def add_text(self, frame: Frame, text: str, note: Note | None) -> None:
        """Append letters as they are."""
        self.flush()
        frame.piece.line.add(text, note)

    def add_unit(self, frame: Frame, unit: int, note: Note | None) -> None:
        """Append a character, or half of one of those that Unicode writes in two halves."""
        high, self._high = self._high, 0
        if 0xD800 <= unit < 0xDC00:
            self.flush()
            self._high = unit
        elif 0xDC00 <= unit < 0xE000:
            whole = 0x10000 + ((high - 0xD800) << 10) + unit - 0xDC00 if high else 0xFFFD
            self.add_text(frame, chr(whole), note)
        else:
            self.add_text(frame, symbol(f"{unit:x}") if 0xF000 <= unit < 0xF100 else chr(unit), note)

    def flush(self) -> None:
        """Put what was collected into its place."""
        self._high = 0
        if self._bytes and self._frame is not None:
            self._frame.piece.line.add(_decoded(bytes(self._bytes), self._encoding), self._note)
        self._bytes.clear()


def _decoded(data: bytes, encoding: str) -> str:
    if encoding == "symbol":
        return "".join(chr(byte) if byte == 32 else symbol(f"{0xF000 + byte:x}") for byte in data)
    return data.decode(encoding, "replace")
