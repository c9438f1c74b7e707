"""Delimited tables: how they are written is told, values stay as they are, and long ones are cut."""

import resource
from pathlib import Path

import pytest

from r3con_core.documents import Document, Source
from r3con_core.readers import load_bytes
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import File
from r3con_core.readers.tables import read_table


def only_document(name: str, data: bytes) -> Document:
    """The one document that an upload gives."""
    loading = load_bytes(name, data)
    assert len(loading.documents) == 1, loading.ledger
    return loading.documents[0]


def told(table: str) -> tuple[str, ...]:
    """The warnings about a CSV file."""
    return only_document("a.csv", table.encode()).warnings


PAYMENTS = (
    "Ref;Datum;Betrag;Bemerkung\r\n"
    "NQ-132;03/04/2022;1.234,56;Müller & Söhne\r\n"
    'NQ-133;25/04/2022;-1.000,00;"Storno,\r\nzweite Zeile"\r\n'
    "NQ-134;01/02/2022;12.500;Tausender\r\n"
    'NQ-135;13/05/2022;999,9;"=HYPERLINK(""https://x.invalid"")"\r\n'
    "00042;14/05/2022;(250,00);führende Nullen\r\n"
)


def test_how_numbers_and_dates_are_written_is_told_and_values_stay() -> None:
    document = only_document("a.csv", PAYMENTS.encode("cp1252"))
    assert document.warnings == (
        "The text does not say its encoding; it was decoded as windows-1252, a guess, and some letters may be wrong.",
        "Numbers in Betrag are read as 1.234,56 = 1234.56.",
        "It is open what some numbers mean: row 3, Betrag: 12.500 can be 12500 or 12.5.",
        "Dates in Datum are read day first because 25/04/2022 and 13/05/2022 occur.",
    )
    assert document.text == (
        "Columns: Ref; Datum; Betrag; Bemerkung\n"
        "Reading note: in Betrag a comma marks the decimals and a point groups thousands; in row 3 of Betrag the point "
        "may group thousands or mark decimals; in Datum the day comes before the month.\n"
        "Ref: NQ-132; Datum: 03/04/2022; Betrag: 1.234,56; Bemerkung: Müller & Söhne\n"
        "Ref: NQ-133; Datum: 25/04/2022; Betrag: -1.000,00; Bemerkung: Storno,\nzweite Zeile\n"
        "Ref: NQ-134; Datum: 01/02/2022; Betrag: 12.500; Bemerkung: Tausender\n"
        'Ref: NQ-135; Datum: 13/05/2022; Betrag: 999,9; Bemerkung: =HYPERLINK("https://x.invalid")\n'
        "Ref: 00042; Datum: 14/05/2022; Betrag: (250,00); Bemerkung: führende Nullen"
    )


@pytest.mark.parametrize(
    ("cells", "sentences"),
    [
        ("1234.5 12 7.25", ()),
        ("1,234.56 12 7.25", ("Numbers in n are read as 1,234.56 = 1234.56.",)),
        ("1.234,56 1.234,50", ("Numbers in n are read as 1.234,56 = 1234.56.",)),
        ("1'234.50 12.10", ("Numbers in n are read as 1'234.56 = 1234.56.",)),
        ("12,50 7", ("Numbers in n are read as 1234,56 = 1234.56.",)),
        ("1.234.567 12.500", ("Numbers in n are read as 1.234,56 = 1234.56.",)),
        ("0.125 12.500", ()),
        ("12.500 3", ("It is open what some numbers mean: row 1, n: 12.500 can be 12500 or 12.5.",)),
        (
            "1,234.56 1.234,56",
            ("Numbers in n are written in two ways, such as 1.234,56 (row 2) and 1,234.56 (row 1); none was changed.",),
        ),
        ("25/04/2022 03/04/2022", ("Dates in n are read day first because 25/04/2022 occurs.",)),
        ("04/25/22 12/31/22", ("Dates in n are read month first because 04/25/22 and 12/31/22 occur.",)),
        ("03.04.2022 01.02.2022", ("Dates in n are read day first because they are written with points.",)),
        ("2022-04-03 2022-05-03", ()),
        (
            "03/04/2022 05/05/2022",
            (
                (
                    "It is open whether dates in n have the day or the month first: "
                    "row 1: 03/04/2022 can be 3 April or 4 March 2022."
                ),
            ),
        ),
        (
            "25/04/2022 04/25/2022",
            (
                (
                    "Dates in n have the day first in some rows and the month in others: "
                    "25/04/2022 (row 1) and 04/25/2022 (row 2)."
                ),
            ),
        ),
        ("192.168.1.1 10.0.0.1", ()),
        ("abc 1,5 def ghi", ()),
    ],
)
def test_each_column_tells_how_it_is_written(cells: str, sentences: tuple[str, ...]) -> None:
    assert told("k\tn\n" + "".join(f"x\t{cell}\n" for cell in cells.split())) == sentences


def test_many_open_numbers_are_counted_and_three_named() -> None:
    rows = "".join(f"x;{n}.500\n" for n in range(10, 20))
    assert told("k;n\n" + rows) == (
        (
            "It is open what some numbers mean: row 1, n: 10.500 can be 10500 or 10.5; row 2, n: 11.500 can be 11500 or "
            "11.5; row 3, n: 12.500 can be 12500 or 12.5; and 7 more."
        ),
    )


def test_a_header_of_two_rows_gives_each_column_its_whole_name() -> None:
    document = only_document("a.csv", b"Line,2021,,2022,\n,Q3,Q4,Q1,Q2\nNQ-1,10,20,30,40\n")
    assert document.text == (
        "Columns: Line; 2021 Q3; 2021 Q4; 2022 Q1; 2022 Q2\n"
        "Line: NQ-1; 2021 Q3: 10; 2021 Q4: 20; 2022 Q1: 30; 2022 Q2: 40"
    )


def test_columns_of_one_name_are_told_apart() -> None:
    assert only_document("a.csv", b"Ref,Amount,Amount\nNQ-1,10,20\n").text == (
        "Columns: Ref; Amount; Amount (2)\nRef: NQ-1; Amount: 10; Amount (2): 20"
    )


@pytest.mark.parametrize("table", [b"sep=;\na;b\n1,5;2,5\n", b"\xef\xbb\xbfa;b\r\n1,5;2,5\r\n", b"a;b\r1,5;2,5\r"])
def test_a_stated_delimiter_a_mark_and_any_line_end_are_understood(table: bytes) -> None:
    assert only_document("a.csv", table).text.endswith("a: 1,5; b: 2,5")


def test_a_quote_that_never_closes_swallows_no_rows() -> None:
    table = 'a,b\nx,1\n"y,2\nz,3\n'
    assert only_document("a.csv", table.encode()).text == table


def test_a_long_table_is_cut_into_documents_that_each_stand_alone() -> None:
    table = "id;amount\n" + "".join(f"{n};1,5\n" for n in range(1, 45_001))
    loading = load_bytes("p/long.csv", table.encode())
    assert [line.path for line in loading.ledger] == [
        "p/long.csv",
        "p/long.csv > rows 1-20,000",
        "p/long.csv > rows 20,001-40,000",
        "p/long.csv > rows 40,001-45,000",
    ]
    last = loading.documents[-1]
    assert last.title == "long.csv > rows 40,001-45,000"
    assert last.text.startswith(
        "Columns: id; amount\nReading note: in amount a comma marks the decimals.\nid: 40001; amount: 1,5\n"
    )
    assert last.units[2].label == "40003-40004"
    assert last.warnings == ("Numbers in amount are read as 1234,56 = 1234.56.",)


def test_a_letter_far_into_a_long_file_decides_its_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"id;name\n" + b"1;plain\n" * 200_000 + "2;Müller\n".encode("cp1252"))
    source = Source(path="a.csv", sha256="", media_type="text/csv")
    found = [one for one in read_table(File(content=Content.on_disk(path), source=source)) if isinstance(one, Document)]
    assert found[-1].text.endswith("id: 2; name: Müller")
    assert "decoded as windows-1252" in found[-1].warnings[0]


def test_a_table_needs_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with path.open("w") as table:
        table.write("id,name,amount\n")
        for number in range(150_000):
            table.write(f"{number},Firm {number % 977},{number}.50\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    source = Source(path="a.csv", sha256="", media_type="text/csv")
    found = read_table(File(content=Content.on_disk(path), source=source))
    assert sum(isinstance(one, Document) for one in found) == 8
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150_000
