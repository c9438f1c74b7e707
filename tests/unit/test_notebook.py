"""A run as a notebook: it runs from top to bottom without this product, gives what was kept, and nothing breaks out."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from r3con_core.answers import Execution, Proposed, Step
from r3con_core.errors import StoreError
from r3con_core.exports.contents import RunContents, load_contents
from r3con_core.exports.notebook import export_notebook, notebook_of
from r3con_core.tasks import make_task
from tests.fakes import finished_harbour, harbour_project, start_harbour_run

RUNNER = """
import ast, contextlib, io, json, sys
names = {"__name__": "__main__"}
for source in json.load(open(sys.argv[1], encoding="ascii")):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            if value is not None:
                print(repr(value))
    print(json.dumps(said.getvalue()))
"""
EVIL = "</script><img src=x onerror=alert(1)> ![p](http://a.example/p.png) $x$ '''\n\"\"\"\n```\n# x\u2028!ls \u202e\x00 żółw"


def source_of(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def code_cells(notebook: str) -> list[dict[str, Any]]:
    return [cell for cell in json.loads(notebook)["cells"] if cell["cell_type"] == "code"]


def kept(cell: dict[str, Any]) -> str:
    return "".join(line for output in cell["outputs"] for line in output["text"])


def run_again(notebook: str, folder: Path) -> list[str]:
    """What each cell of code prints when all are run in order by a Python of its own, as Jupyter would."""
    sources = folder / "sources.json"
    sources.write_text(json.dumps([source_of(cell) for cell in code_cells(notebook)]), encoding="ascii")
    command = [sys.executable, "-I", "-c", RUNNER, str(sources)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def contents(tmp_path: Path) -> RunContents:
    return load_contents(*finished_harbour(tmp_path))


def with_steps(contents: RunContents, *steps: Step) -> RunContents:
    assert contents.answer is not None
    return replace(contents, answer=replace(contents.answer, steps=steps))


def test_it_runs_from_top_to_bottom_and_prints_what_was_kept(contents: RunContents, tmp_path: Path) -> None:
    notebook = notebook_of(contents)
    printed = [kept(cell) for cell in code_cells(notebook)]
    assert run_again(notebook, tmp_path) == printed
    assert any("R1 Petrel 40" in text for text in printed)
    assert printed[-1].endswith("\nrecords given apart: R1, R2, R4\n")


def test_it_is_a_notebook_of_the_format_4_5(contents: RunContents) -> None:
    notebook = json.loads(notebook_of(contents))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert set(notebook) == {"nbformat", "nbformat_minor", "metadata", "cells"}
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in notebook["cells"]:
        shared = {"id", "cell_type", "metadata", "source"}
        extra = {"outputs", "execution_count"} if cell["cell_type"] == "code" else set()
        assert set(cell) == shared | extra
        assert all(line.endswith("\n") for line in cell["source"][:-1])


def test_it_holds_question_thoughts_answer_and_quotes(contents: RunContents) -> None:
    text = "\n".join(source_of(cell) for cell in json.loads(notebook_of(contents))["cells"])
    assert text.startswith(
        "# How many cases did the launch Petrel land at Lime Quay in March 1931, and in which nights?"
    )
    assert "First I look at the landings." in text
    assert "The Petrel landed 85 cases at Lime Quay in March 1931. **[R1, R2, R4]**" in text
    assert "> The grey launch landed 40 cases at Lime Quay" in text
    assert "found exactly" in text


def test_a_step_that_failed_is_there_and_is_not_run(contents: RunContents, tmp_path: Path) -> None:
    assert contents.answer is not None
    broken = Execution(output="so far\n", fault="KeyError: 'x'\rraise SystemExit")
    failed = Step(number=1, thought="", code="print('so far')\x0craise KeyError\n\n'x'", execution=broken)
    second = replace(contents.answer.steps[0], number=2)
    notebook = notebook_of(with_steps(contents, failed, second))
    assert run_again(notebook, tmp_path)[2] == ""
    cell = code_cells(notebook)[2]
    assert all(line.startswith("#") for line in source_of(cell).splitlines())
    assert kept(cell) == "so far\n"


def test_hostile_words_stay_inside_their_cells(contents: RunContents, tmp_path: Path) -> None:
    assert contents.data is not None
    first, *rest = contents.data.records
    evidence = replace(first.evidence[0], quote=EVIL)
    evil = replace(first, values={**first.values, "what": EVIL, EVIL: EVIL}, evidence=(evidence,), said_by=EVIL)
    said = Execution(output=f"{EVIL}\n", proposed=Proposed(text=EVIL, cites=(EVIL, "R1")))
    code = f"print(records['Landing'][0]['what'])\nanswer({EVIL!r}, [{EVIL!r}, 'R1'])"
    step = Step(number=1, thought=EVIL, code=code, execution=said)
    hostile = replace(
        with_steps(contents, step),
        data=replace(contents.data, records=(evil, *rest)),
        run=replace(contents.run, task=make_task(EVIL)),
    )
    notebook = notebook_of(hostile)
    assert notebook.isascii()
    assert run_again(notebook, tmp_path) == [kept(cell) for cell in code_cells(notebook)]
    markdown = [source_of(cell) for cell in json.loads(notebook)["cells"] if cell["cell_type"] == "markdown"]
    for text in markdown:
        assert re.search(r"(?<!\\)(?:<img|!\[|```|\$x)|http://", text) is None


def test_a_run_without_steps_is_no_notebook(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    with pytest.raises(StoreError, match="no steps of code"):
        export_notebook(project, start_harbour_run(project))
