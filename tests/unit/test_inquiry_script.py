"""The scripted run over the inquiry corpus has the answer, the changes between rounds and the faults it promises."""

import pytest

from r3con_core.overlay import context_of, data_of
from r3con_core.records import StructuredData
from r3con_core.runs import RunState
from r3con_core.store.answers import load_answer
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.views.tables import Proof, weakest_proof
from tests.fakes import finished_inquiry

Finished = tuple[Project, str]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    return finished_inquiry(tmp_path_factory.mktemp("projects"))


def found(finished: Finished) -> StructuredData:
    data = data_of(*finished)
    assert data is not None
    return data


def numbers(finished: Finished) -> dict[str, int]:
    return {document_id: number for number, document_id in enumerate(load_run(*finished).document_ids, start=1)}


def test_the_run_ends_with_the_expected_answer(finished: Finished) -> None:
    answer = load_answer(*finished)
    assert answer is not None
    assert load_run(*finished).state is RunState.DONE
    assert "372,000 euros or 30 per cent, from 1,240,000 to 1,612,000 euros." in answer.text
    assert [bool(sentence.record_ids) for sentence in answer.sentences] == [*[True] * 6, False, False]
    assert [step.execution.fault for step in answer.steps] == [None, None, None]


def test_snippets_change_between_the_rounds_by_leaning_on_other_documents(finished: Finished) -> None:
    number = numbers(finished)
    first, second = context_of(*finished).rounds
    changed = [number[b.document_id] for a, b in zip(first.snippets, second.snippets, strict=True) if a.text != b.text]
    assert changed == [8, 12, 13, 19, 21, 25, 32]
    silent = [number[snippet.document_id] for snippet in second.snippets if not snippet.text]
    assert silent == [3, 4, 14, 20, 22, 25, 28, 35, 38, 40]


def test_every_quote_is_found_but_those_of_the_planted_faults(finished: Finished) -> None:
    number = numbers(finished)
    weak = {
        number[record.document_id]: weakest_proof(record)
        for record in found(finished).records
        if weakest_proof(record) is not Proof.EXACT
    }
    assert weak == {2: Proof.NEAR, 34: Proof.ELSEWHERE, 39: Proof.MISSING}
    assert len(found(finished).records) == 48


def test_a_chosen_option_needs_no_word_of_its_document(finished: Finished) -> None:
    people = [record for record in found(finished).of_type("Party") if record.values["kind"] == "person"]
    assert [record.values["name"] for record in people] == ["Irena Dolan", "Henrik Koster"]
    assert [record.unsupported for record in people] == [(), ()]
