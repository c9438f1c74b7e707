"""What is said: answers on standard output, everything else on standard error."""

import re
import sys
from typing import TextIO

from r3con_core.scrubbing import hidden

_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Documents and models can write sequences that move a terminal's cursor or set its title, signs that end a line, and
signs that turn the direction of what follows, so that a line reads otherwise than it is."""
WIDTH = 100


def visible(text: str) -> str:
    """`text` without keys, and without characters that act on a terminal; line breaks and tabs stay."""
    return _ACTING.sub("\N{REPLACEMENT CHARACTER}", hidden(text).replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """`text` in one line, so that nothing from outside can pass for a line of ours."""
    return " ".join(visible(text).split())


def indented(text: str, by: str) -> str:
    """`text` with every line after the first set in by these blanks, for the same reason."""
    return visible(text).replace("\n", f"\n{by}")


def say_line(*parts: str) -> None:
    """One line of the result; tabs stand between its parts, and nowhere else."""
    say("\t".join(map(one_line, parts)))


def tell_line(text: str) -> None:
    """One line about what goes on."""
    tell(one_line(text))


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
    _write(sys.stderr, f"{one_line(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in ("y", "yes")


def ask_line(question: str) -> str:
    """What is written at the terminal in answer, without blanks around it; "" when nothing is."""
    _write(sys.stderr, visible(question))
    sys.stderr.flush()
    return sys.stdin.readline().strip()


class ProgressLine:
    """One line that is written over again at a terminal; elsewhere a line now and then."""

    def __init__(self, stream: TextIO | None = None) -> None:
        """On standard error as it is now."""
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._shown = ""

    def show(self, text: str, *, milestone: bool = False) -> None:
        """Show `text`; where lines cannot be written over, only milestones are shown."""
        text = one_line(text)
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
