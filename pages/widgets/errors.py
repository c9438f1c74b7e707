"""Faults as sentences on the screen."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from r3con_core.errors import R3ConError


@contextmanager
def shown() -> Iterator[None]:
    """Show an R3ConError of the block as a box that says what to do; anything else rises."""
    try:
        yield
    except R3ConError as error:
        show(error)


def show(error: R3ConError) -> None:
    """One fault, as the plain sentence it is. Its words may come from outside, so they are not read as Markdown."""
    st.error(plain(str(error)), icon=":material/error:")


_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*:(?=//)|\bwww(?=\.)|\bmailto(?=:)|(?<=\w)(?=@\w))", re.IGNORECASE)
_MARKDOWN = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>()#+-!|~$:&"})


def plain(text: str) -> str:
    """`text` so that Streamlit's Markdown shows it letter by letter: no pictures, links, formulas or icons from outside.

    Bare addresses become links even when escaped, so they get a word joiner, which has no width.
    """
    return _ADDRESS.sub(lambda found: f"{found.group()}\u2060", text).translate(_MARKDOWN)


def show_uncaught(error: Exception) -> bool:
    """For `st.App(on_script_error=...)`: shows an R3ConError that no page caught. True when it was one."""
    if not isinstance(error, R3ConError):
        return False
    show(error)
    return True
