"""What will be sent where, before a run starts; a host on the internet is allowed once in each project."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.words import count
from r3con_core.jobs import ModelChoice
from r3con_core.preflight import Destination, Preflight, Where, allow_hosts, preflight
from r3con_core.store.project import Project

_WHERE = {Where.COMPUTER: "here", Where.NETWORK: "on this network", Where.INTERNET: "on the internet"}
TICK_FIRST = "Tick above that the text may go there; then it can be started."
HELP = (
    "Snippets are a model's notes on each document, records the facts it found there. Later prompts show them beside "
    "other documents. What is sent is listed under Calls, What was sent."
)


def show(
    project: Project,
    models: Sequence[ModelChoice | None],
    document_ids: Sequence[str] | None = None,
    *,
    key: str = "run",
) -> bool:
    """Where the text goes; whether it may: a host on the internet is to be ticked before it gets any of this project."""
    told = preflight(project, models, document_ids)
    if told.stays:
        st.success(f"The text of your documents stays on this computer. {_size(told)}", icon=":material/lock:")
        return True
    hosts = " and ".join(f"**{plain(one.host)}**{_where(one)}" for one in told.destinations)
    st.warning(
        f"The text of your documents and your question will be sent to {hosts}. {_size(told)}",
        icon=":material/cloud_upload:",
    )
    st.caption("Snippets and records made from the documents go along.", help=HELP)
    ticks = [_ticked(project, host, key) for host in told.to_allow]
    return all(ticks)


def _where(one: Destination) -> str:
    way = f", by the proxy {plain(one.proxy)}" if one.proxy else ""
    return f" ({_WHERE[one.where]}{way})"


def _size(told: Preflight) -> str:
    held = f"; {count(told.held, 'document')} held back stay out" if told.held else ""
    return f"{count(told.documents, 'document')}, {count(told.words, 'word')}, about {told.tokens:,} tokens{held}."


def _ticked(project: Project, host: str, key: str) -> bool:
    return st.checkbox(
        f"Text of {plain(project.name)} may go to {plain(host)}",
        key=f"{key}-allow-{project.folder.name}-{host}",
        help="Asked once for each project and host. It is written down with your name when you start.",
    )


def allow(project: Project, models: Sequence[ModelChoice | None]) -> None:
    """Write down the hosts that were ticked, when the run is started."""
    allow_hosts(project, preflight(project, models).to_allow, author=state.analyst())
