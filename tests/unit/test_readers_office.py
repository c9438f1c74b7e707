"""Office documents become text with the places in it; what was changed or cannot be seen is a finding."""

import base64
import hashlib
import io
import struct
import zipfile
import zlib

import msoffcrypto
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from r3con_core.documents import Document, FindingKind, Source
from r3con_core.readers import READERS, Outcome, kinds, load_bytes
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import File, LockedError, ReadSettings
from tests.compound_files import compound, packaged, powerpoint, word

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
CORE = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"

Part = str | bytes


def only_document(name: str, data: bytes) -> Document:
    """The one document that an upload gives."""
    loading = load_bytes(name, data)
    assert len(loading.documents) == 1, loading.ledger
    return loading.documents[0]


def places(document: Document) -> list[tuple[str, str, str]]:
    """Kind, label and words of each unit."""
    return [(unit.kind, unit.label, document.text[unit.span.start : unit.span.end]) for unit in document.units]


def reasons(name: str, data: bytes) -> list[tuple[Outcome, str]]:
    """Outcome and reason of each line of an upload's ledger."""
    return [(line.outcome, line.reason) for line in load_bytes(name, data).ledger]


def found(document: Document) -> list[tuple[FindingKind, str, str, str]]:
    """Kind, words, place and detail of each finding, whose words stand where it says."""
    for finding in document.findings:
        if finding.span is not None:
            assert document.text[finding.span.start : finding.span.end] == finding.text
    return [(one.kind, one.text, one.place, one.detail) for one in document.findings]


def read_with(name: str, data: bytes, *passwords: str) -> list[Document]:
    """The documents that a file gives when the analyst has given passwords."""
    content = Content.held(data)
    source = Source(path=name, sha256="0", media_type=kinds.detect(content, name))
    file = File(content=content, source=source, settings=ReadSettings(passwords=passwords))
    return [one for one in READERS[source.media_type](file) if isinstance(one, Document)]


def zipped(**members: Part) -> bytes:
    """A ZIP archive of members by name."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return held.getvalue()


def docx(body: str, **parts: Part) -> bytes:
    """A Word document of this body; `parts` are further parts by name, XML without a namespace where it is text."""
    members: dict[str, Part] = {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}"/>',
        "word/document.xml": f'<w:document xmlns:w="{W}" xmlns:r="{R}"><w:body>{body}</w:body></w:document>',
    }
    for name, xml in parts.items():
        path = name if "/" in name else f"word/{name}.xml"
        members[path] = xml if isinstance(xml, bytes) or "xmlns" in xml else xml.replace(">", f' xmlns:w="{W}">', 1)
    return zipped(**members)


def relations(**targets: str) -> str:
    """A part of relations: what each kind leads to."""
    listed = "".join(
        f'<Relationship Id="{kind}" Type="x/{kind.rstrip("0123456789")}" Target="{target}"/>'
        for kind, target in targets.items()
    )
    return f'<Relationships xmlns="x">{listed}</Relationships>'


def run(text: str, properties: str = "") -> str:
    """A Word run."""
    look = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{look}<w:t xml:space="preserve">{text}</w:t></w:r>'


def p(*pieces: str) -> str:
    """A Word paragraph."""
    return f"<w:p>{''.join(pieces)}</w:p>"


WHO = 'w:author="R. Marsh" w:date="2021-11-28T10:00:00Z"'


def test_a_word_document_gives_text_tables_headers_notes_and_comments() -> None:
    body = (
        p('<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>', run("Settlement"))
        + p(run("One "), run("two"), "<w:r><w:tab/></w:r>", run("three"), '<w:r><w:footnoteReference w:id="7"/></w:r>')
        + p('<w:commentRangeStart w:id="0"/>', run("Final"), '<w:r><w:endnoteReference w:id="3"/></w:r>')
        + f"<w:tbl><w:tr><w:tc>{p(run('a'))}</w:tc><w:tc>{p(run('b'))}{p(run('c'))}</w:tc></w:tr></w:tbl>"
    )
    parts = {
        "header1": f"<w:hdr>{p(run('WITHOUT PREJUDICE'))}</w:hdr>",
        "header2": f"<w:hdr>{p(run('WITHOUT PREJUDICE'))}</w:hdr>",
        "footer1": f"<w:ftr>{p(run('Page 1'))}</w:ftr>",
        "footnotes": f'<w:footnotes><w:footnote w:id="7">{p(run("Approved."))}</w:footnote></w:footnotes>',
        "endnotes": f'<w:endnotes><w:endnote w:id="3">{p(run("See annex."))}</w:endnote></w:endnotes>',
        "comments": f'<w:comments><w:comment w:id="0" {WHO}>{p(run("Why?"))}</w:comment></w:comments>',
    }
    document = only_document("a.docx", docx(body, **parts))
    assert places(document) == [
        ("header", "1", "WITHOUT PREJUDICE"),
        ("heading", "1", "Settlement"),
        ("paragraph", "2", "One two\tthree[1]"),
        ("paragraph", "3", "Final[endnote 1]"),
        ("table row", "table 1, row 1", "a | b c"),
        ("footer", "1", "Page 1"),
        ("footnote", "1", "Footnote 1: Approved."),
        ("endnote", "1", "Endnote 1: See annex."),
        ("comment", "1", "Comment by R. Marsh, 2021-11-28, on paragraph 3: Why?"),
    ]
    assert document.title == "Settlement"
    assert document.warnings == ("It contains 1 comment.",)


def test_tracked_insertions_are_in_the_text_and_deletions_only_listed() -> None:
    body = p(
        run("pay "),
        f"<w:del {WHO}><w:r><w:delText>93,</w:delText></w:r><w:r><w:delText>333</w:delText></w:r></w:del>",
        f'<w:ins w:author="B">{run("33")}{run(",333")}</w:ins>',
        f'<w:moveFrom w:author="B">{run(" soon")}</w:moveFrom>',
        run(" now"),
    ) + p(f'<w:moveTo w:author="B">{run("soon")}</w:moveTo>')
    document = only_document("a.docx", docx(body))
    assert document.text == "pay 33,333 now\nsoon"
    assert found(document) == [
        (FindingKind.INSERTED, "33,333", "paragraph 1", "by B"),
        (FindingKind.DELETED, "93,333", "paragraph 1", "by R. Marsh, 2021-11-28"),
        (FindingKind.DELETED, " soon", "paragraph 1", "moved away by B"),
        (FindingKind.INSERTED, "soon", "paragraph 2", "moved here by B"),
    ]
    assert document.warnings == (
        "It contains tracked changes by 2 authors.",
        "What was inserted is in the text.",
        "2 deleted passages were left out of the text (paragraph 1).",
    )


def test_a_deleted_row_note_and_paragraph_end_are_not_in_the_text() -> None:
    row = f"<w:tr><w:trPr><w:del {WHO}/></w:trPr><w:tc>{p(run('gone'))}</w:tc></w:tr>"
    body = (
        f"<w:tbl>{row}<w:tr><w:tc>{p(run('kept'))}</w:tc></w:tr></w:tbl>"
        + p(f"<w:pPr><w:rPr><w:del {WHO}/></w:rPr></w:pPr>", run("one sen"))
        + p(run("tence"), f'<w:del {WHO}><w:r><w:footnoteReference w:id="1"/></w:r></w:del>')
    )
    notes = f'<w:footnotes><w:footnote w:id="1">{p(run("secret note"))}</w:footnote></w:footnotes>'
    document = only_document("a.docx", docx(body, footnotes=notes))
    assert document.text == "kept\none sentence"
    assert [text for _, text, _, _ in found(document)] == ["gone", "secret note"]


@pytest.mark.parametrize(
    ("properties", "why"),
    [
        ("<w:vanish/>", "hidden letters"),
        ('<w:sz w:val="2"/>', "letters of 1 points"),
        ('<w:color w:val="FFFFFF"/>', "white letters"),
        ('<w:rStyle w:val="Ghost"/>', "hidden letters"),
    ],
)
def test_letters_that_a_reader_cannot_see_are_set_aside(properties: str, why: str) -> None:
    styles = '<w:styles><w:style w:styleId="Ghost"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>'
    document = only_document("a.docx", docx(p(run("seen "), run("planted", properties)), styles=styles))
    assert document.text == "seen"
    assert found(document) == [(FindingKind.UNSEEN, "planted", "paragraph 1", why)]
    assert document.warnings == ("1 passage that a reader cannot see was left out of the text (paragraph 1).",)


WHITE = run("word", '<w:color w:val="FFFFFF"/>')
SHADED = '<w:tcPr><w:shd w:val="clear" w:fill="000000"/></w:tcPr>'
SHADED_CELL = f"<w:tbl><w:tr><w:tc>{SHADED}{p(WHITE)}</w:tc></w:tr></w:tbl>"


@pytest.mark.parametrize(
    ("properties", "kind", "why"),
    [
        ('<w:highlight w:val="black"/>', FindingKind.COVERED, "under a black marker"),
        (
            '<w:color w:val="1F3864"/><w:shd w:val="clear" w:fill="1f3864"/>',
            FindingKind.UNSEEN,
            "letters in the colour of their ground",
        ),
    ],
)
def test_blackened_letters_are_set_aside(properties: str, kind: FindingKind, why: str) -> None:
    run = f"<w:r><w:rPr>{properties}</w:rPr><w:t>John Doe</w:t></w:r>"
    document = only_document("a.docx", docx(f"<w:p><w:r><w:t>Paid to </w:t></w:r>{run}<w:r><w:t>.</w:t></w:r></w:p>"))
    assert document.text == "Paid to ."
    assert found(document) == [(kind, "John Doe", "paragraph 1", why)]


@pytest.mark.parametrize(
    "properties",
    [
        '<w:shd w:val="clear" w:fill="000000"/>',
        '<w:highlight w:val="black"/><w:color w:val="FFFFFF"/>',
        '<w:highlight w:val="yellow"/>',
        '<w:highlight w:val="none"/><w:color w:val="000000"/>',
    ],
)
def test_letters_that_stand_out_from_their_ground_are_text(properties: str) -> None:
    document = only_document("a.docx", docx(f"<w:p><w:r><w:rPr>{properties}</w:rPr><w:t>Words</w:t></w:r></w:p>"))
    assert (document.text, document.findings) == ("Words", ())


def test_a_deleted_table_cell_is_only_listed() -> None:
    change = '<w:cellDel w:id="5" w:author="Ann" w:date="2021-01-01T00:00:00Z"/>'
    gone = f"<w:tc><w:tcPr>{change}</w:tcPr><w:p><w:r><w:t>NQ-992</w:t></w:r></w:p></w:tc>"
    kept = "<w:tc><w:p><w:r><w:t>Stays</w:t></w:r></w:p></w:tc>"
    document = only_document("a.docx", docx(f"<w:tbl><w:tr>{gone}{kept}</w:tr></w:tbl>"))
    assert "NQ-992" not in document.text
    assert "Stays" in document.text
    assert [(kind, text, detail) for kind, text, _, detail in found(document)] == [
        (FindingKind.DELETED, "NQ-992", "by Ann, 2021-01-01")
    ]


def test_what_only_older_programs_show_is_read() -> None:
    space = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    box = "<w:r><w:pict><w:txbxContent><w:p><w:r><w:t>NQ-211</w:t></w:r></w:p></w:txbxContent></w:pict></w:r>"
    both = f"<mc:Choice>%s</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    both = f'<mc:AlternateContent xmlns:mc="{space}">{both}</mc:AlternateContent>'
    for chosen in ("<w:r><w:drawing/></w:r>", box):
        document = only_document("a.docx", docx(f"<w:p><w:r><w:t>See</w:t></w:r>{both % chosen}</w:p>"))
        assert document.text == "See\nNQ-211"


@pytest.mark.parametrize(
    "body",
    [
        p(run("word", '<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="000080"/>')),
        p('<w:pPr><w:shd w:val="clear" w:fill="1F497D"/></w:pPr>', run("word", '<w:color w:val="FFFFFF"/>')),
        SHADED_CELL,
        p(run("word", '<w:vanish w:val="0"/>')),
    ],
    ids=["shaded run", "shaded paragraph", "shaded cell", "hidden switched off"],
)
def test_white_letters_on_a_coloured_ground_are_text(body: str) -> None:
    document = only_document("a.docx", docx(body))
    assert (document.text, document.findings) == ("word", ())


def test_results_of_fields_are_text_and_what_computes_them_is_not() -> None:
    def sign(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    code = "<w:r><w:instrText>HYPERLINK x</w:instrText></w:r>"
    inner = sign("begin") + code + sign("separate") + run("inner") + sign("end")
    body = p(sign("begin"), code, inner, sign("separate"), run("result"), sign("end"), run(" after"))
    box = "<w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData>"
    form = f'<w:r><w:fldChar w:fldCharType="begin">{box}</w:fldChar></w:r>{sign("end")}'
    assert only_document("a.docx", docx(body + p(form, run(" agreed")))).text == "result after\n☒ agreed"


def test_text_boxes_come_after_their_paragraph_and_inner_tables_after_their_row() -> None:
    box = f"<w:txbxContent>{p(run('boxed'))}</w:txbxContent>"
    inner = f"<w:tbl><w:tr><w:tc>{p(run('in'))}</w:tc></w:tr></w:tbl>"
    choice = f"<w:AlternateContent><w:Choice>{box}</w:Choice><w:Fallback>{box}</w:Fallback></w:AlternateContent>"
    body = (
        f"<w:sdt><w:sdtContent>{p(run('held'))}</w:sdtContent></w:sdt>"
        + p(run("an"), choice, run("chor"))
        + f"<w:tbl><w:tr><w:tc>{p(run('out'))}{inner}</w:tc></w:tr></w:tbl>"
    )
    assert places(only_document("a.docx", docx(body))) == [
        ("paragraph", "1", "held"),
        ("paragraph", "2", "anchor"),
        ("text box", "1", "boxed"),
        ("table row", "table 1, row 1", "out"),
        ("table row", "table 2, row 1", "in"),
    ]


def test_the_numbers_of_clauses_are_in_the_text() -> None:
    levels = '<w:lvl w:ilvl="0"><w:start w:val="3"/><w:lvlText w:val="%1."/></w:lvl>'
    levels += '<w:lvl w:ilvl="1"><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="%1(%2)"/></w:lvl>'
    numbering = f'<w:numbering><w:abstractNum w:abstractNumId="5">{levels}</w:abstractNum>'
    numbering += '<w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num></w:numbering>'

    def clause(level: int, text: str) -> str:
        return p(f'<w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr></w:pPr>', run(text))

    body = clause(0, "Term") + clause(1, "Start") + clause(1, "End") + clause(0, "Law") + clause(1, "Ruritania")
    assert only_document("a.docx", docx(body, numbering=numbering)).text == (
        "3. Term\n3(i) Start\n3(ii) End\n4. Law\n4(i) Ruritania"
    )


def test_author_and_date_are_those_the_document_states() -> None:
    core = f'<c:coreProperties xmlns:c="{CORE}" xmlns:d="x/dc"><d:creator>Maren Oduya</d:creator>'
    core += (
        "<c:created>2021-05-01T08:00:00Z</c:created><c:modified>2021-05-17T09:30:00Z</c:modified></c:coreProperties>"
    )
    document = only_document("a.docx", docx(p(run("x")), **{"docProps/core.xml": core}))
    assert (document.author, document.date) == ("Maren Oduya", "2021-05-17T09:30:00Z")


def test_a_strict_document_with_its_main_part_elsewhere_is_read() -> None:
    strict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    main = f'<w:document xmlns:w="{strict}"><w:body>{p(run("strict words"))}</w:body></w:document>'
    data = zipped(**{"_rels/.rels": relations(officeDocument="word/document2.xml"), "word/document2.xml": main})
    assert only_document("a.docx", data).text == "strict words"


def test_embedded_files_are_given_under_their_own_names() -> None:
    parts: dict[str, Part] = {
        "word/_rels/document.xml.rels": relations(aFChunk="/word/part.html", oleObject="embeddings/o.bin"),
        "word/part.html": b"<p>All the words</p>",
        "word/embeddings/o.bin": packaged("list.txt", b"inner words"),
        "word/embeddings/b.bin": compound({"Package": docx(p(run("deep")))}),
    }
    loading = load_bytes("a.docx", docx("", **parts))
    assert [(document.source.path, document.text) for document in loading.documents] == [
        ("a.docx > part.html", "All the words"),
        ("a.docx > embeddings/list.txt", "inner words"),
        ("a.docx > embeddings/b.bin", "deep"),
    ]


def test_charts_are_read_and_macros_are_told() -> None:
    series = "<c:ser><c:tx><c:v>Paid</c:v></c:tx><c:cat><c:pt><c:v>May</c:v></c:pt></c:cat>"
    series += "<c:val><c:pt><c:v>12750.5</c:v></c:pt></c:val></c:ser>"
    chart = f'<c:chart xmlns:c="x/chart" xmlns:a="x/a"><a:p><a:t>Payments</a:t></a:p>{series}</c:chart>'
    parts: dict[str, Part] = {
        "word/_rels/document.xml.rels": relations(chart="charts/chart1.xml"),
        "word/charts/chart1.xml": chart,
        "word/vbaProject.bin": b"",
    }
    document = only_document("a.docm", docx(p(run("x")), **parts))
    assert document.text == "x\nPayments\nPaid: May: 12750.5"
    assert document.warnings == ("It holds macros, which were not run.",)


def test_a_word_document_that_breaks_off_keeps_its_beginning() -> None:
    main = f'<w:document xmlns:w="{W}"><w:body>{p(run("kept"))}<w:p><w:r><w:t>half</w:t></w:r>'
    document = only_document("a.docx", zipped(**{"word/document.xml": main}))
    assert document.text == "kept\nhalf"
    assert document.warnings == ("Damaged inside, and not read to the end: word/document.xml.",)
    [(outcome, reason)] = reasons("b.docx", zipped(**{"word/document.xml": "nothing"}))
    assert (outcome, reason) == (Outcome.NOT_READABLE, "a damaged or incomplete Word document")


def test_a_damaged_file_in_a_word_document_is_told_and_its_text_is_read() -> None:
    parts: dict[str, Part] = {"word/embeddings/a.txt": b"damaged words"}
    data = docx(p(run("text")), **parts).replace(b"damaged words", b"DAMAGED words", 1)
    loading = load_bytes("a.docx", data)
    assert [document.text for document in loading.documents] == ["text"]
    assert [(line.path, line.reason) for line in loading.ledger[1:]] == [
        ("a.docx > embeddings/a.txt", "damaged inside the document")
    ]


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY f SYSTEM "file:///etc/hostname">]>'
ODF_TEXT = "application/vnd.oasis.opendocument.text"


@pytest.mark.parametrize(
    ("name", "members"),
    [
        ("a.docx", {"word/document.xml": f'{BOMB}<w:p xmlns:w="{W}"><w:r><w:t>&a;&f;</w:t></w:r></w:p>'}),
        ("a.odt", {"mimetype": ODF_TEXT, "content.xml": f"{BOMB}<p>&a;&f;</p>"}),
        ("a.pptx", {"ppt/presentation.xml": f"{BOMB}<p>&a;&f;</p>"}),
        ("a.epub", {"META-INF/container.xml": f"{BOMB}<p>&a;&f;</p>"}),
    ],
)
def test_entities_in_office_documents_are_not_expanded(name: str, members: dict[str, str]) -> None:
    [(outcome, reason)] = reasons(name, zipped(**members))
    assert outcome is Outcome.NOT_READABLE
    assert "XML entities" in reason


def locked(data: bytes, password: str) -> bytes:
    """An Office document as Office locks it."""
    held = io.BytesIO()
    msoffcrypto.OfficeFile(io.BytesIO(data)).encrypt(password, held)
    return held.getvalue()


def test_a_lock_made_to_keep_the_machine_busy_is_refused() -> None:
    info = b'\x04\0\x04\0\x40\0\0\0<encryption><p:encryptedKey spinCount="99999999999"/></encryption>'
    data = compound({"EncryptionInfo": info, "EncryptedPackage": b"x"})
    assert reasons("a.docx", data) == [(Outcome.NOT_READABLE, "locked in a way that files made to do harm are")]


def test_a_locked_office_document_opens_with_its_password_only() -> None:
    data = locked(docx(p(run("NQ-106")), **{"docProps/thumbnail.bin": bytes(20_000)}), "harbour-42")
    [line] = load_bytes("a.docx", data).ledger
    assert (line.outcome, line.reason, line.locked) == (Outcome.NOT_READABLE, "Password needed", True)
    [document] = read_with("a.docx", data, "wrong", "harbour-42")
    assert (document.text, document.source.media_type) == ("NQ-106", kinds.DOCX)
    with pytest.raises(LockedError, match="another password is needed"):
        read_with("a.docx", data, "wrong")


OFFICE, TEXT, STYLE, FO, DRAW, SHOW, DC, TABLE = (
    f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"
    for name in ("office", "text", "style", "xsl-fo-compatible", "drawing", "presentation", "dc", "table")
)
SPACES = (
    f'xmlns:office="{OFFICE}" xmlns:text="{TEXT}" xmlns:style="{STYLE}" xmlns:fo="{FO}" xmlns:draw="{DRAW}" '
    f'xmlns:presentation="{SHOW}" xmlns:table="{TABLE}" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


def odf(kind: str, body: str, *, styles: str = "", **members: str) -> bytes:
    """An OpenDocument file of a kind, such as text."""
    automatic = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    content = (
        f"<office:document-content {SPACES}>{automatic}<office:body>{body}</office:body></office:document-content>"
    )
    return zipped(mimetype=f"application/vnd.oasis.opendocument.{kind}", **{"content.xml": content}, **members)


def test_an_opendocument_text_gives_changes_notes_comments_and_tables() -> None:
    who = "<office:change-info><dc:creator>R. Marsh</dc:creator><dc:date>2021-11-28T10:00:00</dc:date></office:change-info>"
    body = (
        "<office:text><text:tracked-changes>"
        f'<text:changed-region text:id="d"><text:deletion>{who}<text:p>93,333</text:p></text:deletion>'
        f'</text:changed-region><text:changed-region text:id="i"><text:insertion>{who}</text:insertion>'
        "</text:changed-region></text:tracked-changes><text:h>Settlement</text:h>"
        '<text:p>pay <text:change text:change-id="d"/><text:change-start text:change-id="i"/>33,333'
        '<text:change-end text:change-id="i"/><text:s text:c="2"/>now\n  please'
        '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
        "<text:note-body><text:p>Approved.</text:p></text:note-body></text:note>"
        "<office:annotation><dc:creator>Ada</dc:creator><dc:date>2021-11-30T11:00:00</dc:date><text:p>Why?</text:p>"
        '</office:annotation> <text:span text:style-name="G">planted</text:span></text:p>'
        "<table:table><table:table-row><table:table-cell><text:p>Term</text:p></table:table-cell>"
        "<table:table-cell><text:p>Value</text:p></table:table-cell></table:table-row></table:table></office:text>"
    )
    style = '<style:style style:name="G" style:family="text"><style:text-properties text:display="none"/></style:style>'
    head = "<style:header><text:p>WITHOUT PREJUDICE</text:p></style:header>"
    master = f"<office:master-styles><style:master-page>{head}</style:master-page></office:master-styles>"
    pages = f"<office:document-styles {SPACES}>{master}</office:document-styles>"
    document = only_document("a.odt", odf("text", body, styles=style, **{"styles.xml": pages}))
    assert places(document) == [
        ("header", "1", "WITHOUT PREJUDICE"),
        ("heading", "1", "Settlement"),
        ("paragraph", "2", "pay 33,333  now please[1]"),
        ("table row", "table 1, row 1", "Term | Value"),
        ("footnote", "1", "Footnote 1: Approved."),
        ("comment", "1", "Comment by Ada, 2021-11-30, on paragraph 2: Why?"),
    ]
    assert found(document) == [
        (FindingKind.INSERTED, "33,333", "paragraph 2", "by R. Marsh, 2021-11-28"),
        (FindingKind.DELETED, "93,333", "paragraph 2", "by R. Marsh, 2021-11-28"),
        (FindingKind.UNSEEN, "planted", "paragraph 2", "hidden letters"),
    ]
    assert document.warnings[0] == "It contains tracked changes by 1 author and 1 comment."


def test_a_presentation_of_any_kind_has_a_unit_for_each_slide() -> None:
    frame = '<draw:frame presentation:class="title"><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>'
    notes = (
        "<presentation:notes><draw:frame><draw:text-box><text:p>Not to be shown.</text:p></draw:text-box></draw:frame>"
    )
    hidden = '<style:drawing-page-properties presentation:visibility="hidden"/>'
    style = f'<style:style style:name="H" style:family="drawing-page">{hidden}</style:style>'
    body = (
        f"<office:presentation><draw:page>{frame.format('Works')}{notes}</presentation:notes></draw:page>"
        f'<draw:page draw:style-name="H">{frame.format("Secret plan")}</draw:page></office:presentation>'
    )
    document = only_document("a.odp", odf("presentation", body, styles=style))
    assert places(document) == [
        ("slide", "1", "Works"),
        ("notes", "notes of slide 1", "Not to be shown."),
        ("slide", "2", "(hidden slide)\nSecret plan"),
    ]
    assert (document.title, document.pages) == ("Works", 2)
    assert found(document) == [(FindingKind.HIDDEN_PART, "(hidden slide)\nSecret plan", "slide 2", "")]
    assert document.warnings == ("Slide 2 is hidden when the presentation is shown; the text was read and is marked.",)
    binary = only_document("a.ppt", powerpoint([("Works\rPaid €9", False), ("Secret plan", True)]))
    assert places(binary) == [("slide", "1", "Works\nPaid €9"), ("slide", "2", "(hidden slide)\nSecret plan")]
    assert found(binary) == found(document)


def pptx(slides: dict[str, str], **parts: Part) -> bytes:
    """A PowerPoint presentation of these slides, in their order."""
    spaces = f'xmlns:p="x/p" xmlns:a="x/a" xmlns:r="{R}"'
    ids = "".join(f'<p:sldId r:id="slide{number}"/>' for number in range(len(slides)))
    size = '<p:sldSz cx="1000" cy="800"/>'
    targets = {f"slide{number}": f"slides/{name}.xml" for number, name in enumerate(slides)}
    members: dict[str, Part] = {
        "ppt/presentation.xml": f"<p:presentation {spaces}><p:sldIdLst>{ids}</p:sldIdLst>{size}</p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(**targets),
        **{f"ppt/slides/{name}.xml": xml.replace("<p:sld", f"<p:sld {spaces}", 1) for name, xml in slides.items()},
        **parts,
    }
    return zipped(**members)


def shape(text: str, placeholder: str = "", position: str = "") -> str:
    """A shape with one paragraph."""
    kind = f'<p:nvPr><p:ph type="{placeholder}"/></p:nvPr>' if placeholder else ""
    return f"<p:sp>{kind}{position}<p:txBody><a:p><a:r>{text}</a:r></a:p></p:txBody></p:sp>"


def test_slides_stand_in_the_order_shown_with_tables_notes_and_comments() -> None:
    cells = "".join(f"<a:tc><a:p><a:r><a:t>{cell}</a:t></a:r></a:p></a:tc>" for cell in ("Ref", "Amount"))
    first = (
        shape("<a:t>Works</a:t>", "title")
        + f"<p:graphicFrame><a:tbl><a:tr>{cells}</a:tr></a:tbl></p:graphicFrame>"
        + shape("<a:t>7</a:t>", "sldNum")
        + shape("<a:t>Planted.</a:t>", position='<a:off x="5000" y="0"/><a:ext cx="10" cy="10"/>')
        + shape('<a:rPr sz="100"/><a:t>Speck.</a:t>')
    )
    parts: dict[str, Part] = {
        "ppt/slides/_rels/slide9.xml.rels": relations(
            notesSlide="../notesSlides/n.xml", comments="../comments/c.xml", package="../embeddings/list.txt"
        ),
        "ppt/notesSlides/n.xml": f'<p:notes xmlns:p="x/p" xmlns:a="x/a">{shape("<a:t>Say little.</a:t>", "body")}</p:notes>',
        "ppt/comments/c.xml": '<p:cmLst xmlns:p="x/p"><p:cm authorId="0" dt="2021-05-17T09:00:00"><p:text>Check.</p:text>'
        "</p:cm></p:cmLst>",
        "ppt/embeddings/list.txt": b"embedded words",
    }
    data = pptx(
        {"slide9": f"<p:sld>{first}</p:sld>", "slide1": f"<p:sld show='0'>{shape('<a:t>Last</a:t>')}</p:sld>"}, **parts
    )
    loading = load_bytes("a.pptx", data)
    document, embedded = loading.documents
    assert places(document) == [
        ("slide", "1", "Works\nRef | Amount"),
        ("notes", "notes of slide 1", "Say little."),
        ("comment", "1", "Comment by unknown, 2021-05-17, on slide 1: Check."),
        ("slide", "2", "(hidden slide)\nLast"),
    ]
    assert (document.title, document.pages) == ("Works", 2)
    assert found(document)[:2] == [
        (FindingKind.UNSEEN, "Planted.", "slide 1", "off the slide"),
        (FindingKind.UNSEEN, "Speck.", "slide 1", "letters of 1 points"),
    ]
    assert (embedded.source.path, embedded.text) == ("a.pptx > embeddings/list.txt", "embedded words")


def rtf(body: str) -> bytes:
    """An RTF file."""
    fonts = r"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset128 MS Mincho;}{\f2\fcharset204 Times;}}"
    return (r"{\rtf1\ansi\ansicpg1252\deff0" + fonts + body + "}").encode("latin-1")


def test_an_rtf_file_is_decoded_font_by_font() -> None:
    body = r"{\info{\title Memo}{\author Ada}{\creatim\yr2021\mo5\dy17\hr9\min30}}"
    body += (
        r"\f0 caf\'e9 \u8364?5 \u-10179?\u-8704? \f1 \'83]\'83\'8b\'83Q\f2 \'cf\'f0\par\pard {\*\unknown junk}end~\~x"
    )
    document = only_document("a.rtf", rtf(body))
    assert document.text == "café €5 😀 ゾルゲПр\nend~\u00a0x"
    assert (document.title, document.author, document.date) == ("Memo", "Ada", "2021-05-17T09:30:00")


def test_an_rtf_file_gives_changes_notes_comments_tables_and_hidden_text() -> None:
    when = 121 << 20 | 11 << 16 | 28 << 11
    body = (
        r"{\*\revtbl{Unknown;}{R. Marsh;}}{\header WITHOUT PREJUDICE\par}"
        rf"pay {{\deleted\revauthdel1\revdttmdel{when} 93}}{{\revised\revauth1\revdttm{when} 33}}{{\v  planted}}"
        r"{\footnote Approved.}{\*\atnauthor Ada}{\*\annotation Why?}\par"
        r"\trowd\intbl Term\cell Value\cell\row\pard"
        r"{\field{\*\fldinst HYPERLINK x}{\fldrslt link}}{\pict 0102}\par"
    )
    document = only_document("a.rtf", rtf(body))
    assert places(document) == [
        ("header", "1", "WITHOUT PREJUDICE"),
        ("paragraph", "1", "pay 33[1]"),
        ("table row", "table 1, row 1", "Term | Value"),
        ("paragraph", "2", "link"),
        ("footnote", "1", "Footnote 1: Approved."),
        ("comment", "1", "Comment by Ada, on paragraph 1: Why?"),
    ]
    assert found(document) == [
        (FindingKind.INSERTED, "33", "paragraph 1", "by R. Marsh, 2021-11-28"),
        (FindingKind.DELETED, "93", "paragraph 1", "by R. Marsh, 2021-11-28"),
        (FindingKind.UNSEEN, " planted", "paragraph 1", "hidden letters"),
    ]
    assert document.warnings[0] == "It contains tracked changes by 1 author and 1 comment."


def test_tables_within_tables_of_rtf_lose_no_words() -> None:
    whole = r"\trowd\intbl out \par\itap2 a\nestcell b\nestcell{\*\nesttableprops\nestrow}\cell\row\pard"
    assert only_document("a.rtf", rtf(whole)).text == "out\na | b"
    assert only_document("b.rtf", rtf(r"\intbl a\nestcell b\nestcell")).text == "a | b |"


def test_a_file_embedded_in_rtf_is_given() -> None:
    inner = packaged("list.txt", b"inner words")
    names = b"".join(struct.pack("<I", len(name)) + name for name in (b"Package\0", b"", b""))
    held = struct.pack("<II", 0x0501, 2) + names + struct.pack("<I", len(inner)) + inner
    loading = load_bytes("a.rtf", rtf(r"{\object{\*\objdata " + held.hex() + r"}{\result shown}}"))
    assert [(one.source.path, one.text) for one in loading.documents] == [
        ("a.rtf", "shown"),
        ("a.rtf > list.txt", "inner words"),
    ]


def test_an_rtf_file_that_breaks_off_or_nests_without_end_does_no_harm() -> None:
    document = only_document("a.rtf", rtf(r"kept\par half")[:-1])
    assert (document.text, document.warnings) == (
        "kept\nhalf",
        ("The file breaks off before its end; the text up to there was read.",),
    )
    [(outcome, reason)] = reasons("b.rtf", b"{\\rtf1" + b"{" * 1_000_000)
    assert (outcome, reason) == (
        Outcome.NOT_READABLE,
        "nested too deeply to be read, as files made to do harm are",
    )


def test_a_binary_word_file_gives_its_text_and_changes() -> None:
    who = struct.pack("<HHHI", 0x4863, 0, 0x6864, 121 << 20 | 11 << 16 | 28 << 11)
    runs = [
        ("pay ", b""),
        ("93,333", struct.pack("<HB", 0x0800, 1) + who),
        ("33,333", struct.pack("<HB", 0x0801, 1)),
        (" planted", struct.pack("<HB", 0x083C, 1)),
        ("\rsee \x13 HYPERLINK x \x14link\x15 Ж\r", b""),
    ]
    document = only_document("a.doc", word(runs))
    assert places(document) == [("paragraph", "1", "pay 33,333"), ("paragraph", "2", "see link Ж")]
    assert found(document) == [
        (FindingKind.INSERTED, "33,333", "paragraph 1", "by R. Marsh"),
        (FindingKind.DELETED, "93,333", "paragraph 1", "by R. Marsh, 2021-11-28"),
        (FindingKind.UNSEEN, " planted", "paragraph 1", "hidden letters"),
    ]


def test_a_binary_word_file_that_is_locked_or_damaged_says_so() -> None:
    [(_, old_lock)] = reasons("a.doc", word([("x\r", b"")], flags=0x8300))
    assert old_lock.startswith("locked with a password in an old way")
    damaged = compound({"WordDocument": b"\xec\xa5" + bytes(5_000)})
    assert reasons("a.doc", damaged) == [(Outcome.NOT_READABLE, "a damaged or incomplete Word document")]


def test_an_embedded_object_is_no_document_of_what_it_wraps() -> None:
    loading = load_bytes("object.bin", packaged("memo.doc", word([("inner words\r", b"")])))
    assert [(one.source.path, one.text) for one in loading.documents] == [("object.bin > memo.doc", "inner words")]
    assert reasons("b.bin", compound({"Drawing": b"x"})) == [
        (Outcome.NOT_READABLE, "this kind of old Office file cannot be read yet")
    ]


def odf_locked(data: bytes, password: str) -> bytes:
    """An OpenDocument file as office programs lock it: content deflated, then encrypted."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        plain = archive.read("content.xml")
    squeeze = zlib.compressobj(wbits=-15)
    packed = squeeze.compress(plain) + squeeze.flush()
    salt, vector = bytes(16), bytes(range(16))
    key = hashlib.pbkdf2_hmac("sha1", hashlib.sha256(password.encode()).digest(), salt, 1_000, 32)
    cipher = Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor()
    padding = 16 - len(packed) % 16
    secret = cipher.update(packed + bytes(padding - 1) + bytes((padding,))) + cipher.finalize()
    code = {name: base64.b64encode(value).decode() for name, value in (("salt", salt), ("vector", vector))}
    checksum = base64.b64encode(hashlib.sha256(packed[:1024]).digest()).decode()
    manifest = (
        '<m:manifest xmlns:m="x"><m:file-entry m:full-path="content.xml">'
        f'<m:encryption-data m:checksum-type="urn:x#sha256-1k" m:checksum="{checksum}">'
        f'<m:algorithm m:algorithm-name="urn:x#aes256-cbc" m:initialisation-vector="{code["vector"]}"/>'
        f'<m:key-derivation m:key-derivation-name="PBKDF2" m:iteration-count="1000" m:salt="{code["salt"]}"/>'
        '<m:start-key-generation m:start-key-generation-name="urn:x#sha256"/>'
        "</m:encryption-data></m:file-entry></m:manifest>"
    )
    parts: dict[str, Part] = {"content.xml": secret, "META-INF/manifest.xml": manifest}
    return zipped(mimetype=ODF_TEXT, **parts)


def test_a_locked_opendocument_text_opens_with_its_password_only() -> None:
    data = odf_locked(odf("text", "<office:text><text:p>NQ-106</text:p></office:text>"), "harbour-42")
    [line] = load_bytes("a.odt", data).ledger
    assert (line.reason, line.locked) == ("Password needed", True)
    assert [document.text for document in read_with("a.odt", data, "wrong", "harbour-42")] == ["NQ-106"]
    with pytest.raises(LockedError, match="another password is needed"):
        read_with("a.odt", data, "wrong")


OPF = (
    '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The Ledger</dc:title>'
    "<dc:creator>Ada</dc:creator><dc:date>2021-05-17</dc:date></metadata><manifest>"
    '<item id="b" href="two%20words.xhtml" media-type="application/xhtml+xml"/>'
    '<item id="a" href="one.xhtml" media-type="application/xhtml+xml"/>'
    '</manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
)


def epub(**members: str) -> bytes:
    """An e-book of two chapters."""
    container = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    pages = {
        "OEBPS/one.xhtml": "<p>First.</p><p>Still.</p><p hidden>planted</p>",
        "OEBPS/two words.xhtml": "<h1>Second</h1>",
    }
    return zipped(
        mimetype="application/epub+zip",
        **{"META-INF/container.xml": container, "OEBPS/book.opf": OPF, **pages, **members},
    )


def test_an_e_book_is_read_in_its_reading_order() -> None:
    document = only_document("a.epub", epub())
    assert places(document) == [("chapter", "1", "First.\nStill."), ("chapter", "2", "Second")]
    assert (document.title, document.author, document.date) == ("The Ledger", "Ada", "2021-05-17")
    assert [(kind, text, place) for kind, text, place, _ in found(document)] == [
        (FindingKind.UNSEEN, "planted", "chapter 1")
    ]


def test_an_e_book_locked_by_its_seller_says_so_and_obscured_fonts_do_no_harm() -> None:
    def locks(method: str, *paths: str) -> dict[str, str]:
        listed = "".join(
            f'<EncryptedData><EncryptionMethod Algorithm="{method}"/><CipherReference URI="{path}"/></EncryptedData>'
            for path in paths
        )
        return {"META-INF/encryption.xml": f"<encryption>{listed}</encryption>"}

    pages = ("OEBPS/one.xhtml", "OEBPS/two%20words.xhtml")
    [(outcome, reason)] = reasons("a.epub", epub(**locks("urn:x#aes128-cbc", *pages)))
    assert outcome is Outcome.NOT_READABLE
    assert reason.startswith("locked by its seller")
    half = only_document("b.epub", epub(**locks("urn:x#aes128-cbc", pages[0])))
    assert (half.text, half.warnings) == (
        "Second",
        ("Chapter 1 is locked by the book's seller and was not read.",),
    )
    fonts = only_document("c.epub", epub(**locks("urn:idpf/2008/embedding", "OEBPS/f.otf")))
    assert "locked" not in " ".join(fonts.warnings)


def test_pages_that_the_reading_order_of_an_e_book_leaves_out_are_read_and_told() -> None:
    more = '<item id="x" href="more.xhtml" media-type="application/xhtml+xml"/>'
    contents = '<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
    members = {
        "OEBPS/book.opf": OPF.replace("</manifest>", f"{more}{contents}</manifest>"),
        "OEBPS/more.xhtml": "<p>NQ-241</p>",
        "OEBPS/nav.xhtml": "<p>Contents</p>",
    }
    document = only_document("a.epub", epub(**members))
    assert places(document)[-1] == ("chapter", "3", "NQ-241")
    assert "Contents" not in document.text
    assert "Chapter 3 is a page that the book's reading order leaves out; it stands at the end." in document.warnings


@pytest.mark.parametrize(
    ("looks", "kind", "why"),
    [
        (r"\highlight1", FindingKind.COVERED, "under a black marker"),
        (r"\cf2\chcbpat2", FindingKind.UNSEEN, "letters in the colour of their ground"),
    ],
)
def test_blackened_letters_of_rtf_are_set_aside(looks: str, kind: FindingKind, why: str) -> None:
    colours = r"{\colortbl;\red0\green0\blue0;\red40\green40\blue90;}"
    document = only_document("a.rtf", rtf(colours + r"Paid to {" + looks + r" John Doe}.\par"))
    assert document.text == "Paid to ."
    assert found(document) == [(kind, "John Doe", "paragraph 1", why)]


def test_blackened_letters_and_hidden_fields_of_opendocument_are_set_aside() -> None:
    properties = '<style:text-properties fo:color="#000000" fo:background-color="#000000"/>'
    style = f'<style:style style:name="b" style:family="text">{properties}</style:style>'
    body = '<text:span text:style-name="b">John Doe</text:span>'
    body += '<text:hidden-text text:is-hidden="true" text:string-value="NQ-98">NQ-98</text:hidden-text>'
    data = odf("text", f"<office:text><text:p>Paid to {body}.</text:p></office:text>", styles=style)
    document = only_document("a.odt", data)
    assert document.text == "Paid to ."
    assert [(kind, text, why) for kind, text, _, why in found(document)] == [
        (FindingKind.UNSEEN, "John Doe", "letters in the colour of their ground"),
        (FindingKind.UNSEEN, "NQ-98", "a hidden field"),
    ]
