"""What is said: answers on standard output, everything else on standard error."""

import re
import sys
from typing import TextIO

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Documents and models can write sequences that move a terminal's cursor or set its title."""
WIDTH = 100


def visible(text: str) -> str:
    """`text` without characters that act on a terminal; line breaks and tabs stay."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def say(text: str = "") -> None:
    """One or more lines of the result."""
    _write(sys.stdout, visible(text) + "\n")


def tell(text: str = "") -> None:
    """One or more lines about what goes on."""
    _write(sys.stderr, visible(text) + "\n")
    sys.stderr.flush()


def _write(stream: TextIO, text: str) -> None:
    """Written in the stream's own encoding; a letter it has no place for becomes a question mark."""
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding))


def confirm(question: str) -> bool:
    """Ask a yes-or-no question at the terminal; no answer is a no."""
    _write(sys.stderr, f"{visible(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in ("y", "yes")


class ProgressLine:
    """One line that is written over again at a terminal; elsewhere a line now and then."""

    def __init__(self, stream: TextIO | None = None) -> None:
        """On standard error as it is now."""
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._shown = ""

    def show(self, text: str, *, milestone: bool = False) -> None:
        """Show `text`; where lines cannot be written over, only milestones are shown."""
        text = visible(text)
        if text == self._shown or not (self._live or milestone):
            return
        if self._live:
            _write(self._stream, f"\r{text[:WIDTH].ljust(min(len(self._shown), WIDTH))}")
        else:
            _write(self._stream, text + "\n")
        self._shown = text
        self._stream.flush()

    def end(self) -> None:
        """Go to the next line, if this one has anything in it."""
        if self._live and self._shown:
            _write(self._stream, "\n")
            self._stream.flush()
        self._shown = ""
