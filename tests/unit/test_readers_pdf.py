"""PDF files become text with pages that can be cited, and all that is hidden in them is told."""

import io
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pikepdf
import pytest

from r3con_core.documents import Document, Finding, FindingKind, Source
from r3con_core.errors import CorpusError
from r3con_core.readers.content import Content
from r3con_core.readers.isolation.pagepicture import page_picture
from r3con_core.readers.ledger import File, Found, LockedError, Member, Progress, ReadSettings
from r3con_core.readers.pageimage import render_page
from r3con_core.readers.pdf import read_pdf
from r3con_core.readers.pdf_text import with_codes_right
from tests.pdfs import GREY_DOT, line, lines, pdf, rows, stream

CASES = Path(__file__).parents[3] / "shared" / "cases"
NASTY = CASES.parent / "nasty"
with_files = pytest.mark.skipif(not CASES.is_dir(), reason="the case files are not on this machine")
WITHOUT_OCR = ReadSettings(ocr=False)


def found_in(data: bytes, *passwords: str, ocr: bool = False) -> list[Found]:
    """All that the reader gives."""
    source = Source(path="a.pdf", sha256="", media_type="application/pdf")
    settings = ReadSettings(ocr=ocr, passwords=passwords)
    return list(read_pdf(File(content=Content.held(data), source=source, settings=settings)))


def document_of(data: bytes, *passwords: str) -> Document:
    [document] = [found for found in found_in(data, *passwords) if isinstance(found, Document)]
    return document


def citations(document: Document) -> list[tuple[str, str]]:
    """The place and words of each unit."""
    return [(unit.citation, document.text[unit.span.start : unit.span.end]) for unit in document.units]


def findings(document: Document) -> list[tuple[FindingKind, str, str]]:
    assert all(finding.set_aside for finding in document.findings)
    return [(finding.kind, finding.text, finding.detail) for finding in document.findings]


def test_a_pdf_has_a_unit_for_each_page() -> None:
    document = document_of(pdf(line("First page."), "", line("Third page.")))
    assert document.text == "First page.\n\nThird page."
    assert citations(document) == [("p. 1", "First page."), ("p. 3", "Third page.")]
    assert (document.pages, document.unread_pages, document.warnings) == (3, (), ())


def test_pages_are_cited_as_printed_and_by_their_place() -> None:
    labels = "/PageLabels << /Nums [0 << /S /r >> 1 << /S /D >>] >>"
    document = document_of(pdf(line("Foreword."), line("One."), catalog=labels))
    assert [unit.citation for unit in document.units] == ["p. i (PDF page 1)", "p. 1 (PDF page 2)"]


def test_production_numbers_that_grow_from_page_to_page_are_cited() -> None:
    pages = [line(f"Ref ABC 20210001 on leaf {n}.") + line(f"SMITH CO 00012{n}", 480, 20) for n in (1, 2, 4)]
    document = document_of(pdf(*pages))
    assert [unit.citation for unit in document.units] == [
        "p. 1, SMITH CO 000121",
        "p. 2, SMITH CO 000122",
        "p. 3, SMITH CO 000124",
    ]


@pytest.mark.parametrize(
    ("stamp", "turned"),
    [
        ("q BT /F 8 Tf 0 1 -1 0 20 300 Tm (NDHA-00010%d) Tj ET Q", ""),
        ("q BT /F 8 Tf 0 1 -1 0 580 300 Tm (NDHA-00010%d) Tj ET Q", "/Rotate 90"),
        (line("NDHA-00010%d", 300, 15), "/Rotate 90"),
        (line("NDHA-00010%d", 300, 820), ""),
    ],
    ids=["up the left margin", "upright on a turned page", "turned with its page", "at the top"],
)
def test_production_numbers_are_found_in_any_margin(stamp: str, turned: str) -> None:
    pages = [line(f"Words of leaf {n}.", y=400) + stamp % n for n in (1, 2)]
    assert [unit.bates for unit in document_of(pdf(*pages, page=turned)).units] == ["NDHA-000101", "NDHA-000102"]


def test_production_numbers_with_a_box_number_are_whole() -> None:
    pages = [line(f"Words of leaf {n}.") + line(f"NDHA.0001.010{n}", 480, 15) for n in (1, 2)]
    assert [unit.bates for unit in document_of(pdf(*pages)).units] == ["NDHA.0001.0101", "NDHA.0001.0102"]


def test_a_single_page_has_the_production_number_that_stands_alone_in_its_margin() -> None:
    document = document_of(pdf(line("Invoice INV-20210415.") + line("DOJ-OGR-00012345", 480, 20)))
    assert document.units[0].bates == "DOJ-OGR-00012345"


@pytest.mark.parametrize(
    "content",
    [line("INV-20210415 of May", 480, 20), line("INV-20210415"), line("MAY 2021", 480, 20), line("NQ-108", 480, 20)],
)
def test_other_numbers_are_no_production_numbers(content: str) -> None:
    assert document_of(pdf(content)).units[0].bates == ""


def test_what_the_file_states_about_itself_is_kept() -> None:
    file = pikepdf.open(io.BytesIO(pdf(line("Words."))))
    file.docinfo["/Author"] = "R. Marsh"
    file.docinfo["/CreationDate"] = "D:20211128093000+01'00'"
    saved = io.BytesIO()
    file.save(saved)
    document = document_of(saved.getvalue())
    assert (document.author, document.date, document.title) == ("R. Marsh", "2021-11-28", "a.pdf")


LEFT = [
    "The audit committee met in spring",
    "and looked at every contract of",
    "the year, and had it split",
    "so that the",
]
RIGHT = [
    "limit was never reached.",
    "The chair asked for an account",
    "but none was given before the",
    "minutes were closed.",
]


def test_columns_drawn_row_by_row_are_read_one_after_the_other() -> None:
    title = line("A Title That Crosses Both of the Columns of This Page", 60, 760, size=14)
    foot = line("1 The limit is EUR 5,000.00.", 60, 60, size=8) + line("Page 4", 290, 30, size=8)
    document = document_of(pdf(foot + title + rows(LEFT, RIGHT)))
    assert document.text.splitlines() == [
        "A Title That Crosses Both of the Columns of This Page",
        *LEFT[:-1],
        "so that the limit was never reached.",
        *RIGHT[1:],
        "1 The limit is EUR 5,000.00.",
        "Page 4",
    ]


def test_a_footnote_under_the_first_column_does_not_part_the_sentence_above_it() -> None:
    note = line("1 The limit is EUR 5,000.00.", 60, 600, size=8)
    content = lines(LEFT) + note + lines([*RIGHT, "and so it went on and on that", "day until the very end"], 320)
    text = document_of(pdf(content)).text
    assert "so that the limit was never reached." in text
    assert text.endswith("\n1 The limit is EUR 5,000.00.")


def test_rows_of_a_table_stay_rows() -> None:
    left = ["Chair of the board", "Deputy to the chair", "Clerk to the board", "Head of audit"]
    right = [
        "Margaret Oduya of Northdale",
        "Renee Dalcove of Ruritania",
        "Someone Else Entirely",
        "Nobody In Particular",
    ]
    assert document_of(pdf(rows(left, right))).text.splitlines()[0] == "Chair of the board Margaret Oduya of Northdale"


def test_a_page_drawn_from_bottom_to_top_is_read_from_top_to_bottom() -> None:
    content = "".join(line(f"Sentence {20 - n}.", 60, 100 + 14 * n) for n in range(20))
    assert document_of(pdf(content)).text.splitlines() == [f"Sentence {n}." for n in range(1, 21)]


def test_words_broken_at_line_ends_are_joined_and_references_keep_their_hyphen() -> None:
    document = document_of(pdf(lines(["The commit-", "tee paid NQ-", "103 to the Anglo-", "Saxon company."])))
    assert document.text == "The committee paid NQ-103 to the Anglo-Saxon company."


@pytest.mark.parametrize("turned", ["", "/Rotate 90"])
def test_turned_pages_are_read(turned: str) -> None:
    content = "BT /F 11 Tf 0 1 -1 0 300 100 Tm (Line one.) Tj 0 -14 Td (Line two.) Tj ET"
    assert document_of(pdf(content, page=turned)).text == "Line one.\nLine two."


INVISIBLE = (FindingKind.UNSEEN, "Paid: 1.", "invisible letters")


@pytest.mark.parametrize(
    ("content", "finding"),
    [
        (line("Paid: 1.", y=600, state="3 Tr"), INVISIBLE),
        (line("Paid: 1.", y=600, size=0.5), (FindingKind.UNSEEN, "Paid: 1.", "tiny letters")),
        (line("Paid: 1.", y=1200), (FindingKind.UNSEEN, "Paid: 1.", "off the page")),
        (line("Paid: 1.", y=600, state="1 g"), (FindingKind.UNSEEN, "Paid: 1.", "letters in the colour of their ground")),
        (
            "1 g 50 590 300 40 re f " + line("Paid: 1.", y=600, state="0.99 g"),
            (FindingKind.UNSEEN, "Paid: 1.", "letters in the colour of their ground"),
        ),
        (
            "0 g 50 590 300 40 re f " + line("Paid: 1.", y=600),
            (FindingKind.UNSEEN, "Paid: 1.", "letters in the colour of their ground"),
        ),
        (line("Paid: 1.", y=600, state="/G gs"), (FindingKind.UNSEEN, "Paid: 1.", "transparent letters")),
        (
            line("Paid: 1.", y=600) + "0 g 50 590 300 40 re f",
            (FindingKind.COVERED, "Paid: 1.", "under something drawn over it"),
        ),
        (
            line("Paid: 1.", y=600) + "q 300 0 0 40 50 590 cm /I Do Q",
            (FindingKind.COVERED, "Paid: 1.", "under something drawn over it"),
        ),
        ("q /X Do Q", (FindingKind.UNSEEN, "Paid: 1.", "letters in the colour of their ground")),
        ("q 300 0 0 40 50 590 cm /I Do Q " + line("Paid: 1.", y=600, state="3 Tr"), INVISIBLE),
        (
            "q 300 0 0 40 50 590 cm /I Do Q " + line("Paid: 1.", y=600, state="0.188 g"),
            (FindingKind.UNSEEN, "Paid: 1.", "letters in the colour of their ground"),
        ),
        (line("Paid: 1.", y=600, state="1 Tz"), (FindingKind.UNSEEN, "Paid: 1.", "tiny letters")),
        (
            "q 0 0 10 10 re W n " + line("Paid: 1.", y=600) + "Q",
            (FindingKind.UNSEEN, "Paid: 1.", "outside the frame that it is shown in"),
        ),
        (
            line("Paid: 1.", y=600) + "14 w 55 604 m 300 604 l S",
            (FindingKind.COVERED, "Paid: 1.", "under something drawn over it"),
        ),
    ],
    ids=["invisible", "tiny", "off the page", "white", "white box", "black box below", "transparent", "box", "picture", "form",
         "invisible on a bare picture", "grey on grey picture", "pressed together", "cut off", "broad line"],
)  # fmt: skip
def test_text_that_no_reader_sees_is_set_aside_whole(content: str, finding: tuple[FindingKind, str, str]) -> None:
    inner = stream(
        line("Paid: 1.", y=600, state="1 g"),
        "/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /Font << /F 3 0 R >> >>",
    )
    data = pdf(
        line("Paid: 48,500.") + content,
        resources="/ExtGState << /G << /ca 0 >> >> /XObject << /I 5 0 R /X 6 0 R >>",
        objects={5: GREY_DOT, 6: inner},
    )
    document = document_of(data)
    assert (document.text, findings(document)) == ("Paid: 48,500.", [finding])
    where = "that a reader cannot see" if finding[0] == FindingKind.UNSEEN else "under a covering"
    assert f"Page 1: text on this page {where} (1 run); it was set aside." in document.warnings


def test_letters_beyond_the_edge_of_the_page_or_of_their_frame_are_set_aside() -> None:
    for frame, x, reason in (
        ("", 460, "off the page"),
        ("0 590 130 30 re W n ", 60, "outside the frame that it is shown in"),
    ):
        document = document_of(
            pdf(line("Other words.") + f"q {frame}" + line("NQ-204 begins at this place here", x, 600) + "Q")
        )
        assert document.text.startswith("Other words.\nNQ-204 begins ")
        [finding] = document.findings
        assert (finding.text.split()[-1], finding.detail) == ("here", reason)


def test_a_black_box_over_a_few_words_takes_just_these() -> None:
    document = document_of(pdf(line("Payment to John Doe of EUR 5.00 was approved.") + "120 695 50 16 re f"))
    assert document.text == "Payment to of EUR 5.00 was approved."
    assert document.findings == (
        Finding(kind=FindingKind.COVERED, text="John Doe", place="page 1", detail="under something drawn over it"),
    )


@pytest.mark.parametrize(
    "content",
    [
        "0.1 0.1 0.4 rg 50 690 300 40 re f " + line("A heading.", state="1 g"),
        "1 1 0 rg 50 690 300 40 re f " + line("A heading.", state="0 g"),
        line("A heading.") + "/M gs 1 1 0 rg 50 690 300 40 re f",
        line("A heading.") + "50 690 300 0.5 re f",
        "q 500 0 0 500 50 300 cm /I Do Q " + line("A heading.", state="1 g"),
    ],
    ids=["white on blue", "black on yellow", "marker", "underlined", "white on a picture"],
)  # fmt: skip
def test_text_that_a_reader_does_see_is_kept(content: str) -> None:
    more = line("Other words of the page, so that it has a good many.", y=100)
    data = pdf(
        content + more,
        resources="/ExtGState << /M << /BM /Multiply >> >> /XObject << /I 5 0 R >>",
        objects={5: GREY_DOT},
    )
    document = document_of(data)
    assert document.text.startswith("A heading.\nOther")
    assert document.findings == ()


def test_the_invisible_text_of_a_recognised_scan_is_read_and_told() -> None:
    content = "q 595 0 0 842 0 0 cm /I Do Q " + line("Recognised by machine earlier.", state="3 Tr")
    document = document_of(pdf(content, resources="/XObject << /I 5 0 R >>", objects={5: GREY_DOT}))
    assert (document.text, document.unread_pages) == ("Recognised by machine earlier.", ())
    assert document.warnings == ("Page 1: text layer over a picture, likely OCR; check it against the page.",)


def test_text_outside_the_crop_and_in_layers_that_are_off_is_set_aside() -> None:
    layers = "/OCProperties << /OCGs [5 0 R 6 0 R] /D << /OFF [5 0 R] >> >>"
    shown = (
        "/OC /A BDC " + line("A layer that is off.") + "EMC /OC /B BDC " + line("A layer that is on.", y=680) + "EMC "
    )
    document = document_of(
        pdf(
            shown + line("Cropped out.", y=100),
            catalog=layers,
            resources="/Properties << /A 5 0 R /B 6 0 R >>",
            page="/CropBox [0 400 595 842]",
            objects={5: "<< /Type /OCG /Name (a) >>", 6: "<< /Type /OCG /Name (b) >>"},
        )
    )
    assert document.text == "A layer that is on."
    assert findings(document) == [
        (FindingKind.UNSEEN, "A layer that is off.", "in a layer that is not shown"),
        (FindingKind.UNSEEN, "Cropped out.", "off the page"),
    ]


def test_annotations_are_units_and_what_is_marked_for_redaction_is_set_aside() -> None:
    notes = {
        5: "<< /Type /Annot /Subtype /Highlight /Rect [58 655 250 672] /QuadPoints [58 672 250 672 58 655 250 655]"
        " /C [1 1 0] /Contents (Check this) /T (R. Marsh) >>",
        6: "<< /Type /Annot /Subtype /Text /Rect [10 10 30 30] /Contents (Ask the board) >>",
        7: "<< /Type /Annot /Subtype /Square /Rect [58 595 250 612] /IC [0 0 0] /C [0 0 0] >>",
        8: "<< /Type /Annot /Subtype /Redact /Rect [75 695 135 712] >>",
        9: "<< /Type /Annot /Subtype /Text /Rect [10 10 30 30] /F 2 /Contents (Nobody sees me) >>",
        10: "<< /Type /Annot /Subtype /Popup /Rect [10 10 30 30] /Contents (Check this) >>",
    }
    content = line("A secret name here.") + line("Marked yellow.", y=660) + line("Under a square.", y=600)
    document = document_of(pdf(content, page="/Annots [5 0 R 6 0 R 7 0 R 8 0 R 9 0 R 10 0 R]", objects=notes))
    assert citations(document) == [
        ("p. 1", "A here.\nMarked yellow."),
        ("annotation 1 on page 1, by R. Marsh", "Check this"),
        ("annotation 2 on page 1", "Ask the board"),
    ]
    assert findings(document) == [
        (FindingKind.COVERED, "secret name", "marked for redaction"),
        (FindingKind.COVERED, "Under a square.", "under something drawn over it"),
        (FindingKind.UNSEEN, "Nobody sees me", "a hidden annotation"),
    ]


def test_form_fields_are_units() -> None:
    nothing = stream("", "/Type /XObject /Subtype /Form /BBox [0 0 9 9]")
    fields = {
        5: "<< /Type /Annot /Subtype /Widget /FT /Tx /T (payee) /V (Quillfeather) /Rect [100 695 300 712] >>",
        6: "<< /Type /Annot /Subtype /Widget /FT /Btn /T (ok) /TU (The board agreed) /V /Yes /AS /Yes"
        " /AP << /N << /Yes 7 0 R /Off 7 0 R >> >> /Rect [100 655 110 665] >>",
        7: nothing,
    }
    form = "/AcroForm << /Fields [5 0 R 6 0 R] /DA (/F 11 Tf) >>"
    document = document_of(pdf(line("Payee:"), catalog=form, page="/Annots [5 0 R 6 0 R]", objects=fields))
    assert citations(document)[1:] == [
        ("form field payee on page 1", "payee: Quillfeather"),
        ("form field The board agreed on page 1", "The board agreed: ticked"),
    ]


def test_a_form_whose_values_lie_elsewhere_is_told_and_its_waiting_page_is_no_text() -> None:
    form = "/AcroForm << /Fields [] /XFA 5 0 R >>"
    wait = line("Please wait... If this message is not eventually replaced, your viewer may not show it.")
    xfa = stream("<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'></xdp:xdp>", "")
    document = document_of(pdf(wait, catalog=form, objects={5: xfa}))
    assert (document.text, document.unread_pages) == ("", (1,))
    assert document.warnings == (
        "XFA form: values may be missing.",
        "Page 1 of 1 only asks to be opened in another program.",
    )


def test_attached_files_are_members_wherever_they_are_attached() -> None:
    file = pikepdf.open(io.BytesIO(pdf(line("Cover."))))
    file.attachments["note.txt"] = pikepdf.AttachedFileSpec(file, b"hello", filename="note.txt")
    pinned = pikepdf.AttachedFileSpec(file, b"pinned", filename="pin.txt")
    kind = pikepdf.Name.FileAttachment
    note = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=kind, Rect=[0, 0, 9, 9], FS=pinned.obj)
    file.pages[0].Annots = pikepdf.Array([file.make_indirect(note)])
    saved = io.BytesIO()
    file.save(saved)
    members = [found for found in found_in(saved.getvalue()) if isinstance(found, Member)]
    assert members == [Member(name="pin.txt", data=b"pinned"), Member(name="note.txt", data=b"hello")]


def encrypted(user: str) -> bytes:
    """A PDF whose owner allowed nothing."""
    file = pikepdf.open(io.BytesIO(pdf(line("Board only."))))
    saved = io.BytesIO()
    nothing = pikepdf.Permissions(extract=False, print_lowres=False, print_highres=False, modify_other=False)
    file.save(saved, encryption=pikepdf.Encryption(user=user, owner="owner", R=6, allow=nothing))
    return saved.getvalue()


def test_a_locked_pdf_opens_with_one_of_the_passwords() -> None:
    locked = encrypted("harbour-42")
    with pytest.raises(LockedError, match=r"^Password needed$"):
        found_in(locked)
    with pytest.raises(LockedError, match=r"^another password is needed$"):
        found_in(locked, "wrong", "")
    document = document_of(locked, "wrong", "harbour-42")
    assert (document.text, document.warnings) == ("Board only.", ())


def test_a_pdf_that_only_its_owner_restricted_is_read_with_a_note() -> None:
    document = document_of(encrypted(""))
    assert document.text == "Board only."
    assert document.warnings == (
        "Its owner restricted what may be done with it, such as copying. It opens without a password, and was read.",
    )


def test_a_text_layer_is_judged_page_by_page() -> None:
    shifted = "Uif bveju dpnnjuuff nfu jo tqsjoh boe mpplfe bu fwfsz dpousbdu"
    controls = "\\001\\002A\\003\\004A" * 5
    document = document_of(pdf(line("A good page."), lines([shifted] * 3), line(controls)))
    assert document.text == "A good page."
    assert document.unread_pages == (2, 3)
    assert document.warnings[0] == "The text layers of pages 2-3 are not readable."


MAPPED = "Payment NQ-270 of EUR 20,200.00 was made to the firm on the day after."


def with_letters(content: str, ranges: str) -> bytes:
    """A PDF of a page with a further font, /H, whose codes mean the letters that `ranges` say."""
    table = f"begincmap 1 begincodespacerange <00> <ff> endcodespacerange {ranges} endcmap"
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 5 0 R >>"
    data = pdf(content, objects={4: font, 5: stream(table, "")})
    return pdf_repaired(data.replace(b"/Font << /F 3 0 R >>", b"/Font << /F 3 0 R /H 4 0 R >>"))


def pdf_repaired(data: bytes) -> bytes:
    saved = io.BytesIO()
    pikepdf.open(io.BytesIO(data)).save(saved)
    return saved.getvalue()


@pytest.mark.parametrize("first", ["0023", "0021", "e020", "0420", "4e20"])
def test_a_font_whose_letters_mean_others_is_no_text(first: str) -> None:
    ranges = f"1 beginbfrange <20> <7e> <{first}> endbfrange"
    document = document_of(with_letters(f"BT /H 11 Tf 60 700 Td ({MAPPED}) Tj ET", ranges))
    assert (document.text, document.unread_pages) == ("", (1,))
    assert document.warnings[0] == "The text layer of page 1 is not readable."


def test_a_few_words_beside_a_small_picture_are_the_text_of_their_page() -> None:
    content = line("Cover sheet") + "q 30 0 0 30 500 790 cm /I Do Q"
    document = document_of(pdf(content, resources="/XObject << /I 5 0 R >>", objects={5: GREY_DOT}))
    assert (document.text, document.unread_pages, document.warnings) == ("Cover sheet", (), ())


@pytest.mark.parametrize(
    "text",
    [
        "https://www.example.org/reports/2021/harbour/payments/annexes/list-of-consultants",
        "NQ-103 AB12 7781-X QRT 55 KLM 90 XZ-1",
        "Wszyscy ludzie rodza sie wolni i rowni pod wzgledem swej godnosci i swych praw, sa obdarzeni rozumem",
        "Contents ............................. 3",
        "DNA HTML NDHA PDF CSV XML TXT QNH BBC NHS QC SMTP",
    ],
)
def test_codes_and_other_languages_are_no_broken_text_layer(text: str) -> None:
    assert document_of(pdf(line(text))).text == text


def test_scans_are_told_and_blank_pages_are_read() -> None:
    scan = "q 595 0 0 842 0 0 cm /I Do Q " + "0 g 100 100 300 50 re f"
    data = pdf(line("Cover sheet."), scan, "", resources="/XObject << /I 5 0 R >>", objects={5: GREY_DOT})
    document = document_of(data)
    assert (document.pages, document.unread_pages) == (3, (2,))
    assert document.warnings == (
        "In this file page 2 of 3 has no text layer.",
        "Recognising text in pictures (OCR) is switched off; switch it on to read what they show.",
    )


def test_a_cut_off_pdf_is_damaged_and_what_can_be_repaired_is_read() -> None:
    whole = pdf(line("First."), line("Second."))
    with pytest.raises(CorpusError, match="a damaged or incomplete PDF"):
        found_in(whole[:60])
    text = document_of(whole.replace(b"startxref", b"xxxxxxxxx").replace(b"xref\n", b"xxxx\n")).text
    assert text == "First.\n\nSecond."


def test_a_long_pdf_shows_signs_of_life() -> None:
    found = found_in(pdf(*(line(f"Leaf {n}.") for n in range(120))))
    assert [one for one in found if isinstance(one, Progress)] == [
        Progress(done=50, total=120),
        Progress(done=100, total=120),
    ]


def test_pdfs_can_be_read_in_several_threads() -> None:
    files = [pdf(*(line(f"File {n}, page {page}.") for page in range(20))) for n in range(8)]
    with ThreadPoolExecutor(4) as pool:
        documents = list(pool.map(partial(document_of), files))
    assert [document.text.split(",")[0] for document in documents] == [f"File {n}" for n in range(8)]


def test_the_picture_of_a_page_can_be_shown() -> None:
    content = Content.held(pdf(line("Words."), line("More.")))
    picture = render_page(content, "application/pdf", 2, width=300)
    assert picture.startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20]) == 300
    with pytest.raises(CorpusError, match="page 3 cannot be shown"):
        render_page(content, "application/pdf", 3)
    with pytest.raises(LockedError):
        render_page(Content.held(encrypted("x")), "application/pdf", 1)
    assert render_page(Content.held(encrypted("x")), "application/pdf", 1, password="x").startswith(b"\x89PNG")


def test_the_picture_of_a_page_is_drawn_in_a_process_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(pdf(line("Words."), line("More.")))
    content = Content.on_disk(file)
    assert page_picture(content, "application/pdf", 2) == render_page(content, "application/pdf", 2)
    with pytest.raises(CorpusError, match="page 3 cannot be shown"):
        page_picture(content, "application/pdf", 3)
    file.write_bytes(b"gone")
    with pytest.raises(CorpusError):
        page_picture(content, "application/pdf", 1)


def test_a_page_of_any_size_has_a_picture_that_fits() -> None:
    long = Content.held(pdf(line("Words."), page="/MediaBox [0 0 10 14400]"))
    picture = render_page(long, "application/pdf", 1, width=400)
    assert int.from_bytes(picture[20:24]) <= 2000


@with_files
def test_right_to_left_text_stands_in_the_order_of_reading() -> None:
    arabic = document_of((NASTY / "right_to_left_01.pdf").read_bytes()).text
    assert "من الأدوات القوية" in arabic
    hebrew = document_of((CASES / "11b_hebrew_visual_order.pdf").read_bytes()).text
    assert hebrew == "הרשות שילמה ליועץ\nNQ-116 5,150.00 EUR 2022-03-08"


@with_files
def test_a_page_tree_that_bites_its_tail_costs_one_page() -> None:
    document = document_of((NASTY / "Pages-tree-refs.pdf").read_bytes())
    assert (document.text, document.unread_pages) == ("Testcase: ’Pages loop’", (2,))
    assert document.warnings == ("Page 2 of 2 cannot be read.",)


@with_files
def test_a_sign_that_the_font_does_not_explain_is_marked_and_not_dropped() -> None:
    text = document_of((NASTY / "copy-protected.pdf").read_bytes()).text
    assert "several practical di\ufffdculties" in text
    assert "taking advantages of recent advances" in text


@with_files
def test_the_files_of_a_portfolio_are_members() -> None:
    found = found_in((NASTY / "testPDFPackage.pdf").read_bytes())
    assert [one.name for one in found if isinstance(one, Member)] == ["PDF1.pdf", "PDF2.pdf"]


def test_references_within_right_to_left_text_are_whole() -> None:
    line_of = "דגבא -261NQ"
    lefts = {place: 100.0 + 10 * number for number, place in enumerate((9, 10, 5, 6, 7, 8))}

    def box(place: int) -> tuple[float, float, float, float]:
        return lefts.get(place, 0.0), 0.0, lefts.get(place, 0.0) + 10, 10.0

    assert with_codes_right(line_of, box) == "דגבא NQ-261"
    lefts |= {9: 300.0, 10: 310.0}  # the letters stand to the right of the number, as in -5km
    assert with_codes_right(line_of, box) == line_of
