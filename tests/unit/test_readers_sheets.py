"""Workbooks: headers of several rows, hidden parts, formulas without results, and values as they are meant."""

import base64
import io
import zipfile
import zlib

import pytest

from r3con_core.documents import Document, FindingKind
from r3con_core.readers import Outcome, load_bytes

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STYLES = f"""<styleSheet xmlns="{MAIN}"><numFmts count="3"><numFmt numFmtId="164" formatCode="DD/MM/YYYY"/>
<numFmt numFmtId="165" formatCode="#,##0.00 &quot;EUR&quot;"/><numFmt numFmtId="166" formatCode="00000"/></numFmts>
<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="10"/>
<xf numFmtId="20"/><xf numFmtId="46"/></cellXfs></styleSheet>"""


def relations(**targets: str) -> str:
    """A part of relations: kind and target of each."""
    ones = "".join(
        f'<Relationship Id="{kind}" Type="{OFFICE}/{kind.rstrip("123")}" Target="{target}"/>'
        for kind, target in targets.items()
    )
    return f"<Relationships>{ones}</Relationships>"


def workbook(*sheets: tuple[str, str, str], properties: str = "", styles: str = STYLES, **parts: str) -> bytes:
    """A workbook of sheets given as name, state and what is in `worksheet`; `parts` are further ones by their names."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", relations(officeDocument="xl/workbook.xml"))
        listed = "".join(
            f'<sheet name="{name}" state="{state}" r:id="worksheet{number}"/>'
            for number, (name, state, _) in enumerate(sheets, 1)
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}">{properties}<sheets>{listed}</sheets></workbook>',
        )
        targets = {f"worksheet{number}": f"worksheets/sheet{number}.xml" for number in range(1, len(sheets) + 1)}
        archive.writestr("xl/_rels/workbook.xml.rels", relations(styles="styles.xml", **targets))
        archive.writestr("xl/styles.xml", styles)
        for number, (_, _, body) in enumerate(sheets, 1):
            archive.writestr(f"xl/worksheets/sheet{number}.xml", f'<worksheet xmlns="{MAIN}">{body}</worksheet>')
        for name, xml in parts.items():
            archive.writestr(name, xml)
    return held.getvalue()


def row(number: int, *cells: str, hidden: bool = False) -> str:
    """A row of cells: words, or numbers, or "@3 5" for 5 in style 3, or "=A1" for a formula without a result."""
    held = ""
    for column, cell in zip("ABCDEFGHIJ", cells, strict=False):
        place = f'r="{column}{number}"'
        style, _, value = cell[1:].partition(" ") if cell.startswith("@") else ("0", "", cell)
        if cell.startswith("="):
            held += f"<c {place}><f>{cell[1:]}</f><v></v></c>"
        elif value.replace(".", "").replace("-", "").isdigit():
            held += f'<c {place} s="{style}"><v>{value}</v></c>'
        elif value:
            held += f'<c {place} t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<row r="{number}"{" hidden=" if hidden else ""}{chr(34) + "1" + chr(34) if hidden else ""}>{held}</row>'


def sheet(*rows: str, before: str = "", after: str = "") -> str:
    """What is in a `worksheet`."""
    return f"{before}<sheetData>{''.join(rows)}</sheetData>{after}"


def only_document(name: str, data: bytes) -> Document:
    """The one document that an upload gives."""
    loading = load_bytes(name, data)
    assert len(loading.documents) == 1, loading.ledger
    return loading.documents[0]


MERGED = "".join(f'<mergeCell ref="{place}"/>' for place in ("A1:F1", "A2:A3", "B2:C2", "D2:E2", "F2:F3", "A4:F4"))
PAYMENTS = sheet(
    row(1, "Payments (EUR)"),
    row(2, "Line", "2021", "", "2022", "", "Total"),
    row(3, "", "Q3", "Q4", "Q1", "Q2"),
    row(4, "A. Consulting"),
    row(5, "NQ-119 Study", "@2 4000", "", "@2 27600", "0", "=SUM(B5:E5)"),
    row(6, "NQ-120 Training", "", "1250.75", "", "300", "=SUM(B6:E6)"),
    row(7, "Paid on", "", "", "@1 44620"),
    before='<cols><col min="3" max="3" hidden="1"/></cols>',
    after=f"<mergeCells>{MERGED}</mergeCells>",
)


def test_merged_headers_hidden_parts_and_formulas_without_results_are_told() -> None:
    hidden = sheet(row(1, "NQ-121", "15500", "paid in cash"))
    document = only_document("a.xlsx", workbook(("Payments", "visible", PAYMENTS), ("Hidden", "hidden", hidden)))
    assert document.text == (
        "Sheet Payments\n"
        "Payments (EUR)\n"
        "Columns: Line; 2021 Q3; 2021 Q4; 2022 Q1; 2022 Q2; Total\n"
        "A. Consulting\n"
        "Line: NQ-119 Study; 2021 Q3: 4000 (EUR); 2022 Q1: 27600 (EUR); 2022 Q2: 0; "
        "Total: =SUM(B5:E5) (formula without a stored result)\n"
        "Line: NQ-120 Training; 2021 Q4: 1250.75 (hidden column); 2022 Q2: 300; "
        "Total: =SUM(B6:E6) (formula without a stored result)\n"
        "Line: Paid on; 2022 Q1: 2022-02-28\n"
        "Sheet Hidden (hidden sheet)\n"
        "column A: NQ-121; column B: 15500; column C: paid in cash (hidden sheet)"
    )
    assert document.warnings == (
        "The hidden sheet Hidden and hidden column C were read and are marked in the text.",
        "2 formulas without a stored result are shown as their formulas (Payments F5 and Payments F6).",
    )
    assert [unit.citation for unit in document.units[:5]] == [
        "sheet Payments",
        "Payments row 1",
        "header Payments rows 2-3",
        "Payments row 4",
        "Payments row 5",
    ]
    found = [(finding.kind, finding.place, finding.detail) for finding in document.findings]
    assert found == [
        (FindingKind.HIDDEN_PART, "Payments row 6", "hidden column C"),
        (FindingKind.HIDDEN_PART, "Hidden row 1", "hidden sheet"),
    ]
    spans = [finding.span for finding in document.findings]
    assert [document.text[span.start : span.end] for span in spans if span] == [
        "2021 Q4: 1250.75 (hidden column)",
        "column A: NQ-121; column B: 15500; column C: paid in cash (hidden sheet)",
    ]


def test_numbers_are_shown_as_they_are_meant() -> None:
    body = sheet(
        row(1, "Date", "Share", "Code", "Amount", "At", "Length", "Sum"),
        row(2, "@1 44620.5", "@4 0.255", "@3 42", "@2 1250.5", "@5 0.4375", "@6 1.5", "0.30000000000000004"),
    )
    assert only_document("a.xlsx", workbook(("S", "visible", body))).text.splitlines()[2] == (
        "Date: 2022-02-28 12:00; Share: 0.255 (25.5%); Code: 42 (shown as 00042); Amount: 1250.5 (EUR); "
        "At: 10:30; Length: 36:00:00; Sum: 0.30000000000000004"
    )


def test_dates_counted_from_1904_are_right() -> None:
    body = sheet(row(1, "Ref", "Date"), row(2, "NQ-1", "@1 43158"))
    data = workbook(("S", "visible", body), properties='<workbookPr date1904="1"/>')
    assert only_document("a.xlsx", data).text.endswith("Date: 2022-02-28")


def test_hidden_rows_of_several_sheets_say_of_which() -> None:
    one = sheet(row(1, "Ref", "v"), row(2, "a", "1", hidden=True), row(3, "b", "2", hidden=True), row(4, "c", "3"))
    document = only_document("a.xlsx", workbook(("One", "visible", one), ("Two", "visible", sheet(row(1, "x")))))
    assert document.warnings == ("The hidden rows 2-3 of One were read and are marked in the text.",)
    assert [finding.text for finding in document.findings] == ["Ref: a; v: 1 (hidden row)\nRef: b; v: 2 (hidden row)"]
    assert document.findings[0].place == "One row 2 to One row 3"


def test_a_cell_merged_downwards_holds_for_each_of_its_rows() -> None:
    body = sheet(
        row(1, "Payee", "Amount"),
        row(2, "Quillfeather", "10"),
        row(3, "", "20"),
        after='<mergeCells><mergeCell ref="A2:A3"/></mergeCells>',
    )
    assert only_document("a.xlsx", workbook(("S", "visible", body))).text.splitlines()[2:] == [
        "Payee: Quillfeather; Amount: 10",
        "Payee: Quillfeather (one cell with row 2); Amount: 20",
    ]


def test_a_second_table_on_a_sheet_has_its_own_header() -> None:
    body = sheet(row(1, "Ref", "Amount"), row(2, "NQ-1", "10"), row(5, "Name", "Born"), row(6, "Ada", "1815"))
    assert only_document("a.xlsx", workbook(("S", "visible", body))).text.splitlines()[1:] == [
        "Columns: Ref; Amount",
        "Ref: NQ-1; Amount: 10",
        "Columns: Name; Born",
        "Name: Ada; Born: 1815",
    ]


def test_comments_text_boxes_and_page_headers_are_read() -> None:
    body = sheet(
        row(1, "Ref", "Amount"),
        row(2, "NQ-1", "10"),
        after="<headerFooter><oddHeader>&amp;CStrictly &amp;&amp; private</oddHeader></headerFooter>",
    )
    comments = (
        f'<comments xmlns="{MAIN}"><authors><author>M.O.</author></authors><commentList>'
        '<comment ref="B2" authorId="0"><text><r><t>M.O.:</t></r><r><t> See voucher</t></r></text></comment>'
        "</commentList></comments>"
    )
    drawing = (
        '<x:d xmlns:x="d" xmlns:a="a"><x:txBody><a:p><a:r><a:t>Not for the auditors</a:t></a:r></a:p></x:txBody></x:d>'
    )
    parts = {
        "xl/worksheets/_rels/sheet1.xml.rels": relations(comments="../comments1.xml", drawing="../drawings/d.xml"),
        "xl/comments1.xml": comments,
        "xl/drawings/d.xml": drawing,
    }
    assert only_document("a.xlsx", workbook(("S", "visible", body), **parts)).text.splitlines()[2:] == [
        "Ref: NQ-1; Amount: 10",
        "Comment on S B2 by M.O.: See voucher",
        "Text box: Not for the auditors",
        "Page header: Strictly & private",
    ]


def test_results_that_were_never_calculated_are_not_given_as_zero_alone() -> None:
    body = sheet('<row r="1"><c r="A1"><f>1+2</f><v>0</v></c></row>')
    data = workbook(("S", "visible", body), properties='<calcPr fullCalcOnLoad="1"/>')
    assert "0 (stored for =1+2, which may not have been calculated)" in only_document("a.xlsx", data).text


def test_a_long_workbook_is_cut_and_each_piece_repeats_sheet_and_header() -> None:
    rows = [row(number, f"NQ-{number}", str(number)) for number in range(2, 25_003)]
    loading = load_bytes("a.xlsx", workbook(("Big", "visible", sheet(row(1, "Ref", "Amount"), *rows))))
    assert [document.source.path for document in loading.documents] == [
        "a.xlsx > Big rows 2-20,001",
        "a.xlsx > Big rows 20,002-25,002",
    ]
    assert loading.documents[1].text.startswith("Sheet Big\nColumns: Ref; Amount\nRef: NQ-20002; Amount: 20002\n")


def test_a_damaged_sheet_gives_what_stands_before_the_damage() -> None:
    body = sheet(row(1, "Ref", "Amount"), row(2, "NQ-1", "10")) + "<row><c></row>"
    document = only_document("a.xlsx", workbook(("S", "visible", body)))
    assert document.text.endswith("Ref: NQ-1; Amount: 10")
    assert document.warnings == ("Damaged inside, and not read to the end: xl/worksheets/sheet1.xml.",)


def test_a_cut_off_workbook_is_damaged_and_an_empty_one_has_nothing_in_it() -> None:
    whole = workbook(("S", "visible", sheet()))
    [line] = load_bytes("a.xlsx", whole[:300]).ledger
    assert (line.outcome, line.reason) == (Outcome.NOT_READABLE, "a damaged or incomplete Excel workbook")
    [line] = load_bytes("a.xlsx", whole).ledger
    assert line.outcome is Outcome.NOTHING_IN_IT


def test_a_sheet_that_unpacks_without_end_is_given_up() -> None:
    held = io.BytesIO(workbook(("S", "visible", sheet(row(1, "a")))))
    with zipfile.ZipFile(held, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sharedStrings.xml", b"<sst>" + (b"<si><t>" + b"a" * 8_000 + b"</t></si>") * 8_000)
    [line] = load_bytes("a.xlsx", held.getvalue()).ledger
    assert line.outcome is Outcome.NOT_READABLE
    assert "200 times its size" in line.reason


OLD = (
    "c-rk)Pe@cj82`<CyX(5H?yjwY2DS)UnIUFD7hMy}4rv-eB|)kC4vVtJwh#rCWgdel2#PL(9lB^;D(Me(>kt@q2!cS1PMv~+4!W=J"
    "`}VzBZ3CA~*m%EXelzpU_r3XM=9_u5@6}9bcKlw|9G0L3I?`q_JXtbDso1UrLG7l=MLYLWG945YioLXu9ycD9zAWN3<n^9|hP$rk"
    "#J~qiM{xpO!wDm@if9ub`V{-ntXvd(8g5Z4L#6mtE<7N-MtDke9}BmN<g#!x>CUQN%tX8Dc3N?KSgVn?GGc`XV)ITUji|s2j^p!J"
    "R7Tg0UCDUgP=Pg6yZo2{Eoq05Fp^vk;5K|fdwWA?XTuS~EW)(h6ZmFEfUowxeim`$t1DL^`S->0qCd#Jw1`XP*EAO}0`s`yU>-vW"
    ">RsHTWB*W$tGyl$3>|ypv3cx}E$+!2<p<-bAtRC;K1Bxm;t7LxKu;6Xb`o^;Y;7dHlg2>ONcq@6&Whlov!YaXke@h)fRsbBkAmdt"
    "{GBhaJNvt%$3!wB?+5loVFSAi6BpRRe^%@@TrCO6I|f>rXv!$aZ=g<|utoTy^s-LMRl;Ekddh3NE3CqvQPH_1t+mu|li*EsV^(<+"
    "mB&8!Jggr37~M?e$&R@*;mNnran#V%#Kcd9QPit?b@K*eI%?<2I)B~^SN?Vud9|SByJ@{T16bhQM+gZ&l^V|$&ll^f9QsQ1na^oH"
    "@h61q>)F~XC!%eu<*@y=7MU7r>y~eNmVU(2*QGC>^CvVqU98)tc%<8=+4_@=IWsGo6?__6v~t{+YHQX_VI`vlOQOY&4)v1@H9Azz"
    "=y3Dxi)R(NX4QcM2M!!KaNyu?q2v~qxn=V$%Wd7%imdNC3zX8%XOjOG2QW;(6#b>#jRfUMoX#tL*21mqXQ^e{*xw5ohp6`?2GK8m"
    "4CWobbkkPZ<5{+0aOJj8zWt~3@$(<|{{wLM39A"
)
"""A workbook of Excel 97: packed with zlib, in base 85."""


def test_a_workbook_of_the_old_kind_is_read_with_its_hidden_parts() -> None:
    document = only_document("a.xls", zlib.decompress(base64.b85decode(OLD)))
    assert document.text == (
        "Sheet Old\nTitle row\nColumns: Line; 2021 Q3; 2021 Q4\n"
        "Line: NQ-1; 2021 Q3: 27600; 2021 Q4: 2022-02-28 (hidden column) (hidden row)\n"
        "Sheet Hid (hidden sheet)\nsecret (hidden sheet)"
    )
    assert document.warnings == (
        "The hidden sheet Hid, hidden column C and hidden row 4 were read and are marked in the text.",
    )


def ods(tables: str) -> bytes:
    """A spreadsheet of these tables."""
    names = " ".join(
        f'xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{one}:1.0"' for one in ("table", "text", "style")
    )
    names += ' xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:dc="dc"'
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        styles = '<style:style style:name="no"><style:table-properties table:display="false"/></style:style>'
        body = f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>"
        archive.writestr("content.xml", f"<office:document {names}>{styles}{body}</office:document>")
    return held.getvalue()


def text_cell(words: str, more: str = "") -> str:
    """A cell of words in an OpenDocument sheet."""
    return f'<table:table-cell office:value-type="string" {more}><text:p>{words}</text:p></table:table-cell>'


def test_an_opendocument_spreadsheet_is_read_with_its_hidden_parts() -> None:
    tables = (
        '<table:table table:name="Pay"><table:table-column/><table:table-column table:visibility="collapse"/>'
        f"<table:table-row>{text_cell('Ref')}{text_cell('2021', 'table:number-columns-spanned=' + chr(34) + '2' + chr(34))}"
        "<table:covered-table-cell/></table:table-row>"
        f"<table:table-row><table:table-cell/>{text_cell('Q3')}{text_cell('Q4')}</table:table-row>"
        f"<table:table-row>{text_cell('NQ-1')}"
        '<table:table-cell office:value-type="currency" office:currency="EUR" office:value="10.5">'
        "<office:annotation><dc:creator>M.O.</dc:creator><text:p>Why?</text:p></office:annotation>"
        "<text:p>10,50 €</text:p></table:table-cell>"
        '<table:table-cell table:formula="of:=[.B3]*2"/></table:table-row>'
        '<table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row></table:table>'
        f'<table:table table:name="Hid" table:style-name="no"><table:table-row>{text_cell("secret")}</table:table-row>'
        "</table:table>"
    )
    document = only_document("a.ods", ods(tables))
    assert document.text == (
        "Sheet Pay\nColumns: Ref; 2021 Q3; 2021 Q4\n"
        "Ref: NQ-1; 2021 Q3: 10.5 (EUR) (hidden column); 2021 Q4: =[.B3]*2 (formula without a stored result)\n"
        "Comment on Pay B3 by M.O.: Why?\nSheet Hid (hidden sheet)\nsecret (hidden sheet)"
    )
    assert document.warnings == (
        "The hidden sheet Hid and hidden column B were read and are marked in the text.",
        "A formula without a stored result is shown as its formula (Pay C3).",
    )


@pytest.mark.parametrize("name", ["a.xlsx", "a.xls", "a.ods"])
def test_a_table_of_text_under_the_name_of_a_workbook_is_read_as_a_table(name: str) -> None:
    assert only_document(name, b"Ref\tAmount\nNQ-1\t10\n").text == "Columns: Ref; Amount\nRef: NQ-1; Amount: 10"


LOOKS = f"""<styleSheet xmlns="{MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode=";;;"/></numFmts>
<fonts><font/><font><color rgb="FFFFFFFF"/></font></fonts>
<fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="solid"/></fill></fills>
<cellXfs><xf/><xf fontId="1"/><xf fontId="1" fillId="1"/><xf numFmtId="164"/></cellXfs></styleSheet>"""


@pytest.mark.parametrize("after", ["", '<conditionalFormatting sqref="A1"/>'])
def test_cells_that_a_reader_cannot_see_are_set_aside(after: str) -> None:
    rows = sheet(row(1, "@0 7", "@1 8", "@2 9", "@3 10"), row(2, "@1 11"), after=after)
    document = only_document("a.xlsx", workbook(("Plain", "visible", rows), styles=LOOKS))
    found = [(one.kind, one.text, one.place, one.detail, one.set_aside) for one in document.findings]
    if after:  # which may colour the ground
        assert found == []
        return
    assert document.text == "Sheet Plain\ncolumn A: 7; column C: 9"
    assert found == [
        (FindingKind.UNSEEN, "8", "Plain B1", "white letters", True),
        (FindingKind.UNSEEN, "10", "Plain D1", "a number format that shows nothing", True),
        (FindingKind.UNSEEN, "11", "Plain A2", "white letters", True),
    ]
    told = "3 passages that a reader cannot see were left out of the text (Plain B1, Plain D1 and Plain A2)."
    assert told in document.warnings
