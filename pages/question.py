"""Question: pose it, choose the model, see what it takes, start."""

from dataclasses import replace

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain, show, shown
from pages.widgets.question import access, estimate, follow_up, limits, method, modelform, sending
from pages.widgets.words import count
from r3con_core import jobs
from r3con_core.corpora import SampleTask, samples_in
from r3con_core.errors import R3ConError
from r3con_core.jobs import ModelChoice, RunChoices, addresses_of
from r3con_core.preferences import load_choices, save_choices
from r3con_core.runs import Caps
from r3con_core.store.documents import list_documents
from r3con_core.store.imports import list_imports
from r3con_core.store.project import Project
from r3con_core.tasks import make_task


def ask_question(project: Project) -> str:
    """The question's text, with sample questions to take where the documents are a sample's."""
    key = f"question-{project.folder.name}"

    def take(task: SampleTask) -> None:
        st.session_state[key] = task.question

    text = st.text_area(
        "What do you want to know?",
        key=key,
        persist_state="session",
        height=100,
        placeholder="such as: Which payments did the company make to members of the council, when, and how much?",
        help="Any language. Say what counts and what does not. Questions that a list, a count, a chain or a table "
        "answers work best.",
    )
    tasks = [task for sample in samples_in(project) for task in sample.tasks]
    if tasks:
        with st.popover(f"Questions that come with these documents ({len(tasks)})", icon=":material/edit_note:"):
            for task in tasks:
                with st.container(horizontal=True, vertical_alignment="center"):
                    st.markdown(plain(task.question))
                    st.button("Take it", key=f"take-{task.id}", on_click=take, args=(task,))
    return text


def start(project: Project, question: str, choices: RunChoices) -> None:
    """Check, remember, create the run, start its worker, and go and watch it."""
    home = state.home()
    try:
        jobs.check_models(choices, home)
        make_task(question)
        sending.allow(project, (choices.reading, choices.reasoning))
        save_choices(home, choices)
        run = jobs.create_run(project, question, choices, home=home)
        jobs.start_worker(project, run.id, home=home, keys=access.typed_keys())
    except R3ConError as error:
        show(error)
        return
    state.go("relevance", run=run.id)


st.title("Question", anchor=False)
project = state.require_project()
listed = list_documents(project)
lines = [line for line in listed if not line.held]
if listed and not lines:
    state.empty(
        "All documents are held back from models",
        "Release those that may be read; then ask about them.",
        page="corpus",
        button="See the documents",
    )
if not lines:
    state.empty(
        "There is nothing to read yet",
        "Add the documents first; then ask about them.",
        page="corpus",
        button="Add documents",
    )
remembered = load_choices(state.home())
follow_up.say_added(project)
earlier = follow_up.choose_start(project)
question = ask_question(project)
if earlier is not None:
    follow_up.show(project, earlier, question)
    st.stop()

st.subheader("Model", anchor=False)
forms = modelform.show_forms(
    remembered,
    "Another model for the schema and the reasoning",
    "Proposing the schema and reasoning take a few calls only but need a good model; reading takes many.",
)

st.subheader("Method", anchor=False)
how = method.choose(remembered)

st.subheader("Before you start", anchor=False)
models = [form.choice for form in forms]
reading: ModelChoice | None = models[0]
if reading is None or None in models:
    st.info("Choose a model above; what the run will take is then shown here.", icon=":material/info:")
    st.button("Start", type="primary", disabled=True)
    st.stop()
access.say_ambiguous(addresses_of(*models))
choices = RunChoices(
    reading=reading,
    reasoning=models[1] if len(models) > 1 else None,
    rounds=how.rounds,
    mode=how.mode,
    straight_through=how.straight_through,
    between_rounds=how.between_rounds,
    layout=how.layout,
    relevance=how.relevance,
    structure=how.structure,
)
st.caption(f"For {count(len(lines), 'document')} in {plain(project.name)}.")
allowed = sending.show(project, models)
if any(one.state.active for one in list_imports(project)):
    st.warning(
        "Files are still being read. The question goes to the documents that are there when you press Start.",
        icon=":material/hourglass_top:",
    )
expected = None
with shown():
    expected = estimate.expect(project, [line.tokens for line in lines], choices)
if expected is None:
    st.stop()
estimate.show(expected, choices)
caps = limits.choose(expected)
choices = replace(choices, caps=caps or Caps())
missing = " ".join(dict.fromkeys(form.missing for form in forms if form.missing))
if missing:
    st.info(missing, icon=":material/info:")
if not allowed:
    st.caption(sending.TICK_FIRST)
if st.button(
    "Start", type="primary", icon=":material/play_arrow:", disabled=not allowed or bool(missing) or caps is None
):
    start(project, question, choices)
