"""The form for one model: embedded on this computer, or at any OpenAI-compatible address."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.widgets import state
from pages.widgets.errors import show, shown
from pages.widgets.question import access, connection, pulls
from pages.widgets.words import size
from r3con_core.errors import R3ConError
from r3con_core.jobs import EMBEDDED, EMBEDDED_WINDOW, ModelChoice, RunChoices
from r3con_core.models import (
    DEFAULT_MODEL,
    LOCAL_MODELS,
    Endpoint,
    endpoint_for,
    find_model,
    is_pulled,
    load_learnt,
)
from r3con_core.models.prices import window_of
from r3con_core.runs import SMALLEST_WINDOW
from r3con_core.team import Team, check_address, team_here

HERE, THERE = "On this computer, embedded", "At an address"
OTHER_FILE = "another"
ADDRESSES = {
    "OpenAI": "https://api.openai.com/v1",
    "OpenRouter": "https://openrouter.ai/api/v1",
    "Ollama": "http://localhost:11434/v1",
    "LM Studio": "http://localhost:1234/v1",
    "llama.cpp": "http://localhost:8080/v1",
    "vLLM": "http://localhost:8000/v1",
}
"""Where these are usually found."""
LARGEST_WINDOW = 2_000_000
MOST_AT_ONCE = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What a form gives: a choice if it is complete."""

    choice: ModelChoice | None
    missing: str = ""
    """What must be done before this choice can be used."""


def show_form(name: str, remembered: ModelChoice | None) -> Filled:
    """The form called `name`, filled with what was chosen last; what is missing is said in its place."""
    start = remembered or ModelChoice(model=DEFAULT_MODEL)
    where = st.segmented_control(
        "Where does the model run?",
        [HERE, THERE],
        default=HERE if start.base_url == EMBEDDED else THERE,
        required=True,
        format_func=lambda one: "On the server, embedded" if one == HERE and team_here() else one,
        key=f"{name}-where",
        persist_state="session",
        help="Embedded: no account, no key, nothing leaves this computer, but small and slow. "
        "At an address: OpenAI, OpenRouter, or a server of your own such as Ollama, LM Studio, llama.cpp or vLLM.",
    )
    if where == HERE:
        return _embedded(name, start if start.base_url == EMBEDDED else ModelChoice(model=DEFAULT_MODEL))
    return _address(name, start if start.base_url != EMBEDDED else None)


def show_forms(remembered: RunChoices | None, second: str, why: str) -> list[Filled]:
    """The form of the model that reads and, where a person wants it, of one that reasons; `second` and `why` say so."""
    forms = [show_form("reading", remembered.reading if remembered else None)]
    other = remembered.reasoning if remembered else None
    if st.toggle(second, other is not None, key="two-models", persist_state="session", help=why):
        with st.container(border=True):
            forms.append(show_form("reasoning", other))
    return forms


def _embedded(name: str, start: ModelChoice) -> Filled:
    models = {model.name: model for model in LOCAL_MODELS}
    team, home = team_here(), state.home()
    options = [*models, *([] if team else [OTHER_FILE])]
    chosen = st.radio(
        "Model",
        options,
        index=options.index(start.model) if start.model in models else len(options) - 1,
        format_func=lambda one: models[one].title if one in models else "Another model file",
        captions=[
            *(
                f"{size(m.bytes)}, {'on this computer' if is_pulled(m, home) else 'not here yet'}. {m.note}"
                for m in LOCAL_MODELS
            ),
            "A GGUF file on this computer; a model of 4 to 9 billion parameters reads far better, if memory allows",
        ][: len(options)],
        key=f"{name}-embedded",
        persist_state="session",
    )
    missing = ""
    if chosen in models:
        model = chosen
        if not is_pulled(models[chosen], home):
            pulls.show(models[chosen], home)
            missing = f"The model {models[chosen].title} is not on this computer yet. Get it first."
    else:
        typed = st.text_input(
            "Path of the file",
            "" if start.model in models else start.model,
            placeholder="/home/you/models/some-model.gguf",
            key=f"{name}-file",
            persist_state="session",
        )
        model = typed.strip()
        if not model or not _is_model_file(model):
            return Filled(choice=None)
    with st.expander("Context window"):
        window = _window(name, start.window, of=model)
    return Filled(choice=ModelChoice(model=model, window=window), missing=missing)


def _is_model_file(path: str) -> bool:
    try:
        find_model(path, state.home())
    except R3ConError as error:
        show(error)
        return False
    return True


def _window(name: str, usual: int, *, of: str) -> int:
    """The field for the context window; when another model is chosen, it is the usual one of that."""
    key, filled_for = f"{name}-window", f"{name}-window-of"
    if st.session_state.get(filled_for) != of or key not in st.session_state:
        st.session_state[filled_for] = of
        _take_window(name, usual)
    return int(
        st.number_input(
            "Tokens the model takes in at once",
            SMALLEST_WINDOW,
            LARGEST_WINDOW,
            step=1024,
            key=key,
            persist_state="session",
            help="The context window: prompt and reply together. Longer documents are read in parts. For an embedded "
            "model a larger window needs more memory.",
        )
    )


def _take_window(name: str, tokens: int | None) -> None:
    """Fill the field in, before it is drawn."""
    if tokens is not None:
        st.session_state[f"{name}-window"] = min(max(tokens, SMALLEST_WINDOW), LARGEST_WINDOW)


def _usual_window(endpoint: Endpoint, start: ModelChoice | None) -> int:
    """What was chosen for this model last, else what it has told before, else what the table says."""
    if start is not None and (start.base_url, start.model) == (endpoint.base_url, endpoint.model):
        return start.window
    return load_learnt(state.home(), endpoint).window or window_of(endpoint) or EMBEDDED_WINDOW


def _address(name: str, start: ModelChoice | None) -> Filled:
    endpoint = _place(name, start)
    if endpoint is None:
        return Filled(choice=None)
    access.show_key(f"{name}-key", endpoint.base_url, local=endpoint.local)
    _take_window(name, connection.found_window(name, endpoint))
    with st.expander("Context window and calls at once"):
        window = _window(name, _usual_window(endpoint, start), of=f"{endpoint.base_url} {endpoint.model}")
        workers = st.number_input(
            "Calls at once",
            1,
            MOST_AT_ONCE,
            start.workers if start else endpoint.workers,
            key=f"{name}-workers",
            persist_state="session",
            help="More is faster until the server says no; the app slows down by itself then.",
        )
    choice = ModelChoice(model=endpoint.model, base_url=endpoint.base_url, window=window, workers=int(workers))
    connection.show(name, choice)
    return Filled(choice=choice)


def _free_address(name: str, start: ModelChoice | None) -> tuple[str, DeltaGenerator]:
    """Any address, and the column beside its field."""
    address_key = f"{name}-address"
    st.session_state.setdefault(address_key, start.base_url if start else "")

    def fill_in() -> None:
        picked = st.session_state[f"{name}-usual"]
        if picked:
            st.session_state[address_key] = ADDRESSES[picked]

    st.pills("Fill in the usual address of", list(ADDRESSES), key=f"{name}-usual", on_change=fill_in)
    left, right = st.columns(2)
    address = left.text_input(
        "Address",
        key=address_key,
        persist_state="session",
        placeholder="https://api.openai.com/v1",
        help="Any server that speaks the OpenAI protocol.",
    )
    return address, right


def _team_address(name: str, start: ModelChoice | None, team: Team, column: DeltaGenerator) -> str:
    """One of the addresses that the operator of a team's app has stated; "" when there are none."""
    if not team.models:
        column.info("No model servers were set up for this app. Ask whoever runs it, or use an embedded model.")
        return ""
    return str(
        column.selectbox(
            "Address",
            team.models,
            index=team.models.index(start.base_url) if start and start.base_url in team.models else 0,
            key=f"{name}-team-address",
            persist_state="session",
            help="Whoever runs this app has stated which servers may be used.",
        )
    )


def _place(name: str, start: ModelChoice | None) -> Endpoint | None:
    """Where the model is; None while that is not said, or cannot be."""
    team = team_here()
    if team is None:
        address, right = _free_address(name, start)
    else:
        left, right = st.columns(2)
        address = _team_address(name, start, team, left)
    model = right.text_input(
        "Model name",
        start.model if start else "",
        key=f"{name}-model",
        persist_state="session",
        placeholder="as the server lists it",
    )
    if not address.strip() or not model.strip():
        st.caption("Address and model name are both needed.")
        return None
    with shown():
        check_address(address)
        return endpoint_for(model, address)
    return None
