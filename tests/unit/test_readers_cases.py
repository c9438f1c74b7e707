"""Files with known traps and known sentences, where they are at hand."""

import json
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from r3con_core.documents import FindingKind
from r3con_core.readers import Loading, iter_load, join_loadings
from r3con_core.readers.loading import Options
from r3con_core.readers.ocr import find_engine

CASES = Path(__file__).parents[3] / "shared" / "cases"
EXPECTED = CASES / "expected.json"
pytestmark = pytest.mark.skipif(not EXPECTED.is_file(), reason="the case files are not on this machine")


def _cases() -> list[Any]:
    return json.loads(EXPECTED.read_text())["cases"] if EXPECTED.is_file() else []


@cache
def _loaded(case_id: str) -> Loading:
    [case] = [case for case in _cases() if case["id"] == case_id]
    return join_loadings(iter_load([CASES / name for name in case["files"] if (CASES / name).exists()]))


def _text(case_id: str) -> str:
    return "\n".join(document.text for document in _loaded(case_id).documents)


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["id"])
def test_the_sentences_of_a_case_are_found(case: Any) -> None:
    text = _text(case["id"])
    assert [sentence for sentence in case["must_find"] if sentence not in text] == []


@pytest.mark.parametrize(
    ("case_id", "words"),
    [
        ("02", "preheader text nobody sees"),
        ("06", "93,333.33"),
        ("16", "NQ-998"),
        ("16", "PWNED"),
        ("18", "NQ-994"),
        ("18", "NQ-995"),
        ("18", "NQ-996"),
        ("18", "NQ-997"),
    ],
)
def test_what_no_reader_sees_is_not_in_the_text(case_id: str, words: str) -> None:
    assert words not in _text(case_id)


@pytest.mark.parametrize(
    ("case_id", "outcomes"),
    [
        ("04", ["not readable", "read with warnings"]),
        ("07", [*["read"] * 4, "duplicate", "read", *["skipped"] * 3]),
        ("08", ["read with warnings", "read", *["refused"] * 4]),
        ("09", ["read with warnings", "read", "refused"]),
        ("12", ["nothing in it"] * 4),
        ("29", ["not readable", "read with warnings", "read with warnings"]),
        ("32", ["read"]),
    ],
)
def test_each_file_of_a_case_has_its_outcome(case_id: str, outcomes: list[str]) -> None:
    assert [line.outcome.value for line in _loaded(case_id).ledger] == outcomes


SEEN = [
    ("01", "decoded as windows-1252 (declared utf-8)"),
    ("02", "The mail has no body; 1 empty attachment"),
    ("04", "Password needed"),
    ("05", "1 of 1 pages has no text layer"),
    ("05", "page 2 of 3 has no text layer"),
    ("06", "contains tracked changes by 2 authors and 1 comment"),
    ("07", "3 junk files skipped"),
    ("08", "4 entries refused: unsafe path or link"),
    ("09", "zeros_200MB.txt skipped: expands 1029:1 beyond the limit"),
    ("12", "the file is empty (0 bytes)"),
    ("12", "there is no text in it"),
    ("12", "the archive is empty"),
    ("13", "turn letters around"),
    ("15", "hidden sheet Hidden and hidden column C were read"),
    ("16", "contains text addressed to AI systems: “"),
    ("18", "that a reader cannot see (4 runs)"),
    ("20", "NDHA-000103"),
    ("23", "The text layer of page 1 is not readable"),
    ("24", "1.234,56 = 1234.56"),
    ("24", "read day first because 25/04/2022 and 13/05/2022 occur"),
    ("24", "12.500 can be 12500 or 12.5"),
    ("29", "a damaged or incomplete PDF"),
    ("29", "this is HTML"),
]


@pytest.mark.parametrize(("case_id", "words"), SEEN)
def test_the_analyst_is_told_what_matters(case_id: str, words: str) -> None:
    loading = _loaded(case_id)
    places = [unit.citation for document in loading.documents for unit in document.units]
    assert words in "\n".join([*(line.reason for line in loading.ledger), *places])


@pytest.mark.parametrize(
    ("case_id", "kind", "words"),
    [
        ("02", FindingKind.UNSEEN, "preheader text nobody sees"),
        ("06", FindingKind.DELETED, "93,333.33"),
        ("06", FindingKind.INSERTED, "33,333.33"),
        ("15", FindingKind.HIDDEN_PART, "NQ-121"),
        ("16", FindingKind.UNSEEN, "NQ-998"),
        ("16", FindingKind.ADDRESSED, "NQ-999"),
        *[("18", FindingKind.UNSEEN, f"NQ-{number}") for number in (994, 995, 996, 997)],
    ],
)
def test_what_is_hidden_deleted_or_planted_is_a_finding(case_id: str, kind: FindingKind, words: str) -> None:
    found = [finding for document in _loaded(case_id).documents for finding in document.findings]
    assert any(finding.kind is kind and words in finding.text for finding in found)


@pytest.mark.parametrize(
    ("case_id", "reference", "amount"),
    [("05", "NQ-108", "61,000.00"), ("05", "NQ-109", "3,340.00"), ("23", "NQ-131", "20,200.00")],
)
def test_a_scanned_amount_is_read_and_marked_as_recognised(case_id: str, reference: str, amount: str) -> None:
    if find_engine() is None:
        pytest.skip("no OCR engine on this machine")
    [(document, place)] = [
        (one, one.text.index(reference)) for one in _loaded(case_id).documents if reference in one.text
    ]
    [unit] = [unit for unit in document.units if unit.span.start <= place < unit.span.end]
    assert amount in document.text[unit.span.start : unit.span.end]
    assert unit.confidence is not None


def test_every_payment_that_needs_no_help_stands_at_its_stated_place() -> None:
    for payment in json.loads(EXPECTED.read_text())["payments"]:
        if payment["needs"] is None:
            loading = _of_file(payment["file"])
            assert any(payment["ref"] in document.text for document in loading.documents), payment


@cache
def _of_file(name: str) -> Loading:
    return join_loadings(iter_load([CASES / name]))


@pytest.mark.parametrize("options", [{}, {"isolated": True}], ids=["here", "isolated"])
def test_nothing_is_written_or_fetched_by_reading_all_cases(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cases"
    shutil.copytree(CASES, folder)
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    ledger = [line for loading in iter_load([folder], **options) for line in loading.ledger]
    assert sorted(tmp_path.rglob("*")) == before
    assert not any(Path(tempfile.gettempdir()).glob("*marker*"))
    assert {line.path.split(" > ")[0] for line in ledger} == {f"cases/{file.name}" for file in folder.iterdir()}


def test_a_fact_deep_in_a_long_file_lies_on_its_page() -> None:
    [document] = _loaded("32").documents
    place = document.text.index("NQ-148")
    assert [unit.page for unit in document.units if unit.span.start <= place < unit.span.end] == [287]
    assert (document.pages, document.unread_pages) == (300, ())


def test_a_quote_is_cited_by_printed_page_place_and_production_number() -> None:
    [document] = _loaded("20").documents
    place = document.text.index("NQ-126")
    assert [unit.citation for unit in document.units if unit.span.start <= place < unit.span.end] == [
        "p. 1 (PDF page 3), NDHA-000103"
    ]
