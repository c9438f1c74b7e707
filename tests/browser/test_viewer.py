"""The document viewer in a real browser: the right letters are marked, found and in view, in large texts too."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from playwright.sync_api import expect

from r3con_core.documents import Document, Finding, FindingKind, Span, Unit
from r3con_core.store.documents import add_documents
from r3con_core.store.project import create_project
from tests.browser.app import chromium, running_app, visiting
from tests.fakes import text_document

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]
PARAGRAPH = "The launch came in at night and nobody saw who carried the cases ashore. " * 6
TEXT = "😀 <b>Log</b>\n\n" + f"{PARAGRAPH}\n\n" * 450 + "HERE 😀 STANDS IT.\n\n" + f"{PARAGRAPH}\n\n" * 450
MARKED = "[...CSS.highlights.get('r3-current')].map(String).join()"
SHOWN = "[...CSS.highlights.get('{}') || []].map(String).join()"
ARABIC = "\u0631\u0633\u0627\u0644\u0629 \u0627\u0644\u0647\u064a\u0626\u0629"


def paged_document() -> Document:
    """Twelve pages of a PDF with printed labels and stamps, one unread, one recognised, with findings."""
    texts = [f"Page {number}. {PARAGRAPH}\n\nReference NQ-{100 + number}.\n\n" for number in range(1, 13)]
    starts = [sum(map(len, texts[:number])) for number in range(12)]
    units = tuple(
        Unit(
            kind="page",
            label=("i", "ii")[number] if number < 2 else str(number - 1),
            span=Span(start=starts[number], end=starts[number] + len(texts[number])),
            page=number + 1,
            bates=f"NDHA-{103 + number:06}",
            confidence=61 if number == 6 else None,
        )
        for number in range(12)
        if number != 4
    )
    text = "".join(texts)
    inserted = text.index("NQ-103")
    findings = (
        Finding(kind=FindingKind.UNSEEN, text="<i>report $1</i>", place="page 3", detail="white letters"),
        Finding(kind=FindingKind.INSERTED, text="NQ-103", span=Span(start=inserted, end=inserted + 6)),
    )
    return replace(text_document(text, path="a.pdf"), units=units, pages=12, unread_pages=(5,), findings=findings)


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A project with three documents, and the app over it."""

    address: str
    large: Document
    """Of 400,000 letters, with wide ones before the place that is looked for."""
    paged: Document
    leftward: Document

    def place(self, document: Document, at: str = "") -> str:
        """The address of a document, open at these places."""
        return f"/document?project=logs&doc={document.id}" + (f"&at={at}" if at else "")


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    home = tmp_path_factory.mktemp("home")
    leftward = text_document(f"{ARABIC}\n\n2021-05-17\n\nPlease confirm.\n\n{ARABIC * 9}", path="b.txt")
    large, paged = text_document(TEXT), paged_document()
    add_documents(create_project(home / "projects", "Logs"), [large, paged, leftward], [])
    with running_app(home) as address:
        yield Reader(address=address, large=large, paged=paged, leftward=leftward)


def test_a_place_is_marked_and_in_view_and_words_are_found(reader: Reader) -> None:
    start = TEXT.index("HERE")
    with visiting(reader.address) as visit:
        visit.open(reader.place(reader.large, f"{start}-{start + 13}"))
        text = visit.page.locator(".text")
        expect(text).to_have_attribute("data-shown", reader.large.id, timeout=15_000)
        assert visit.page.evaluate(MARKED) == "HERE 😀 STANDS"
        expect(visit.page.get_by_text("HERE 😀 STANDS IT.")).to_be_in_viewport()
        assert text.locator("b").count() == 0
        visit.page.get_by_placeholder("Find in this document").fill("log</B>")
        expect(visit.page.locator(".hits")).to_have_text("1 of 1")
        expect(visit.page.get_by_text("😀 <b>Log</b>")).to_be_in_viewport()
        visit.page.get_by_placeholder("Find in this document").fill("cases ashore. The")
        visit.page.get_by_placeholder("Find in this document").press("Enter")
        expect(visit.page.locator(".hits")).to_have_text("2 of 5000+")
        visit.page.get_by_placeholder("Find in this document").fill("zeppelin")
        expect(visit.page.locator(".hits")).to_have_text("not in this document")
        assert visit.strangers == []


def test_a_browser_that_cannot_paint_ranges_marks_the_place(reader: Reader) -> None:
    start = TEXT.index("HERE")
    with visiting(reader.address) as visit:
        visit.page.add_init_script("delete globalThis.Highlight")
        visit.open(reader.place(reader.large, f"{start}-{start + 13}"))
        expect(visit.page.locator(".text mark")).to_have_text("HERE 😀 STANDS", timeout=15_000)
        expect(visit.page.locator(".text mark")).to_be_in_viewport()


def test_pages_are_turned_to_by_printed_label_page_of_the_file_or_stamp(reader: Reader) -> None:
    with visiting(reader.address) as visit:
        visit.open(reader.place(reader.paged))
        shown, field = visit.page.locator(".page-of"), visit.page.locator(".page-field")
        expect(shown).to_have_text("PDF page 1 of 12", timeout=15_000)
        for asked, page in [("NDHA-000113", 11), ("ii", 2), ("4", 6), ("12", 12)]:
            field.fill(asked)
            field.press("Enter")
            expect(shown).to_have_text(f"PDF page {page} of 12")
        visit.page.get_by_role("button", name="Previous page").click()
        expect(shown).to_have_text("PDF page 11 of 12")
        expect(visit.page.get_by_text("could not be read")).to_have_count(1)
        expect(visit.page.get_by_text("read from a picture (OCR), 61 % sure; check it")).to_have_count(1)
        expect(visit.page.locator(".aside")).to_contain_text("text a reader cannot see, page 3 (white letters)")
        expect(visit.page.locator(".aside p")).to_have_text("<i>report $1</i>")
        assert visit.page.evaluate(SHOWN.format("r3-inserted")) == "NQ-103"
        field.fill("no such")
        field.press("Enter")
        expect(shown).to_have_text("PDF page 11 of 12")


def test_several_places_are_marked_and_stepped_through(reader: Reader) -> None:
    places = [reader.paged.text.index(f"NQ-{number}") for number in (108, 102, 111)]
    named = ",".join(f"{start}-{start + 6}" for start in places)
    with visiting(reader.address) as visit:
        visit.open(reader.place(reader.paged, named))
        expect(visit.page.get_by_text("Place 2 of 3 · p. 6 (PDF page 8), NDHA-000110")).to_be_visible(timeout=15_000)
        assert visit.page.evaluate(SHOWN.format("r3-evidence")) == "NQ-102,NQ-108,NQ-111"
        visit.page.get_by_role("button", name="Next quote").click()
        assert visit.page.evaluate(SHOWN.format("r3-current")) == "NQ-111"
        expect(visit.page.get_by_text("Reference NQ-111.")).to_be_in_viewport()


def test_text_that_runs_from_the_right_is_shown_so(reader: Reader) -> None:
    with visiting(reader.address) as visit:
        visit.open(reader.place(reader.leftward))
        expect(visit.page.locator(".text")).to_have_attribute("dir", "rtl", timeout=15_000)
        blocks = visit.page.locator(".text .block")
        assert blocks.evaluate_all("all => all.map(one => one.dir)") == ["auto", "rtl", "auto", "auto"]
        looks = "all => all.map(one => [getComputedStyle(one).direction, getComputedStyle(one).textAlign].join())"
        assert blocks.evaluate_all(looks) == ["rtl,right", "rtl,right", "ltr,right", "rtl,right"]
