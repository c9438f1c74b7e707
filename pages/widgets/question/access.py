"""Keys on their way from a field to a run's worker: held in the app's memory for this browser tab, each for its place.

A field gives its key up as soon as it is typed, so that no page holds it, and none is sent back to a browser.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from r3con_core import jobs
from r3con_core.errors import EndpointError
from r3con_core.jobs import EMBEDDED, ModelChoice, addresses_of
from r3con_core.models import Key, Origin, Sources, find_keys, forget_key, host_and_port, keep_key
from r3con_core.models.keyrings import NoKeyring
from r3con_core.models.keys import AMBIGUOUS, UNENCRYPTED, fault_of, is_ambiguous, may_have_key, retire_old_file
from r3con_core.models.verdicts import is_about_key
from r3con_core.runs import Run, RunState
from r3con_core.scrubbing import hold
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run

_VAULT, _MOVED = "keys_of_this_tab", "old_keys"


@dataclass(slots=True)
class _Vault:
    """What was typed in this tab, by place; its representation tells nothing."""

    keys: dict[str, str] = field(default_factory=dict, repr=False)


def typed_keys() -> dict[str, str]:
    """The keys typed in this tab, by place."""
    return dict(_vault().keys)


def _vault() -> _Vault:
    vault: _Vault = st.session_state.setdefault(_VAULT, _Vault())
    return vault


def sources() -> Sources:
    """Where keys are looked for here."""
    return Sources(home=state.home(), typed=typed_keys())


def key_of(base_url: str) -> Key | None:
    """The key for an address, as if it was the only one of a run."""
    return find_keys((base_url,), sources()).get(host_and_port(base_url))


def ask_for_keys(project: Project, run_id: str, name: str) -> None:
    """A field for each key that a run needs and that is not known here; `name` tells the fields of a page apart."""
    choices = [choice for choice in jobs.choices_of(project, run_id) if choice is not None]
    ask_for(choices, name, refused=is_about_key(load_run(project, run_id).error))


def ask_for(choices: Iterable[ModelChoice], name: str, *, refused: bool = False) -> None:
    """A field for each key that these models need together and that is not known here, or was `refused`."""
    there = {host_and_port(choice.base_url): choice for choice in choices if choice.base_url != EMBEDDED}
    urls = addresses_of(*there.values())
    found = find_keys(urls, sources())
    for place, choice in there.items():
        known = found.get(place)
        lacking = not choice.local if known is None else known.origin is Origin.TYPED
        if refused or lacking:
            _ask(choice, f"{name}-{choice.base_url}")
    say_ambiguous(urls)


def _ask(choice: ModelChoice, name: str) -> None:
    label = f"Key for {plain(choice.host)}"
    if not may_have_key(choice.base_url):
        st.caption(f"{label}: {UNENCRYPTED}")
        return
    _type_key(name, choice.base_url, label, hint="")
    _show_fault(name)


def _type_key(name: str, base_url: str, label: str, *, hint: str) -> None:
    """A field that gives its key to this tab's memory at once, and is empty again."""
    typed = host_and_port(base_url) in _vault().keys
    st.text_input(
        label,
        type="password",
        key=name,
        width=400,
        placeholder="the key you typed is used" if typed else hint,
        help="It is sent to this address only, and kept in the app's memory for this browser tab only: until you close "
        "or reload the tab, or the app ends.",
        on_change=_take,
        args=(name, base_url),
    )


def _show_fault(name: str) -> None:
    if fault := st.session_state.pop(f"{name}-fault", ""):
        st.error(plain(fault), icon=":material/error:")


def _take(name: str, base_url: str) -> None:
    letters = str(st.session_state[name]).strip()
    st.session_state[name] = ""
    fault = fault_of(letters)
    if fault:
        st.session_state[f"{name}-fault"] = fault
    elif letters:
        hold(letters)
        _vault().keys[host_and_port(base_url)] = letters


def show_key(name: str, base_url: str, *, local: bool) -> None:
    """The field for the key of an address, where the key that is used is from, and what can be done with it."""
    _tell_of_old_file()
    if not may_have_key(base_url):
        st.caption(f":material/no_encryption: {UNENCRYPTED}")
        return
    known = key_of(base_url)
    none = "none, as for most servers of your own" if local else ""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _type_key(name, base_url, "Key", hint="type another one to use that" if known else none)
        _buttons(name, base_url, known)
    st.caption(_whence(known, base_url, local=local))
    _show_fault(name)


def _buttons(name: str, base_url: str, known: Key | None) -> None:
    """What can be done with the key; they are there before it, so that nothing moves when it is typed."""
    origin = known.origin if known else None
    st.button(
        "Forget the key",
        key=f"{name}-forget",
        disabled=origin not in (Origin.TYPED, Origin.KEYRING),
        on_click=_forget,
        args=(name, base_url),
    )
    if not isinstance(sources().keyring(), NoKeyring):
        st.button(
            "Remember the key",
            key=f"{name}-keep",
            disabled=origin is not Origin.TYPED,
            on_click=_remember,
            args=(name, base_url),
            help=_KEEP_HELP,
        )


_KEEP_HELP = "The operating system keeps it, encrypted, and gives it out while you are signed in on this computer."


def _whence(known: Key | None, base_url: str, *, local: bool) -> str:
    """Where the key is from and how long it stays, as Markdown; nothing of the key."""
    host, keyring = plain(host_and_port(base_url)), sources().keyring()
    if known is None:
        lacking = f"No key for {host} is known here. Type one and press Enter."
        return "Servers of your own usually need no key." if local else lacking
    match known.origin:
        case Origin.ENVIRONMENT:
            return f":material/key: The key in the environment variable {plain(known.variable)} is sent to {host}."
        case Origin.KEYRING:
            name = "the keyring" if isinstance(keyring, NoKeyring) else plain(keyring.name)
            return f":material/key: The key for {host} that {name} keeps is used."
        case Origin.TYPED:
            cannot = f" It cannot be remembered here: {plain(keyring.why)}" if isinstance(keyring, NoKeyring) else ""
            lives = "in this browser tab, until you close or reload it"
            return f":material/key: The key you typed for {host} is used {lives}.{cannot}"


def _forget(name: str, base_url: str) -> None:
    _vault().keys.pop(host_and_port(base_url), None)
    try:
        forget_key(base_url, sources())
    except EndpointError as error:
        st.session_state[f"{name}-fault"] = str(error)


def _remember(name: str, base_url: str) -> None:
    place = host_and_port(base_url)
    try:
        keep_key(base_url, _vault().keys[place], sources())
    except EndpointError as error:
        st.session_state[f"{name}-fault"] = str(error)
        return
    del _vault().keys[place]


def _tell_of_old_file() -> None:
    told = retire_old_file(sources())
    if told:
        st.session_state[_MOVED] = told
    if told := st.session_state.get(_MOVED, ""):
        st.info(plain(told), icon=":material/key:")


def say_ambiguous(base_urls: Sequence[str]) -> None:
    """Say so where R3CON_API_KEY is set and could be for either of two addresses."""
    if is_ambiguous(base_urls, os.environ):
        st.warning(f"R3CON\\_API\\_KEY is not used, since there are two addresses. {plain(AMBIGUOUS)}")


def carry_on(project: Project, run: Run) -> None:
    """Queue a run that has ended early or paused again, and start its worker with the keys typed here."""
    queue = _leave_queued if run.state is RunState.QUEUED else jobs.requeue
    queue_and_start(project, run.id, queue)


def queue_and_start(project: Project, run_id: str, queue: Callable[[Project, str], object]) -> None:
    """Queue a run in the way it is to go on, and start its worker with the keys typed here."""
    queue(project, run_id)
    jobs.start_worker(project, run_id, home=state.home(), keys=typed_keys())


def _leave_queued(_project: Project, _run_id: str) -> None:
    """It is queued already."""
