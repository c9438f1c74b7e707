"""The words in charts and diagrams, which stand in parts of their own."""

from collections.abc import Iterable

from r3con_core.readers.marks import Line
from r3con_core.readers.ooxml import Event, Package

DRAWN = {"chart": "chart", "chartEx": "chart", "diagramData": "diagram"}
"""Kinds of relation that lead to such parts, and what people call them."""


def drawn_text(package: Package, part: str, kind: str) -> Line:
    """The text of a chart or diagram, a line for each title, series or box."""
    data = package.read(part)
    if data is None:
        return Line()
    events = package.events(data, part)
    lines = _chart_lines(events) if kind == "chart" else _paragraphs(events)
    return Line("\n".join(dict.fromkeys(filter(None, lines)) if kind == "chart" else filter(None, lines)))


def _paragraphs(events: Iterable[Event]) -> list[str]:
    lines = [""]
    for event, name, element in events:
        if event == "end" and name == "t":
            lines[-1] += element.text or ""
        elif event == "end" and name == "p":
            lines.append("")
    return [line.strip() for line in lines]


def _chart_lines(events: Iterable[Event]) -> list[str]:
    """Titles as they are, and for each series its name with the categories and values last drawn."""
    lines: list[str] = []
    title = ""
    values: dict[str, list[str]] = {"tx": [], "cat": [], "val": [], "xVal": [], "yVal": []}
    role = ""
    for event, name, element in events:
        if event == "start" and name in values:
            role = name
        elif event == "end" and name == "t":
            title += element.text or ""
        elif event == "end" and name in ("p", "rich"):
            lines.append(title.strip())
            title = ""
        elif event == "end" and name in ("v", "pt") and role and element.text and element.text.strip():
            values[role].append(element.text.strip())
        elif event == "end" and name == "ser":
            lines += _series(values)
            values = {known: [] for known in values}
            role = ""
    return lines


def _series(values: dict[str, list[str]]) -> list[str]:
    title = " ".join(values["tx"])
    named = [*values["cat"], *values["xVal"]]
    drawn = [*values["val"], *values["yVal"]]
    if len(named) == len(drawn):
        drawn = [f"{name}: {value}" for name, value in zip(named, drawn, strict=True)]
    elif named:
        title = f"{title} ({'; '.join(named)})".strip()
    text = "; ".join(drawn)
    return [f"{title}: {text}" if title and text else title or text]
