"""Keys on their way from a form to a run's worker, each to its own address only."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from r3con_core import jobs
from r3con_core.errors import EndpointError
from r3con_core.jobs import EMBEDDED, ModelChoice
from r3con_core.models import find_key, keep_key
from r3con_core.runs import Run, RunState
from r3con_core.store.project import Project

VARIABLE = "R3CON_API_KEY"
"""What a worker takes for every address: so it may be set only when there is but one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """A key as typed for one model's address; "" when none was."""

    choice: ModelChoice
    key: str
    keep: bool


def hand_over(typed: Sequence[Typed], home: Path) -> dict[str, str]:
    """Keep the keys that are to be kept; the environment that gives the worker the others.

    Raises EndpointError when a key that is not kept could reach another address than its own.
    """
    given = [one for one in typed if one.key]
    addresses = {one.choice.base_url for one in typed if one.choice.base_url != EMBEDDED}
    if len(addresses) > 1 and not all(one.keep for one in given):
        raise EndpointError(
            "The two models are at different addresses. Tick 'Remember the key' for each key that you typed, "
            "so that each goes to its own address only."
        )
    for one in given:
        if one.keep:
            keep_key(one.choice.base_url, one.key, home)
    return {VARIABLE: given[0].key} if given and len(addresses) == 1 else {}


def ask_for_keys(project: Project, run_id: str, name: str) -> list[Typed]:
    """A field for each key that a run needs and that is not kept here; `name` tells the fields of a page apart."""
    choices = [choice for choice in jobs.choices_of(project, run_id) if choice is not None]
    lacking = {choice.base_url: choice for choice in choices if lacks_key(choice, state.home())}
    return [
        Typed(
            choice=choice,
            key=st.text_input(
                key_label(choice, keep=len(lacking) > 1), type="password", key=f"{name}-{choice.base_url}", width=320
            ).strip(),
            keep=len(lacking) > 1,
        )
        for choice in lacking.values()
    ]


def key_label(choice: ModelChoice, *, keep: bool) -> str:
    """What a field for a key is called; it says so where the key is kept."""
    return f"Key for {plain(choice.host)}{', which this computer will remember' if keep else ''}"


def carry_on(project: Project, run: Run, typed: Sequence[Typed]) -> None:
    """Queue a run that has ended early or paused again, and start its worker with the typed keys."""
    queue = _leave_queued if run.state is RunState.QUEUED else jobs.requeue
    queue_and_start(project, run.id, typed, queue)


def queue_and_start(
    project: Project, run_id: str, typed: Sequence[Typed], queue: Callable[[Project, str], object]
) -> None:
    """Queue a run in the way it is to go on, and start its worker with the typed keys."""
    home = state.home()
    keys = hand_over(typed, home)
    queue(project, run_id)
    jobs.start_worker(project, run_id, home=home, keys=keys)


def _leave_queued(_project: Project, _run_id: str) -> None:
    """It is queued already."""


def lacks_key(choice: ModelChoice, home: Path) -> bool:
    """Whether the choice is at an address of others, and no key for it is known here."""
    if choice.base_url == EMBEDDED or choice.endpoint().local:
        return False
    return not find_key(choice.base_url, home, os.environ)
