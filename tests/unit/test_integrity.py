"""Projects that are damaged, strange, full, read-only or torn: what is said, and what is saved of them."""

import os
import random
import shutil
import sqlite3
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from r3con_core.cli import main
from r3con_core.errors import StoreError
from r3con_core.exchange import About, Message, Prompt, Reply, Stage
from r3con_core.jobs import reconcile
from r3con_core.runs import RunState
from r3con_core.store import runs as run_rows
from r3con_core.store.calls import Call, keep_call, list_calls, remembering
from r3con_core.store.copies import close_for_copying
from r3con_core.store.documents import list_documents
from r3con_core.store.migrations import MIGRATIONS, migrate
from r3con_core.store.project import FILE, Project, broken_projects, create_project, list_projects, open_project
from r3con_core.store.rescue import rescue
from r3con_core.store.salvage import our_tables
from tests.fakes import Scripted, harbour_project, start_harbour_run

PAGE = 4096


def prompt_of(number: int) -> Prompt:
    message = Message(role="user", pieces=(f"read document {number}: " * 40, "and say what it holds"))
    about = About(document_id=f"doc-{number}")
    return Prompt(stage=Stage.PARSING, about=about, attempt=1, messages=(message,), shape=None, max_tokens=9)


def keep_replies(project: Project, run_id: str, numbers: range) -> None:
    for number in numbers:
        prompt, reply = prompt_of(number), Reply(text=f"reply {number} " * 60, model="scripted")
        keep_call(
            project, run_id, Call(key=prompt.key("scripted"), prompt=prompt, reply=reply, host="h", answered="now")
        )


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a project with ten documents, a run and forty replies, all in one file."""
    project = harbour_project(tmp_path_factory.mktemp("sound"))
    keep_replies(project, start_harbour_run(project), range(40))
    close_for_copying(project)
    return project.folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    """A copy of it, to be spoilt."""
    return Path(shutil.copytree(sound, tmp_path / "projects" / "harbour"))


def change_bytes(folder: Path, start: int, data: bytes) -> None:
    with (folder / FILE).open("r+b") as file:
        file.seek(start)
        file.write(data)


def execute(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def rows_of(file: Path) -> dict[str, set[tuple[object, ...]]]:
    """Table -> its rows with their numbers."""
    with closing(sqlite3.connect(file)) as db:
        numbered = {name for name in our_tables() if name != "sights"}
        return {name: set(db.execute(f"select rowid, * from {name}")) for name in numbered}


def replace_by_folder(folder: Path) -> None:
    (folder / FILE).unlink()
    (folder / FILE).mkdir()


def replace_by_link(folder: Path) -> None:
    (folder / FILE).rename(folder.parent / "elsewhere")
    (folder / FILE).symlink_to(folder.parent / "elsewhere")


def put_older_journal(folder: Path, *, pages: int) -> None:
    """One that SQLite would play back, after which the file would have only so many pages."""
    head = bytes.fromhex("d9d505f920a163d7") + struct.pack(">5I", 0xFFFFFFFF, 1, pages, 512, PAGE)
    (folder / f"{FILE}-journal").write_bytes(head.ljust(512, b"\0"))


SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (lambda folder: (folder / FILE).write_bytes(b""), "is empty: what it held is lost"),
    "another file": (lambda folder: (folder / FILE).write_bytes(b"minutes" * 999), "r3con rescue"),
    "a folder": (replace_by_folder, "is not a file"),
    "a link": (replace_by_link, "is a link"),
    "head": (lambda folder: change_bytes(folder, 0, bytes(100)), "r3con rescue"),
    "list of tables": (lambda folder: change_bytes(folder, 100, b"\xff" * 3000), "r3con rescue"),
    "cut": (lambda folder: os.truncate(folder / FILE, 9 * PAGE), "r3con rescue"),
    "newer": (lambda folder: execute(folder, "insert into migrations values ('900_later', '')"), "newer version"),
    "no table": (lambda folder: execute(folder, "drop table records"), "lacks the table 'records'"),
    "view": (
        lambda folder: execute(folder, "alter table tasks rename to t", "create view tasks as select * from t"),
        "holds the view 'tasks'",
    ),
    "list of steps of another shape": (
        lambda folder: execute(folder, "drop table migrations", "create table migrations (x text)"),
        "r3con rescue",
    ),
    "trigger": (
        lambda folder: execute(folder, "create trigger x after update on runs begin delete from documents; end"),
        "holds the trigger 'x'",
    ),
    "linked journal": (lambda folder: (folder / f"{FILE}-wal").symlink_to(folder / "letters"), "is a link"),
    "journal of another kind": (lambda folder: put_older_journal(folder, pages=5), "old pages in the place of newer"),
    "linked originals": (lambda folder: (folder / "originals").symlink_to(folder.parent), "is a link"),
}


@pytest.mark.parametrize("kind", SPOILT)
def test_a_file_that_is_not_a_sound_project_is_refused_with_why_and_left_as_it_is(folder: Path, kind: str) -> None:
    spoil, words = SPOILT[kind]
    spoil(folder)
    before = (folder / FILE).read_bytes() if (folder / FILE).is_file() else b""
    with pytest.raises(StoreError, match=words):
        open_project(folder)
    assert ((folder / FILE).read_bytes() if (folder / FILE).is_file() else b"") == before


def test_a_broken_project_hides_no_other(folder: Path) -> None:
    create_project(folder.parent, "Whole")
    change_bytes(folder, 0, bytes(100))
    assert [project.name for project in list_projects(folder.parent)] == ["Whole"]
    assert [project.folder for project in broken_projects(folder.parent)] == [folder]


def test_a_project_without_a_name_is_listed_by_its_folder(folder: Path) -> None:
    execute(folder, "update project set name = ''")
    assert [project.name for project in list_projects(folder.parent)] == ["harbour"]


def test_a_page_that_breaks_while_a_project_is_open_is_told_in_a_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = open_project(folder)
    (root,) = project.db.execute("select rootpage from sqlite_master where name = 'runs'").fetchone()
    project.close()
    change_bytes(folder, (root - 1) * PAGE, b"\xff" * PAGE)
    assert main(["show", "--in", str(folder)]) == 1
    assert "r3con rescue" in capsys.readouterr().err


def test_of_many_that_make_the_same_project_at_once_one_succeeds(tmp_path: Path) -> None:
    def make(_number: int) -> bool:
        try:
            create_project(tmp_path, "Same")
        except StoreError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(make, range(8))) == 1
    project = open_project(tmp_path / "same")
    assert project.db.execute("select count(*) from project").fetchone()[0] == 1
    assert [file.name for file in project.folder.iterdir() if FILE not in file.name[: len(FILE)]] == []


def test_a_project_that_was_removed_does_not_come_back_empty(folder: Path) -> None:
    project = Project(folder=folder)
    (folder / FILE).unlink()
    with pytest.raises(StoreError, match="cannot be used"):
        list_documents(project)
    assert not (folder / FILE).exists()


def test_a_full_disk_loses_nothing_that_was_kept(folder: Path) -> None:
    project = open_project(folder)
    run = run_rows.list_runs(project)[0].id
    (pages,) = project.db.execute("pragma page_count").fetchone()
    project.db.execute(f"pragma max_page_count = {pages}")
    with pytest.raises(StoreError, match=r"The disk is full.*Make room, then resume"):
        keep_replies(project, run, range(100, 200))
    kept = len(list_calls(project, run))
    project.db.execute("pragma max_page_count = 1000000")
    keep_replies(project, run, range(100, 200))
    assert (kept >= 40, len(list_calls(project, run))) == (True, 140)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """What is in `folder` may be read and not written, not even by root, who is somebody else for that long."""
    temporary = Path(tempfile.gettempdir())
    for place in folder.parents:
        if temporary in place.parents:
            place.chmod(0o755)
    (folder / FILE).chmod(0o444)
    folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        if root:
            os.setresuid(0, 0, 0)
        folder.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "setresuid"), reason="needs a system where another user can be played")
def test_a_project_on_a_read_only_disk_can_be_read_and_says_why_it_cannot_be_changed(folder: Path) -> None:
    with read_only(folder):
        project = open_project(folder)
        assert len(list_documents(project)) == 10
        with pytest.raises(StoreError, match="may not be written"):
            run_rows.ask_to_stop(project, run_rows.list_runs(project)[0].id)
        project.close()


def test_signs_of_life_are_by_a_clock_that_nobody_sets(folder: Path) -> None:
    project = open_project(folder)
    run = run_rows.list_runs(project)[0].id
    before = time.monotonic()
    assert run_rows.claim_run(project, run, os.getpid())
    pid, beat = run_rows.holder(project, run)
    assert pid == os.getpid()
    assert beat is not None
    assert before <= beat <= time.monotonic()
    reconcile(project)
    assert run_rows.load_run(project, run).state is RunState.QUEUED


def test_the_newest_run_stays_the_newest_when_the_clock_is_set_back(folder: Path) -> None:
    project = open_project(folder)
    newest = start_harbour_run(project)
    with project.change() as db:
        db.execute("update runs set created = '1990-01-01T00:00:00+00:00' where id = ?", (newest,))
    assert run_rows.list_runs(project)[0].id == newest


def test_an_older_project_keeps_all_it_has_and_its_copy_goes_once_it_opens(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as old:
        migrate(old, MIGRATIONS[:2])
        old.execute("insert into project values ('Old', '2024')")
        old.execute("insert into tasks values ('task-1', 'What was landed?')")
    project = open_project(tmp_path)
    assert project.name == "Old"
    assert [tuple(row) for row in project.db.execute("select * from tasks")] == [("task-1", "What was landed?")]
    project.close()
    assert not list(tmp_path.glob("*before-upgrade*"))


# Power loss


@pytest.fixture
def with_journal(folder: Path) -> Path:
    """The project with thirty more replies that are in its journal only."""
    project = open_project(folder)
    project.db.execute("pragma wal_autocheckpoint = 0")
    keep_replies(project, run_rows.list_runs(project)[0].id, range(40, 70))
    copy = Path(shutil.copytree(folder, folder.parent / "killed"))
    project.close()
    (copy / f"{FILE}-shm").unlink()
    return copy


def replies_of(project: Project) -> int:
    return int(project.db.execute("select count(*) from calls").fetchone()[0])


def test_a_torn_journal_gives_all_that_was_kept_before_the_tear(with_journal: Path) -> None:
    journal = with_journal / f"{FILE}-wal"
    whole, chance = journal.read_bytes(), random.Random(6)
    for number in range(8):
        copy = Path(shutil.copytree(with_journal, with_journal.parent / f"torn-{number}"))
        torn = bytearray(whole[: chance.randrange(len(whole))] if number % 2 else whole)
        if not number % 2:
            torn[chance.randrange(len(torn))] ^= 1 << chance.randrange(8)
        (copy / f"{FILE}-wal").write_bytes(torn)
        other = Path(shutil.copytree(copy, with_journal.parent / f"rescued-{number}"))
        project = open_project(copy)
        assert project.db.execute("pragma integrity_check").fetchone()[0] == "ok"
        found = [row[0] for row in project.db.execute("select document_id from calls order by rowid")]
        assert found == [f"doc-{n}" for n in range(len(found))]
        assert 40 <= len(found) <= 70
        assert replies_of(rescue(other).project) == len(found)


def test_a_journal_of_another_day_beside_a_newer_file_is_refused_and_a_rescue_keeps_all(with_journal: Path) -> None:
    old = (with_journal / f"{FILE}-wal").read_bytes()
    project = open_project(with_journal)
    keep_replies(project, run_rows.list_runs(project)[0].id, range(70, 100))
    close_for_copying(project)
    (with_journal / f"{FILE}-wal").write_bytes(old)
    with pytest.raises(StoreError, match="older than the project's file"):
        open_project(with_journal)
    assert replies_of(rescue(with_journal).project) == 100


def test_a_rescue_keeps_a_journal_of_another_kind_from_the_new_file(folder: Path) -> None:
    put_older_journal(folder, pages=5)
    assert len(list_documents(rescue(folder).project)) == 10


def test_no_project_is_made_where_the_journal_of_a_lost_one_lies(with_journal: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    journal = shutil.copy(with_journal / f"{FILE}-wal", tmp_path / "new")
    before = Path(journal).read_bytes()
    with pytest.raises(StoreError, match="of a project whose file is gone"):
        create_project(tmp_path, "new")
    assert [file.read_bytes() for file in (tmp_path / "new").iterdir()] == [before]


def test_a_rescue_that_was_killed_between_its_last_steps_loses_nothing(with_journal: Path) -> None:
    os.link(with_journal / FILE, with_journal / f"{FILE}.broken-1")
    (with_journal / f"{FILE}-wal").rename(with_journal / f"{FILE}.broken-1-wal")
    with pytest.raises(StoreError, match="Begin it again"):
        open_project(with_journal)
    told = rescue(with_journal)
    assert told.broken.name == f"{FILE}.broken-1"
    assert replies_of(told.project) == 70


def test_with_every_sign_of_life_the_replies_so_far_are_in_the_file_itself(folder: Path) -> None:
    project = open_project(folder)
    run = run_rows.list_runs(project)[0].id
    keep_replies(project, run, range(40, 50))
    run_rows.beat(project, run)
    (folder.parent / "alone").mkdir()
    shutil.copy(folder / FILE, folder.parent / "alone")
    assert replies_of(open_project(folder.parent / "alone")) == 50


# Rescue


def damage(data: bytearray, chance: random.Random) -> None:
    kind, pages = chance.choice(("page", "sector", "head", "first", "cut")), len(data) // PAGE
    size = PAGE if kind == "page" else 512
    match kind:
        case "page" | "sector":
            for _ in range(chance.choice((1, 2, 8))):
                at = chance.randrange(pages * PAGE // size) * size
                data[at : at + size] = chance.choice((bytes(size), chance.randbytes(size)))
        case "head":
            data[:100] = chance.randbytes(100)
        case "first":
            data[:PAGE] = bytes(PAGE)
        case _:
            del data[chance.randrange(pages // 2, pages) * PAGE :]


AT_REST = {"runs": ("heartbeat", "pid", "stop", "state", "note"), "calls": ("pieces", "shape")}
"""Columns that a rescue may set."""


def without_rest(table: str, rows: set[tuple[object, ...]]) -> set[tuple[object, ...]]:
    names = ["rowid", *(column.name for column in our_tables()[table])]
    kept = [index for index, name in enumerate(names) if name not in AT_REST.get(table, ())]
    return {tuple(row[index] for index in kept) for row in rows}


def test_a_rescue_invents_nothing_and_saves_most(folder: Path, tmp_path: Path) -> None:
    before, sound, chance = rows_of(folder / FILE), (folder / FILE).read_bytes(), random.Random(6)
    saved = whole = 0
    for number in range(24):
        place = tmp_path / f"damaged-{number}"
        place.mkdir()
        data = bytearray(sound)
        damage(data, chance)
        (place / FILE).write_bytes(data)
        told = rescue(place)
        told.project.close()
        assert told.broken.read_bytes() == data
        for table, rows in rows_of(place / FILE).items():
            if table not in ("migrations", "project", "audit"):
                known = without_rest(table, before[table])
                assert without_rest(table, rows) <= known, table
                saved, whole = saved + len(rows), whole + len(known)
    assert saved > 0.75 * whole


def test_after_a_rescue_no_reply_is_paid_for_again(folder: Path) -> None:
    change_bytes(folder, 0, bytes(PAGE))
    project = rescue(folder).project
    run, model = run_rows.list_runs(project)[0].id, Scripted(lambda _prompt: "asked again")
    ask = remembering(project, run, "scripted", "h", model)
    assert [ask(prompt_of(number)).text for number in range(40)] == [f"reply {number} " * 60 for number in range(40)]
    assert model.prompts == []
    assert project.name == "Harbour"


def test_a_rescue_takes_nothing_of_what_acts_in_a_strange_file(folder: Path) -> None:
    execute(folder, "create trigger x after insert on tasks begin delete from documents; end")
    project = rescue(folder).project
    with project.change() as db:
        db.execute("insert into tasks values ('t', 't')")
    assert len(list_documents(project)) == 10


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda folder: (folder / FILE).write_bytes(b"minutes" * 999), "Nothing can be read"),
        (lambda folder: execute(folder, "insert into migrations values ('900_later', '')"), "newer version"),
        (
            lambda folder: execute(folder, f"update runs set pid = {os.getpid()}, heartbeat = {time.monotonic()}"),
            "is at work",
        ),
    ],
)
def test_what_cannot_or_must_not_be_rescued_is_left_as_it_is(
    folder: Path, spoil: Callable[[Path], object], words: str
) -> None:
    spoil(folder)
    before = (folder / FILE).read_bytes()
    with pytest.raises(StoreError, match=words):
        rescue(folder)
    assert [file.name for file in folder.iterdir()] == [FILE]
    assert (folder / FILE).read_bytes() == before


def test_the_command_says_what_was_saved_and_what_was_not(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(folder / FILE)) as db:
        (root,) = db.execute("select rootpage from sqlite_master where name = 'snippets'").fetchone()
    change_bytes(folder, (root - 1) * PAGE, bytes(PAGE))
    assert main(["rescue", str(folder)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "Documents: 10 saved."
    assert "Replies of models: 40 saved." in said
    assert "Snippets: 0 saved; 1 rows, or pages of rows, could not be read." in said
    assert said[-1].startswith("The old file is kept beside it as project.sqlite.broken-1")


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps folders of a person to themselves by its own rules")
def test_the_folder_of_a_new_project_is_closed_to_other_accounts(tmp_path: Path) -> None:
    project = create_project(tmp_path / "projects", "Case")
    assert project.folder.stat().st_mode & 0o077 == 0
    project.close()
