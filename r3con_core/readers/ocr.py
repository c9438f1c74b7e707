"""Text in pictures of pages is recognised (OCR), offline, by the first engine that is installed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from r3con_core.errors import CorpusError

if TYPE_CHECKING:
    from PIL.Image import Image

INSTALL = 'install Tesseract, or the "ocr" extra: pip install "r3con-analyst[ocr]"'
"""What to tell where there is no engine."""
LEAST_WIDTH, LEAST_HEIGHT = 50, 20
"""Pixels under which a picture is a spot, a line or a small sign, and is not looked at."""
DOUBTFUL = 75
"""Confidence under which the language may be the wrong one."""


class OcrError(CorpusError):
    """A picture that an engine could not deal with; the message follows "page 3: "."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """The text of one picture."""

    text: str
    confidence: int
    """Mean of its words, 0 to 100; 0 when there are none."""


Engine = Callable[["Image", Sequence[str]], Recognised]
"""Recognises the words of a picture of about 300 dots an inch; the languages are named as Tesseract names them.

Raises OcrError.
"""


def find_engine() -> Engine | None:
    """The engine to use: an installed Tesseract, else the packaged one, else RapidOCR; None when there is none."""
    from r3con_core.readers import ocr_engines

    return ocr_engines.tesseract_program() or ocr_engines.packaged_tesseract() or ocr_engines.rapidocr()


def is_worth_it(picture: "Image") -> bool:
    """Whether a picture is large enough for words, and not of one colour all over."""
    width, height = picture.size
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        return False
    low, high = picture.convert("L").resize((min(width, 400), min(height, 400))).getextrema()
    return bool(high - low > 24)  # type: ignore[operator]


def warn_of(recognised: Recognised, *, page: int, languages: Sequence[str]) -> list[str]:
    """What to tell about a page whose text was recognised."""
    warnings = [f"The text of page {page} was recognised in a picture (OCR); check it against the page."]
    if recognised.confidence < DOUBTFUL:
        warnings.append(
            f"Much of page {page} may be wrong (confidence {recognised.confidence} of 100);"
            f" check the OCR language ({', '.join(languages)})."
        )
    return warnings
