"""How the letters of a Word document look, as far as it takes to tell those that a reader cannot see."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from r3con_core.readers.ooxml import Event, attribute, local_name

_OFF = frozenset(("0", "false", "off", "none"))
_LEAST_HALF_POINTS = 4.0
"""Letters of less than two points are specks."""
_NEARLY_WHITE = 250
"""Of 255, in each colour."""
_HIGHLIGHTS = {"black": "000000", "white": "ffffff", "yellow": "ffff00", "red": "ff0000", "blue": "0000ff"}
"""Colours of the marker pen by name, of the rarer ones only the names are kept."""
_UNSTATED = frozenset(("", "auto", "000000"))
"""Colours of letters that are black under a marker pen."""
BLACKENED = "under a black marker"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a style or a run states; None where it states nothing."""

    hidden: bool | None = None
    colour: str | None = None
    """As six hexadecimal digits, or auto."""
    half_points: float | None = None
    shaded: bool | None = None
    ground: str | None = None
    """The colour behind the letters, as six hexadecimal digits; empty when it is none."""
    marked: str | None = None
    """The colour of the marker pen over them, likewise."""

    def over(self, below: "Look") -> "Look":
        """This look where it states something, else that of `below`."""
        return Look(
            hidden=below.hidden if self.hidden is None else self.hidden,
            colour=below.colour if self.colour is None else self.colour,
            half_points=below.half_points if self.half_points is None else self.half_points,
            shaded=below.shaded if self.shaded is None else self.shaded,
            ground=below.ground if self.ground is None else self.ground,
            marked=below.marked if self.marked is None else self.marked,
        )

    def why_unseen(self, *, on_white: bool) -> str:
        """Why a reader cannot see such letters; empty when they can be seen, or may be."""
        if self.hidden:
            return "hidden letters"
        if self.half_points is not None and self.half_points < _LEAST_HALF_POINTS:
            return f"letters of {self.half_points / 2:g} points"
        if on_white and not self.shaded and is_white(self.colour or ""):
            return "white letters"
        colour = (self.colour or "").casefold()
        if self.marked == _HIGHLIGHTS["black"] and colour in _UNSTATED:
            return BLACKENED
        return "letters in the colour of their ground" if colour and colour == (self.marked or self.ground) else ""


def is_white(colour: str) -> bool:
    """Whether six hexadecimal digits are white, or nearly."""
    try:
        parts = bytes.fromhex(colour.removeprefix("#"))
    except ValueError:
        return False
    return len(parts) == 3 and min(parts) >= _NEARLY_WHITE


def is_shading(element: Any) -> bool:
    """Whether a shading or highlight gives letters a ground other than white."""
    fill = attribute(element, "fill") or attribute(element, "val")
    clear = attribute(element, "val") in ("clear", "nil", "none", "")
    if fill in ("auto", "clear", "nil", "none", "white"):
        return not clear and local_name(element.tag) == "shd"
    return not is_white(fill)


def look_of(properties: Any) -> Look:
    """What run properties state."""
    look = Look()
    for child in properties:
        value = attribute(child, "val")
        match local_name(child.tag):
            case "vanish":
                look = replace(look, hidden=value not in _OFF)
            case "color":
                look = replace(look, colour=value)
            case "sz" if value.replace(".", "", 1).isdecimal():
                look = replace(look, half_points=float(value))
            case "shd":
                fill = attribute(child, "fill").casefold() if value in ("clear", "nil", "") else ""
                look = replace(
                    look, shaded=bool(look.shaded) or is_shading(child), ground="" if fill == "auto" else fill
                )
            case "highlight":
                look = replace(look, shaded=bool(look.shaded) or is_shading(child), marked=_HIGHLIGHTS.get(value, ""))
            case _:
                pass
    return look


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """One named style."""

    look: Look = Look()
    based_on: str = ""
    name: str = ""
    shades: bool = False
    """A table style that colours cells, or a paragraph style that colours its ground."""
    numbering: tuple[str, str] = ("", "")
    """Number and level of the list its paragraphs belong to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Styles:
    """The styles of a document by their id."""

    by_id: Mapping[str, Style] = field(default_factory=dict)
    default: Look = Look()
    default_paragraph: str = ""

    def look(self, style_id: str) -> Look:
        """What a style states, with what it is based on."""
        look = Look()
        for style in self._line_of(style_id):
            look = look.over(style.look)
        return look

    def shades(self, style_id: str) -> bool:
        """Whether a style, or one that it is based on, colours the ground."""
        return any(style.shades for style in self._line_of(style_id))

    def name(self, style_id: str) -> str:
        """The name of a style in English, as Word keeps it in every language; its id where it has none."""
        style = self.by_id.get(style_id)
        return (style.name if style else "") or style_id

    def numbering(self, style_id: str) -> tuple[str, str]:
        """Number and level of the list that paragraphs of a style belong to."""
        return next((style.numbering for style in self._line_of(style_id) if style.numbering[0]), ("", ""))

    def _line_of(self, style_id: str) -> list[Style]:
        line: list[Style] = []
        seen: set[str] = set()
        while style_id in self.by_id and style_id not in seen:
            seen.add(style_id)
            line.append(self.by_id[style_id])
            style_id = self.by_id[style_id].based_on
        return line


def read_styles(events: Iterable[Event]) -> Styles:
    """The styles that a document's part for them defines."""
    by_id: dict[str, Style] = {}
    default, default_paragraph = Look(), ""
    for event, name, element in events:
        if event != "end":
            continue
        if name == "rPrDefault":
            default = next((look_of(child) for child in element), Look())
        elif name == "style":
            style_id = attribute(element, "styleId")
            by_id[style_id] = _style(element)
            if attribute(element, "type") == "paragraph" and attribute(element, "default") not in ("", *_OFF):
                default_paragraph = style_id
            element.clear()
    return Styles(by_id=by_id, default=default, default_paragraph=default_paragraph)


def _style(element: Any) -> Style:
    def value(path: str) -> str:
        found = element.find(path)
        return "" if found is None else attribute(found, "val")

    properties = element.find("{*}rPr")
    return Style(
        look=Look() if properties is None else look_of(properties),
        based_on=value("{*}basedOn"),
        name=value("{*}name"),
        shades=any(is_shading(shading) for shading in element.iter("{*}shd")),
        numbering=(value("{*}pPr/{*}numPr/{*}numId"), value("{*}pPr/{*}numPr/{*}ilvl")),
    )
