"""The list of downloads, and the check of everything, on the Answer page."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from pages.widgets.answer.downloads import GROUPS
from r3con_core.answers import Mode
from r3con_core.store import answers as answer_rows
from r3con_core.store.answers import load_answer
from tests.fakes import finished_harbour
from tests.pages.opened import click, open_page


def answer_page(run_id: str) -> AppTest:
    return open_page("answer", project="harbour", run=run_id)


def test_downloads_stand_in_groups_by_what_they_are_for(home: Path) -> None:
    _, run_id = finished_harbour(home / "projects")
    at = answer_page(run_id)
    labels = [button.proto.label for button in at.get("download_button")]
    wanted = [download.label for downloads in GROUPS.values() for download in downloads]
    assert sorted(label for label in labels if label in wanted) == sorted(wanted)
    captions = [caption.value for caption in at.main.caption]
    assert [title for title in GROUPS if f"**{title}**" in captions] == list(GROUPS)


def test_every_download_of_a_finished_run_can_be_made(home: Path) -> None:
    project, run_id = finished_harbour(home / "projects")
    made = {d.label: len(d.export(project, run_id)) for downloads in GROUPS.values() for d in downloads}
    assert len(made) == 11
    assert min(made.values()) > 500


def test_code_is_offered_only_where_there_is_some(home: Path) -> None:
    project, run_id = finished_harbour(home / "projects")
    answer = load_answer(project, run_id)
    assert answer is not None
    answer_rows.clear_steps(project, run_id)
    project.db.execute("update answers set mode = ?", (Mode.DIRECT.value,))
    at = answer_page(run_id)
    wanted = {d.label for downloads in GROUPS.values() for d in downloads}
    closed = {b.proto.label for b in at.get("download_button") if b.proto.disabled}
    assert closed & wanted == {"Notebook (Jupyter)", "Code, with its records (Python)"}


def test_everything_is_checked_on_the_screen(home: Path) -> None:
    _, run_id = finished_harbour(home / "projects")
    at = click(answer_page(run_id), "Check everything")
    assert [box.value for box in at.success] == ["All 10 checks hold."]


def test_what_does_not_hold_is_named_on_the_screen(home: Path) -> None:
    project, run_id = finished_harbour(home / "projects")
    project.db.execute("update steps set output = replace(output, '40', '41')")
    at = click(answer_page(run_id), "Check everything")
    assert [box.value for box in at.error] == ["1 of 10 checks found something that does not hold."]
    told = "\n".join(element.value for element in at.markdown)
    assert "Step 1 gives something else when it is run again." in told
