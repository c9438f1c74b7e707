"""`import r3con_core`: what it offers to a Python program, and what the README promises of it."""

import re
from pathlib import Path

import pytest

import r3con_core
from r3con_core import (
    Models,
    Prompt,
    R3ConError,
    RunSettings,
    answer_question,
    focus_reading,
    load,
    make_brief,
    make_task,
    open_model,
    parse,
    propose,
    reason,
    surface_relevance,
)
from r3con_core.errors import CorpusError
from r3con_core.exchange import Message, Stage
from r3con_core.records import Representation
from r3con_core.run import Result
from tests.fakes import HARBOUR, Scripted
from tests.harbour_script import QUESTION
from tests.scripted_server import MODEL, ScriptedServer

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
SETTINGS = RunSettings(model=MODEL)


def test_every_public_name_is_there() -> None:
    assert sorted(r3con_core.__all__) == list(r3con_core.__all__)
    missing = [name for name in r3con_core.__all__ if not hasattr(r3con_core, name)]
    assert missing == []
    assert not hasattr(r3con_core, "nothing_like_this")


def test_every_public_function_and_class_says_what_it_gives() -> None:
    unsaid = [name for name in r3con_core.__all__ if name != "Ask" and not getattr(r3con_core, name).__doc__]
    assert unsaid == []


def test_the_example_of_the_readme_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    monkeypatch.chdir(HARBOUR.parents[2])
    with ScriptedServer() as server:
        program = example.replace('("qwen2.5-coder-1.5b")', f'("{MODEL}", "{server.url}")')
        assert program.count(server.url) == 2
        exec(compile(program, "README.md", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.startswith("The Petrel landed 85 cases at Lime Quay in March 1931.")


def test_the_stages_one_by_one_are_the_whole_path() -> None:
    corpus, scripted = load(HARBOUR), Scripted()
    models = Models(reading=scripted, reasoning=scripted)
    brief = focus_reading(make_brief(make_task(QUESTION), corpus, SETTINGS), scripted)
    context = surface_relevance(brief, models)
    schema = propose(brief, context, scripted).schema
    data = parse(brief, schema, context, models)
    answer = reason(brief, Representation(relevant_context=context, structured_data=data), scripted)
    whole = answer_question(QUESTION, corpus, Models(reading=Scripted(), reasoning=Scripted()), SETTINGS)
    assert whole.answer.text == answer.text
    assert whole.structured_data == data
    assert isinstance(whole, Result)


def test_documents_load_from_files_and_folders_in_order() -> None:
    whole = load(HARBOUR)
    assert len(whole.documents) == 10
    some = load([HARBOUR / "03_carters_bill.txt", str(HARBOUR / "01_newspaper_cutting.txt")])
    assert [document.title for document in some.documents] == ["03_carters_bill.txt", "01_newspaper_cutting.txt"]


def test_files_that_give_nothing_are_an_error_that_says_why(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    with pytest.raises(CorpusError, match=r"empty\.txt: the file is empty"):
        load(tmp_path)
    with pytest.raises(R3ConError, match="no file or folder"):
        load(tmp_path / "nowhere")


def test_privileged_documents_are_loaded_only_when_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "advice.txt").write_text("PRIVILEGED & CONFIDENTIAL\n\nDo not pay the invoice.", "utf-8")
    with pytest.raises(CorpusError, match=r"held back from models: advice\.txt"):
        load(tmp_path / "advice.txt")
    assert len(load(tmp_path / "advice.txt", release=True).documents) == 1


def test_a_model_may_be_given_its_key() -> None:
    prompt = Prompt(stage=Stage.FOCUS, messages=(Message(role="user", pieces=("Reply with one word: ready",)),))
    with ScriptedServer(key="secret") as server, open_model(MODEL, server.url, "secret") as ask:
        assert ask(prompt).text == "ready"
