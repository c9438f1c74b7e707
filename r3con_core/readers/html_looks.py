"""What of a web page its reader cannot see: worked out from attributes, styles and simple style sheets."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from r3con_core.readers.html_colours import Colour, is_clear, read_colour
from r3con_core.readers.html_selectors import Place, Selector, place_of, read_selector

_LENGTH = re.compile(r"(-?\d*\.?\d+)\s*(px|pt|em|rem|ex|%|vw|vh|cm|mm|in)?")
_PIXELS = {
    "": 1.0,
    "px": 1.0,
    "pt": 1.33,
    "em": 16,
    "rem": 16,
    "ex": 8,
    "vw": 10,
    "vh": 8,
    "cm": 38,
    "mm": 3.8,
    "in": 96,
}
_MOVED = re.compile(r"translate(?:x|y|3d)?\(\s*(-?\d+)(px|em|rem|vw|vh|%)?|scale\(\s*0(?:\.0+)?\s*\)")
_TINY = 1.5
"""Pixels up to which letters are specks."""
_FAR = -200.0
"""Pixels beyond which something that is moved to the left or up is off the page."""
_ALIKE = 16
"""Of 255 in each colour, within which letters do not show on their ground."""
_ESCAPED = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")
_REMARK = re.compile(r"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/")
_FILTER = re.compile(r".*?(?:opacity\(\s*([\d.]+%?)\s*\).*|$)", re.DOTALL)
_FOR_SCREENS = re.compile(r"@media\s+(?:screen|all)\s*$|@supports|@layer")
_MAX_RULES = 5_000
_MAX_SELECTORS = 500
_MAX_STEPS = 2_000_000
"""Steps from an element to one it lies in that are taken in one page to see which rules are about it."""

_WHITE: Colour = (255, 255, 255)


class Element(Protocol):
    """An element of a page; lxml's are such."""

    @property
    def tag(self) -> str: ...

    @property
    def attrib(self) -> Mapping[str, str]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How the words in an element look, as far as it decides whether they are seen."""

    reason: str = ""
    """Why the element and all in it is not seen; empty when it is."""
    tiny: bool = False
    invisible: bool = False
    colour: Colour | None = (0, 0, 0)
    """Of its letters; None when it is not known."""
    ground: Colour | None = _WHITE
    """Behind its letters; None when it is not known, or a picture."""
    clear: bool = False
    """Its letters are transparent."""

    @property
    def why_unseen(self) -> str:
        """Why words in it are not seen; empty when they are."""
        if self.reason:
            return self.reason
        if self.invisible:
            return "invisible"
        if self.tiny:
            return "tiny letters"
        if self.clear:
            return "transparent letters"
        same = (
            self.colour
            and self.ground
            and all(abs(one - other) <= _ALIKE for one, other in zip(self.colour, self.ground, strict=True))
        )
        return "letters in the colour of their ground" if same else ""


PLAIN = Look()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    selector: Selector
    weight: tuple[int, int]
    stated: Mapping[str, str]


class Looks:
    """The style sheets within a page. Only simple selectors are followed, and nothing is fetched."""

    def __init__(self, sheets: Iterator[str], *, has_others: bool = False) -> None:
        """`has_others` when the page has style sheets of its own elsewhere, which may colour anything."""
        self._rules: dict[str, list[_Rule]] = {}
        self._count = 0
        self._steps_left = _MAX_STEPS
        self._is_partial = has_others
        for sheet in sheets:
            self._add(sheet)

    def look(self, element: Element, around: Look, place: Place | None = None) -> Look:
        """How an element looks within what looks like `around`; without a place no rule is about it."""
        attributes = element.attrib
        if not attributes and element.tag != "dialog" and element.tag not in self._rules and "*" not in self._rules:
            return around
        stated = self._stated(element, place)
        ground, colour = self._ground(element, stated, around), _colour_of(element, stated, around)
        whole = "" if element.tag in ("html", "body") else _why_hidden(attributes, stated)
        if element.tag == "dialog" and "open" not in attributes and "display" not in stated:
            whole = whole or "not displayed"
        look = replace(
            around,
            reason=around.reason or whole,
            tiny=_is_tiny(stated, around),
            invisible=_is_invisible(stated, around) and element.tag not in ("html", "body"),
            colour=colour,
            ground=ground,
            clear=is_clear(stated["color"]) if "color" in stated else around.clear,
        )
        return around if look == around else look

    def _stated(self, element: Element, place: Place | None) -> dict[str, str]:
        attributes = element.attrib
        stated: dict[str, str] = {}
        if place is not None:
            for rule in sorted(self._matching(place), key=lambda rule: rule.weight):
                stated.update(rule.stated)
        if style := attributes.get("style"):
            stated.update(_declarations(style))
        return stated

    def place(self, element: Element, parent: Place | None) -> Place | None:
        """Where an element in `parent` is, as far as rules depend on it."""
        return place_of(str(element.tag), element.attrib, parent) if self._rules else None

    def _matching(self, place: Place) -> Iterator[_Rule]:
        for key in (place.tag, "*", *place.own):
            for rule in self._rules.get(key, ()):
                selector = rule.selector
                if selector.last.is_of(place) and (not selector.above or self._lies_so(selector, place)):
                    yield rule

    def _lies_so(self, selector: Selector, place: Place) -> bool:
        self._steps_left -= 1
        if self._steps_left < 0:
            self._is_partial = True
        if self._steps_left < 0 or not selector.needs_above <= place.names:
            return False
        self._steps_left -= place.depth
        return selector.lies_so(place)

    def _ground(self, element: Element, stated: Mapping[str, str], around: Look) -> Colour | None:
        named = stated.get("background-color") or stated.get("background") or element.attrib.get("bgcolor", "")
        if element.attrib.get("background") or stated.get("background-image", "none") != "none":
            return None
        if named and named not in ("none", "transparent", "inherit", "initial", "unset"):
            return read_colour(named)
        unsure = self._is_partial and ("class" in element.attrib or "id" in element.attrib)
        return None if unsure else around.ground

    def _add(self, sheet: str) -> None:
        if "@import" in sheet:
            self._is_partial = True
        for selectors, declarations in _blocks(sheet):
            stated = _declarations(declarations)
            if not stated:
                continue
            for selector in selectors.split(",", _MAX_SELECTORS)[:_MAX_SELECTORS]:
                if self._count < _MAX_RULES:
                    self._add_rule(selector.strip(), stated)

    def _add_rule(self, written: str, stated: Mapping[str, str]) -> None:
        selector = read_selector(written)
        if selector is None:
            self._is_partial = self._is_partial or any(name.startswith("background") for name in stated)
            return
        self._count += 1
        last = selector.last
        rule = _Rule(selector=selector, weight=(selector.strength, self._count), stated=stated)
        self._rules.setdefault(min(last.needs) if last.needs else last.tag or "*", []).append(rule)


def _blocks(sheet: str) -> Iterator[tuple[str, str]]:
    """Selectors and declarations; those for print or for certain screens only are left out."""
    sheet = _REMARK.sub(" ", sheet[:2_000_000]).replace("<!--", " ").replace("-->", " ")
    within: list[bool] = []
    for piece in sheet.split("}"):
        *openings, declarations = piece.split("{")
        if not openings:
            if within:
                within.pop()
            continue
        within += (_FOR_SCREENS.search(opening.strip()) is not None for opening in openings[:-1])
        selectors = openings[-1].rpartition(";")[2].strip()
        if all(within) and not selectors.startswith("@"):
            yield selectors, declarations


_TELLING = frozenset(
    "display visibility opacity font-size font color background background-color background-image position left top "
    "right bottom text-indent margin-left margin-top clip clip-path width height max-height max-width overflow "
    "overflow-x overflow-y transform content-visibility filter".split()
)


def _escaped(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return chr(code) if 32 <= code < 127 else " "


def _declarations(style: str) -> dict[str, str]:
    stated = {}
    style = _ESCAPED.sub(_escaped, _REMARK.sub(" ", style[:20_000]))
    for declaration in style.split(";"):
        name, _, value = declaration.partition(":")
        name = name.strip().lower()
        if name in _TELLING and value:
            stated[name] = value.lower().replace("!important", "").strip()
    if (
        "font" in stated
        and "font-size" not in stated
        and (size := re.match(r"[^/]*?(\d*\.?\d+(?:px|pt)|\b0(?=[/\s]))", stated["font"]))
    ):
        stated["font-size"] = size[1]
    return stated


def _why_hidden(attributes: Mapping[str, str], stated: Mapping[str, str]) -> str:
    """Why an element with all in it is not seen."""
    if stated.get("display") == "none" or stated.get("content-visibility") == "hidden":
        return "not displayed"
    if "hidden" in attributes and "display" not in stated:
        return "not displayed"
    opacity = stated.get("opacity") or _FILTER.sub(r"\1", stated.get("filter", ""))
    if opacity and _number(opacity) is not None and (_number(opacity) or 0) <= 0.02:
        return "transparent"
    if _is_off_the_page(stated):
        return "off the page"
    return "cut to nothing" if _is_cut(stated) else ""


def _is_off_the_page(stated: Mapping[str, str]) -> bool:
    if stated.get("position") in ("absolute", "fixed"):
        for side in ("left", "top", "right", "bottom"):
            length = _pixels(stated.get(side, ""))
            if length is not None and length <= _FAR:
                return True
    if re.match(r"\d{3,}%", stated.get("text-indent", "")) and stated.get("overflow") == "hidden":
        return True
    for name in ("text-indent", "margin-left", "margin-top"):
        length = _pixels(stated.get(name, ""))
        if length is not None and length <= 2 * _FAR:
            return True
    moved = _MOVED.search(stated.get("transform", ""))
    if not moved:
        return False
    return moved[1] is None or int(moved[1][:9]) * (10 if moved[2] in ("em", "rem", "vw", "vh") else 1) <= 2 * _FAR


def _is_cut(stated: Mapping[str, str]) -> bool:
    clip = re.sub(r"\s+|,|px", " ", stated.get("clip", "")).split()
    if clip and clip[0].startswith("rect(") and set("".join(clip)[5:].rstrip(")")) <= set("01 "):
        return True
    if re.fullmatch(
        r"(?:inset\(\s*(?:50|100)%.*|circle\(\s*0.*|polygon\(0 0\s*,?\s*0 0.*)", stated.get("clip-path", "")
    ):
        return True
    if "hidden" not in (stated.get("overflow"), stated.get("overflow-x"), stated.get("overflow-y")):
        return False
    sizes = (_pixels(stated.get(name, "")) for name in ("width", "height", "max-height", "max-width"))
    return any(size is not None and 0 <= size <= 1 for size in sizes)


def _is_tiny(stated: Mapping[str, str], around: Look) -> bool:
    size = stated.get("font-size", "")
    found = _LENGTH.match(size)
    if not found:
        return around.tiny
    value, unit = float(found[1]), found[2] or ""
    if unit in ("em", "rem", "ex", "%"):
        share = value / 100 if unit == "%" else value
        return share < 0.1 or (around.tiny and unit in ("em", "%", "ex"))
    return value * _PIXELS[unit] <= _TINY


def _is_invisible(stated: Mapping[str, str], around: Look) -> bool:
    visibility = stated.get("visibility", "")
    return visibility in ("hidden", "collapse") or (around.invisible and visibility != "visible")


def _colour_of(element: Element, stated: Mapping[str, str], around: Look) -> Colour | None:
    named = stated.get("color") or (element.attrib.get("color", "") if element.tag == "font" else "")
    if element.tag == "body" and not named:
        named = element.attrib.get("text", "")
    if not named or named in ("inherit", "currentcolor"):
        return around.colour
    return read_colour(named)


def _number(stated: str) -> float | None:
    found = re.match(r"(\d*\.?\d+)(%)?", stated)
    return float(found[1]) / (100 if found[2] else 1) if found else None


def _pixels(stated: str) -> float | None:
    found = _LENGTH.match(stated)
    if not found:
        return None
    return float(found[1]) * _PIXELS.get(found[2] or "", 5)
