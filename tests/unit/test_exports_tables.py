"""Workbook, CSV and Parquet: types, proof beside values, and nothing that a stranger wrote is computed."""

import csv
import io
import json
import re
import zipfile
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from python_calamine import CalamineWorkbook

from r3con_core.changes import CorrectRecord, RejectRecord
from r3con_core.exports import (
    export_parquet,
    export_records_csv,
    export_records_json,
    export_workbook,
    load_contents,
)
from r3con_core.exports.parquet import parquet_of
from r3con_core.exports.whole import WholeRun, load_whole
from r3con_core.exports.workbook import MOST_LETTERS, workbook_of
from r3con_core.records import Record, StructuredData
from r3con_core.store.changes import add_change
from r3con_core.store.project import Project
from tests.fakes import finished_harbour

Finished = tuple[Project, str]
DAY = date(1931, 3, 17)


@pytest.fixture(scope="module")
def corrected(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A finished run in which a person corrected R2 and rejected R3."""
    project, run_id = finished_harbour(tmp_path_factory.mktemp("tables"))
    data = load_contents(project, run_id).data
    assert data is not None
    second = data.records[1]
    now = replace(second, values={**second.values, "cases": 26}, changed=("cases",))
    add_change(project, run_id, CorrectRecord(of=second, now=now), author="Ada Penn", note="read the bill")
    add_change(project, run_id, RejectRecord(of=data.records[2]), author="=HYPERLINK(A1)")
    return project, run_id


def _sheets(data: bytes) -> dict[str, list[dict[str, object]]]:
    """Sheet -> its rows by column; an empty cell is ""."""
    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    told = {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}
    return {name: [dict(zip(map(str, rows[0]), row, strict=True)) for row in rows[1:]] for name, rows in told.items()}


def test_a_workbook_has_a_sheet_for_everything_a_reader_asks(corrected: Finished) -> None:
    sheets = _sheets(export_workbook(*corrected))
    assert list(sheets) == ["Answer", "About", "Landing", "Launch", "Documents", "Coverage", "Ledger", "Changes"]
    assert sheets["Answer"][0]["sentence"] == "The Petrel landed 85 cases at Lime Quay in March 1931."
    assert sheets["Answer"][0]["records"] == "R1, R2, R4"
    assert len(sheets["Documents"]) == 10
    assert sheets["Changes"][0]["what"] == "record corrected"
    assert (sheets["Changes"][0]["before"], sheets["Changes"][0]["after"]) == ("cases: 25", "cases: 26")


def test_a_sheet_has_typed_values_beside_their_proof_and_what_the_model_said(corrected: Finished) -> None:
    rows = {row["record"]: row for row in _sheets(export_workbook(*corrected))["Landing"]}
    row = rows["R2"]
    assert (row["cases"], row["night"], row["document"]) == (26, DAY.replace(day=19), 3)
    assert (row["quote 1 from"], row["quote 1 to"], row["quote 1 found"]) == (190, 258, "found exactly")
    assert (row["model said: cases"], row["changed fields"]) == (25, "cases")
    assert str(row["changed by"]).startswith("Ada Penn, 20")
    assert (rows["R3"]["standing"], rows["R1"]["standing"]) == ("rejected", "kept")
    assert rows["R1"]["values not in the document"] == "launch"


def test_csv_and_json_say_what_stands_and_what_the_model_said(corrected: Finished) -> None:
    with zipfile.ZipFile(io.BytesIO(export_records_csv(*corrected))) as archive:
        rows = list(csv.DictReader(io.StringIO(archive.read("Landing.csv").decode("utf-8-sig"))))
    assert (rows[1]["cases"], rows[1]["model said: cases"], rows[0]["model said: cases"]) == ("26", "25", "")
    told = json.loads(export_records_json(*corrected))["records"]
    assert (told[1]["values"]["cases"], told[1]["model_said"]["cases"], told[1]["changed_fields"]) == (
        26,
        25,
        ["cases"],
    )
    assert "model_said" not in told[0]
    assert told[2]["standing"] == "rejected"


def _with_record(whole: WholeRun, **changes: object) -> WholeRun:
    """The run with its first record changed."""
    data = whole.contents.data
    assert data is not None
    record = replace(data.records[0], **changes)  # type: ignore[arg-type]
    data = StructuredData(schema=data.schema, records=(record, *data.records[1:]))
    return replace(whole, contents=replace(whole.contents, data=data))


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "＝1", '=HYPERLINK("http://evil.example")']


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_a_formula_here_or_in_csv_saved_from_here(text: str, corrected: Finished) -> None:
    whole = _with_record(load_whole(*corrected), values={"what": text, "launch": text})
    data = workbook_of(whole)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = "".join(archive.read(name).decode() for name in archive.namelist() if name.endswith(".xml"))
    assert re.findall(r"<f>|<hyperlink", parts) == []
    value = _sheets(data)["Landing"][0]["what"]
    assert isinstance(value, str)
    assert value.startswith("'")


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(), max_size=60))
def test_any_text_comes_back_out_of_a_workbook_but_for_what_no_cell_holds(text: str) -> None:
    whole = _with_record(_WHOLE, values={"what": f"x{text}"})
    value = _sheets(workbook_of(whole))["Landing"][0]["what"]
    wanted = re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]", "\ufffd", f"x{text}".replace("\r\n", "\n"))
    assert value == wanted.encode("utf-8", "replace").decode()


_WHOLE: WholeRun


@pytest.fixture(scope="module", autouse=True)
def _whole(corrected: Finished) -> None:
    global _WHOLE  # noqa: PLW0603 - hypothesis runs without function fixtures
    _WHOLE = load_whole(*corrected)


def test_a_cell_longer_than_cells_can_be_is_cut_and_says_so(corrected: Finished) -> None:
    whole = _with_record(load_whole(*corrected), values={"what": "\U0001f600" * 20_000})
    value = str(_sheets(workbook_of(whole))["Landing"][0]["what"])
    assert value.endswith("(cut here: a cell holds no more; the JSON export has the whole)")
    assert len(value.encode("utf-16-le")) // 2 <= MOST_LETTERS


@pytest.mark.parametrize(
    ("night", "shown"),
    [
        ("1931-03-17", DAY),
        ("1931-03", "1931-03"),
        ("1931", "1931"),
        ("1899-12-31", "1899-12-31"),
        ("1931-02-30", "1931-02-30"),
        ("before Lent", "before Lent"),
    ],
)
def test_only_whole_dates_are_dates(night: str, shown: object, corrected: Finished) -> None:
    whole = _with_record(load_whole(*corrected), values={"what": "x", "night": night})
    assert _sheets(workbook_of(whole))["Landing"][0]["night"] == shown


def test_numbers_that_a_spreadsheet_would_round_stay_as_written(corrected: Finished) -> None:
    whole = _with_record(load_whole(*corrected), values={"what": "x", "cases": 12345678901234567890})
    assert _sheets(workbook_of(whole))["Landing"][0]["cases"] == "12345678901234567890"


def test_record_types_called_as_our_sheets_get_names_of_their_own(corrected: Finished) -> None:
    whole = load_whole(*corrected)
    data = whole.contents.data
    assert data is not None
    names = ("Answer", "History", "L" * 40, "L" * 41)
    types = tuple(replace(data.schema.record_types[0], name=name) for name in names)
    types = tuple(replace(one, fields=one.fields[:1]) for one in types)
    contents = replace(whole.contents, data=StructuredData(schema=replace(data.schema, record_types=types), records=()))
    contents = replace(contents, answer=None)
    found = list(_sheets(workbook_of(replace(whole, contents=contents))))
    assert found[2:6] == ["Answer (2)", "History records", "L" * 31, "L" * 27 + " (2)"]


def test_parquet_keeps_types_and_nesting(corrected: Finished) -> None:
    with zipfile.ZipFile(io.BytesIO(export_parquet(*corrected))) as archive:
        assert archive.namelist() == ["Landing.parquet", "Launch.parquet"]
        landing, launch = (
            parquet.read_table(io.BytesIO(archive.read(name))).to_pylist() for name in archive.namelist()
        )
    assert landing[1]["values"]["cases"] == 26
    assert landing[1]["model_said"]["cases"] == 25
    assert landing[1]["quotes"][0]["start"] == 190
    assert landing[2]["standing"] == "rejected"
    assert launch[-1]["values"]["marks"] == {"colour": "grey", "funnel": "patched"}


def test_a_value_of_another_kind_is_kept_apart_in_parquet(corrected: Finished) -> None:
    whole = _with_record(load_whole(*corrected), values={"what": "x", "cases": "about forty", "night": "1931-03"})
    with zipfile.ZipFile(io.BytesIO(parquet_of(whole.contents))) as archive:
        row = parquet.read_table(io.BytesIO(archive.read("Landing.parquet"))).to_pylist()[0]
    assert (row["values"]["cases"], row["values"]["night"]) == (None, "1931-03")
    assert row["values_of_another_kind"] == [("cases", "about forty")]


def test_fifty_thousand_records_are_written_row_by_row(corrected: Finished) -> None:
    whole = load_whole(*corrected)
    data = whole.contents.data
    assert data is not None
    short: Record = replace(data.records[0], values={}, evidence=())
    many = tuple(replace(short, id=f"rec-{number}") for number in range(50_000))
    contents = replace(
        whole.contents, data=StructuredData(schema=data.schema, records=many), answer=None, said=None, corrected=None
    )
    made = workbook_of(replace(whole, contents=contents))
    assert CalamineWorkbook.from_filelike(io.BytesIO(made)).get_sheet_by_name("Landing").height == 50_001
