"""Finds text in a PDF page that no reader of the page sees, so that planted or blackened words do not become evidence.

What cannot be told from an object alone is told from pictures: text that changes nothing in the picture of its page is
not seen. The two pictures that takes are made only for pages on which something could be hidden.
"""

import ctypes
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from r3con_core.documents import FindingKind
from r3con_core.readers.pdf_survey import INVISIBLE, WHITE, Box, Drawn, Survey, is_within, overlaps, touches

if TYPE_CHECKING:
    from PIL.Image import Image

_LEAST_SIZE = 1.5
"""Points under which letters are specks."""
_SCALE = 1.5
"""Pixels a point in the pictures that are compared."""
_LONGEST_SIDE = 2_400
"""Pixels."""
_UNLIKE = 24
"""Difference, of 255, in any colour, from which an eye sees letters on their ground."""
_MOST_LOOKS = 1_000_000
"""Of pairs of a text and a shape; a page with more is a drawing with labels, and only looked at in part."""
_LAYER_TO_STAMPS = 10
"""Invisible texts to one that can be seen, from which a page is a scan."""
_LEAST_COVER = 4.0
"""Points; what is lower or narrower, such as a rule, covers no word."""
_WORD, _BLANK = re.compile(r"\S+"), re.compile(r"\s+")
_APART = 2.5
"""Heights of a letter between two lines that do not belong together."""

TINY = "tiny letters"
OFF_PAGE = "off the page"
COVERED = "under something drawn over it"
REDACTED = "marked for redaction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """Letters of a page that are not to be read with it."""

    letters: frozenset[int]
    """Their places in PDFium's list of the page's letters."""
    runs: tuple[tuple[FindingKind, str, str], ...]
    """Kind, words and detail of each stretch, in the order of the page."""
    planted: frozenset[int] = frozenset()
    """Places, in the order of painting, of invisible text under which its picture shows nothing."""


def find_hidden(page: Any, textpage: Any, survey: Survey, covers: Sequence[Drawn]) -> Hidden | None:
    """What a reader of a page does not see; None when there is nothing, which is nearly always.

    `page` and `textpage` are PDFium's; `covers` are annotations that may lie over the text. Text recognised in a scan
    is invisible too, but is the text of the page: it stays where it lies on a picture.
    """
    redactions = [cover for cover in covers if cover.detail == REDACTED]
    certain, doubtful = _suspects(survey, [cover for cover in covers if cover.detail != REDACTED])
    planted = _on_nothing(page, survey)
    certain += [(text, INVISIBLE) for text in planted]
    if not certain and not doubtful and not redactions:
        return None
    signs = _signs(textpage)
    why = _letters_of(textpage, certain)
    found = dict.fromkeys(_under(textpage, redactions), REDACTED)
    if doubtful:
        found |= _unchanging(page, textpage, _letters_of(textpage, doubtful), [text for text, _ in doubtful])
    why |= _whole_words(signs, found)
    runs = tuple(_runs(textpage, signs, why))
    orders = frozenset(text.order for text in planted)
    return Hidden(letters=frozenset(why), runs=runs, planted=orders) if runs else None


def _signs(textpage: Any) -> str:
    from pypdfium2.raw import FPDFText_CountChars, FPDFText_GetUnicode

    codes = [FPDFText_GetUnicode(textpage, place) for place in range(FPDFText_CountChars(textpage))]
    return "".join(chr(code) if code and not 0xD800 <= code < 0xE000 else "\ufffd" for code in codes)


_Suspect = tuple[Drawn, str]


def _suspects(survey: Survey, covers: Sequence[Drawn]) -> tuple[list[_Suspect], list[_Suspect]]:
    """Text objects that are certainly unseen, and those of which a picture must tell, each with the reason."""
    certain: list[_Suspect] = []
    doubtful: list[_Suspect] = []
    for text in survey.odd:
        if text.box[0] >= text.box[2] and text.box[1] >= text.box[3]:
            continue  # blanks have no extent
        reason = _certain(text, survey)
        if reason:
            certain.append((text, reason))
        elif text.detail:
            doubtful.append((text, text.detail))
        elif not is_within(text.box, survey.sheet):
            doubtful.append((text, OFF_PAGE))
    known = {text.order for text, _ in certain} | {text.order for text, _ in doubtful}
    for text, reason in _near_shapes(survey, covers):
        if text.order not in known:
            known.add(text.order)
            doubtful.append((text, reason))
    return certain, [one for one in doubtful if not _stands_out(one, survey)]


def _certain(text: Drawn, survey: Survey) -> str:
    if not touches(text.box, survey.sheet):
        return OFF_PAGE
    if text.size < _LEAST_SIZE:
        return TINY
    return INVISIBLE if text.detail == INVISIBLE and not survey.has_picture_under(text) else ""


def _on_nothing(page: Any, survey: Survey) -> list[Drawn]:
    """Invisible text on pictures that show nothing there, so that it was not recognised in them.

    Not looked for where nearly all text is invisible, as on a scan that was stamped.
    """
    layer = [text for text in survey.odd if text.detail == INVISIBLE and survey.has_picture_under(text)]
    if not layer or (len(survey.texts) - len(layer)) * _LAYER_TO_STAMPS <= len(layer):
        return []
    shown = _drawn(page).convert("L")
    return [text for text in layer if _is_plain(shown, _area_of(page, text.box, shown.size))]


def _is_plain(picture: "Image", area: tuple[int, int, int, int] | None) -> bool:
    if area is None:
        return False
    levels = picture.crop(area).tobytes()
    return max(levels) - min(levels) < _UNLIKE


def _stands_out(suspect: _Suspect, survey: Survey) -> bool:
    """White letters on a plain ground of another colour, with nothing over them."""
    text, reason = suspect
    if reason == INVISIBLE:
        return True  # the text of a scan
    if (
        reason != WHITE
        or len(survey.odd) * len(survey.shapes) > _MOST_LOOKS
        or survey.last_text_order < survey.last_shape_order
    ):
        return False
    grounds = [shape for shape in survey.shapes if shape.order < text.order and overlaps(shape.box, text.box)]
    return bool(grounds) and grounds[-1].colour is not None and _differ(grounds[-1], text)


def _differ(one: Drawn, other: Drawn) -> bool:
    if one.colour is None or other.colour is None:
        return False
    return max(abs(a - b) for a, b in zip(one.colour[:3], other.colour[:3], strict=True)) >= 2 * _UNLIKE


def _near_shapes(survey: Survey, covers: Sequence[Drawn]) -> Iterator[_Suspect]:
    """Text with a shape over it, or on a ground of its own colour."""
    shapes = [shape for shape in (*survey.shapes, *covers) if _is_broad(shape)]
    if not shapes or not survey.texts:
        return
    texts = sorted(survey.texts, key=lambda text: text.box[1])
    bottoms = [text.box[1] for text in texts]
    tallest = max(text.box[3] - text.box[1] for text in texts)
    left = _MOST_LOOKS
    for shape in shapes:
        first, last = bisect_left(bottoms, shape.box[1] - tallest), bisect_left(bottoms, shape.box[3])
        left -= last - first
        if left < 0:
            return
        for text in texts[first:last]:
            if not touches(text.box, shape.box):
                continue
            if text.order < shape.order:
                yield text, COVERED
            elif shape.colour is None or not _differ(shape, text):
                yield text, WHITE


def _is_broad(shape: Drawn) -> bool:
    left, bottom, right, top = shape.box
    return right - left >= _LEAST_COVER and top - bottom >= _LEAST_COVER


def _letters_of(textpage: Any, suspects: Sequence[_Suspect]) -> dict[int, str]:
    """The places of the letters that these objects draw, each with the reason."""
    from pypdfium2.raw import FPDFText_CountChars, FPDFText_GetTextObject

    if not suspects:
        return {}
    reasons = {_address(text.handle): reason for text, reason in suspects}
    found = {}
    for place in range(FPDFText_CountChars(textpage)):
        reason = reasons.get(_address(FPDFText_GetTextObject(textpage, place)))
        if reason:
            found[place] = reason
    return found


def _address(handle: Any) -> int:
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


def _unchanging(page: Any, textpage: Any, letters: dict[int, str], texts: Sequence[Drawn]) -> dict[int, str]:
    """Those of the letters that leave the picture of the page as it is without them."""
    from PIL import ImageChops
    from pypdfium2.raw import FPDFPageObj_SetIsActive

    shown = _drawn(page)
    for text in texts:
        FPDFPageObj_SetIsActive(text.handle, 0)
    bare = _drawn(page)
    for text in texts:
        FPDFPageObj_SetIsActive(text.handle, 1)
    red, green, blue = ImageChops.difference(shown, bare).split()
    changed = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    unseen = {}
    for place, reason in letters.items():
        box = letter_box(textpage, place)
        if box is None:
            continue
        area = _area_of(page, box, changed.size)
        if area is None or max(changed.crop(area).tobytes()) < _UNLIKE:
            unseen[place] = reason
    return unseen


def _whole_words(signs: str, found: dict[int, str]) -> dict[int, str]:
    """The letters of all words of which most letters are among the found ones, and the blanks between such words."""
    whole: dict[int, str] = {}
    for word in _WORD.finditer(signs):
        places = range(*word.span())
        reasons = [found[place] for place in places if place in found]
        if len(reasons) * 2 > len(places) or REDACTED in reasons:
            whole |= dict.fromkeys(places, reasons[0])
    for blank in _BLANK.finditer(signs):
        start, end = blank.span()
        if start - 1 in whole and whole.get(end) == whole[start - 1]:
            whole |= dict.fromkeys(range(start, end), whole[start - 1])
    return whole


def _drawn(page: Any) -> "Image":
    """The page with its annotations as a picture in colour."""
    from PIL import Image
    from pypdfium2 import raw

    across, up = raw.FPDF_GetPageWidthF(page), raw.FPDF_GetPageHeightF(page)
    scale = min(_SCALE, _LONGEST_SIDE / max(across, up, 1.0))
    width, height = max(round(across * scale), 1), max(round(up * scale), 1)
    bitmap = raw.FPDFBitmap_CreateEx(width, height, raw.FPDFBitmap_BGRx, None, 0)
    raw.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
    raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, raw.FPDF_ANNOT)
    stride = raw.FPDFBitmap_GetStride(bitmap)
    data = ctypes.string_at(raw.FPDFBitmap_GetBuffer(bitmap), stride * height)
    raw.FPDFBitmap_Destroy(bitmap)
    return Image.frombuffer("RGB", (width, height), data, "raw", "BGRX", stride, 1)


def _area_of(page: Any, box: Box, size: tuple[int, int]) -> tuple[int, int, int, int] | None:
    """The part of a page's picture that a box of the page lies in; None when it lies outside."""
    left, bottom, right, top = box
    corners = [_on_picture(page, x, y, size) for x in (left, right) for y in (bottom, top)]
    across, down = [x for x, _ in corners], [y for _, y in corners]
    area = (max(min(across), 0), max(min(down), 0), min(max(across) + 1, size[0]), min(max(down) + 1, size[1]))
    return area if area[0] < area[2] and area[1] < area[3] else None


def _on_picture(page: Any, x: float, y: float, size: tuple[int, int]) -> tuple[int, int]:
    from pypdfium2.raw import FPDF_PageToDevice

    across, down = ctypes.c_int(), ctypes.c_int()
    FPDF_PageToDevice(page, 0, 0, *size, 0, x, y, across, down)
    return across.value, down.value


def letter_box(textpage: Any, place: int) -> tuple[float, float, float, float] | None:
    """Left, bottom, right and top of a letter, in points; None for blanks and what PDFium added."""
    from pypdfium2.raw import FPDFText_GetCharBox

    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    if not FPDFText_GetCharBox(textpage, place, left, right, bottom, top):
        return None
    box = (left.value, bottom.value, right.value, top.value)
    return box if box[0] < box[2] and box[1] < box[3] else None


def _under(textpage: Any, covers: Sequence[Drawn]) -> Iterator[int]:
    """The places of the letters whose middle lies under one of the annotations."""
    from pypdfium2.raw import FPDFText_CountChars

    for place in range(FPDFText_CountChars(textpage)) if covers else ():
        box = letter_box(textpage, place)
        if box is None:
            continue
        middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) * 2
        if any(overlaps(cover.box, middle) for cover in covers):
            yield place


def _runs(textpage: Any, signs: str, why: dict[int, str]) -> Iterator[tuple[FindingKind, str, str]]:
    """The words of neighbouring hidden letters of one reason; only blanks and line ends may lie between."""
    marked = [(why.get(place, ""), 0) for place in range(len(signs))]
    bottom, block = 0.0, 0
    for place, sign in enumerate(signs):
        if sign.isspace() and place:
            marked[place] = marked[place - 1]
        elif marked[place][0]:
            box = letter_box(textpage, place) or (0.0, bottom, 0.0, bottom)
            block += abs(box[1] - bottom) > _APART * max(box[3] - box[1], _LEAST_SIZE)
            bottom = box[1]
            marked[place] = (marked[place][0], block)
    for (reason, _), run in groupby(range(len(signs)), key=marked.__getitem__):
        words = "".join(signs[place] for place in run)
        if reason and words.strip():
            covered = reason in (COVERED, REDACTED)
            yield FindingKind.COVERED if covered else FindingKind.UNSEEN, " ".join(words.split()), reason
