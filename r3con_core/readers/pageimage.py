"""The picture of one page, to be shown beside its text."""

import io
from typing import TYPE_CHECKING

from r3con_core.errors import CorpusError
from r3con_core.readers.content import Content
from r3con_core.readers.images import open_picture, page_of
from r3con_core.readers.pdf_file import PDFIUM, opened

if TYPE_CHECKING:
    from PIL.Image import Image

_TALLEST = 5
"""Times as high as wide a picture may get; a page of a roll of paper is shown smaller."""


def render_page(content: Content, media_type: str, page: int, *, width: int = 1000, password: str = "") -> bytes:
    """Page `page`, from 1, of a PDF or picture file as a PNG about `width` pixels across.

    Raises CorpusError when there is no such page or it cannot be shown, LockedError when the password does not open it.
    """
    if media_type == "application/pdf":
        picture = _of_pdf(content.data(), page, width, password)
    elif media_type.startswith("image/"):
        picture = page_of(open_picture(content.data()), page)
        picture.thumbnail((width, width * _TALLEST))
    else:
        raise CorpusError("this kind of file has no pages to show")
    data = io.BytesIO()
    picture.save(data, "PNG")
    return data.getvalue()


def _of_pdf(data: bytes, number: int, width: int, password: str) -> "Image":
    with opened(data, (password,) if password else ()) as file, PDFIUM:
        return picture_of_page(file.pdf, number, width)


def picture_of_page(pdf: object, number: int, width: int) -> "Image":
    """Page `number`, from 1, of a pypdfium2 document; PDFium must be held. Raises CorpusError when it cannot be shown."""
    import pypdfium2

    try:
        page = pdf[number - 1]  # type: ignore[index]
    except (pypdfium2.PdfiumError, IndexError) as fault:
        raise CorpusError(f"page {number} cannot be shown") from fault
    try:
        across, up = (max(side, 1.0) for side in page.get_size())
        scale = min(width / across, width * _TALLEST / up)
        picture: Image = page.render(scale=scale).to_pil()
        return picture.convert("RGB")
    except (pypdfium2.PdfiumError, ValueError) as fault:
        raise CorpusError(f"page {number} cannot be shown") from fault
    finally:
        page.close()
