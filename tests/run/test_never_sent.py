"""What is never sent leaves in no request: not a byte of it, by whichever way it is held back; and what is sent is logged."""

import json
from pathlib import Path

import pytest

from r3con_core import jobs
from r3con_core.holdings import never_send
from r3con_core.imports import add_paths
from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.opening import open_model
from r3con_core.runs import RunState
from r3con_core.store.decisions import hold_documents
from r3con_core.store.documents import list_documents
from r3con_core.store.egress import list_sent, totals_by_host
from r3con_core.store.holding import replace_holding
from r3con_core.store.numbering import read_ranges
from r3con_core.store.project import Project, create_project
from r3con_core.store.runs import load_run
from r3con_core.worker import work
from tests.fakes import HARBOUR, harbour_project
from tests.harbour_script import QUESTION
from tests.scripted_server import Fault, ScriptedServer

SECRET = "Quillfeather"


def folder_with_secrets(root: Path) -> Path:
    """The harbour documents, and three that hold a word no other does: in text, in a name, and in a copy elsewhere."""
    case = root / "case"
    (case / "legal").mkdir(parents=True)
    for file in HARBOUR.iterdir():
        (case / file.name).write_bytes(file.read_bytes())
    (case / "legal" / "note.txt").write_text(f"The launch Petrel landed 85 cases, says {SECRET}.", "utf-8")
    (case / "legal" / f"{SECRET}.txt").write_text("The launch Petrel landed 12 cases.", "utf-8")
    (case / "copy.txt").write_text(f"A copy for {SECRET} of what the Petrel landed.", "utf-8")
    (case / "legal" / "copy.txt").write_text(f"A copy for {SECRET} of what the Petrel landed.", "utf-8")
    return case


def run_at(project: Project, url: str, home: Path, **choices: object) -> str:
    reading = ModelChoice(model="scripted", base_url=url, window=16_384, workers=2)
    return create_run(project, QUESTION, RunChoices(reading=reading, **choices), home=home).id  # type: ignore[arg-type]


def sent(server: ScriptedServer) -> str:
    return json.dumps([server.requests, server.headers, server.paths], ensure_ascii=False)


@pytest.mark.parametrize("listed_first", [True, False], ids=["listed before the import", "listed after it"])
def test_not_a_byte_of_a_folder_that_is_never_sent_leaves(tmp_path: Path, *, listed_first: bool) -> None:
    """Its text, its file names and a copy that lies elsewhere too stay here; everything else is read."""
    project = create_project(tmp_path / "projects", "Case")
    case = folder_with_secrets(tmp_path)
    if listed_first:
        replace_holding(project, "folders", ["legal"])
    add_paths(project, [case])
    assert never_send(project, [str(case / "legal")], author="ann") == (0 if listed_first else 3)
    assert sorted(line.path for line in list_documents(project) if line.held) == [
        "case/copy.txt",
        f"case/legal/{SECRET}.txt",
        "case/legal/note.txt",
    ]
    if listed_first:
        return  # the same is held back, so the same is sent
    with ScriptedServer() as server:
        run_id = run_at(project, server.url, tmp_path, straight_through=True)
        assert work(project, run_id, tmp_path) is RunState.DONE
        assert (server.calls, SECRET in sent(server)) == (35, False)


def test_a_document_held_back_in_the_middle_of_a_run_leaves_no_more_even_in_a_snippet(tmp_path: Path) -> None:
    """The run stops before a prompt would show what came of it, and goes on without it, all that saw it read again."""
    project = harbour_project(tmp_path / "projects")
    marks: list[int] = []
    with ScriptedServer() as server:
        run_id = run_at(project, server.url, tmp_path, straight_through=True)
        held = load_run(project, run_id).document_ids[2]  # number 3

        def hold_in_round_two(number: int, _: object) -> Fault | None:
            if number == 14 and not marks:
                hold_documents(project, [held], author="ann", note="advice of counsel")
                marks.append(number)
            return None

        server.faults = hold_in_round_two
        assert work(project, run_id, tmp_path) is RunState.STOPPED
        assert "was held back while the run was at work" in load_run(project, run_id).error
        before = len(server.requests)
        jobs.requeue(project, run_id)
        assert work(project, run_id, tmp_path) is RunState.DONE
        later = list_sent(project, run_id)[before:]
    assert len(later) > 20
    assert {sending.document_id for sending in later}.isdisjoint([held])
    assert not any(first <= 3 <= last for sending in later for first, last in read_ranges(sending.documents))


def test_every_try_is_a_row_of_the_log_with_what_it_held(tmp_path: Path) -> None:
    """A refused try and a broken one too; rows hold sizes and documents, and no word of a text or a key."""
    project = harbour_project(tmp_path / "projects")
    faults = {2: Fault(status=429, headers={"retry-after": "0"}), 3: Fault(dropped=True)}
    with ScriptedServer(faults=faults, key="sk-secret-key") as server:
        run_id = run_at(project, server.url, tmp_path, straight_through=True)
        opening = lambda choice, home, signals: open_model(  # noqa: E731
            choice, home, signals, {f"127.0.0.1:{server.port}": "sk-secret-key"}
        )
        assert work(project, run_id, tmp_path, opening) is RunState.DONE
        rows = list_sent(project, run_id)
    assert len(rows) == server.calls == 37
    assert sorted({row.outcome for row in rows}) == ["HTTP 429", "answered", "no reply"]
    assert {row.purpose for row in rows} == {"focus", "relevance", "schema", "parsing", "reasoning"}
    assert (rows[0].purpose, rows[0].documents) == ("focus", "")
    first = next(row for row in rows if row.purpose == "relevance")
    assert first.documents == str(load_run(project, run_id).document_ids.index(first.document_id) + 1)
    (total,) = totals_by_host(rows)
    assert (total.host, total.requests, total.answered) == ("this computer", 37, 35)
    assert total.documents == len(load_run(project, run_id).document_ids)
    assert total.bytes_sent > 37 * 1_000
    kept = "".join(str(tuple(row)) for row in project.db.execute("select * from egress"))
    assert "sk-secret" not in kept
    assert "Petrel" not in kept
