"""The command line: what it prints, keeps, sends and returns."""

import argparse
import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from r3con_core.changes import RejectRecord
from r3con_core.cli import main
from r3con_core.cli.commands import FORMATS, make_parser
from r3con_core.cli.telling import estimate_text
from r3con_core.costs import CostRange
from r3con_core.estimates.estimate import Estimate
from r3con_core.exchange import Stage
from r3con_core.exports import export_run, load_contents
from r3con_core.figures import Figure, StageEstimate
from r3con_core.home import home_folder, projects_folder
from r3con_core.runs import Caps, Layout, RunState
from r3con_core.store.caps import load_caps
from r3con_core.store.changes import add_change
from r3con_core.store.project import Project, create_project, list_projects, open_project
from r3con_core.store.runs import claim_run, list_runs, set_state
from tests.fakes import HARBOUR, finished_harbour, harbour_project, start_harbour_run
from tests.forging import in_manifest, members_of, packed, rehashed
from tests.harbour_script import QUESTION
from tests.scripted_server import MODEL, ScriptedServer

ROOT = Path(__file__).parents[2]
CALLS = 35
"""Of a whole run of the harbour question; see test_whole_run."""


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where conftest.py puts it."""
    return tmp_path / "home"


@pytest.fixture
def asked(server: ScriptedServer) -> list[str]:
    """The harbour question to the scripted model."""
    server.requests.clear()
    return ["ask", QUESTION, str(HARBOUR), "--model", MODEL, "--base-url", server.url]


@pytest.fixture
def run_at(home: Path) -> tuple[Project, str]:
    """A finished run in the home."""
    return finished_harbour(projects_folder(home))


Captured = pytest.CaptureFixture[str]


def test_the_answer_is_on_standard_output_and_progress_on_the_other(
    asked: list[str], home: Path, capsys: Captured
) -> None:
    assert main([*asked, "--yes"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("The Petrel landed 85 cases at Lime Quay in March 1931. [R1, R2, R4]\n")
    assert '     "The grey launch landed 40 cases at Lime Quay" (found exactly, paragraph 4)\n' in out
    assert out.endswith("10 of 10 documents read, 1 of them with nothing to say.\n")
    assert "10 documents with 1,464 words." in err
    assert "Text of the documents goes to: this computer." in err
    (project,) = list_projects(projects_folder(home))
    assert list_runs(project)[0].state is RunState.DONE


def test_nothing_is_sent_or_kept_without_consent(
    asked: list[str], server: ScriptedServer, home: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(asked) == 2
    assert capsys.readouterr().err.endswith("Nothing was sent. Add --yes to start without being asked.\n")
    assert server.requests == []
    assert list(projects_folder(home).iterdir()) == []


def test_a_question_that_is_not_asked_leaves_what_was_left_of_an_earlier_project(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "case" / "originals" / "0a" / ("0a" * 32), tmp_path / "case" / "project.sqlite.broken-1"
    for file in kept:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"evidence")
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main([*asked, "--out", str(tmp_path / "case")]) == 2
    assert [file for file in sorted((tmp_path / "case").rglob("*")) if file.is_file()] == sorted(kept)


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_at_a_terminal_it_asks(
    asked: list[str], server: ScriptedServer, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", _Terminal("n\n"))
    assert main(asked) == 1
    assert server.requests == []
    assert capsys.readouterr().err.endswith("Start? [y/N] Nothing was sent.\n")


def test_out_keeps_project_report_and_records_in_a_folder(asked: list[str], tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "case 1"
    assert main([*asked, "--yes", "--out", str(out)]) == 0
    names = {file.relative_to(out).as_posix() for file in out.rglob("*") if file.is_file()}
    assert names >= {"project.sqlite", "report.md", "records.json", "schema.json", "code.py", "records/Landing.csv"}
    capsys.readouterr()
    assert main(["show", "--in", str(out), "--only", "answer"]) == 0
    assert capsys.readouterr().out.startswith("The Petrel landed 85 cases")


def test_review_stops_at_the_schema_and_resume_accepts_it(
    asked: list[str], server: ScriptedServer, capsys: Captured
) -> None:
    assert main([*asked, "--yes", "--review"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Landing: one landing of goods from a launch\n  - what (text): the landing in a few words\n")
    assert "accept it and go on with: r3con resume run-" in err
    before = len(server.requests)
    assert main(["resume"]) == 0
    assert capsys.readouterr().out.startswith("The Petrel landed 85 cases")
    assert (before, len(server.requests)) == (22, CALLS)
    assert main(["resume"]) == 0
    assert len(server.requests) == CALLS


def test_a_given_schema_is_used_instead_of_a_proposal(
    asked: list[str], server: ScriptedServer, home: Path, capsys: Captured
) -> None:
    schema = home / "schema.json"
    main([*asked, "--yes", "--project", "One"])
    main(["export", "--format", "schema", "--out", str(schema)])
    changed = json.loads(schema.read_text("utf-8"))
    changed["record_types"][0]["meaning"] = "a landing by night"
    schema.write_text(json.dumps(changed), "utf-8")
    server.requests.clear()
    assert main([*asked, "--yes", "--project", "Two", "--schema", str(schema)]) == 0
    assert len(server.requests) == CALLS - 1
    capsys.readouterr()
    assert main(["show", "--only", "schema", "--in", str(home / "projects" / "two")]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Version 1, by a human. Given with --schema.\n\nLanding: a landing by night\n")


def test_a_project_is_added_to_and_asked_again(asked: list[str], home: Path, capsys: Captured) -> None:
    assert main([*asked, "--yes", "--project", "Harbour"]) == 0
    assert main(["ask", QUESTION, *asked[3:], "--yes", "--project", "harbour"]) == 0
    (project,) = list_projects(projects_folder(home))
    assert [run.state for run in list_runs(project)] == [RunState.DONE, RunState.DONE]
    assert "kept from before" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ask", "  ", "X"], "The question is empty."),
        (["ask", "Who?", "nowhere"], "There is no file or folder nowhere"),
        (["ask", "Who?", "X", "--rounds", "9"], "The number of rounds must be from 1 to 5, not 9."),
        (["ask", "Who?", "X", "--window", "100"], "A context window of 100 tokens is too small"),
        (["ask", "Who?", "X", "--key-env", "NO_SUCH"], "The environment variable NO_SUCH holds no key."),
        (["ask", "Who?", "X", "--schema", "nowhere.json"], "The schema file 'nowhere.json' cannot be read"),
        (["ask", "Who?", "--project", "Empty"], "There is nothing to read"),
        (["show"], "There are no runs yet."),
        (["open", "nowhere"], "The file 'nowhere' cannot be read"),
    ],
)
def test_a_mistake_is_one_sentence_and_keeps_nothing(
    arguments: list[str], said: str, server: ScriptedServer, home: Path, capsys: Captured
) -> None:
    address = ["--model", MODEL, "--base-url", server.url, "--yes"] if arguments[0] == "ask" else []
    assert main([str(HARBOUR) if word == "X" else word for word in arguments] + address) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"r3con: {said}")
    assert "Traceback" not in err
    assert list(home.rglob("project.sqlite")) == []


def test_the_embedded_model_must_be_here_first(capsys: Captured) -> None:
    assert main(["ask", "Who?", str(HARBOUR), "--yes"]) == 1
    assert "r3con model pull qwen2.5-coder-1.5b" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["fly"], ["ask"], ["export", "--format", "doc"]])
def test_wrong_use_is_code_2(arguments: list[str], capsys: Captured) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("usage: r3con")


def test_a_model_that_fails_is_a_sentence_and_says_how_to_go_on(asked: list[str], capsys: Captured) -> None:
    assert main([*asked[:-1], "http://127.0.0.1:9/v1", "--yes"]) == 1
    err = capsys.readouterr().err
    assert "r3con: Nobody listens at 127.0.0.1:9." in err
    assert "Go on with: r3con resume run-" in err


def test_a_run_that_reaches_its_limit_is_code_3_and_goes_on_with_a_higher_one(
    asked: list[str], server: ScriptedServer, home: Path, capsys: Captured
) -> None:
    assert main([*asked, "--yes", "--workers", "1", "--max-tokens", "9000", "--max-cost", "2.5"]) == 3
    err = capsys.readouterr().err
    assert "Limits: at most 2.50 USD and 9,000 tokens; the run pauses there.\n" in err
    assert re.search(
        r"\nPaused: [\d,]+ of at most 9,000 tokens are used\. Round \d: \d of 10 documents are read\.", err
    )
    assert re.search(r"\nGo on with: r3con resume run-[\w-]+ --max-tokens N\n$", err)
    assert main(["resume", "--max-tokens", "9000"]) == 1
    assert "are used already, so a limit of 9,000 tokens is too low" in capsys.readouterr().err
    assert main(["resume", "--max-tokens", "900000"]) == 0
    assert capsys.readouterr().out.startswith("The Petrel landed 85 cases")
    assert len(server.requests) == CALLS
    (project,) = list_projects(projects_folder(home))
    assert load_caps(project, list_runs(project)[0].id) == Caps(money=2.5, tokens=900_000)


def test_a_paused_run_shows_what_it_used_and_how_to_go_on(asked: list[str], capsys: Captured) -> None:
    assert main([*asked, "--yes", "--max-tokens", "9000"]) == 3
    capsys.readouterr()
    assert main(["show", "--only", "state"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"\n\d+ calls, [\d,]+ tokens sent \([\d,]+ of them read before\), \d+ written\n", out)
    assert "\nCost: 0.00 USD (runs on your own machine)\nLimits: at most 9,000 tokens\nPaused: " in out
    assert out.endswith(" --max-tokens N\n")


def test_a_run_at_work_shows_what_is_still_to_come(home: Path, capsys: Captured) -> None:
    project = harbour_project(projects_folder(home))
    run_id = start_harbour_run(project)
    claim_run(project, run_id, os.getpid())
    set_state(project, run_id, RunState.RELEVANCE)
    assert main(["show", "--only", "state"]) == 0
    out = capsys.readouterr().out
    assert "\nRound 1 of 2: 0 of 10 documents (0 calls)\n" in out
    assert re.search(r"\nStill to come: about \d+ \(\d+ to \d+\) calls, [\d,]+ \([\d,]+ to [\d,]+\) tokens", out)


def test_what_a_run_takes_is_said_with_its_bounds() -> None:
    stage = StageEstimate(
        stage=Stage.PARSING,
        calls=Figure(low=35, likely=40, high=71),
        first=Figure(low=35, likely=35, high=35),
        prompt=Figure(low=28_412, likely=31_877, high=60_001),
        cached=Figure(low=0, likely=9_999, high=20_000),
        fresh=Figure(low=20_000, likely=21_878, high=60_001),
        output=Figure(low=2000, likely=2000, high=2000),
    )
    cost = CostRange(low=0.04, likely=0.12, high=1.5, currency="EUR", sources=("set by you on 2026-11-30",))
    assert estimate_text(Estimate(parts=(stage,)), cost, Figure(low=0.2, likely=200, high=9000)) == (
        "It will make about 40 (35 to 71) calls: 32,000 (28,000 to 60,000) tokens sent, of which the server has read "
        "10,000 (0 to 20,000) before, and 2,000 written.\n"
        "It will cost about 0.12 EUR (0.04 to 1.50; prices: set by you on 2026-11-30).\n"
        "It will take about 3 minutes (1 s to 2 hours)."
    )
    assert estimate_text(Estimate(parts=(stage,)), None, None).endswith("written.\nIts price is not known here.")


def test_a_limit_in_money_needs_a_price_and_keeps_nothing_without(home: Path, capsys: Captured) -> None:
    address = ["--model", "nobody-knows", "--base-url", "https://models.example.org/v1"]
    assert main(["ask", QUESTION, str(HARBOUR), *address, "--yes", "--max-cost", "1"]) == 1
    assert "Money cannot be limited, since what the model costs is not known here." in capsys.readouterr().err
    assert list(home.rglob("project.sqlite")) == []


@pytest.mark.parametrize(
    ("told", "arguments", "window", "said"),
    [
        ({"max_model_len": 16_384}, [], 16_384, "The context window of scripted is 16,384 tokens."),
        ({}, [], 8192, "The context window of scripted is not told by this computer; 8,192 tokens are assumed."),
        ({"max_model_len": 16_384}, ["--window", "9000"], 9000, "A context window of 9,000 tokens is used, as given."),
    ],
)
def test_the_window_is_the_one_given_else_the_endpoints_else_assumed(
    told: dict[str, int], arguments: list[str], window: int, said: str, capsys: Captured
) -> None:
    with ScriptedServer(models=[{"id": MODEL, **told}]) as server:
        address = ["--model", MODEL, "--base-url", server.url, *arguments]
        assert main(["ask", QUESTION, str(HARBOUR), *address, "--yes", "--review"]) == 0
    assert said in capsys.readouterr().err
    (project,) = list_projects(projects_folder(home_folder()))
    assert list_runs(project)[0].settings.window == window


def test_the_order_of_the_paper_is_an_option(asked: list[str], home: Path) -> None:
    assert main([*asked, "--yes", "--review", "--layout", "paper"]) == 0
    (project,) = list_projects(projects_folder(home))
    assert list_runs(project)[0].settings.layout is Layout.PAPER


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "R3CON_HOME": str(home), "PYTHONPATH": str(ROOT)}


def _wait_for_snippets(home: Path, least: int) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        for file in home.rglob("project.sqlite"):
            project = open_project(file.parent)
            (count,) = project.db.execute("select count(*) from snippets").fetchone()
            project.close()
            if count >= least:
                return
        time.sleep(0.05)
    raise AssertionError("no snippets came")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize(("presses", "state"), [(1, RunState.STOPPED), (2, RunState.INTERRUPTED)])
def test_an_interrupted_run_goes_on_without_repeating_a_call(
    presses: int, state: RunState, home: Path, capsys: Captured
) -> None:
    with ScriptedServer(delay=0.3 if presses == 1 else 1.0) as slow:
        command = [sys.executable, "-m", "r3con_core", "ask", QUESTION, str(HARBOUR), "--yes", "--workers", "2"]
        command += ["--model", MODEL, "--base-url", slow.url]
        process = subprocess.Popen(command, env=_environment(home), stderr=subprocess.PIPE, text=True)
        _wait_for_snippets(home, least=2)
        for _ in range(presses):
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
        _, err = process.communicate(timeout=30)
        answered = len(slow.requests)
    assert process.returncode == 130, err
    assert "Go on with: r3con resume run-" in err
    assert "Traceback" not in err
    (project,) = list_projects(projects_folder(home))
    assert list_runs(project)[0].state is state
    (kept,) = project.db.execute("select count(*) from calls").fetchone()
    assert kept < CALLS - 2
    port = int(slow.url.split(":")[2].removesuffix("/v1"))
    with ScriptedServer(port=port) as again:
        assert main(["resume"]) == 0
    assert len(again.requests) == CALLS - kept
    assert answered - kept in range(3)
    assert capsys.readouterr().out.startswith("The Petrel landed 85 cases")


def test_text_goes_nowhere_on_resume_without_consent(
    home: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, _ = finished_harbour(projects_folder(home))
    run_id = start_harbour_run(project)
    project.db.execute("update runs set host = 'api.example.org' where id = ?", (run_id,))
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(["resume", run_id]) == 2
    assert "Text of the documents goes to api.example.org, so nothing was sent." in capsys.readouterr().err


def test_runs_and_show_tell_of_every_run(run_at: tuple[Project, str], capsys: Captured) -> None:
    _, run_id = run_at
    assert main(["runs"]) == 0
    assert capsys.readouterr().out == f"{run_id}  done  [Harbour]  {QUESTION}\n"
    assert main(["show", run_id[-6:]]) == 0
    out = capsys.readouterr().out
    for part in ("State", "Snippets", "Schema", "Records", "Answer"):
        assert f"== {part} ==" in out
    assert "  Document 2, 02 tide note:\n    (nothing to say)\n" in out
    assert "[R7] Landing: what = landing of 50 cases (not in the document)" in out


def test_one_broken_project_does_not_hide_the_others(run_at: tuple[Project, str], home: Path, capsys: Captured) -> None:
    broken = projects_folder(home) / "broken"
    broken.mkdir()
    (broken / "project.sqlite").write_bytes(b"not a database at all" * 100)
    assert main(["runs"]) == 0
    out, err = capsys.readouterr()
    assert run_at[1] in out
    assert "is not a readable project file" in err


def test_a_run_leaves_as_a_file_and_comes_back(run_at: tuple[Project, str], tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "run.r3con.zip"
    assert main(["export", "--out", str(file)]) == 0
    assert main(["open", str(file), "--project", "Copy"]) == 0
    assert "Opened as the project 'Copy'." in capsys.readouterr().err
    assert main(["show", run_at[1]]) == 1
    assert "More than one run ends in" in capsys.readouterr().err
    copy = tmp_path / "home" / "projects" / "copy"
    assert main(["verify", "--in", str(copy)]) == 0
    assert capsys.readouterr().out.endswith(
        f"{run_at[1]}: All holds.\n{run_at[1]}: 10 documents, 7 records with 7 quotes and 35 calls checked.\n"
    )


def test_verify_fails_on_a_changed_document(run_at: tuple[Project, str], capsys: Captured) -> None:
    run_at[0].db.execute("update documents set text = replace(text, '40 cases', '90 cases')")
    assert main(["verify"]) == 1
    out = capsys.readouterr().out
    assert "FAULT: Document 1 (01 newspaper cutting) is not the text that was read: its hash differs." in out


def test_a_bundle_is_verified_without_a_project(
    run_at: tuple[Project, str], home: Path, tmp_path: Path, capsys: Captured
) -> None:
    file = tmp_path / "run.r3con.zip"
    assert main(["export", "--out", str(file)]) == 0
    shutil.rmtree(home / "projects")
    capsys.readouterr()
    assert main(["verify", str(file)]) == 0
    out = capsys.readouterr().out
    assert "Hash of the bundle (SHA-256): " in out
    assert "holds: The kept replies, read again, give every record." in out
    assert "- that the replies came from the model they name" in out
    assert out.endswith(f"{run_at[1]}: All holds.\n")
    assert main(["verify", str(file), "--sources", str(HARBOUR)]) == 1
    assert "FAULT: 01_newspaper_cutting.txt is not in the folder, or is another file there." in capsys.readouterr().out
    assert not (home / "projects").exists()


def test_a_changed_bundle_is_code_1_and_an_unfinished_check_code_4(
    run_at: tuple[Project, str], tmp_path: Path, capsys: Captured
) -> None:
    bundle = members_of(export_run(*run_at))
    file = tmp_path / "run.r3con.zip"
    file.write_bytes(packed({**bundle, "report.md": b"other"}))
    assert main(["verify", str(file)]) == 1
    assert "  FAULT: report.md is not what the manifest says: it was changed or damaged." in capsys.readouterr().out
    file.write_bytes(packed(rehashed(in_manifest(made_by="R3Con Analyst 99.0")(bundle))))
    assert main(["verify", str(file)]) == 4
    assert capsys.readouterr().out.endswith("Nothing wrong was found, but not all could be checked.\n")


def test_sources_need_a_bundle(run_at: tuple[Project, str], capsys: Captured) -> None:
    assert main(["verify", run_at[1], "--sources", "."]) == 1
    assert "--sources goes with the file of a bundle" in capsys.readouterr().err


def test_what_people_changed_is_listed(run_at: tuple[Project, str], capsys: Captured) -> None:
    assert main(["changes"]) == 0
    assert capsys.readouterr().out == "Nobody has changed anything of this run.\n"
    data = load_contents(*run_at).data
    assert data is not None
    add_change(*run_at, RejectRecord(of=data.records[2]), author="Ada Penn", note="another launch")
    assert main(["changes"]) == 0
    out = capsys.readouterr().out
    assert "Ada Penn: record rejected; R3; was: what: landing of 30 cases; launch: Heron;" in out
    assert out.endswith("another launch\n")


def test_a_run_waits_between_rounds_and_goes_on(asked: list[str], home: Path, capsys: Captured) -> None:
    assert main([*asked, "--yes", "--between-rounds"]) == 0
    said = capsys.readouterr()
    assert "Round 1" in said.out
    assert "Round 2" not in said.out
    assert "The run waits for you between two rounds." in said.err
    assert main(["resume", "--yes"]) == 0
    assert "The Petrel landed 85 cases at Lime Quay in March 1931." in capsys.readouterr().out
    assert home.exists()


@pytest.mark.parametrize("kind", [one for one in FORMATS if one not in ("report", "json", "code", "schema")])
def test_every_format_can_be_saved(kind: str, run_at: tuple[Project, str], tmp_path: Path) -> None:
    assert run_at
    file = tmp_path / f"run.{kind}"
    assert main(["export", "--format", kind, "--out", str(file)]) == 0
    assert file.stat().st_size > 100


@pytest.mark.parametrize(
    ("kind", "start"),
    [
        ("html", "<!DOCTYPE html>"),
        ("report", "# How many cases"),
        ("json", '{\n "question"'),
        ("code", '"""How many cases'),
        ("schema", '{\n "record'),
    ],
)
def test_texts_go_to_standard_output(kind: str, start: str, run_at: tuple[Project, str], capsys: Captured) -> None:
    assert run_at
    assert main(["export", "--format", kind]) == 0
    assert capsys.readouterr().out.startswith(start)


def test_control_characters_of_documents_do_not_reach_the_terminal(
    run_at: tuple[Project, str], capsys: Captured
) -> None:
    run_at[0].db.execute("update documents set title = 'x' || char(27) || ']0;owned' || char(7)")
    assert main(["show"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\ufffd]0;owned\ufffd" in out


def test_a_test_of_a_model_says_what_works(server: ScriptedServer, capsys: Captured) -> None:
    assert main(["model", "test", "--model", MODEL, "--base-url", server.url]) == 0
    assert "GOOD  This computer answers after" in capsys.readouterr().out
    assert main(["model", "test", "--model", MODEL, "--base-url", "http://127.0.0.1:9"]) == 1
    assert "BAD   Nobody listens at 127.0.0.1:9." in capsys.readouterr().out


def test_models_known_by_name_are_listed(capsys: Captured) -> None:
    assert main(["model", "list"]) == 0
    assert "qwen2.5-coder-1.5b  not here, 1,117 MB, Apache-2.0\n" in capsys.readouterr().out


def test_the_doctor_says_what_is_missing(capsys: Captured) -> None:
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "ok       The app's files and the sample corpora are complete.\n" in out
    assert "PROBLEM  No embedded model is here yet. Get the default with: r3con model pull" in out


def test_a_command_runs_as_a_module(home: Path) -> None:
    create_project(projects_folder(home), "One")
    command = [sys.executable, "-m", "r3con_core", "--version"]
    ran = subprocess.run(command, env=_environment(home), capture_output=True, text=True, check=True)
    assert ran.stdout == "R3Con Analyst 0.1.0\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to catch")
def test_the_app_starts_answers_and_ends_with_the_command(home: Path) -> None:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "r3con_core", "app", "--no-browser", "--port", str(port)]
    process = subprocess.Popen(command, env=_environment(home), stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        said = next(line for line in process.stderr if "R3Con Analyst is at" in line)
        with urllib.request.urlopen(f"http://localhost:{port}/") as page:
            policy = page.headers["Content-Security-Policy"]
    finally:
        process.terminate()
        rest = process.stderr.read()
        process.stderr.close()
    assert said == f"R3Con Analyst is at http://localhost:{port}\n"
    assert "connect-src 'self'" in policy
    assert rest.endswith("The app has ended.\n")
    assert process.wait() == 0
    with pytest.raises(ConnectionRefusedError), closing(socket.socket()) as gone:
        gone.connect(("127.0.0.1", port))


def test_a_port_in_use_is_a_sentence(server: ScriptedServer, capsys: Captured) -> None:
    port = server.url.split(":")[2].removesuffix("/v1")
    assert main(["app", "--no-browser", "--port", port]) == 1
    assert capsys.readouterr().err.startswith(f"r3con: The port {port} is in use.")


def _sections(parser: argparse.ArgumentParser, name: str) -> Iterator[str]:
    """What docs/command-line.md says of each command: its description, and a line for each argument."""
    subcommands = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]  # noqa: SLF001
    for action in subcommands:
        for command, inner in action.choices.items():
            yield from _sections(inner, f"{name} {command}")
    if not subcommands:
        lines = [f"## {name}", "", str(parser.description), "", *map(_argument, parser._actions[1:])]  # noqa: SLF001
        yield "\n".join(lines).rstrip() + "\n"


def _argument(action: argparse.Action) -> str:
    value = str(action.metavar or "|".join(action.choices or ())) if action.nargs != 0 else ""
    word = " ".join(part for part in (*action.option_strings, value) if part)
    return f"- `{word}`: {action.help}"


def test_every_command_is_documented_as_it_is() -> None:
    documented = (ROOT / "docs" / "command-line.md").read_text("utf-8")
    for section in _sections(make_parser(), "r3con"):
        assert section in documented
