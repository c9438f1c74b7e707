"""The sample corpora that ship with the product: well-formed tasks, quotes that stand in their documents, a licence."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

CORPORA = Path(__file__).parents[2] / "sample_corpora"
WRITTEN_HERE = ("harbour", "inquiry")
EVERY = tuple(sorted(folder.name for folder in CORPORA.iterdir() if folder.is_dir()))
PARTS = {"id", "kind", "question", "answer", "expected", "evidence", "notes", "facts"}
KINDS = {"count", "comparison", "chain", "table", "graph"}


def tasks_of(corpus: str) -> list[dict[str, Any]]:
    """The decoded tasks.json of one corpus."""
    tasks: list[dict[str, Any]] = json.loads((CORPORA / corpus / "tasks.json").read_text(encoding="utf-8"))
    return tasks


def documents_of(corpus: str) -> list[Path]:
    """The document files of one corpus, in name order."""
    return sorted((CORPORA / corpus / "documents").iterdir())


def words_in(path: Path) -> int:
    """Blank-separated words of one file, markup included."""
    return len(path.read_text(encoding="utf-8").split())


@pytest.mark.parametrize("corpus", EVERY)
def test_tasks_are_well_formed(corpus: str) -> None:
    """Every task has its eight parts, a known kind and an id of its own."""
    tasks = tasks_of(corpus)
    assert tasks
    for task in tasks:
        assert set(task) - {"rule", "lenient"} == PARTS
        assert task["kind"] in KINDS
        assert task["question"].endswith("?")
        assert task["answer"]
        assert task["expected"]
        assert task["evidence"]
        assert all(set(proof) == {"document", "quote"} for proof in task["evidence"])
    assert max(Counter(task["id"] for task in tasks).values()) == 1


@pytest.mark.parametrize("corpus", WRITTEN_HERE)
def test_each_quote_stands_in_its_document(corpus: str) -> None:
    """A proof is the document's own words, in the file that the task names."""
    for task in tasks_of(corpus):
        for proof in task["evidence"]:
            text = (CORPORA / corpus / proof["document"]).read_text(encoding="utf-8")
            assert proof["quote"] in text, (task["id"], proof)


@pytest.mark.parametrize("corpus", EVERY)
def test_readme_names_the_licence(corpus: str) -> None:
    """A reader of the folder sees what may be done with it."""
    readme = (CORPORA / corpus / "README.md").read_text(encoding="utf-8")
    assert "CC0-1.0" in readme


@pytest.mark.parametrize("corpus", EVERY)
def test_readme_states_every_question(corpus: str) -> None:
    """The README and tasks.json ask the same."""
    readme = (CORPORA / corpus / "README.md").read_text(encoding="utf-8")
    assert all(task["id"] in readme or task["question"] in readme for task in tasks_of(corpus))


def test_harbour_is_small_enough_for_the_embedded_model() -> None:
    """Ten documents of 110 to 200 words, under 1,700 in all."""
    sizes = [words_in(path) for path in documents_of("harbour")]
    assert len(sizes) == 10
    assert all(110 <= size <= 200 for size in sizes)
    assert sum(sizes) < 1700


def test_harbour_total_is_the_sum_of_its_rows() -> None:
    """The count of the first task follows from its table."""
    expected = tasks_of("harbour")[0]["expected"]
    assert expected["total"] == sum(row["cases"] for row in expected["rows"])


def test_inquiry_is_forty_documents_of_six_kinds() -> None:
    """Each is short enough to read in class, and there is one task of every kind."""
    documents = documents_of("inquiry")
    assert len(documents) == 40
    assert {path.suffix for path in documents} == {".txt", ".md", ".eml", ".html", ".csv", ".json"}
    assert all(110 <= words_in(path) <= 450 for path in documents)
    assert 9_000 <= sum(words_in(path) for path in documents) <= 12_000
    assert {task["kind"] for task in tasks_of("inquiry")} == KINDS


def test_inquiry_statements_add_up_to_the_expected_answers() -> None:
    """The statements hold every payment of the table but one, which stands in a mail, and all that reached the end."""
    table = next(task for task in tasks_of("inquiry") if task["id"] == "inquiry-4")["expected"]
    chain = next(task for task in tasks_of("inquiry") if task["id"] == "inquiry-3")["expected"]
    paid = [
        float(row["amount_euros"])
        for path in documents_of("inquiry")
        if "bank_silverline" in path.name
        for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())
        if row["counterparty"] in {"FELDBAU LTD", "AEL MARINE WORKS LTD"} and float(row["amount_euros"]) > 0
    ]
    assert paid == [row["euros"] for row in table["rows"] if row["invoice"] != "SL-2020-02"]
    assert sum(row["euros"] for row in table["rows"]) == table["total"]
    northgate = (CORPORA / "inquiry/documents/33_bank_northgate.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(northgate.splitlines())
    assert sum(-float(row["amount_euros"]) for row in rows if row["counterparty"] == "DOLAN I.") == chain["euros"]
