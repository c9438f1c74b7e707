"""The text of a PDF page in reading order, without the letters that are not to be read."""

import ctypes
import re
import unicodedata
from collections.abc import Callable, Set
from typing import Any

from r3con_core.readers.pdf_layout import Letter, in_reading_order, may_be_out_of_order
from r3con_core.readers.pdf_survey import Box, Survey
from r3con_core.readers.unseen import letter_box

_MARK = "\ufffe"
"""What PDFium gives for a hyphen that stands at a line end, and for a sign that it does not know."""
_AT_LINE_END = re.compile("([^\\W\\d_]?)\ufffe(?:\r\n)?(.?)")
_SOFT_HYPHEN = re.compile("([^\\W\\d_]?)\u00ad(?:[ ]*\r?\n|$)(.?)")
_GAP = re.compile("  +")
_EMPTY_LINES = re.compile("(?:[ \t]*\r\n){2,}")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_MUCH = 0.25
"""Share of a page's signs from which it is written from right to left."""
_LAM = "ل"
_ALEFS = "اأإآٱ"
_ALEF_LAM = re.compile(f"[{_ALEFS}]{_LAM}")
_TURNED_CODE = re.compile(r"([-/_.]?\d[\d.,/-]*)([A-Za-z]{1,12})(?![A-Za-z\d])")
"""A reference such as NQ-103 as PDFium gives it within Hebrew or Arabic: -103NQ."""
_CLOSE = 3.0
"""Points between two signs of one word."""
_FORMS = re.compile("[\ufb1d-\ufb4f\ufb50-\ufbb1\ufbd3-\ufd3d\ufd50-\ufdfb\ufe70-\ufefc]+")
"""Letters of Hebrew and Arabic in the shapes that they take in print."""


def text_of(textpage: Any, survey: Survey, hidden: Set[int] = frozenset()) -> str:
    """The words of a page; `hidden` are the places of letters to leave out."""
    text = _as_drawn(textpage)
    if not text.strip():
        return ""
    width = survey.sheet[2] - survey.sheet[0]
    mixed_up = may_be_out_of_order([drawn.box for drawn in survey.texts], width)
    if not hidden and is_right_to_left(text):
        text = _with_ligatures_right(textpage, text)
        return _joined(_in_letters(with_codes_right(text, lambda place: _box_at(textpage, place))))
    if hidden or mixed_up:
        text = _arranged(_letters(textpage, hidden), width if mixed_up else 0.0)
        return _GAP.sub(" ", text) if hidden else text
    return _joined(_known_hyphens(textpage, text) if _MARK in text else text)


def is_right_to_left(text: str) -> bool:
    """Whether a good part of the text is Hebrew, Arabic or alike."""
    if text.isascii():
        return False
    found = len(_RIGHT_TO_LEFT.findall(text))
    return found > 0 and found > _MUCH * len("".join(text.split()))


def _as_drawn(textpage: Any) -> str:
    from pypdfium2.raw import FPDFText_CountChars, FPDFText_GetText

    count = FPDFText_CountChars(textpage)
    if count <= 0:
        return ""
    letters = (ctypes.c_ushort * (count + 1))()
    written = FPDFText_GetText(textpage, 0, count, letters)
    return bytes(letters)[: max(written - 1, 0) * 2].decode("utf-16-le", "replace")


def _known_hyphens(textpage: Any, text: str) -> str:
    """`text` with U+FFFD for signs that PDFium does not know, so that what is left of the marks are hyphens."""
    from pypdfium2.raw import FPDFText_GetCharIndexFromTextIndex, FPDFText_IsHyphen

    signs = list(text)
    for place in (at.start() for at in re.finditer(_MARK, text)):
        if FPDFText_IsHyphen(textpage, FPDFText_GetCharIndexFromTextIndex(textpage, place)) != 1:
            signs[place] = "\ufffd"
    return "".join(signs)


def _joined(text: str) -> str:
    """Words that were broken at line ends in one piece; a hyphen stays between what is not two small letters."""
    if _MARK in text:
        text = _AT_LINE_END.sub(_rejoined, text)
    if "\u00ad" in text:
        text = _SOFT_HYPHEN.sub(_rejoined, text).replace("\u00ad", "-")
    return text.replace("\r\n", "\n")


def _rejoined(at: re.Match[str]) -> str:
    before, after = at[1], at[2]
    return before + after if before.islower() and after.islower() else f"{before}-{after}"


def _arranged(letters: list[Letter], width: float) -> str:
    """The letters in the order in which they are read; `width` is 0 where that is the order they are in."""
    text = "".join(letter.sign for letter in letters)
    if is_right_to_left(text):
        _right_ligatures(letters)
        text = "".join(letter.sign for letter in letters)
        text = _in_letters(with_codes_right(text, lambda place: letters[place][1:]))
    elif width:
        text = in_reading_order(letters, width)
    return _joined(_EMPTY_LINES.sub("\r\n", text).strip("\r\n"))


def _letters(textpage: Any, hidden: Set[int]) -> list[Letter]:
    from pypdfium2.raw import FPDFText_CountChars, FPDFText_GetCharBox, FPDFText_GetUnicode, FPDFText_IsHyphen

    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    letters: list[Letter] = []
    lead = 0
    for place in range(FPDFText_CountChars(textpage)):
        if place in hidden:
            continue
        code = FPDFText_GetUnicode(textpage, place)
        if 0xD800 <= code < 0xDC00:
            lead = code
            continue
        if 0xDC00 <= code < 0xE000:
            code = 0x10000 + ((lead - 0xD800) << 10) + code - 0xDC00 if lead else 0xFFFD
        FPDFText_GetCharBox(textpage, place, left, right, bottom, top)
        sign = chr(code)
        if code < 0x20 and sign not in "\r\n\t":
            sign = _MARK if FPDFText_IsHyphen(textpage, place) == 1 else "\ufffd"
        letters.append(Letter(sign, left.value, bottom.value, right.value, top.value))
    return letters


def _in_letters(text: str) -> str:
    return _FORMS.sub(lambda forms: unicodedata.normalize("NFKC", forms[0]), text)


def _with_ligatures_right(textpage: Any, text: str) -> str:
    """`text` with the two letters of each lam-alef that was drawn as one sign in the order in which they are read."""
    from pypdfium2.raw import FPDFText_GetCharIndexFromTextIndex

    signs = list(text)
    for place in (at.start() for at in _ALEF_LAM.finditer(text)):
        one, two = (letter_box(textpage, FPDFText_GetCharIndexFromTextIndex(textpage, place + n)) for n in (0, 1))
        if one is not None and one == two:
            signs[place : place + 2] = signs[place + 1], signs[place]
    return "".join(signs)


def _box_at(textpage: Any, place: int) -> Box | None:
    from pypdfium2.raw import FPDFText_GetCharIndexFromTextIndex

    return letter_box(textpage, FPDFText_GetCharIndexFromTextIndex(textpage, place))


def with_codes_right(text: str, box_of: Callable[[int], Box | None]) -> str:
    """`text` with the letters of a reference before its number, where they stand to the left of it on the page."""

    def turned(at: re.Match[str]) -> str:
        number, letter = box_of(at.start()), box_of(at.end() - 1)
        if number is None or letter is None or abs(number[0] - letter[2]) > _CLOSE:
            return at[0]
        return at[2] + at[1]

    return _TURNED_CODE.sub(turned, text)


def _right_ligatures(letters: list[Letter]) -> None:
    """Put the two letters of lam-alef, drawn as one sign, in the order in which they are read."""
    for place in range(1, len(letters)):
        one, two = letters[place - 1], letters[place]
        if two.sign == _LAM and one.sign in _ALEFS and one[1:] == two[1:]:
            letters[place - 1], letters[place] = two, one
