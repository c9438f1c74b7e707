"""The Question page: pose, choose, see what it takes, start."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.question import connection, modelform
from r3con_core import corpora, sandbox
from r3con_core.answers import Mode
from r3con_core.estimates.calibration import learn_from
from r3con_core.jobs import ModelChoice, RunChoices, choices_of
from r3con_core.models import (
    LOCAL_MODELS,
    Endpoint,
    JsonMode,
    Learnt,
    Prices,
    endpoint_for,
    keep_learnt,
    load_learnt,
    models_folder,
)
from r3con_core.models.prices import set_price
from r3con_core.models.probe import Finding, Probe, Verdict
from r3con_core.models.wire import Dialect
from r3con_core.preferences import load_choices, save_choices
from r3con_core.runs import Caps, Layout
from r3con_core.store.caps import load_caps
from r3con_core.store.decisions import hold_documents, list_decisions
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project, create_project
from r3con_core.store.runs import list_runs
from tests.fakes import Scripted, carry_scripted, start_harbour_run
from tests.harbour_script import QUESTION
from tests.keyring_double import Kept
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
    return allow(at)


def allow(at: AppTest) -> AppTest:
    """With every host ticked that is to be."""
    for box in [box for box in at.checkbox if " may go to " in box.label and not box.value]:
        box.check().run()
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
    assert [metric.label for metric in at.metric] == ["Calls", "Tokens sent", "Tokens written", "Time"]
    assert [field.label for field in at.number_input if "Pause" in field.label] == ["Pause after this many tokens"]
    assert not next(button for button in at.button if button.label == "Start").disabled


def test_a_host_on_the_internet_is_allowed_once_for_each_project(project: Project, workers: Workers) -> None:
    """Nothing starts before the tick; it is written down with who gave it, and not asked for again."""
    hold_documents(project, [list_documents(project)[0].id], author="ann", note="advice of counsel")
    at = at_address()
    (box,) = [box for box in at.checkbox if " may go to " in box.label]
    assert box.label == "Text of Harbour may go to models.example"
    assert "**models.example** (on the internet)" in said(at)
    assert "9 documents, " in said(at)
    assert "; 1 document held back stay out." in said(at)
    box.uncheck().run()
    assert next(button for button in at.button if button.label == "Start").disabled
    click(allow(at), "Start")
    assert len(workers.started) == 1
    (decision,) = [one for one in list_decisions(project) if one.decision == "allowed"]
    assert (decision.subject, decision.document_id) == ("text to models.example", "")
    again = open_page("question", project="harbour")
    again.text_area[0].set_value(QUESTION).run()
    assert not any(" may go to " in box.label for box in again.checkbox)
    assert not next(button for button in again.button if button.label == "Start").disabled


@pytest.mark.usefixtures("project")
def test_where_text_goes_and_what_it_takes_is_said_before_the_start() -> None:
    at = at_address()
    assert "will be sent to **models.example**" in said(at)
    figures = {metric.label: (metric.value, metric.delta) for metric in at.metric}
    assert list(figures) == ["Calls", "Tokens sent", "Tokens written", "Money", "Time"]
    assert figures["Calls"] == ("35", "33 to 69")
    assert figures["Money"] == ("not known", "")
    assert figures["Time"][1].startswith("up to ")
    assert all(" to " in figures[name][1] for name in ("Tokens sent", "Tokens written"))
    assert any(text.value.startswith("Of the tokens sent, the server will likely have read") for text in at.markdown)
    assert "The figures are typical ones" in " ".join(caption.value for caption in at.caption)


@pytest.mark.usefixtures("project")
def test_known_prices_become_an_amount_of_money_with_its_bounds() -> None:
    at = at_address("https://api.openai.com/v1", "gpt-4o-mini")
    (money,) = [metric for metric in at.metric if metric.label == "Money"]
    likely, bounds = money.value.removesuffix(" USD"), money.delta.removesuffix(" USD").split(" to ")
    assert float(bounds[0]) < float(likely) < float(bounds[1])
    assert "For a million tokens, by genai" in " ".join(text.value for text in at.markdown)
    table = next(frame.value for frame in at.dataframe if "Stage" in frame.value)
    assert list(table.columns) == ["Stage", "Calls", "Sent", "Known", "Written", "Money (USD)"]
    assert table["Calls"][list(table["Stage"]).index("reading for relevance")] == "20 (20 to 30)"


@pytest.mark.usefixtures("project")
def test_estimates_rest_on_earlier_runs_of_the_model_once_there_are_any(project: Project, home: Path) -> None:
    run_id = start_harbour_run(project, straight_through=True)
    carry_scripted(project, run_id, Scripted())
    learn_from(project, run_id, home)
    at = at_address("http://127.0.0.1:9/v1", "scripted")
    assert "The figures rest on earlier runs of this model." in " ".join(caption.value for caption in at.caption)


def prices_of(at: AppTest) -> dict[str, float | None]:
    labels = ("Sent", "Sent, known to the server", "Written")
    return {field.label: field.value for field in at.number_input if field.label in labels}


def set_prices(at: AppTest, **prices: float) -> AppTest:
    labels = {"sent": "Sent", "known": "Sent, known to the server", "written": "Written"}
    for name, price in prices.items():
        (field,) = [field for field in at.number_input if field.label == labels[name]]
        field.set_value(price)
    return click(at, "Use these prices")


@pytest.mark.usefixtures("project")
def test_unknown_prices_are_set_kept_with_their_date_and_forgotten() -> None:
    at = at_address()
    assert prices_of(at) == {"Sent": None, "Sent, known to the server": None, "Written": None}
    set_prices(at, sent=1.0, written=4.0)
    (money,) = [metric for metric in at.metric if metric.label == "Money"]
    assert money.value.endswith(" USD")
    today = datetime.now().astimezone().date().isoformat()
    assert f"For a million tokens, set by you on {today}." in [text.value.replace("\\", "") for text in at.markdown]
    again = at_address()
    assert prices_of(again) == {"Sent": 1.0, "Sent, known to the server": 1.0, "Written": 4.0}
    click(again, "Use the table's again")
    assert prices_of(again) == {"Sent": None, "Sent, known to the server": None, "Written": None}


@pytest.mark.usefixtures("project")
def test_a_price_of_the_table_can_be_overruled_and_taken_back() -> None:
    at = at_address("https://api.openai.com/v1", "gpt-4o-mini")
    assert prices_of(at) == {"Sent": 0.15, "Sent, known to the server": 0.075, "Written": 0.6}
    set_prices(at, sent=15.0)
    assert prices_of(at)["Sent"] == 15.0
    click(at, "Use the table's again")
    assert prices_of(at) == {"Sent": 0.15, "Sent, known to the server": 0.075, "Written": 0.6}
    assert "Use the table's again" not in [button.label for button in at.button]


@pytest.mark.usefixtures("project")
def test_one_model_for_both_has_one_price() -> None:
    at = at_address()
    at.toggle(key="two-models").set_value(True).run()
    fill_in(at, ADDRESS, "reader-9b", "reasoning")
    assert [button.label for button in at.button].count("Use these prices") == 1


@pytest.mark.usefixtures("project")
def test_a_damaged_file_of_prices_is_said_and_nothing_starts(home: Path) -> None:
    (home / "prices.json").write_text("{")
    at = at_address()
    assert "cannot be read. Delete it and set the prices again." in said(at)
    assert "Start" not in [button.label for button in at.button]


@pytest.mark.usefixtures("project")
def test_what_costs_nothing_elsewhere_is_said_to_and_has_no_limit_in_money(home: Path) -> None:
    free = Prices(input=0.0, cached=0.0, cache_write=0.0, output=0.0, source="")
    set_price(home, endpoint_for("reader-9b", ADDRESS), free)
    at = at_address()
    assert [metric.value for metric in at.metric if metric.label == "Money"] == ["nothing"]
    assert [field.label for field in at.number_input if "Pause" in field.label] == ["Pause after this many tokens"]


@pytest.mark.usefixtures("project")
def test_half_a_price_is_none(home: Path) -> None:
    at = set_prices(at_address(), sent=1.0)
    assert "Give both what is paid for tokens sent and for tokens written." in said(at)
    assert not (home / "prices.json").exists()


@pytest.mark.usefixtures("project")
def test_a_currency_from_outside_is_no_markup(home: Path) -> None:
    prices = Prices(input=5, cached=5, cache_write=5, output=9, source="", currency="[$](http://x.example)")
    set_price(home, endpoint_for("reader-9b", ADDRESS), prices)
    (money,) = [metric for metric in at_address().metric if metric.label == "Money"]
    assert "http://" not in money.value + money.delta
    assert money.value.endswith(plain(prices.currency))


@pytest.mark.usefixtures("project")
def test_money_can_be_limited_only_where_a_price_is_known(home: Path) -> None:
    fields = [field.label for field in at_address().number_input if field.label.startswith("Pause")]
    assert fields == ["Pause after this many tokens"]
    at = at_address("https://api.openai.com/v1", "gpt-4o-mini")
    limits = {field.label: field.value for field in at.number_input if field.label.startswith("Pause")}
    assert limits == {"Pause when this much money is spent (USD)": None, "Pause after this many tokens": None}
    assert "Calls under way are still finished" in " ".join(caption.value for caption in at.caption)
    assert "The run will likely cost 0.0" in at.number_input(key="cap-money").help


@pytest.mark.usefixtures("workers")
def test_limits_and_the_order_of_prompts_go_with_the_run(project: Project) -> None:
    at = at_address("https://api.openai.com/v1", "gpt-4o-mini")
    at.number_input(key="cap-money").set_value(1.5)
    at.number_input(key="cap-tokens").set_value(200_000)
    at.radio(key="layout").set_value(Layout.PAPER).run()
    click(at, "Start")
    (run,) = list_runs(project)
    assert load_caps(project, run.id) == Caps(money=1.5, currency="USD", tokens=200_000)
    assert run.settings.layout is Layout.PAPER


@pytest.mark.parametrize("tokens", [0, -5])
def test_what_cannot_be_a_limit_starts_nothing(project: Project, workers: Workers, tokens: int) -> None:
    at = at_address()
    at.number_input(key="cap-tokens").set_value(tokens).run()
    assert f"A limit on what a run may use must be above zero, not {plain(str(tokens))}." in said(at)
    (start,) = [button for button in at.main.button if button.label == "Start"]
    assert start.disabled
    at.number_input(key="cap-tokens").set_value(None).run()
    click(at, "Start")
    (run,) = list_runs(project)
    assert (load_caps(project, run.id), workers.started) == (Caps(), [run.id])


@pytest.mark.usefixtures("project")
def test_a_limit_below_what_a_run_needs_at_least_is_said_to_be_so() -> None:
    at = at_address("https://api.openai.com/v1", "gpt-4o-mini")
    said_so = "The run will likely need more than this limit allows, and pause before its end."
    for key, tight, wide in (("cap-tokens", 5, 10_000_000), ("cap-money", 0.0001, 50.0)):
        for value, told in ((tight, True), (wide, False)):
            at.number_input(key=key).set_value(value).run()
            assert (said_so in [info.value for info in at.info]) is told


@pytest.mark.usefixtures("workers")
def test_without_limits_a_run_may_use_what_it_needs(project: Project) -> None:
    click(at_address(), "Start")
    (run,) = list_runs(project)
    assert (load_caps(project, run.id), run.settings.layout) == (Caps(), Layout.SHARED)


def test_start_makes_the_run_starts_its_worker_and_shows_it(project: Project, home: Path, workers: Workers) -> None:
    at = at_address()
    at.slider(key="rounds").set_value(3)
    at.toggle(key="through").set_value(True)
    at.checkbox(key="between").set_value(True).run()
    click(at, "Start")
    (run,) = list_runs(project)
    assert run.task.text == QUESTION
    assert run.between_rounds
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


def type_key(at: AppTest, key: str, form: str = "reading") -> AppTest:
    return at.text_input(key=f"{form}-key").set_value(key).run()


def buttons(at: AppTest) -> list[str]:
    """What can be done with the key."""
    return [button.label for button in at.button if button.label.endswith("the key") and not button.disabled]


def drawn(at: AppTest) -> str:
    """All that was sent to the browser."""
    return str(at)


def test_a_typed_key_goes_to_the_worker_alone_and_the_page_gives_it_up(
    project: Project, home: Path, workers: Workers
) -> None:
    at = type_key(at_address(), "sk-secret")
    assert at.text_input(key="reading-key").value == ""
    assert "The key you typed for models.example is used in this browser tab, until you close or reload it" in " ".join(
        caption.value for caption in at.caption
    )
    assert "sk-secret" not in drawn(at)
    assert buttons(at) == ["Forget the key"]
    click(at, "Start")
    assert workers.keys == [{"models.example": "sk-secret"}]
    for file in (each for each in home.rglob("*") if each.is_file()):
        assert b"sk-secret" not in file.read_bytes()


def test_a_forgotten_key_is_used_no_more(project: Project, workers: Workers) -> None:
    at = click(type_key(at_address(), "sk-secret"), "Forget the key")
    assert "No key for models.example is known here. Type one and press Enter." in [
        caption.value for caption in at.caption
    ]
    click(at, "Start")
    assert workers.keys == [{}]


@pytest.mark.usefixtures("project", "workers")
def test_where_there_is_no_keyring_remembering_is_not_offered_and_the_reason_is_said() -> None:
    at = type_key(at_address(), "sk-secret")
    (told,) = [caption.value for caption in at.caption if "It cannot be remembered here" in caption.value]
    assert re.search("package for the system's keyring is not installed|no keyring that is unlocked", told)


@pytest.mark.usefixtures("project")
def test_a_key_is_remembered_by_the_keyring_and_forgotten_again(home: Path, kept: Kept, workers: Workers) -> None:
    at = type_key(at_address(), "sk-secret")
    assert buttons(at) == ["Forget the key", "Remember the key"]
    click(at, "Remember the key")
    assert kept.passwords == {(f"R3Con Analyst {home}", "models.example"): "sk-secret"}
    again = at_address()
    assert ":material/key: The key for models.example that KWallet keeps is used." in [c.value for c in again.caption]
    assert "sk-secret" not in drawn(at) + drawn(again)
    click(again, "Forget the key")
    assert kept.passwords == {}
    assert "No key for models.example is known here. Type one and press Enter." in [
        caption.value for caption in again.caption
    ]


@pytest.mark.usefixtures("project", "workers")
def test_a_keyring_that_will_not_keep_a_key_says_so_and_the_key_is_still_used(kept: Kept) -> None:
    at = type_key(at_address(), "sk-secret")
    kept.locked = True
    click(at, "Remember the key")
    assert "keyring refused" in said(at).replace("\\", "")
    assert buttons(at) == ["Forget the key", "Remember the key"]


@pytest.mark.usefixtures("project")
def test_the_variable_that_a_key_is_from_is_named_and_nothing_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    at = at_address("https://api.openai.com/v1", "gpt-4o-mini")
    told = "The key in the environment variable OPENAI\\_API\\_KEY is sent to api.openai.com."
    assert f":material/key: {told}" in [caption.value for caption in at.caption]
    assert buttons(at) == []
    assert not re.search("sk-of|openai-?$", drawn(at))


@pytest.mark.usefixtures("project")
def test_keys_of_the_old_file_are_told_of() -> None:
    (state.home() / "keys.json").write_text('{"models.example": "sk-secret"}', "utf-8")
    at = at_address()
    assert "Keys are no longer kept in files" in said(at)
    assert "No key for models.example is known here. Type one and press Enter." in [
        caption.value for caption in at.caption
    ]
    assert "sk-secret" not in drawn(at)


def test_two_models_at_two_addresses_have_a_typed_key_each(project: Project, workers: Workers) -> None:
    at = type_key(at_address(), "sk-secret")
    at.toggle(key="two-models").set_value(True).run()
    fill_in(at, "https://other.example/v1", "thinker-70b", "reasoning")
    type_key(at, "sk-other", "reasoning")
    click(at, "Start")
    assert workers.keys == [{"models.example": "sk-secret", "other.example": "sk-other"}]


@pytest.mark.usefixtures("project", "workers")
def test_a_key_that_could_be_for_either_of_two_addresses_is_said_to_go_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("R3CON_API_KEY", "sk-secret")
    at = at_address()
    at.toggle(key="two-models").set_value(True).run()
    fill_in(at, "https://other.example/v1", "thinker-70b", "reasoning")
    assert "is not used, since there are two addresses" in said(at)
    assert "R3CON_API_KEY_HOST" in said(at).replace("\\", "")


@pytest.mark.usefixtures("project", "workers")
def test_no_key_is_asked_for_that_would_travel_unencrypted() -> None:
    at = at_address("http://models.example/v1")
    assert "reading-key" not in [field.key for field in at.text_input]
    assert "No key is sent to an address that begins with http://" in " ".join(caption.value for caption in at.caption)


def test_another_model_can_reason(project: Project, workers: Workers) -> None:
    at = at_address()
    at.toggle(key="two-models").set_value(True).run()
    fill_in(at, "https://other.example/v1", "thinker-70b", "reasoning")
    assert re.search(r"\*\*models\.example\*\* \(.*\) and \*\*other\.example\*\*", said(at))
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


class Probing:
    """Instead of a test of the connection: what it would find; keeps what works, as the test does."""

    def __init__(self, probe: Probe) -> None:
        self.probe = probe
        self.asked: list[tuple[str, str]] = []

    def __call__(self, endpoint: Endpoint, key: str, *, home: Path) -> Probe:
        self.asked.append((endpoint.base_url, key))
        if self.probe.works:
            keep_learnt(home, endpoint, self.probe.learnt)
        return self.probe


@pytest.fixture
def probing(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Probing:
    instead = Probing(request.param)
    monkeypatch.setattr(connection, "probe_connection", instead)
    return instead


ANSWERS = Finding(verdict=Verdict.GOOD, text="models.example answers after 0.4 seconds.")
BROKEN = Probe(findings=(ANSWERS, Finding(verdict=Verdict.BAD, text="The key was refused. Check it.")))
WORKS = Probe(findings=(ANSWERS,), learnt=Learnt(dialect=Dialect(mode=JsonMode.OBJECT), window=32_768))


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("probing", [BROKEN], indirect=True)
def test_a_connection_is_tested_and_each_finding_shown(probing: Probing) -> None:
    at = at_address()
    type_key(at, "sk-secret")
    click(at, "Test connection")
    shown = [markdown.value for markdown in at.main.markdown]
    assert "**The connection does not work**" in shown
    assert any(text.endswith("The key was refused. Check it.") for text in shown)
    assert probing.asked == [(ADDRESS, "sk-secret")]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("probing", [WORKS], indirect=True)
def test_what_a_test_finds_is_filled_in_and_remembered_until_it_is_forgotten(probing: Probing, home: Path) -> None:
    at = at_address()
    assert at.number_input(key="reading-window").value == 8_192
    click(at, "Test connection")
    assert at.number_input(key="reading-window").value == 32_768
    captions = [caption.value for caption in at.caption]
    filled = "The context window above has been set to these 32,768 tokens. Change it there to use fewer."
    assert filled in captions
    today = datetime.now(UTC).date()
    shape = "replies held only to be JSON; their shape is asked for in words and checked"
    assert f"Known from {today.day} {today:%B}: window 32,768 tokens; {shape}." in captions
    at.number_input(key="reading-window").set_value(16_384).run()
    assert at.number_input(key="reading-window").value == 16_384

    again = at_address()
    assert again.number_input(key="reading-window").value == 32_768
    click(again, "Forget")
    assert not [caption for caption in again.caption if caption.value.startswith("Known from")]
    assert load_learnt(home, endpoint_for("reader-9b", ADDRESS)) == Learnt()
    assert len(probing.asked) == 1


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("probing", [Probe(findings=(ANSWERS,), learnt=Learnt(window=700))], indirect=True)
def test_a_window_too_small_for_runs_is_said_to_be_so(probing: Probing) -> None:
    at = click(at_address(), "Test connection")
    assert len(probing.asked) == 1
    assert "These 700 tokens are too few: runs need 2,048 or more" in " ".join(one.value for one in at.warning)
    assert not [caption.value for caption in at.caption if "has been set to" in caption.value]


@pytest.mark.usefixtures("project")
def test_another_model_brings_its_own_window() -> None:
    at = at_address("https://api.openai.com/v1", "gpt-4o-mini")
    assert at.number_input(key="reading-window").value == 128_000
    at.text_input(key="reading-model").set_value("reader-9b").run()
    assert at.number_input(key="reading-window").value == 8_192
