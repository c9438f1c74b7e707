"""The Question page: pose, choose, see what it takes, start."""

import json
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.widgets import access, modelform, state
from r3con_core import corpora, sandbox
from r3con_core.answers import Mode
from r3con_core.errors import EndpointError
from r3con_core.jobs import ModelChoice, RunChoices, choices_of
from r3con_core.models import LOCAL_MODELS, Endpoint, models_folder
from r3con_core.models.probe import Finding, Probe, Verdict
from r3con_core.preferences import load_choices, save_choices
from r3con_core.store.project import Project, create_project
from r3con_core.store.runs import list_runs
from tests.harbour_script import QUESTION
from tests.pages.conftest import Workers
from tests.pages.opened import click, open_page

ADDRESS = "https://models.example/v1"


def at_address(address: str = ADDRESS, model: str = "reader-9b", form: str = "reading") -> AppTest:
    """The page with a model chosen at an address, and the question written."""
    at = open_page("question", project="harbour")
    at.text_area[0].set_value(QUESTION).run()
    return fill_in(at, address, model, form)


def fill_in(at: AppTest, address: str, model: str, form: str) -> AppTest:
    at.segmented_control(key=f"{form}-where").set_value(modelform.THERE).run()
    at.text_input(key=f"{form}-address").set_value(address)
    at.text_input(key=f"{form}-model").set_value(model).run()
    assert not at.exception
    return at


def said(at: AppTest) -> str:
    """All that the page says in boxes."""
    return " ".join(box.value for box in [*at.error, *at.warning, *at.info, *at.success])


def test_without_documents_the_page_leads_to_adding_some(home: Path) -> None:
    create_project(home / "projects", "Bare")
    at = open_page("question", project="bare")
    assert at.subheader[0].value == "There is nothing to read yet"
    click(at, "Add documents")
    assert at.title[0].value == "Documents"


def test_the_questions_of_a_sample_are_offered_and_taken(home: Path) -> None:
    corpora.add_sample(create_project(home / "projects", "Trial"), "harbour")
    at = open_page("question", project="trial")
    at.button(key="take-harbour-1").click().run()
    assert at.text_area[0].value == QUESTION


@pytest.mark.usefixtures("project")
def test_an_embedded_model_that_is_not_here_is_offered_and_start_waits() -> None:
    at = open_page("question", project="harbour")
    assert "is not on this computer yet. Get it first." in said(at)
    labels = {button.label: button.disabled for button in at.button}
    assert labels["Get it (1.1 GB)"] is False
    assert labels["Start"] is True
    assert at.metric[0].label == "Calls"


@pytest.mark.usefixtures("project")
def test_with_an_embedded_model_nothing_leaves_the_computer_and_the_time_is_told(home: Path) -> None:
    smallest = LOCAL_MODELS[-1]
    models_folder(home).mkdir()
    with (models_folder(home) / smallest.file).open("wb") as file:
        file.truncate(smallest.bytes)
    at = open_page("question", project="harbour")
    at.radio(key="reading-embedded").set_value(smallest.name).run()
    assert "stays on this computer" in said(at)
    assert at.metric[3].label == "Time"
    assert not next(button for button in at.button if button.label == "Start").disabled


@pytest.mark.usefixtures("project")
def test_where_text_goes_and_what_it_takes_is_said_before_the_start() -> None:
    at = at_address()
    assert "will be sent to **models.example**" in said(at)
    assert [(metric.label, metric.value) for metric in at.metric if metric.label in ("Calls", "Money")] == [
        ("Calls", "about 36"),
        ("Money", "not known"),
    ]


@pytest.mark.usefixtures("project")
def test_known_prices_become_an_amount_of_money() -> None:
    at = at_address("https://api.openai.com/v1", "gpt-4o-mini")
    assert at.metric[3].label == "Money"
    assert at.metric[3].value.startswith("about 0.0")
    assert at.metric[3].value.endswith(" USD")


def test_start_makes_the_run_starts_its_worker_and_shows_it(project: Project, home: Path, workers: Workers) -> None:
    at = at_address()
    at.slider(key="rounds").set_value(3)
    at.toggle(key="through").set_value(True).run()
    click(at, "Start")
    (run,) = list_runs(project)
    assert run.task.text == QUESTION
    assert (run.settings.rounds, run.straight_through, run.host) == (3, True, "models.example")
    assert workers.started == [run.id]
    assert at.query_params["run"] == run.id
    assert at.title[0].value == "Relevance"
    remembered = load_choices(home)
    assert remembered is not None
    assert (remembered.reading.base_url, remembered.rounds) == (ADDRESS, 3)


def test_a_blank_question_is_refused_before_anything_is_made(project: Project, workers: Workers) -> None:
    at = at_address()
    at.text_area[0].set_value("   ").run()
    click(at, "Start")
    assert "The question is empty" in said(at)
    assert (list_runs(project), workers.started) == ((), [])


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("address", "fault"),
    [("ftp://models.example", "is not a web address"), ("https://me:secret@models.example", "must not hold a key")],
)
def test_an_address_that_cannot_be_one_is_explained_in_its_place(address: str, fault: str) -> None:
    at = at_address(address)
    assert fault in said(at).replace("\\", "")
    assert next(button for button in at.button if button.label == "Start").disabled


@pytest.mark.usefixtures("project")
def test_usual_addresses_fill_in_the_field() -> None:
    at = open_page("question", project="harbour")
    at.segmented_control(key="reading-where").set_value(modelform.THERE).run()
    at.pills(key="reading-usual").set_value("Ollama").run()
    assert at.text_input(key="reading-address").value == "http://localhost:11434/v1"


def type_key(at: AppTest, key: str, *, keep: bool, form: str = "reading") -> None:
    at.text_input(key=f"{form}-key").set_value(key).run()
    at.checkbox(key=f"{form}-keep").set_value(keep).run()


def test_a_key_goes_to_the_worker_alone_unless_it_is_to_be_kept(project: Project, home: Path, workers: Workers) -> None:
    at = at_address()
    type_key(at, "sk-secret", keep=False)
    click(at, "Start")
    assert workers.keys == [{"R3CON_API_KEY": "sk-secret"}]
    assert not (home / "keys.json").exists()
    stored = project.path.read_bytes() + (home / "choices.json").read_bytes()
    assert b"sk-secret" not in stored


@pytest.mark.usefixtures("project", "workers")
def test_a_kept_key_is_in_the_file_of_keys_and_nowhere_else(home: Path) -> None:
    at = at_address()
    type_key(at, "sk-secret", keep=True)
    click(at, "Start")
    assert json.loads((home / "keys.json").read_text()) == {"models.example": "sk-secret"}
    assert "sk-secret" not in (home / "choices.json").read_text()


def test_a_key_cannot_reach_the_address_of_the_other_model(project: Project, workers: Workers) -> None:
    at = at_address()
    type_key(at, "sk-secret", keep=False)
    at.toggle(key="two-models").set_value(True).run()
    fill_in(at, "https://other.example/v1", "thinker-70b", "reasoning")
    click(at, "Start")
    assert "different addresses" in said(at)
    assert (list_runs(project), workers.started) == ((), [])


def test_another_model_can_reason(project: Project, workers: Workers) -> None:
    at = at_address()
    at.toggle(key="two-models").set_value(True).run()
    fill_in(at, "https://other.example/v1", "thinker-70b", "reasoning")
    assert "**models.example** and **other.example**" in said(at)
    click(at, "Start")
    (run,) = list_runs(project)
    assert [choice and choice.model for choice in choices_of(project, run.id)] == ["reader-9b", "thinker-70b"]
    assert workers.keys == [{}]


@pytest.mark.usefixtures("project")
def test_what_was_chosen_last_is_filled_in(home: Path) -> None:
    reading = ModelChoice(model="reader-9b", base_url=ADDRESS, window=32_768, workers=5)
    save_choices(home, RunChoices(reading=reading, rounds=4, mode=Mode.DIRECT, straight_through=True))
    at = open_page("question", project="harbour")
    assert at.text_input(key="reading-model").value == "reader-9b"
    assert at.number_input(key="reading-window").value == 32_768
    assert (at.slider(key="rounds").value, at.radio(key="mode").value) == (4, Mode.DIRECT)
    assert at.toggle(key="through").value is True


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("kept", ["{", '{"reading": {"model": "x", "window": 3}}', "[]"])
def test_damaged_choices_only_mean_to_choose_again(home: Path, kept: str) -> None:
    (home / "choices.json").write_text(kept)
    assert open_page("question", project="harbour").slider(key="rounds").value == 2


@pytest.mark.usefixtures("project")
def test_where_code_cannot_run_the_direct_mode_is_taken_and_the_reason_told(monkeypatch: pytest.MonkeyPatch) -> None:
    st.cache_resource.clear()
    monkeypatch.setattr(sandbox, "code_can_run", lambda: "There is no sandbox for this operating system.")
    at = open_page("question", project="harbour")
    st.cache_resource.clear()
    assert (at.radio(key="mode").value, at.radio(key="mode").disabled) == (Mode.DIRECT, True)
    assert "There is no sandbox for this operating system" in said(at)


@pytest.mark.usefixtures("project")
def test_a_half_written_question_is_there_after_a_look_at_another_page() -> None:
    at = open_page("question", project="harbour")
    at.text_area[0].set_value("Who was at the quay?").run()
    at.switch_page(state.PAGES["corpus"].file).run()
    at.switch_page(state.PAGES["question"].file).run()
    assert at.text_area[0].value == "Who was at the quay?"


@pytest.mark.usefixtures("project")
def test_a_connection_is_tested_and_each_finding_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = (
        Finding(verdict=Verdict.GOOD, text="models.example answers after 0.4 seconds."),
        Finding(verdict=Verdict.BAD, text="The key was refused. Check it."),
    )
    asked: list[tuple[str, str]] = []

    def probe(endpoint: Endpoint, key: str) -> Probe:
        asked.append((endpoint.base_url, key))
        return Probe(findings=findings)

    monkeypatch.setattr(modelform, "probe_connection", probe)
    at = at_address()
    type_key(at, "sk-secret", keep=False)
    click(at, "Test connection")
    shown = [markdown.value for markdown in at.main.markdown]
    assert "**The connection does not work**" in shown
    assert any(text.endswith("The key was refused. Check it.") for text in shown)
    assert asked == [(ADDRESS, "sk-secret")]


def test_a_key_typed_for_one_server_of_this_computer_does_not_reach_another(tmp_path: Path) -> None:
    first = ModelChoice(model="reader", base_url="http://127.0.0.1:8001/v1")
    second = ModelChoice(model="thinker", base_url="http://127.0.0.1:8002/v1")
    typed = [access.Typed(choice=first, key="secret", keep=False), access.Typed(choice=second, key="", keep=False)]
    with pytest.raises(EndpointError, match="different addresses"):
        access.hand_over(typed, tmp_path)
