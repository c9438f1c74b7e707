"""Removing a project: all that is ours goes, nothing else does, and no process but ours is ended."""

import io
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from r3con_core.cli import main
from r3con_core.errors import StoreError
from r3con_core.home import home_folder, projects_folder
from r3con_core.jobs import stop_now
from r3con_core.processes import is_alive
from r3con_core.purge import purge
from r3con_core.store.documents import list_documents
from r3con_core.store.project import FILE, Project, open_project
from r3con_core.store.runs import list_runs
from tests.fakes import harbour_project, start_harbour_run

SLEEP = "import time; time.sleep(60)"


@pytest.fixture
def project() -> Project:
    project = harbour_project(projects_folder(home_folder()))
    start_harbour_run(project)
    return project


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    """A process that is none of ours."""
    with subprocess.Popen([sys.executable, "-c", SLEEP]) as process:
        yield process
        process.kill()


def test_a_project_goes_wholly_and_its_folder_too(project: Project) -> None:
    folder, run = project.folder, list_runs(project)[0].id
    kept = folder / "originals" / "ab" / ("ab" * 32)
    for file in (kept, folder / f"{run}.log", folder / "import-3.log", folder / "scratch" / "3" / "page.png"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("secret")
    for name in ("broken-1", "broken-1-wal", "77.before-upgrade"):
        (folder / f"{FILE}.{name}").write_text("secret")
    (folder / f".{FILE}-0123456789ab").write_text("secret")
    told = purge(folder)
    assert (told.left, told.others) == ((), ())
    assert not folder.exists()


def test_other_files_stay_and_no_link_is_followed(project: Project, tmp_path: Path) -> None:
    folder, elsewhere = project.folder, tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "letter.txt").write_text("mine")
    (folder / "notes.txt").write_text("mine")
    (folder / "originals" / "ab").mkdir(parents=True)
    (folder / "originals" / "ab" / "notes.txt").write_text("mine")
    (folder / "scratch").symlink_to(elsewhere)
    (folder / "originals" / "ab" / ("ab" * 32)).symlink_to(elsewhere / "letter.txt")
    told = purge(folder)
    assert told.others == ("notes.txt", "originals")
    assert sorted(file.name for file in folder.rglob("*.*")) == ["notes.txt", "notes.txt"]
    assert (elsewhere / "letter.txt").read_text() == "mine"


def test_a_linked_folder_is_refused(project: Project, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(project.folder)
    with pytest.raises(StoreError, match="is a link"):
        purge(link)
    assert project.path.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="processes are listed as files on Linux")
def test_what_works_on_it_is_ended_first(project: Project) -> None:
    words = ["-c", SLEEP, "r3con_core.worker", str(project.folder), "run"]
    with subprocess.Popen([sys.executable, *words]) as worker:
        purge(project.folder)
        assert not is_alive(worker.pid)
    assert not project.folder.exists()


def put_pid(project: Project, pid: int) -> str:
    run = list_runs(project)[0].id
    with project.change() as db:
        db.execute("update runs set pid = ?, heartbeat = ? where id = ?", (pid, time.monotonic(), run))
    return run


def test_a_number_in_the_store_ends_no_process_of_others(project: Project, stranger: subprocess.Popen[bytes]) -> None:
    run = put_pid(project, stranger.pid)
    stop_now(project, run)
    purge(project.folder)
    assert is_alive(stranger.pid)


def test_a_broken_project_can_be_removed_too(project: Project) -> None:
    project.close()
    project.path.write_bytes(b"")
    purge(project.folder)
    assert not project.folder.exists()


def test_what_a_killed_export_left_of_it_goes_too(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    project.db.execute("pragma wal_checkpoint(truncate)")
    shutil.copytree(project.folder, tmp_path / "r3con-export-0a1b2c3d" / "harbour")
    theirs = shutil.copytree(project.folder, tmp_path / "r3con-work" / "harbour")  # another project, with the same run
    (tmp_path / "r3con-other").mkdir()
    assert purge(project.folder).scratch == 2
    assert sorted(place.name for place in tmp_path.glob("r3con-*")) == ["r3con-other", "r3con-work"]
    assert len(list_documents(open_project(theirs))) == 10


def test_the_command_line_wants_the_name_once_more(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("no\nharbour\n"))
    assert main(["purge", "Harbour"]) == 1
    assert project.path.exists()
    assert main(["purge", "Harbour"]) == 0
    assert not project.folder.exists()
    said = capsys.readouterr().out
    assert "encrypt disks" in said
    assert os.sep + "harbour" not in said
