"""Faults as sentences on the screen."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from r3con_core.errors import R3ConError
from r3con_core.exchange import whole_letters
from r3con_core.scrubbing import clear_error, hidden


@contextmanager
def shown() -> Iterator[None]:
    """Show an R3ConError of the block as a box that says what to do; anything else rises."""
    try:
        yield
    except R3ConError as error:
        show(error)


def show(error: R3ConError) -> None:
    """One fault, as the plain sentence it is. Its words may come from outside, so they are not read as Markdown."""
    st.error(plain(hidden(str(error))), icon=":material/error:")


_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*:(?=//)|\bwww(?=\.)|\bmailto(?=:)|(?<=\w)(?=@\w))", re.IGNORECASE)
_TURNED = re.compile(r"(?<=[-<>~])(?=[-=>])|(?<=:)(?=(?:material/|streamlit:))", re.IGNORECASE)
"""Where Streamlit would make an arrow, a dash, a sign or an icon, escaped or not: seen in 1.67."""
_START = re.compile(r"^[ \t]*(?:(\d+)\.)?", re.MULTILINE)
"""Blanks that would make code of a line, and what would make it an item of a numbered list."""
_MARKDOWN = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>()#+-!|~$:&="})


_ISOLATED, _EMBEDDED = re.compile("[\u2066-\u2068]"), re.compile("[\u202a\u202b\u202d\u202e]")
"""What turns the direction of writing until it is ended; ends that are too many do nothing."""


def plain(text: str) -> str:
    """`text` so that Streamlit's Markdown shows it letter by letter: no pictures, links, formulas or icons from outside.

    Some things are made of text even when it is escaped, such as links of bare addresses; those get a word joiner,
    which has no width. Blanks at the beginning of a line are dropped, as Markdown does. A change of the direction of
    writing ends with the text.
    """
    text = "\n".join(map(_closed, whole_letters(text).split("\n")))
    for found in (_ADDRESS, _TURNED):
        text = found.sub(lambda part: f"{part.group()}\u2060", text)
    return _START.sub(lambda start: f"{start[1]}\\." if start[1] else "", text.translate(_MARKDOWN))


_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def revealed(code: str) -> str:
    """Code as it is to be reviewed: signs that do not show, or that turn the direction of what follows, by their names.

    Otherwise a line could read as another one than the one that is run.
    """
    return _UNSEEN.sub(lambda sign: f"[U+{ord(sign.group()):04X}]", code)


def _closed(line: str) -> str:
    """A line that turns direction, as a piece of its own: else figures and points after it would be reordered too."""
    ends = "\u2069" * len(_ISOLATED.findall(line)) + "\u202c" * len(_EMBEDDED.findall(line))
    return f"\u2068{line}{ends}\u2069" if ends else line


def show_uncaught(error: Exception) -> bool:
    """For `st.App(on_script_error=...)`: shows an R3ConError that no page caught. True when it was one."""
    if not isinstance(error, R3ConError):
        clear_error(error)  # the server logs it
        return False
    show(error)
    return True
