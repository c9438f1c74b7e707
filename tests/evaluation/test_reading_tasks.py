"""Benchmarks in their published shapes become tasks; what is malformed is named by its line."""

import json
from pathlib import Path

import pytest

from r3con_core.errors import CorpusError
from r3con_core.evaluation.corpusqa import FORM, read_corpusqa
from r3con_core.evaluation.loong import read_loong
from r3con_core.evaluation.samples import read_sample
from r3con_core.evaluation.tasks import EvaluationTask, Malformed, only
from r3con_core.store.documents import load_corpus
from r3con_core.store.project import create_project
from r3con_core.verdicts import Rule
from tests.evaluation.benchmarks import corpusqa, corpusqa_row, loong


def _documents(root: Path, task: EvaluationTask) -> list[tuple[str, str]]:
    project = create_project(root, task.id)
    task.fill(project)
    return [(one.title, one.text) for one in load_corpus(project).documents]


def test_a_row_of_corpusqa_gives_its_documents_question_and_answer(tmp_path: Path) -> None:
    (task,) = read_corpusqa(corpusqa(tmp_path / "q.jsonl", corpusqa_row(1)))
    assert isinstance(task, EvaluationTask)
    assert task.question == "Question 1: which counties sold more than 4,000?\nSay: The answer is: ..."
    assert (task.gold.answer, task.gold.rule) == ('["Alder", "Birch"]', Rule.EQUIVALENT)
    assert task.labels == (("domain", "housing"),)
    assert _documents(tmp_path, task) == [
        ("alder.txt", "Alder sold 4,100 houses.\n# Document 9: not a document"),
        ("birch.txt", "Birch sold 5,000 houses."),
        ("cedar.txt", "Cedar sold 12 houses."),
    ]


def test_a_question_that_asks_for_no_form_is_given_one(tmp_path: Path) -> None:
    row = corpusqa_row(1, prompt="# Document 1: A\nText.\n# Question: Question 1: which counties sold more than 4,000?")
    (task,) = read_corpusqa(corpusqa(tmp_path / "q.jsonl", row))
    assert isinstance(task, EvaluationTask)
    assert task.question == f"Question 1: which counties sold more than 4,000?\n\n{FORM}"


def test_malformed_rows_are_named_by_line_and_the_rest_goes_on(tmp_path: Path) -> None:
    file = corpusqa(
        tmp_path / "q.jsonl",
        corpusqa_row(1),
        "{broken",
        corpusqa_row(2, answer=None),
        corpusqa_row(3, prompt="no documents\n# Question: what?"),
        corpusqa_row(4, prompt=[{"role": "system", "content": "x"}]),
        "[1]",
        "",
        corpusqa_row(5, answer=0),
        corpusqa_row(6, answer="  "),
        corpusqa_row(5),
        f'{{"id": {"9" * 5_000}}}',
        corpusqa_row(7, prompt=f"# Document 1: A\nText.\n# Document {'9' * 5_000}: B\n# Question: what?"),
    )
    found = list(read_corpusqa(file))
    assert [one.id for one in found if isinstance(one, EvaluationTask)] == ["q1", "q5", "q7"]
    assert [(one.line, one.why) for one in found if isinstance(one, Malformed)] == [
        (2, "it is not valid JSON: Expecting property name enclosed in double quotes at character 1"),
        (3, "its 'answer' is missing"),
        (4, "its 'prompt' has no documents: no line begins with '# Document 1:'"),
        (5, "its 'prompt' is missing or has no user message"),
        (6, "it is not a JSON object"),
        (9, "its 'answer' is missing"),
        (10, "its 'id' is that of line 8 already"),
        (11, "it holds a number with too many digits"),
    ]


def test_half_of_a_letter_in_a_row_is_replaced(tmp_path: Path) -> None:
    row = corpusqa_row(
        1, question="wh\ud83dat?", prompt="# Document 1: A\ud83d\nT\ud83d\ude00\ud83d.\n# Question: wh\ud83dat?"
    )
    file = tmp_path / "q.jsonl"
    file.write_text(json.dumps(row), "utf-8")
    (task,) = read_corpusqa(file)
    assert isinstance(task, EvaluationTask)
    assert task.question == f"wh\ufffdat?\n\n{FORM}"
    assert _documents(tmp_path, task) == [("A\ufffd", "T\U0001f600\ufffd.")]


def test_rows_are_read_only_as_far_as_they_are_wanted(tmp_path: Path) -> None:
    file = corpusqa(tmp_path / "q.jsonl", corpusqa_row(1), "{broken", corpusqa_row(2), corpusqa_row(3))
    found = list(only(read_corpusqa(file), 2))
    assert [getattr(one, "id", "malformed") for one in found] == ["q1", "malformed", "q2"]


def test_loong_finds_documents_by_name_by_part_of_a_name_and_in_a_collection(tmp_path: Path) -> None:
    folder = loong(tmp_path)
    found = list(read_loong(folder / "loong.jsonl", folder / "doc.zip"))
    paper, financial, legal = (one for one in found if isinstance(one, EvaluationTask))
    assert _documents(tmp_path, paper) == [("one.md", "One cites two."), ("two.md", "Two cites nobody.")]
    assert _documents(tmp_path, financial) == [("公司", "公司 grew by 12 per cent.")]
    assert _documents(tmp_path, legal) == [("判决1", "He stole.\n\nTheft."), ("判决2", "He lied.")]
    assert dict(legal.labels) == {"domain": "legal", "facet": "clustering", "set": "3", "language": "zh"}
    assert (legal.question, paper.question) == ("Sort them.", "Say which.\n\nWho cites whom?")
    assert legal.gold.answer == '{"theft": ["判决1"], "fraud": ["判决2"]}'
    assert paper.gold.rule is Rule.GRADED
    assert [(one.line, one.why) for one in found if isinstance(one, Malformed)] == [
        (4, "the archive has no document 'none.md' of the type 'paper'"),
        (5, "it is not valid JSON: Expecting property name enclosed in double quotes at character 1"),
    ]


def test_a_damaged_document_of_the_archive_is_a_fault_of_its_row_alone(tmp_path: Path) -> None:
    folder = loong(tmp_path)
    packed = (folder / "doc.zip").read_bytes()
    (folder / "doc.zip").write_bytes(packed.replace(b"One cites two.", b"One cites tow."))
    found = list(read_loong(folder / "loong.jsonl", folder / "doc.zip"))
    assert [one.id for one in found if isinstance(one, EvaluationTask)] == ["2", "3"]
    damaged = next(one for one in found if isinstance(one, Malformed))
    assert (damaged.line, damaged.why) == (1, "the archive's 'doc/paper/one.md' is damaged or locked")


def test_the_sample_corpora_have_golds_by_their_rules() -> None:
    rules = {task.id: task.gold.rule for name in ("harbour", "inquiry") for task in read_sample(name)}
    assert len(rules) == 7
    assert set(rules.values()) == {Rule.STATED}
    (dracula,) = read_sample("dracula", Path("pg345.txt"))
    assert dracula.gold.rule is Rule.NAMED
    assert (dracula.gold.answer[:3], dracula.gold.lenient[:3]) == ("13:", "12:")
    assert "Swales" not in dracula.gold.lenient


def test_what_is_not_there_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="cannot be read"):
        list(read_corpusqa(tmp_path / "none.jsonl"))
    with pytest.raises(CorpusError, match="give the path of its text"):
        read_sample("dracula")
    with pytest.raises(CorpusError, match="archive"):
        list(read_loong(tmp_path / "loong.jsonl", tmp_path / "doc.zip"))
