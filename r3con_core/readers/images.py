"""Pictures become documents whose text is recognised (OCR), a unit for each page of them."""

import io
import warnings
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from r3con_core.documents import Document, Span, Unit, make_document
from r3con_core.errors import CorpusError
from r3con_core.readers.ledger import File, Progress
from r3con_core.readers.ocr import INSTALL, Engine, OcrError, Recognised, find_engine, is_worth_it, warn_of
from r3con_core.readers.text import clean, file_name, has_words

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_FRAMES = 2_000
"""Pages of one file that are looked at."""
_FORMATS = ("PNG", "JPEG", "TIFF", "GIF", "BMP", "WEBP", "HEIF", "AVIF", "PPM", "JPEG2000")
_LONGEST_SIDE = 5_000
"""Pixels of what is given to an engine."""
_ENOUGH = 1_500
"""Pixels across from which letters are large enough; smaller pictures, such as of a screen, are enlarged two or three times."""
_TAKEN, _CHANGED, _DETAILS = 0x9003, 0x0132, 0x8769
"""Where cameras write when a picture was taken, and when it was changed."""


def read_image(file: File) -> Iterator[Document | Progress]:
    """A picture, or the pages of one file of them, as one document.

    Raises CorpusError when nothing can recognise text, or the picture cannot be opened.
    """
    picture = open_picture(file.data())
    engine = find_engine() if file.settings.ocr else None
    if engine is None:
        why = f"to read it, {INSTALL}" if file.settings.ocr else "recognising it (OCR) is switched off"
        raise CorpusError(f"a picture; the text in it was not read: {why}")
    count = min(getattr(picture, "n_frames", 1), 1 if picture.format in ("GIF", "WEBP", "MPO") else MOST_FRAMES)
    read = _Pages()
    for number in range(1, count + 1):
        read.add(number, picture, engine, file)
        yield Progress(done=number, total=count)
    date = _date(picture)
    picture.close()
    yield read.document(file, count, date)


def open_picture(data: bytes) -> "Image":
    """The picture in `data`, its pixels not yet unpacked. Raises CorpusError when it is damaged or far too large."""
    from PIL import Image

    Image.init()
    _learn_heif()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            return Image.open(io.BytesIO(data), formats=[name for name in _FORMATS if name in Image.OPEN])
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as fault:
        raise CorpusError(f"a picture of more than {(Image.MAX_IMAGE_PIXELS or 0) // 10**6} million pixels") from fault
    except (OSError, ValueError, SyntaxError) as fault:
        heif = data[4:12] in (b"ftypheic", b"ftypheix", b"ftypmif1", b"ftyphevc")
        raise CorpusError('a HEIC picture; install "pi-heif" to open it' if heif else "a damaged picture") from fault


def _learn_heif() -> None:
    try:
        import pi_heif
    except ImportError:
        return
    pi_heif.register_heif_opener()


def page_of(picture: "Image", number: int) -> "Image":
    """Page `number`, from 1, upright and in grey or colour. Raises CorpusError when it is damaged."""
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            picture.seek(number - 1)
            picture.load()
            upright = ImageOps.exif_transpose(picture)
    except (OSError, EOFError, ValueError, SyntaxError, Image.DecompressionBombError) as fault:
        raise CorpusError(f"page {number} of the picture is damaged") from fault
    if "A" in upright.getbands() or "transparency" in upright.info:
        return _on_white(upright)
    return upright.convert("L" if upright.mode in ("1", "L", "I", "I;16", "F") else "RGB")


def _on_white(picture: "Image") -> "Image":
    from PIL import Image

    layered = picture.convert("RGBA")
    ground = Image.new("RGBA", layered.size, "white")
    ground.alpha_composite(layered)
    return ground.convert("RGB")


def fitted(picture: "Image") -> "Image":
    """The picture at a size that suits recognising."""
    longest = max(picture.size)
    enlarged = 1.0 if longest >= _ENOUGH else 2.0 if longest >= _ENOUGH / 2 else 3.0
    factor = min(enlarged, _LONGEST_SIDE / longest)
    if factor == 1.0:
        return picture
    return picture.resize((max(round(picture.width * factor), 1), max(round(picture.height * factor), 1)))


def _date(picture: "Image") -> str | None:
    try:
        stated = picture.getexif()
        text = str(stated.get_ifd(_DETAILS).get(_TAKEN) or stated.get(_CHANGED))
        return datetime.strptime(text.strip("\x00 ")[:10], "%Y:%m:%d").date().isoformat()  # noqa: DTZ007 - a day
    except (OSError, ValueError, SyntaxError, TypeError, KeyError):  # none, or damaged
        return None


class _Pages:
    """Gathers what was recognised on one page after the other."""

    def __init__(self) -> None:
        self._text = ""
        self._units: list[Unit] = []
        self._unread: list[int] = []
        self._warnings: list[str] = []

    def add(self, number: int, picture: "Image", engine: Engine, file: File) -> None:
        """Read page `number`."""
        languages = file.settings.ocr_languages
        try:
            page = page_of(picture, number)
            found = engine(fitted(page), languages) if is_worth_it(page) else Recognised(text="", confidence=0)
        except (OcrError, CorpusError) as fault:
            self._unread.append(number)
            self._warnings.append(f"Page {number} could not be read: {fault}.")
            return
        text = clean(found.text).strip()
        if not has_words(text):
            self._warnings.append(
                "no text was found in the picture" if number == 1 else f"no text was found on page {number}"
            )
            return
        self._warnings += warn_of(found, page=number, languages=languages)
        start = len(self._text) + (2 if self._text else 0)
        self._text += ("\n\n" if self._text else "") + text
        span = Span(start=start, end=start + len(text))
        self._units.append(Unit(kind="page", label=str(number), span=span, page=number, confidence=found.confidence))

    def document(self, file: File, count: int, date: str | None) -> Document:
        """All of it."""
        return make_document(
            title=file_name(file.source),
            text=self._text,
            source=file.source,
            units=tuple(self._units),
            date=date,
            pages=count,
            unread_pages=tuple(self._unread),
            warnings=tuple(self._warnings),
        )
