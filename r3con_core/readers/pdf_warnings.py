"""What to tell about the pages of a PDF, in plain sentences."""

from collections.abc import Callable, Iterator, Sequence

from r3con_core.documents import FindingKind
from r3con_core.readers.ledger import ReadSettings
from r3con_core.readers.ocr import DOUBTFUL, INSTALL, find_engine
from r3con_core.readers.pdf_page import FAILED, PICTURE, PLACEHOLDER, SENSELESS, Page

_PLACES = {
    FindingKind.UNSEEN: "that a reader cannot see",
    FindingKind.COVERED: "under a covering",
}


def warnings_of(pages: Sequence[Page], settings: ReadSettings, *, xfa: bool) -> Iterator[str]:
    """All that an analyst should know before relying on the text."""
    count = len(pages)
    wanting = [page.number for page in pages if page.fault == PICTURE]
    if wanting:
        yield f"In this file {_have_no_text_layer(wanting, count)}."
    for numbers in _lists(pages, lambda page: page.fault == SENSELESS):
        yield f"The text {_layer_of(numbers)} not readable."
    yield from _about_recognising(pages, settings)
    for numbers in _lists(pages, lambda page: page.fault == FAILED):
        yield f"{_pages(numbers)} of {count} cannot be read."
    if xfa:
        yield "XFA form: values may be missing."
    for numbers in _lists(pages, lambda page: page.fault == PLACEHOLDER):
        yield f"{_pages(numbers)} of {count} only ask{'s' * (len(numbers) == 1)} to be opened in another program."
    for numbers in _lists(pages, lambda page: page.layered):
        yield f"{_pages(numbers)}: text layer over a picture, likely OCR; check it against the page."
    yield from _about_hidden(pages)


def _have_no_text_layer(numbers: Sequence[int], count: int) -> str:
    if len(numbers) == count:
        return f"{count} of {count} pages {'has' if count == 1 else 'have'} no text layer"
    which = "page" if len(numbers) == 1 else "pages"
    return f"{which} {ranges(numbers)} of {count} {'has' if len(numbers) == 1 else 'have'} no text layer"


def _layer_of(numbers: Sequence[int]) -> str:
    return f"layer of page {numbers[0]} is" if len(numbers) == 1 else f"layers of pages {ranges(numbers)} are"


def _about_recognising(pages: Sequence[Page], settings: ReadSettings) -> Iterator[str]:
    unread = [page for page in pages if page.fault in (PICTURE, SENSELESS) and page.confidence is None]
    silent = [page for page in unread if not page.trouble and not page.wordless]
    if silent and not settings.ocr:
        yield "Recognising text in pictures (OCR) is switched off; switch it on to read what they show."
    elif silent and find_engine() is None:
        yield f"To read what they show, {INSTALL}."
    for trouble in dict.fromkeys(page.trouble for page in pages if page.trouble):
        numbers = [page.number for page in pages if page.trouble == trouble]
        yield f"{_pages(numbers)} could not be recognised: {trouble}."
    for numbers in _lists(pages, lambda page: page.wordless):
        yield f"no text was found in the picture of {_pages(numbers).lower()}."
    for numbers in _lists(pages, lambda page: page.confidence is not None):
        yield (f"The text of {_pages(numbers).lower()} was recognised in a picture (OCR); check it against the page.")
    for numbers in _lists(pages, lambda page: page.confidence is not None and page.confidence < DOUBTFUL):
        yield (
            f"Much of the recognised text of {_pages(numbers).lower()} may be wrong;"
            f" check the OCR language ({', '.join(settings.ocr_languages)})."
        )


def _about_hidden(pages: Sequence[Page]) -> Iterator[str]:
    """One sentence for all pages that have as many stretches of hidden text."""
    for kind, where in _PLACES.items():
        counts = {page.number: sum(one.kind == kind for one in page.findings) for page in pages}
        for runs in sorted({count for count in counts.values() if count}):
            numbers = [number for number, count in counts.items() if count == runs]
            these = "this page" if len(numbers) == 1 else "each of these pages"
            yield f"{_pages(numbers)}: text on {these} {where} ({runs} run{'s' * (runs > 1)}); it was set aside."


def _lists(pages: Sequence[Page], is_such: Callable[[Page], bool]) -> Iterator[list[int]]:
    """The numbers of such pages, if there are any."""
    numbers = [page.number for page in pages if is_such(page)]
    if numbers:
        yield numbers


def _pages(numbers: Sequence[int]) -> str:
    return f"Page {numbers[0]}" if len(numbers) == 1 else f"Pages {ranges(numbers)}"


def ranges(numbers: Sequence[int]) -> str:
    """Numbers in growing order as "2, 5-9"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
