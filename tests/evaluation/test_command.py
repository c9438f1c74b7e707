"""`r3con evaluate` from the command line: results, tables and plot in a folder, and going on where it ended."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from r3con_core.cli import main
from tests.scripted_server import MODEL, ScriptedServer

RIGHT = "85 cases: 20 on 3 March, 40 on 17 March, 25 on 19 March 1931."


def says(messages: list[dict[str, str]], form: dict[str, Any] | None) -> str:
    """The right answer to the first question, whatever is asked; a judge finds the first right and the second wrong."""
    if form is None:
        return RIGHT
    right = "How many cases" in messages[1]["content"]
    return json.dumps(
        {"reason": "Compared.", "missing": [], "contradicted": [], "numbers_in_words": [], "right": right}
    )


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(says) as running:
        yield running


def _command(server: ScriptedServer, out: Path, *more: str) -> list[str]:
    model = ["--model", MODEL, "--base-url", server.url, "--judge-model", MODEL, "--window", "16384"]
    return ["evaluate", "harbour", "--methods", "whole,alone", *model, "--out", str(out), *more]


def test_it_runs_judges_and_writes_tables_and_goes_on_where_it_ended(
    server: ScriptedServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(_command(server, out, "--limit", "1", "--yes")) == 0
    asked = len(server.requests)
    assert asked == 3  # both methods say the same, so the judge is asked once
    assert main(_command(server, out, "--yes")) == 0
    assert len(server.requests) == asked + 3
    told = capsys.readouterr().out
    assert "| Whole corpus in context | scripted | 50.00 ± 35.36 | 50.00 ± 35.36 | 2 |" in told
    assert told.rpartition("# Evaluation\n")[2].startswith("\n2 tasks, 2 methods and models, 4 verdicts.")
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text("utf-8").splitlines()]
    assert [(line["task"], line["method"], line["correct"]) for line in lines] == [
        ("harbour-1", "whole", True),
        ("harbour-1", "alone", True),
        ("harbour-2", "whole", False),
        ("harbour-2", "alone", False),
    ]
    assert (out / "summary.md").exists()


def test_what_cannot_work_is_refused_before_anything_is_sent(
    server: ScriptedServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    before = len(server.requests)
    wrong = [one if one != "whole,alone" else "none" for one in _command(server, tmp_path / "out")]
    assert main(wrong) == 1
    assert "There is no method 'none'." in capsys.readouterr().err
    assert main(["evaluate", "loong", "--out", str(tmp_path / "out")]) == 1
    assert "Give the path of the published loong files" in capsys.readouterr().err
    assert len(server.requests) == before
