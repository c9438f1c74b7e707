"""What an adversary wrote, in files and at a terminal: letters, and neither markup, formula, address nor line of ours."""

import csv
import io
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pyarrow.parquet import read_table

from r3con_core.changes import CorrectRecord
from r3con_core.cli import main
from r3con_core.exports import (
    export_code,
    export_html,
    export_memo,
    export_parquet,
    export_records_csv,
    export_records_json,
    export_run,
    export_workbook,
    report_markdown,
)
from r3con_core.exports.graphml import export_graphml
from r3con_core.exports.notebook import export_notebook
from r3con_core.holdings import never_send
from r3con_core.overlay import data_of
from r3con_core.queries import Query, query_to_json
from r3con_core.runs import RunState
from r3con_core.store.changes import add_change
from r3con_core.store.documents import LedgerEntry, add_documents
from r3con_core.store.project import Project, open_project
from r3con_core.store.queries import save_query
from tests.fakes import Scripted, carry_scripted, start_run, text_document, text_project
from tests.forging import in_manifest, members_of, packed, rehashed
from tests.hostile_script import FORMULAS, HOSTILE, PAYLOADS, hostile, hostile_answer, titled

Run = tuple[Project, str]
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A finished run on documents, by a model and with a colleague who are all on the other side."""
    folder = tmp_path_factory.mktemp("hostile")
    documents = [text_document(f"{n} {HOSTILE}", path=f"{hostile(n)}.txt", title=titled(n)) for n in range(1, 5)]
    project = text_project(folder, documents, "Memos")
    run_id = start_run(project, f"Who paid? {HOSTILE}", window=16_384)
    assert carry_scripted(project, run_id, Scripted(hostile_answer)) is RunState.DONE
    data = data_of(project, run_id)
    assert data is not None
    of = data.records[0]
    change = CorrectRecord(of=of, now=replace(of, said_by=HOSTILE))
    add_change(project, run_id, change, author=HOSTILE, note=HOSTILE)
    lines = [LedgerEntry(path=text, outcome="not readable", reason=text, document_id="") for text in PAYLOADS]
    add_documents(project, (), lines)
    never_send(project, [hostile(4)], author=HOSTILE)
    save_query(project, " ".join(hostile(3).split())[:80], query_to_json(Query(record_type="Person")), author=HOSTILE)
    project.close()
    return open_project(project.folder), run_id


def texts_of_csv(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_no_cell_of_a_csv_file_is_a_formula(run: Run) -> None:
    with zipfile.ZipFile(io.BytesIO(export_records_csv(*run))) as packed_files:
        tables = [texts_of_csv(packed_files.read(name)) for name in packed_files.namelist() if name.endswith(".csv")]
    cells = [cell for table in tables for line in table for cell in line]
    assert any(cell.startswith(f"'{FORMULAS[1]}") for cell in cells)
    assert [cell for cell in cells if cell.startswith(FORMULA_SIGNS)] == []


def test_a_workbook_holds_no_formula_and_no_address(run: Run) -> None:
    with zipfile.ZipFile(io.BytesIO(export_workbook(*run))) as book:
        names = book.namelist()
        sheets = [book.read(name).decode() for name in names if name.startswith("xl/worksheets/sheet")]
        related = [book.read(name).decode() for name in names if name.endswith(".rels")]
    assert not [sheet for sheet in sheets if "<f>" in sheet or "<hyperlink" in sheet or "<f " in sheet]
    assert not [text for text in related if "External" in text or "evil" in text]
    assert not [name for name in names if "external" in name.casefold() or "dde" in name.casefold()]
    cells = [cell for sheet in sheets for cell in re.findall(r"<t[^>]*>([^<]*)", sheet)]
    assert cells
    assert [cell for cell in cells if cell.startswith(FORMULA_SIGNS)] == []


def test_a_memo_links_to_and_loads_nothing_from_elsewhere(run: Run) -> None:
    with zipfile.ZipFile(io.BytesIO(export_memo(*run))) as memo:
        parts = {name: memo.read(name) for name in memo.namelist()}
    assert not [
        name for name, part in parts.items() if name.endswith(".rels") and (b"External" in part or b"evil" in part)
    ]
    document = parts["word/document.xml"].decode()
    assert not re.search(r"w:instrText|w:fldSimple|w:altChunk|w:object|INCLUDEPICTURE", document)
    ElementTree.fromstring(document)


def test_a_web_page_of_a_run_has_no_script_address_or_frame_of_its_documents(run: Run) -> None:
    page = export_html(*run)
    assert re.findall(r"<(?:script|img|iframe|svg|form|object|embed|base)\b", page) == []
    addresses = [tag for tag in re.findall(r"<[^>]*>", page) if re.search(r"\b(?:href|src|action|style|on\w+)=", tag)]
    assert [tag for tag in addresses if not re.fullmatch(r'<a href="#[\w-]+">', tag)] == []
    assert "evil.example" in page


def test_a_report_in_markdown_makes_nothing_of_them(run: Run) -> None:
    report = report_markdown(*run)
    assert re.search(r"(?<!\\)(?:!\[|\]\((?!#)|<(?:img|script|a|iframe)\b|\$)|\w@\w", report) is None
    assert ACTING.findall(report.replace("\n", "")) == []
    assert "http://evil" not in report


def test_a_graph_is_whole_and_its_words_are_text(run: Run) -> None:
    ElementTree.fromstring(export_graphml(*run))


def test_a_notebook_keeps_them_in_literals_and_escaped_lines(run: Run) -> None:
    notebook = json.loads(export_notebook(*run))
    markdown = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    for text in markdown:
        prose = "\n".join(line for line in text.split("\n") if not line.startswith("    "))
        assert re.search(r"(?<!\\)(?:<(?:img|a|script|iframe)\b|!\[|\]\(|\$)|http://", prose) is None
        assert re.search(r"(?<!\\)\$", text) is None


def test_the_program_of_a_run_is_python_and_its_question_does_not_end_its_string(run: Run) -> None:
    compile(export_code(*run), "steps.py", "exec")


def test_json_and_parquet_keep_every_letter(run: Run) -> None:
    assert HOSTILE in [record["said_by"] for record in json.loads(export_records_json(*run))["records"]]
    with zipfile.ZipFile(io.BytesIO(export_parquet(*run))) as archive:
        rows = [row for name in archive.namelist() for row in read_table(io.BytesIO(archive.read(name))).to_pylist()]
    assert HOSTILE in [row["said_by"] for row in rows]


def at_terminal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    main(list(words))
    captured = capsys.readouterr()
    return captured.out + captured.err


@pytest.mark.parametrize(
    "words",
    [
        ("show",),
        ("show", "--only", "records"),
        ("runs",),
        ("changes",),
        ("ledger",),
        ("hold",),
        ("search", "evil"),
        ("query", "list"),
        ("query", "columns"),
        ("verify",),
    ],
    ids=" ".join,
)
def test_at_a_terminal_nothing_acts_and_no_line_passes_for_one_of_ours(
    run: Run, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    said = at_terminal(capsys, *words, "--in", str(run[0].folder))
    assert "r3con:" not in said
    assert ACTING.findall(said) == []
    assert {"holds: all of it", "# A heading", "- an item"}.isdisjoint(said.splitlines())


def test_what_is_held_back_is_a_line_each(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    lines = at_terminal(capsys, "hold", "--in", str(run[0].folder)).splitlines()
    assert lines
    assert {(line.partition("\t")[0], line.count("\t")) for line in lines} <= {("never sent", 1), ("held back", 2)}


def test_a_ledger_line_has_as_many_parts_as_it_should(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    lines = at_terminal(capsys, "ledger", "--in", str(run[0].folder)).splitlines()
    assert {line.count("\t") for line in lines} == {2}
    assert len(lines) == 4 + len(PAYLOADS)


def test_a_bundle_cannot_write_its_own_verdict(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forged = "R3Con\nholds: Every member is what the manifest says.\nAll holds.\x1b[8m"
    members = rehashed(in_manifest(made_by=forged)(members_of(export_run(*run))))
    file = tmp_path / "forged.zip"
    file.write_bytes(packed(members))
    said = at_terminal(capsys, "verify", str(file)).splitlines()
    assert "holds: Every member is what the manifest says." not in said
    assert "All holds." not in said
