"""E-discovery productions: load files bring texts, page pictures and natives together into documents."""

import io
import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from r3con_core.documents import Document
from r3con_core.readers import Loading, load_bytes, load_paths
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import ReadSettings
from r3con_core.readers.ocr import find_engine
from r3con_core.readers.productions import plan

Lines = list[tuple[str, str, str]]
NO_OCR = ReadSettings(ocr=False)
COLUMNS = (
    "BEGBATES ENDBATES BEGATTACH ENDATTACH CUSTODIAN FROM TO SUBJECT DATESENT PRIVILEGE TEXTPATH NATIVELINK".split()
)


def lines(loading: Loading) -> Lines:
    """Path, outcome and reason of each line."""
    return [(line.path, line.outcome.value, line.reason) for line in loading.ledger]


def dat(columns: list[str], *rows: list[str], encoding: str = "utf-8") -> bytes:
    """A Concordance load file."""
    table = "".join("\x14".join(f"þ{value}þ" for value in row) + "\r\n" for row in (columns, *rows))
    return table.replace("\n\n", "®").encode(encoding)


def row(**values: str) -> list[str]:
    """A row under COLUMNS."""
    return [values.get(column, "") for column in COLUMNS]


def opt(*pages: tuple[str, str, bool]) -> bytes:
    """An Opticon load file of Bates number, path, and whether a document begins."""
    return "".join(f"{bates},VOL001,{path},{'Y' if first else ''},,,\r\n" for bates, path, first in pages).encode()


def png(width: int = 60, height: int = 40) -> bytes:
    """A white picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">L", len(data)) + kind + data + struct.pack(">L", zlib.crc32(kind + data))

    pixels = zlib.compress((b"\0" + b"\xff" * width) * height)
    head = struct.pack(">LLBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def written(folder: Path, files: dict[str, bytes]) -> Path:
    """The folder with these files in it."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def by_bates(loading: Loading) -> dict[str, Document]:
    """The documents of productions by what follows the load file in their paths."""
    return {one.source.path.rsplit(" > ", 1)[-1]: one for one in loading.documents}


MAIL = row(
    BEGBATES="NDHA-000101",
    ENDBATES="NDHA-000103",
    BEGATTACH="NDHA-000101",
    ENDATTACH="NDHA-000104",
    CUSTODIAN="Marsh, R.",
    FROM="R. Marsh",
    TO="A. Quill",
    SUBJECT="Payment NQ-103",
    DATESENT="11/28/2021",
    TEXTPATH=".\\VOL001\\TEXT\\001\\NDHA-000101.txt",
)
SHEET = row(
    BEGBATES="NDHA-000104",
    ENDBATES="NDHA-000104",
    BEGATTACH="NDHA-000101",
    ENDATTACH="NDHA-000104",
    TEXTPATH=".\\VOL001\\TEXT\\001\\NDHA-000104.txt",
    NATIVELINK=".\\VOL001\\NATIVES\\001\\NDHA-000104.csv",
)
PRODUCTION = {
    "DATA/production.dat": dat(COLUMNS, MAIL, SHEET),
    "DATA/production.opt": opt(
        ("NDHA-000101", ".\\IMAGES\\001\\NDHA-000101.png", True),
        ("NDHA-000102", ".\\IMAGES\\001\\NDHA-000102.png", False),
        ("NDHA-000103", ".\\IMAGES\\001\\NDHA-000103.png", False),
        ("NDHA-000104", ".\\IMAGES\\001\\NDHA-000104.png", True),
    ),
    "IMAGES/001/NDHA-000101.png": png(),
    "IMAGES/001/NDHA-000102.png": png(61),
    "IMAGES/001/NDHA-000103.png": png(62),
    "IMAGES/001/NDHA-000104.png": png(63),
    "NATIVES/001/ndha-000104.CSV": b"ref;paid to\nNQ-103;Quillfeather\n",
    "TEXT/001/NDHA-000101.txt": b"First page\fSecond page: NQ-103\fThird page",
    "TEXT/001/NDHA-000104.txt": b"DOCUMENT PRODUCED IN NATIVE FORMAT\r\nNDHA-000104",
}


def test_every_file_of_a_production_has_its_line_and_every_document_too(tmp_path: Path) -> None:
    loading = load_paths([written(tmp_path / "p", PRODUCTION)], settings=NO_OCR)
    assert lines(loading) == [
        ("p/DATA/production.dat", "read", "a load file of 2 documents"),
        ("p/DATA/production.dat > NDHA-000101", "read", ""),
        ("p/DATA/production.dat > NDHA-000104", "read", ""),
        ("p/DATA/production.opt", "read", "a load file, whose pages belong to documents of another"),
        ("p/IMAGES/001/NDHA-000101.png", "read", "part of NDHA-000101"),
        ("p/IMAGES/001/NDHA-000102.png", "read", "part of NDHA-000101"),
        ("p/IMAGES/001/NDHA-000103.png", "read", "part of NDHA-000101"),
        ("p/IMAGES/001/NDHA-000104.png", "read", "part of NDHA-000104"),
        ("p/NATIVES/001/ndha-000104.CSV", "read", "part of NDHA-000104"),
        ("p/TEXT/001/NDHA-000101.txt", "read", "part of NDHA-000101"),
        ("p/TEXT/001/NDHA-000104.txt", "read", "part of NDHA-000104"),
    ]


def test_a_produced_document_has_a_head_pages_with_bates_numbers_a_date_and_a_parent(tmp_path: Path) -> None:
    documents = by_bates(load_paths([written(tmp_path / "p", PRODUCTION)], settings=NO_OCR))
    mail, sheet = documents["NDHA-000101"], documents["NDHA-000104"]
    assert mail.text == (
        "Bates: NDHA-000101 to NDHA-000103\nFrom: R. Marsh\nTo: A. Quill\nDate sent: 11/28/2021\n"
        "Subject: Payment NQ-103\nCustodian: Marsh, R.\n\n"
        "First page\n\nSecond page: NQ-103\n\nThird page"
    )
    assert [unit.citation for unit in mail.units] == [
        "Production header, NDHA-000101 to NDHA-000103",
        "p. 1, NDHA-000101",
        "p. 2, NDHA-000102",
        "p. 3, NDHA-000103",
    ]
    assert [mail.text[unit.span.start : unit.span.end] for unit in mail.units[1:]] == [
        "First page",
        "Second page: NQ-103",
        "Third page",
    ]
    assert (mail.title, mail.date, mail.author, mail.pages, mail.parent) == (
        "Payment NQ-103",
        "2021-11-28",
        "R. Marsh",
        3,
        "",
    )
    assert sheet.parent == "p/DATA/production.dat > NDHA-000101"


def test_a_native_is_read_where_the_text_only_says_that_it_is_given(tmp_path: Path) -> None:
    sheet = by_bates(load_paths([written(tmp_path / "p", PRODUCTION)], settings=NO_OCR))["NDHA-000104"]
    assert "DOCUMENT PRODUCED IN NATIVE FORMAT" in sheet.text
    assert "Quillfeather" in sheet.text
    for unit in sheet.units:
        assert sheet.text[unit.span.start : unit.span.end].strip()


def test_a_production_in_an_archive_is_the_same_production() -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, data in PRODUCTION.items():
            archive.writestr(f"VOL001/{name}", data)
    loading = load_bytes("p.zip", held.getvalue(), settings=NO_OCR)
    assert [one.source.path for one in loading.documents] == [
        "p.zip > VOL001/DATA/production.dat > NDHA-000101",
        "p.zip > VOL001/DATA/production.dat > NDHA-000104",
    ]
    assert len(loading.ledger) == 1 + len(PRODUCTION) + 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_a_load_file_is_read_in_its_encoding(tmp_path: Path, encoding: str) -> None:
    table = dat(COLUMNS, row(BEGBATES="A-1", ENDBATES="A-1", SUBJECT="Größe “1”"), encoding=encoding)
    [document] = load_paths([written(tmp_path / "p", {"A.dat": table})]).documents
    assert document.title == "Größe “1”"


@pytest.mark.parametrize(
    "table",
    [
        b"BEGDOC,ENDDOC,TEXT_LINK\r\nA-1,A-1,TEXT\\A-1.txt\r\n",
        b'"DocID"|"Attach Range"|"OCRPATH"\n"A-1"|"A-1 - A-1"|"TEXT/A-1.txt"\n',
        b"^BEGDOC^|^ENDDOC^|^TEXTPATH^\r\n^A-1^|^A-1^|^TEXT\\A-1.txt^\r\n",
        b"Bates Begin\tBates End\tExtracted Text Path\nA-1\tA-1\tD:\\Out\\PROD7\\TEXT\\A-1.txt\n",
        b"BEGDOC\x14ENDDOC\x14TEXTPATH\r\nA-1\x14A-1\x14.\\TEXT\\a-1.TXT\r\n",
    ],
)
def test_a_load_file_with_other_signs_is_known_by_its_header(tmp_path: Path, table: bytes) -> None:
    folder = written(tmp_path / "p", {"load.csv": table, "TEXT/A-1.txt": b"The words of the page."})
    [document] = load_paths([folder]).documents
    assert document.source.path == "p/load.csv > A-1"
    assert "The words of the page." in document.text


def test_a_table_of_other_things_stays_a_table(tmp_path: Path) -> None:
    tables = {
        "a.csv": b"DocID,Text\n1,yes\n2,no\n",
        "b.csv": b"BEGDOC,ENDDOC\nA-1,A-2\n",
        "winmail.dat": b"\x78\x9f\x3e\x22",
    }
    loading = load_paths([written(tmp_path / "p", tables)])
    assert [one.source.path for one in loading.documents] == ["p/a.csv", "p/b.csv"]


def test_line_ends_within_a_value_are_kept_apart_from_rows(tmp_path: Path) -> None:
    table = dat(
        COLUMNS, row(BEGBATES="A-1", ENDBATES="A-1", SUBJECT="one®two"), row(BEGBATES="A-2", SUBJECT="three\nfour")
    )
    documents = load_paths([written(tmp_path / "p", {"A.dat": table})]).documents
    assert [document.title for document in documents] == ["one two", "three four"]


def test_missing_files_and_rows_without_any_are_told(tmp_path: Path) -> None:
    table = dat(
        COLUMNS,
        row(BEGBATES="A-1", ENDBATES="A-1", SUBJECT="gone", TEXTPATH="TEXT\\0001.txt", NATIVELINK="NATIVES\\1.doc"),
        row(BEGBATES="A-2", ENDBATES="A-2", SUBJECT="withheld"),
    )
    listing = opt(("A-1", "IMAGES\\A-1.tif", True))
    missing = ("text file TEXT\\0001.txt", "page picture IMAGES\\A-1.tif", "native file NATIVES\\1.doc")
    assert lines(load_paths([written(tmp_path / "p", {"A.dat": table, "a.opt": listing})])) == [
        (
            "p/A.dat",
            "read with warnings",
            "a load file of 2 documents; 3 files it names are missing; 2 documents without any file",
        ),
        (
            "p/A.dat > A-1",
            "read with warnings",
            " ".join(f"Its {name} is missing." for name in missing),
        ),
        ("p/A.dat > A-2", "read with warnings", "The production has no text, page picture or native of it."),
        ("p/a.opt", "read", "a load file, whose pages belong to documents of another"),
    ]


def test_no_path_of_a_load_file_leads_out_of_the_given_files(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("not yours")
    table = dat(
        COLUMNS,
        row(BEGBATES="A-1", ENDBATES="A-1", TEXTPATH=str(secret)),
        row(BEGBATES="A-2", ENDBATES="A-2", TEXTPATH="..\\secret.txt"),
        row(BEGBATES="A-3", ENDBATES="A-3", TEXTPATH="TEXT\\..\\A.dat"),
    )
    loading = load_paths([written(tmp_path / "p", {"A.dat": table, "TEXT/x.txt": b"x"})])
    assert not any("not yours" in document.text for document in loading.documents)
    assert (
        loading.ledger[0].reason
        == "a load file of 3 documents; 3 files it names are missing; 3 documents without any file"
    )


def test_the_file_in_the_stated_volume_counts_and_no_other(tmp_path: Path) -> None:
    table = dat(
        COLUMNS,
        row(BEGBATES="A-1", ENDBATES="A-1", TEXTPATH="\\PROD\\VOL001\\TEXT\\0001.txt"),
        row(BEGBATES="A-2", ENDBATES="A-2", TEXTPATH="\\PROD\\VOL002\\TEXT\\0001.txt"),
        row(BEGBATES="A-3", ENDBATES="A-3", TEXTPATH="\\PROD\\VOL001\\TEXT\\0003.txt"),
    )
    files = {
        "DATA/a.dat": table,
        "VOL001/TEXT/0001.txt": b"of volume one",
        "VOL002/TEXT/0001.txt": b"of volume two",
        "VOL002/TEXT/0003.txt": b"of nobody",
    }
    documents = by_bates(load_paths([written(tmp_path / "p", files)]))
    assert documents["A-1"].text.endswith("of volume one")
    assert documents["A-2"].text.endswith("of volume two")
    assert "of nobody" not in documents["A-3"].text
    assert documents["A-3"].warnings == ("Its text file \\PROD\\VOL001\\TEXT\\0003.txt is missing.",)


def test_text_files_by_page_are_found_by_their_bates_numbers(tmp_path: Path) -> None:
    table = dat(COLUMNS, row(BEGBATES="A-0009", ENDBATES="A-0011", TEXTPATH="TEXT\\A-0009.txt"))
    files = {"A.dat": table, "TEXT/A-0009.txt": b"nine", "TEXT/A-0010.txt": b"ten", "TEXT/A-0011.txt": b"eleven"}
    loading = load_paths([written(tmp_path / "p", files)])
    [document] = loading.documents
    assert [(unit.page, unit.bates) for unit in document.units[1:]] == [(1, "A-0009"), (2, "A-0010"), (3, "A-0011")]
    assert document.text.endswith("nine\n\nten\n\neleven")
    assert [line.reason for line in loading.ledger[2:]] == ["part of A-0009"] * 3


def test_pages_are_told_apart_by_the_bates_numbers_stamped_on_them(tmp_path: Path) -> None:
    table = dat(COLUMNS, row(BEGBATES="A-1", ENDBATES="A-2", TEXTPATH="T\\A-1.txt"))
    files = {"A.dat": table, "T/A-1.txt": b"first words\nA-1\nsecond words\nA-2\n"}
    [document] = load_paths([written(tmp_path / "p", files)]).documents
    assert [(unit.bates, document.text[unit.span.start : unit.span.end].strip()) for unit in document.units[1:]] == [
        ("A-1", "first words\nA-1"),
        ("A-2", "second words\nA-2"),
    ]


def test_a_text_whose_pages_cannot_be_told_apart_carries_all_its_bates_numbers(tmp_path: Path) -> None:
    table = dat(COLUMNS, row(BEGBATES="A-1", ENDBATES="A-3", TEXTPATH="T\\A-1.txt"))
    [document] = load_paths([written(tmp_path / "p", {"A.dat": table, "T/A-1.txt": b"all the words"})]).documents
    assert document.units[1].citation == "Text, A-1 to A-3"
    assert document.pages == 3


def test_a_text_in_the_load_file_itself_is_the_text(tmp_path: Path) -> None:
    table = dat(["DOCID", "ENDDOC", "EXTRACTEDTEXT"], ["A-1", "A-1", "The words®of the page, in full."])
    [document] = load_paths([written(tmp_path / "p", {"A.dat": table})]).documents
    assert document.text.endswith("The words\nof the page, in full.")


def test_what_is_privileged_says_so_in_the_head_and_in_a_warning(tmp_path: Path) -> None:
    table = dat(
        COLUMNS,
        row(BEGBATES="A-1", ENDBATES="A-1", PRIVILEGE="Attorney-Client"),
        row(BEGBATES="A-2", ENDBATES="A-2", PRIVILEGE="No"),
    )
    documents = by_bates(load_paths([written(tmp_path / "p", {"A.dat": table})]))
    assert "Privilege: Attorney-Client" in documents["A-1"].text
    assert documents["A-1"].warnings[0] == "The production marks it as privileged: Attorney-Client."
    assert not any("privileged" in warning for warning in documents["A-2"].warnings)


@pytest.mark.parametrize(
    ("stated", "others", "date"),
    [
        ("03/04/2021", "13/04/2021", "2021-04-03"),
        ("03/04/2021", "04/13/2021", "2021-03-04"),
        ("03/04/2021", "", None),
        ("04/04/2021", "", "2021-04-04"),
        ("20211128", "", "2021-11-28"),
        ("2021-11-28T10:00:00Z", "", "2021-11-28"),
        ("Sun, 28 Nov 2021 10:00", "", "2021-11-28"),
        ("November 28, 2021", "", "2021-11-28"),
        ("00/00/0000", "", None),
    ],
)
def test_dates_are_read_as_the_whole_file_has_them(tmp_path: Path, stated: str, others: str, date: str | None) -> None:
    table = dat(
        COLUMNS,
        row(BEGBATES="A-1", ENDBATES="A-1", DATESENT=stated),
        row(BEGBATES="A-2", ENDBATES="A-2", DATESENT=others),
    )
    documents = by_bates(load_paths([written(tmp_path / "p", {"A.dat": table})]))
    assert documents["A-1"].date == date
    assert any("cannot be told" in one or "told for certain" in one for one in documents["A-1"].warnings) is (
        date is None
    )


@pytest.mark.parametrize(
    ("column", "of_parent", "of_child"),
    [
        ("PARENT_DOCID", "", "A-1"),
        ("ATTACHRANGE", "A-1 - A-2", "A-1 - A-2"),
        ("ATTACHRANGE", "A-1-A-2", "A-1-A-2"),
        ("BEGATTACH", "A-1", "A-1"),
        ("ATTACH_DOCIDS", "A-2", ""),
        ("PARENT_DOCID", "A-1", "A-1"),
    ],
)
def test_families_are_found_in_whichever_column_states_them(
    tmp_path: Path, column: str, of_parent: str, of_child: str
) -> None:
    table = dat(
        ["BEGDOC", "ENDDOC", column, "TITLE"], ["A-1", "A-1", of_parent, "mail"], ["A-2", "A-2", of_child, "sheet"]
    )
    documents = by_bates(load_paths([written(tmp_path / "p", {"A.dat": table})]))
    assert (documents["A-1"].parent, documents["A-2"].parent) == ("", "p/A.dat > A-1")


def test_a_list_of_pages_alone_makes_documents(tmp_path: Path) -> None:
    files = {
        "p.opt": opt(("A-1", "I\\A-1.png", True), ("A-2", "I\\A-2.png", False), ("A-3", "I\\A-3.png", True)),
        "I/A-1.png": png(),
        "I/A-2.png": png(61),
        "I/A-3.png": png(62),
        "T/A-1.txt": b"one",
        "T/A-2.txt": b"two",
        "T/A-3.txt": b"three",
    }
    loading = load_paths([written(tmp_path / "p", files)], settings=NO_OCR)
    assert [(one.source.path, one.text.split("\n\n")[1:]) for one in loading.documents] == [
        ("p/p.opt > A-1", ["one", "two"]),
        ("p/p.opt > A-3", ["three"]),
    ]


def test_an_ipro_list_of_pages_is_read_too(tmp_path: Path) -> None:
    files = {
        "p.lfp": b"IM,A-1,D,0,@VOL001;I;A-1.png;2,0\r\nIM,A-2,,0,@VOL001;I;A-2.png;2,0\r\n",
        "I/A-1.png": png(),
        "I/A-2.png": png(61),
        "T/A-1.txt": b"one",
        "T/A-2.txt": b"two",
    }
    [document] = load_paths([written(tmp_path / "p", files)], settings=NO_OCR).documents
    assert [unit.bates for unit in document.units] == ["A-1 to A-2", "A-1", "A-2"]


def test_pages_without_text_that_cannot_be_recognised_are_unread_pages(tmp_path: Path) -> None:
    files = {
        "p.dat": dat(COLUMNS, row(BEGBATES="A-1", ENDBATES="A-2", SUBJECT="scan")),
        "p.opt": opt(("A-1", "I\\A-1.png", True), ("A-2", "I\\A-2.png", False)),
        "I/A-1.png": png(200, 200),
        "I/A-2.png": png(201, 200),
    }
    [document] = load_paths([written(tmp_path / "p", files)], settings=NO_OCR).documents
    assert (document.pages, document.unread_pages) == (2, (1, 2))
    assert document.warnings[0].startswith("Page 1 was not read: ")


def test_a_native_alone_is_the_text_and_its_attachments_are_members(tmp_path: Path) -> None:
    mail = (
        b"From: a@x.invalid\r\nTo: b@x.invalid\r\nSubject: Quote\r\nMessage-ID: <1@x>\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nThe mail itself.\r\n"
        b"--b\r\nContent-Type: text/plain; name=a.txt\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\n"
        b"The attachment.\r\n--b--\r\n"
    )
    table = dat(COLUMNS, row(BEGBATES="A-1", ENDBATES="A-1", NATIVELINK="N\\A-1.eml"))
    loading = load_paths([written(tmp_path / "p", {"A.dat": table, "N/A-1.eml": mail})])
    assert [one.source.path for one in loading.documents] == ["p/A.dat > A-1", "p/A.dat > A-1 > a.txt"]
    assert loading.documents[0].title == "Quote"
    assert "The mail itself." in loading.documents[0].text


def test_a_damaged_native_leaves_what_the_load_file_says(tmp_path: Path) -> None:
    table = dat(COLUMNS, row(BEGBATES="A-1", ENDBATES="A-1", SUBJECT="Quote", NATIVELINK="N\\A-1.pdf"))
    [document] = load_paths([written(tmp_path / "p", {"A.dat": table, "N/A-1.pdf": b"%PDF-1.4 no"})]).documents
    assert document.title == "Quote"
    assert document.warnings[0].startswith("Its native N\\A-1.pdf was not read: ")


def test_two_tables_of_the_same_documents_are_one(tmp_path: Path) -> None:
    files = {
        "A.dat": dat(["BEGDOC", "ENDDOC", "SUBJECT"], ["A-1", "A-1", "Quote"]),
        "b.dat": dat(["BEGDOC", "ENDDOC", "CUSTODIAN", "TEXTPATH"], ["A-1", "A-1", "Marsh", "T\\A-1.txt"]),
        "T/A-1.txt": b"the words",
    }
    loading = load_paths([written(tmp_path / "p", files)])
    [document] = loading.documents
    assert document.text == "Bates: A-1\nSubject: Quote\nCustodian: Marsh\n\nthe words"


def test_the_same_bates_number_twice_gives_two_documents(tmp_path: Path) -> None:
    table = dat(COLUMNS, *[row(BEGBATES="A-1", ENDBATES="A-1", SUBJECT=subject) for subject in ("one", "two")])
    documents = load_paths([written(tmp_path / "p", {"A.dat": table})]).documents
    assert [one.source.path for one in documents] == ["p/A.dat > A-1", "p/A.dat > A-1 (2)"]


def test_a_document_that_has_an_identifier_too_is_known_by_its_bates_number(tmp_path: Path) -> None:
    table = dat(["DOCID", "BEGDOC", "ENDDOC", "PARENT_DOCID"], ["D1", "A-1", "A-2", ""], ["D2", "A-3", "A-3", "D1"])
    documents = by_bates(load_paths([written(tmp_path / "p", {"A.dat": table})]))
    assert documents["A-1"].text == "Bates: A-1 to A-2\nDOCID: D1"
    assert documents["A-3"].parent == "p/A.dat > A-1"


def test_a_path_at_the_source_is_no_native_of_the_production(tmp_path: Path) -> None:
    stated = "C:\\Users\\Marsh\\report.txt"
    table = dat(["BEGDOC", "ENDDOC", "FILE_PATH"], ["A-1", "A-1", stated], ["A-2", "A-2", "NATIVES\\A-2.txt"])
    files = {"A.dat": table, "other/report.txt": b"of another", "NATIVES/A-2.txt": b"The native."}
    loading = load_paths([written(tmp_path / "p", files)])
    documents = by_bates(loading)
    assert documents["A-1"].text == f"Bates: A-1\nFILE_PATH: {stated}"
    assert documents["A-2"].text.endswith("The native.")
    assert ("p/other/report.txt", "read", "") in lines(loading)


def test_files_without_a_load_file_make_no_production() -> None:
    assert plan([("p/a.txt", Content.held(b"words")), ("p/b.csv", Content.held(b"a,b\n1,2\n"))]).lines == {}


@pytest.mark.parametrize("path", ["A.dat", "a.opt", "a.lfp", "a.csv", "a.txt"])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xfe",
        b"\xfe\xfe\x14\xfe\xfe\r\n" * 3,
        "þBEGDOCþ\x14þENDDOCþ\r\n".encode(),
        "þBEGDOCþ\x14þENDDOCþ\r\nþA-1\r\n".encode() + b"\xfe" * 1000,
        "þBEGDOCþ\x14þENDDOCþ\r\nþA-1þ\x14þA-99999999999999999999999þ\r\n".encode(),
        b"BEGDOC,ENDDOC,TEXTPATH\n" + b'"' * 3000,
        b",,,,\n" * 100,
        b"IM,A,D,0,@;;\n" * 10,
        b"\xff\xfe\x00",
    ],
)
def test_broken_load_files_make_no_trouble(path: str, data: bytes) -> None:
    made = plan([(path, Content.held(data)), ("T/A-1.txt", Content.held(b"words"))])
    assert set(made.nodes) <= set(made.lines)


@pytest.mark.skipif(find_engine() is None, reason="nothing recognises text in pictures on this machine")
def test_a_picture_of_several_pages_gives_each_its_bates_number(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    draw, font = pytest.importorskip("PIL.ImageDraw"), pytest.importorskip("PIL.ImageFont").load_default(size=48)
    pages = []
    for words in ("Alpha harbour letter", "Second harbour sheet"):
        pages.append(image.new("L", (1200, 400), 255))
        draw.Draw(pages[-1]).text((100, 150), words, fill=0, font=font)
    held = io.BytesIO()
    pages[0].save(held, "TIFF", save_all=True, append_images=pages[1:])
    files = {
        "p.dat": dat(COLUMNS, row(BEGBATES="A-7", ENDBATES="A-8", SUBJECT="scan")),
        "p.opt": opt(("A-7", "I\\A-7.tif", True)),
        "I/A-7.tif": held.getvalue(),
    }
    [document] = load_paths([written(tmp_path / "p", files)]).documents
    read = [(unit.bates, document.text[unit.span.start : unit.span.end]) for unit in document.units[1:]]
    assert read == [("A-7", "Alpha harbour letter"), ("A-8", "Second harbour sheet")]
    assert all(unit.confidence for unit in document.units[1:])
    assert document.warnings == ("The text of 2 pages was recognised in pictures (OCR); check it against them.",)
