"""`r3con evaluate` from the command line: results, tables and plot in a folder, and going on where it ended."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from r3con_core.cli import main
from tests.evaluation.benchmarks import corpusqa, corpusqa_row
from tests.scripted_server import MODEL, ScriptedServer

RIGHT = "The answer is: Alder and Birch"


def says(messages: list[dict[str, str]], form: dict[str, Any] | None) -> str:
    """The right answer to the first question, whatever is asked; a judge finds the first right and the second wrong."""
    if form is None:
        return RIGHT
    return json.dumps({"reason": "Compared.", "right": "Question 1" in messages[1]["content"]})


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(says) as running:
        yield running


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    return corpusqa(tmp_path / "tasks.jsonl", *(corpusqa_row(number) for number in (1, 2)))


def _command(server: ScriptedServer, tasks: Path, *more: str) -> list[str]:
    model = ["--model", MODEL, "--base-url", server.url, "--judge-model", MODEL, "--window", "16384"]
    out = ["--out", str(tasks.parent / "out")]
    return ["evaluate", "corpusqa", str(tasks), "--methods", "whole,alone", *model, *out, *more]


def test_it_runs_judges_and_writes_tables_and_goes_on_where_it_ended(
    server: ScriptedServer, tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tasks.parent / "out"
    assert main(_command(server, tasks, "--limit", "1")) == 2
    told = capsys.readouterr().err
    assert "whole (scripted), 1 task: 1 (1 to 3) calls; " in told
    assert "judge (scripted), 2 answers: 2 (2 to 6) calls; " in told
    assert "All of it: 4 (4 to 12) calls; " in told
    assert told.endswith("Nothing was sent. Add --yes to start without being asked.\n")
    assert (server.requests, out.exists()) == ([], False)
    assert main(_command(server, tasks, "--limit", "1", "--yes")) == 0
    asked = len(server.requests)
    assert asked == 3  # both methods say the same, so the judge is asked once
    assert main(_command(server, tasks, "--yes")) == 0
    assert len(server.requests) == asked + 3
    captured = capsys.readouterr()
    assert captured.err.count("The context window of scripted is") == 2  # once for each of the two commands
    assert "2 results are there already and are not made again.\nwhole (scripted), 1 task: " in captured.err
    told = captured.out
    assert "| Whole corpus in context | scripted | 100.00 ± 0.00 | 0.00 ± 0.00 | 50.00 ± 35.36 | 2 |" in told
    assert told.rpartition("# Evaluation\n")[2].startswith("\n2 tasks, 2 pairs of method and model, 4 verdicts.")
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text("utf-8").splitlines()]
    assert [(line["task"], line["method"], line["correct"]) for line in lines] == [
        ("q1", "whole", True),
        ("q1", "alone", True),
        ("q2", "whole", False),
        ("q2", "alone", False),
    ]
    assert (out / "summary.md").exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["harbour", "--methods", "none"], "There is no method 'none'."),
        (["harbour", "."], "harbour comes with this product. Leave the path out."),
        (["loong"], "Give the path of the published loong files"),
        (["loong", "nowhere"], "There is no file or folder 'nowhere'."),
        (["corpusqa", "{bad}"], "Line 1 is left out: it is not valid JSON"),
        (["corpusqa", "{bad}"], "There is no task in it that could be asked."),
        (["harbour", "--window", "300"], "A context window of 300 tokens is too small"),
        (["harbour", "--max-cost", "-1"], "must be above zero"),
        (["harbour", "--base-url", "https://api.example.org/v1", "--max-cost", "1"], "model costs is not known"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_sent(
    more: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{broken\n", "utf-8")
    out = tmp_path / "out"
    model = ["--model", "priceless", "--base-url", "http://127.0.0.1:9/v1", "--window", "8192"]
    assert main(["evaluate", *model, *(one.format(bad=bad) for one in more), "--out", str(out), "--yes"]) == 1
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_all_methods_leaves_out_programs_that_send_by_their_own_account(
    server: ScriptedServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, before = (
        corpusqa(tmp_path / "q.jsonl", *(corpusqa_row(number) for number in range(1, 31))),
        len(server.requests),
    )
    assert main([*_command(server, file, "--embedding-model", "vectors"), "--methods", "all"]) == 2
    told = capsys.readouterr().err
    assert "claude-code" not in told
    assert "Estimated from 8 of the 30 tasks, evenly spread over them; " in told
    assert "alone (scripted), 30 tasks: 30 (30 to 90) calls; " in told
    assert "a model on it reads 90 documents (" in told
    assert len(server.requests) == before


def test_a_folder_that_cannot_be_one_is_a_sentence(
    server: ScriptedServer, tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tasks.parent / "out"
    out.write_text("")
    assert main(_command(server, tasks, "--limit", "1", "--yes")) == 1
    assert f"{out} cannot be a folder of results: File exists." in capsys.readouterr().err
