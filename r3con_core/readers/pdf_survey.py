"""What a PDF page draws, in the order in which it is painted: text, pictures and other shapes with their places.

The calls go to PDFium itself: this runs for every page, and about a microsecond an object is all it may take.
"""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import hypot
from typing import Any, NamedTuple

Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in points, of the page before it is turned."""

_DEEPEST = 6
"""Forms inside each other that are looked into."""
_MOST_OBJECTS = 50_000
"""Of a page; a drawing with more is not looked through further."""
_MOST_PICTURES = 500
"""Of a page, under which text recognised in it is looked for."""
_NEARLY_WHITE = 230
"""Of 255, in each colour."""
_SEE_THROUGH = 64
"""Opacity, of 255, under which letters are looked at in a picture."""
_SURELY_NOT_TINY = 2.0
"""Points; letters that reach further need not be asked for their size."""
_BROAD_LINE = 4.0
"""Points; a drawn line as broad as this can cover words."""
_OVERHANG = 3.0
"""Points that letters may reach beyond the page or their frame without a word being lost."""
_MOST_FRAMES = 8
"""Frames inside each other that are looked at."""
_MOST_CORNERS = 12
"""Of a frame; one with more is no rectangle, and not looked at."""

INVISIBLE = "invisible letters"
WHITE = "letters in the colour of their ground"
SEE_THROUGH = "transparent letters"
LAYER = "in a layer that is not shown"
CUT_OFF = "outside the frame that it is shown in"


class Drawn(NamedTuple):
    """One object of a page."""

    order: int
    """Its place among all that is painted, from 0."""
    handle: Any
    box: Box
    colour: tuple[int, int, int, int] | None = None
    """Red, green, blue and opacity; None where it has no one colour, as in a picture."""
    size: float = 0.0
    """Points; of text only."""
    detail: str = ""
    """Why text may be hard to see; what an annotation is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """All that a page draws."""

    sheet: Box
    """What is shown of the page."""
    texts: list[Drawn]
    odd: list[Drawn]
    """Those of the texts that may be hard to see by themselves: by colour, size, place or manner."""
    shapes: list[Drawn]
    """Filled paths, pictures and shadings."""
    pictures: list[Drawn]
    count: int
    """Objects of all kinds."""

    @property
    def last_text_order(self) -> int:
        return self.texts[-1].order if self.texts else -1

    @property
    def last_shape_order(self) -> int:
        return self.shapes[-1].order if self.shapes else -1

    def has_picture_under(self, text: Drawn) -> bool:
        """Whether the middle of a text lies on a picture."""
        left, bottom, right, top = text.box
        middle = ((left + right) / 2, (bottom + top) / 2) * 2
        return any(overlaps(picture.box, middle) for picture in self.pictures[:_MOST_PICTURES])

    def pictured(self) -> float:
        """The share of the page that its largest picture takes, 0 to 1."""
        whole = max(_area(self.sheet), 1.0)
        return max((_area(_common(picture.box, self.sheet)) / whole for picture in self.pictures), default=0.0)


def overlaps(outer: Box, inner: Box) -> bool:
    """Whether the middle of `inner` lies in `outer`."""
    across, up = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] <= across <= outer[2] and outer[1] <= up <= outer[3]


def touches(one: Box, other: Box) -> bool:
    """Whether two boxes have a point in common."""
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]


def is_within(inner: Box, outer: Box) -> bool:
    """Whether no word of `inner` can lie outside `outer`."""
    reach = (outer[0] - _OVERHANG, outer[1] - _OVERHANG, outer[2] + _OVERHANG, outer[3] + _OVERHANG)
    return reach[0] <= inner[0] and reach[1] <= inner[1] and inner[2] <= reach[2] and inner[3] <= reach[3]


def _common(one: Box, other: Box) -> Box:
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def _area(box: Box) -> float:
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def survey(page: Any, *, layers: bool) -> Survey:
    """All that a page of PDFium draws, forms inside it looked into; `layers` says whether some may be switched off."""
    probe = _Probe(layers=layers)
    seen = Survey(sheet=probe.sheet(page), texts=[], odd=[], shapes=[], pictures=[], count=0)
    order = -1
    for order, (handle, kind, matrix) in enumerate(_walk(page)):
        if order > _MOST_OBJECTS:
            break
        if kind == _TEXT:
            text = probe.text(order, handle, matrix)
            seen.texts.append(text)
            if text.detail or text.size < _SURELY_NOT_TINY or not is_within(text.box, seen.sheet):
                seen.odd.append(text)
        elif kind in (_PATH, _PICTURE, _SHADING):
            shape = probe.shape(order, handle, matrix, is_path=kind == _PATH)
            seen.shapes.extend(shape)
            seen.pictures.extend(shape if kind == _PICTURE else ())
    return replace(seen, count=order + 1)


_TEXT, _PATH, _PICTURE, _SHADING, _FORM = 1, 2, 3, 4, 5
_Matrix = tuple[float, float, float, float, float, float]


def _walk(page: Any) -> Iterator[tuple[Any, int, _Matrix | None]]:
    """Each object with its kind and the matrix of the forms it lies in, in the order of painting."""
    from pypdfium2 import raw

    ask_kind, get = raw.FPDFPageObj_GetType, raw.FPDFPage_GetObject
    for index in range(raw.FPDFPage_CountObjects(page)):
        handle = get(page, index)
        kind = ask_kind(handle)
        if kind == _FORM:
            yield from _walk_form(handle)
        else:
            yield handle, kind, None


def _walk_form(form: Any) -> Iterator[tuple[Any, int, _Matrix]]:
    from pypdfium2 import raw

    stack = [_objects(form, _form_matrix(form, None))]
    while stack:
        handle, matrix = next(stack[-1], (None, None))
        if handle is None or matrix is None:
            stack.pop()
            continue
        kind = raw.FPDFPageObj_GetType(handle)
        if kind == _FORM and len(stack) <= _DEEPEST:
            stack.append(_objects(handle, _form_matrix(handle, matrix)))
        else:
            yield handle, kind, matrix


def _objects(form: Any, matrix: _Matrix) -> Iterator[tuple[Any, _Matrix]]:
    from pypdfium2.raw import FPDFFormObj_CountObjects, FPDFFormObj_GetObject

    return ((FPDFFormObj_GetObject(form, index), matrix) for index in range(FPDFFormObj_CountObjects(form)))


def _form_matrix(form: Any, outer: _Matrix | None) -> _Matrix:
    from pypdfium2.raw import FS_MATRIX, FPDFPageObj_GetMatrix

    matrix = FS_MATRIX()
    FPDFPageObj_GetMatrix(form, matrix)
    own = (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)
    return own if outer is None else _times(own, outer)


def _times(first: _Matrix, then: _Matrix) -> _Matrix:
    a, b, c, d, e, f = first
    g, h, i, j, k, m = then
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


class _Probe:
    """Asks PDFium for the looks of objects; keeps the places that it writes its answers to."""

    def __init__(self, *, layers: bool) -> None:
        from pypdfium2 import raw

        self._raw = raw
        self._layers = layers
        self._sides = [ctypes.c_float() for _ in range(4)]
        self._to_sides = [ctypes.byref(side) for side in self._sides]
        self._colours = [ctypes.c_uint() for _ in range(4)]
        self._to_colours = [ctypes.byref(colour) for colour in self._colours]
        self._size = ctypes.c_float()
        self._matrix = raw.FS_MATRIX()
        self._fill, self._stroke = ctypes.c_int(), ctypes.c_int()

    def sheet(self, page: Any) -> Box:
        box = self._raw.FS_RECTF()
        self._raw.FPDF_GetPageBoundingBox(page, box)
        return box.left, box.bottom, box.right, box.top

    def box(self, handle: Any, matrix: _Matrix | None) -> Box:
        self._raw.FPDFPageObj_GetBounds(handle, *self._to_sides)
        left, bottom, right, top = self._sides
        box = (left.value, bottom.value, right.value, top.value)
        return box if matrix is None else _moved(box, matrix)

    def text(self, order: int, handle: Any, matrix: _Matrix | None) -> Drawn:
        raw, (left, bottom, right, top) = self._raw, self._sides
        raw.FPDFPageObj_GetBounds(handle, *self._to_sides)
        box: Box = (left.value, bottom.value, right.value, top.value)
        mode = raw.FPDFTextObj_GetTextRenderMode(handle)
        colour = self._colour(handle, stroke=mode in (1, 5))
        detail = ""
        if mode in (3, 7):
            detail = INVISIBLE
        elif colour is not None and (colour[3] < _SEE_THROUGH or min(colour) >= _NEARLY_WHITE):
            detail = SEE_THROUGH if colour[3] < _SEE_THROUGH else WHITE
        elif self._layers and (matrix is not None or self._in_layer(handle)):  # a form may be a layer, unmarked
            detail = LAYER
        elif self._is_cut_off(handle, box):
            detail = CUT_OFF
        size = box[3] - box[1]
        if size <= _SURELY_NOT_TINY or box[2] - box[0] <= _SURELY_NOT_TINY:
            size = self._letter_size(handle, matrix)
        return Drawn(order, handle, box if matrix is None else _moved(box, matrix), colour, size, detail)

    def shape(self, order: int, handle: Any, matrix: _Matrix | None, *, is_path: bool) -> tuple[Drawn, ...]:
        """A picture, a shading, a filled path or a broad line; nothing for other lines."""
        if not is_path:
            return (Drawn(order, handle, self.box(handle, matrix)),)
        if not self._raw.FPDFPath_GetDrawMode(handle, self._fill, self._stroke):
            return ()
        if not self._fill.value and not (self._stroke.value and self._is_broad(handle)):
            return ()
        colour = self._colour(handle, stroke=not self._fill.value)
        return (Drawn(order, handle, self.box(handle, matrix), colour),)

    def _is_broad(self, line: Any) -> bool:
        self._raw.FPDFPageObj_GetStrokeWidth(line, self._size)
        return self._size.value >= _BROAD_LINE

    def _is_cut_off(self, handle: Any, box: Box) -> bool:
        """Whether an object reaches out of one of the rectangles in which it is shown."""
        frames = self._raw.FPDFPageObj_GetClipPath(handle)
        count = self._raw.FPDFClipPath_CountPaths(frames) if frames else 0
        return any(not is_within(box, self._frame(frames, index) or box) for index in range(min(count, _MOST_FRAMES)))

    def _frame(self, frames: Any, index: int) -> Box | None:
        raw, (across, up, *_) = self._raw, self._sides
        count = raw.FPDFClipPath_CountPathSegments(frames, index)
        if not 0 < count <= _MOST_CORNERS:
            return None
        points = []
        for corner in range(count):
            raw.FPDFPathSegment_GetPoint(raw.FPDFClipPath_GetPathSegment(frames, index, corner), across, up)
            points.append((across.value, up.value))
        xs, ys = [x for x, _ in points], [y for _, y in points]
        return min(xs), min(ys), max(xs), max(ys)

    def _colour(self, handle: Any, *, stroke: bool) -> tuple[int, int, int, int] | None:
        ask = self._raw.FPDFPageObj_GetStrokeColor if stroke else self._raw.FPDFPageObj_GetFillColor
        red, green, blue, opacity = self._colours
        if not ask(handle, *self._to_colours):
            return None
        return red.value, green.value, blue.value, opacity.value

    def _letter_size(self, handle: Any, matrix: _Matrix | None) -> float:
        self._raw.FPDFTextObj_GetFontSize(handle, self._size)
        self._raw.FPDFPageObj_GetMatrix(handle, self._matrix)
        own = (self._matrix.a, self._matrix.b, self._matrix.c, self._matrix.d, 0.0, 0.0)
        a, b, c, d, _, _ = own if matrix is None else _times(own, matrix)
        return float(abs(self._size.value) * min(hypot(a, b), hypot(c, d)))

    def _in_layer(self, handle: Any) -> bool:
        for index in range(self._raw.FPDFPageObj_CountMarks(handle)):
            mark = self._raw.FPDFPageObj_GetMark(handle, index)
            name = (ctypes.c_ushort * 16)()
            length = ctypes.c_ulong()
            self._raw.FPDFPageObjMark_GetName(mark, name, 32, length)
            if bytes(name)[: max(length.value - 2, 0)] == b"O\x00C\x00":
                return True
        return False


def _moved(box: Box, matrix: _Matrix) -> Box:
    a, b, c, d, e, f = matrix
    corners = [(a * x + c * y + e, b * x + d * y + f) for x in (box[0], box[2]) for y in (box[1], box[3])]
    across, up = [x for x, _ in corners], [y for _, y in corners]
    return min(across), min(up), max(across), max(up)
