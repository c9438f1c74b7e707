"""`r3con compare`: prices first, then each method by itself, figures and answers after, and files of all of it."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from r3con_core.cli import main
from r3con_core.home import projects_folder
from r3con_core.store.project import list_projects
from r3con_core.store.runs import list_runs
from tests.harbour_script import QUESTION, answer_harbour
from tests.scripted_server import MODEL, ScriptedServer

Captured = pytest.CaptureFixture[str]
HARBOUR = Path(__file__).parents[2] / "sample_corpora" / "harbour" / "documents"
PLAIN = "The Petrel landed 85 cases."


def answer(messages: list[dict[str, Any]], response_format: dict[str, Any] | None) -> str:
    """What the harbour's model says; to the other methods' prompts a sentence of its own."""
    return PLAIN if "You answer a task from" in messages[0]["content"] else answer_harbour(messages, response_format)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(answer) as running:
        yield running


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("R3CON_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def asked(server: ScriptedServer) -> list[str]:
    return ["compare", QUESTION, str(HARBOUR), "--model", MODEL, "--base-url", server.url]


def test_it_runs_each_method_and_writes_what_came_of_it(asked: list[str], home: Path, capsys: Captured) -> None:
    out = home.parent / "out"
    methods = ["--methods", "r3con-one-round,whole,alone"]
    assert main([*asked, *methods, "--out", str(out), "--project", "Pier", "--yes"]) == 0
    said = capsys.readouterr()
    assert said.err.index("whole: 1") < said.err.index("[1 of 3] R3Con, 1 round")
    assert f"== Question alone ==\n  {PLAIN}" in said.out
    rows = list(csv.DictReader((out / "comparison.csv").read_text("utf-8-sig").splitlines()))
    assert [(row["method"], row["state"]) for row in rows] == [
        ("r3con-one-round", "done"),
        ("whole", "done"),
        ("alone", "done"),
    ]
    told = json.loads((out / "comparison.json").read_text("utf-8"))["methods"]
    assert [len(one["built"][0]["items"]) if one["built"] else 0 for one in told] == [10, 10, 0]
    (project,) = list_projects(projects_folder(home))
    assert len(list_runs(project)) == 3
    _shows_what_was_built(rows[1]["run"], capsys)
    without_paths = [one for one in asked if one != str(HARBOUR)]
    assert main([*without_paths, "--methods", "r3con", "--project", "Pier", "--max-tokens", "1", "--yes"]) == 3
    assert capsys.readouterr().err.rstrip().endswith(" --max-tokens N")


def _shows_what_was_built(whole: str, capsys: Captured) -> None:
    assert main(["show", whole]) == 0
    shown = capsys.readouterr().out
    assert "== Built ==\nThe prompt (10 parts, 10 of them chosen): " in shown
    assert "  * Document 1" in shown
    assert f"== Answer ==\n{PLAIN}\n\nBy Whole corpus in context, over 10 documents. It makes no records." in shown
    assert "yet" not in shown
    assert main(["show", whole, "--only", "snippets"]) == 0
    assert "Whole corpus in context makes no snippets." in capsys.readouterr().out


def test_nothing_is_sent_without_consent(
    asked: list[str], server: ScriptedServer, home: Path, capsys: Captured
) -> None:
    assert main([*asked, "--methods", "alone,memagent", "--options", "memagent.chunk=-3"]) == 2
    told = capsys.readouterr().err
    assert "Nothing was sent" in told
    assert "is used, since -3 is beyond what these documents allow." in told
    assert server.requests == []
    assert list_projects(projects_folder(home)) == ()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--methods", "unheard-of"], "There is no method 'unheard-of'"),
        (["--options", "raptor=3"], "METHOD.SETTING=NUMBER"),
        (["--options", "raptor.leaf=many"], "METHOD.SETTING=NUMBER"),
        (["--options", "raptor.leaf=nan"], "METHOD.SETTING=NUMBER"),
        (["--options", "raptor.leaf=100"], "no setting of a method that is run: r3con, whole."),
        (
            ["--methods", "memagent", "--options", "memagent.leaf=100"],
            "memagent has no setting 'leaf'. It has: chunk, memory.",
        ),
        (["--out", __file__], "is a file. Give a folder with --out."),
        (["--window", "0"], "A context window of 0 tokens is too small"),
        (["--embedding-url", "http://127.0.0.1:9/v1"], "need --embedding-model"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_kept(
    options: list[str], said: str, asked: list[str], home: Path, capsys: Captured
) -> None:
    assert main([*asked, *options, "--yes"]) == 1
    assert said in capsys.readouterr().err
    assert list_projects(projects_folder(home)) == ()


def test_vectors_are_asked_of_the_model_that_is_named_for_them(
    asked: list[str], server: ScriptedServer, home: Path, capsys: Captured
) -> None:
    assert main([*asked, "--methods", "linearrag", "--embedding-model", "vectors-small", "--yes"]) == 0
    assert {request["model"] for request in server.requests if "input" in request} == {"vectors-small"}
    (project,) = list_projects(projects_folder(home))
    (run,) = list_runs(project)
    assert run.settings.embedding == "vectors-small"
    assert PLAIN in capsys.readouterr().out
