"""Projects that cannot be opened, the audit log, and removing a project, on the Documents page."""

from pathlib import Path

from r3con_core.audit import Event
from r3con_core.store.audit import list_acts
from r3con_core.store.documents import list_documents
from r3con_core.store.project import create_project, open_project
from tests.fakes import harbour_project
from tests.pages.opened import click, open_page


def test_a_broken_project_stands_beside_the_sound_ones_and_can_be_rescued(home: Path) -> None:
    create_project(home / "projects", "Whole")
    project = harbour_project(home / "projects")
    project.db.execute("pragma wal_checkpoint(truncate)")
    project.close()
    with project.path.open("r+b") as file:
        file.write(bytes(100))
    at = open_page(project="harbour")
    assert [box.label for box in at.button if box.label == "Open"] == ["Open"]
    assert "r3con rescue" in at.error[0].value
    at = click(at, "Save what can be saved")
    assert r"Documents\: 10 saved" in at.success[0].value
    assert len(list_documents(open_project(project.folder))) == 10


def test_the_log_is_switched_on_and_its_anchor_shown(home: Path) -> None:
    project = harbour_project(home / "projects")
    at = open_page(project="harbour", tab="project")
    at.toggle[0].set_value(True).run()
    assert [act.event for act in list_acts(project.db)] == [Event.BEGUN, Event.ON]
    assert at.code[0].value.startswith("2:")


def test_a_project_is_removed_once_its_name_is_typed(home: Path) -> None:
    project = harbour_project(home / "projects")
    at = open_page(project="harbour", tab="project")
    remove = at.button(key="purge-harbour")
    assert remove.disabled
    at.text_input(key="purge-name-harbour").set_value("Harbour").run()
    at.button(key="purge-harbour").click().run()
    assert not at.exception
    assert not project.folder.exists()
    assert "removed" in at.success[0].value
